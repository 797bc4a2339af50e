/* SPDX-License-Identifier: MIT */
void call_each(void (*f)(int), int n) {
  for (int i = 0; i < n; ++i) f(i);
}
