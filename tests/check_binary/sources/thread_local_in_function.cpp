// SPDX-License-Identifier: MIT
int make(int n);
int thread_locals(int n) {
  thread_local int first = make(1);
  thread_local int second = make(2);
  return n + first + second;
}
