// SPDX-License-Identifier: MIT
// A destructor that is skipped if this is compiled with -fno-exceptions.
struct object {
  explicit object(int* p);
  ~object();
  int* p;
};
int* may_throw(int n);

int objects_work(int n) {
  const object o{may_throw(n)};
  may_throw(n + 1);
  return *o.p;
}
