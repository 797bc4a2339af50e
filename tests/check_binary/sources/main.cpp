// SPDX-License-Identifier: MIT
// A program of C++ with exceptions, a C callback, and what the other sources here define.
#include <stdexcept>
#include <string>
#include <vector>

extern "C" void call_each(void (*f)(int), int n);
int objects_work(int n);
int thread_locals(int n);

int* may_throw(int n) {
  static int value;
  if (n > 100) throw std::runtime_error("too many");
  value = n;
  return &value;
}
int make(int n) { return *may_throw(n); }

struct object {
  explicit object(int* p);
  ~object();
  int* p;
};
object::object(int* q) : p(q) {}
object::~object() { may_throw(1); }

int main(int argc, char**) {
  const std::vector<std::string> texts(static_cast<std::size_t>(argc), "text");
  try {
    call_each([](int i) { make(i); }, argc);
    return objects_work(argc) + thread_locals(argc) + static_cast<int>(texts.size());
  } catch (std::exception const&) {
    return 1;
  }
}
