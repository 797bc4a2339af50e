// SPDX-License-Identifier: MIT
// Compilers inline the initialisation into the function when both are in one source.
int make(int n);
static thread_local int first = make(1);
static thread_local int second = make(2);
int thread_locals(int n) { return n + first + second; }
