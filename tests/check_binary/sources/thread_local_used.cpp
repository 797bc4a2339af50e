// SPDX-License-Identifier: MIT
extern thread_local int first, second;
int thread_locals(int n) { return n + first + second; }
