// SPDX-License-Identifier: MIT
int make(int n);
extern thread_local int first, second;
thread_local int first = make(1);
thread_local int second = make(2);
