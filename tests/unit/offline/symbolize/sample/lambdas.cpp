// SPDX-License-Identifier: MIT
//
// Lambdas that the resolver must distinguish, each with a body on one line: the test finds them by
// their LAMBDA numbers. Nothing here is run.
#include <string>
#include <vector>

namespace sample {

std::vector<int> store;
[[gnu::noinline]] void touch(int x) { store.push_back(x); }

template <class F>
[[gnu::noinline]] void call(F f) {
  f(1);
}
template <class F>
inline void forward(F f) {
  f(2);
}

void parse(std::string const& text, int n) {
  call([](int x) { touch(x), touch(x + 1); });       // LAMBDA 1
  call([](int x) { touch(x), touch(x + 2); });       // LAMBDA 2
  forward([](char x) { touch(x), touch(x + 3); });   // LAMBDA 3
  forward([&](auto x) { touch(x), touch(n + 4); });  // LAMBDA 4
  const auto twice = [&](std::string const& s, unsigned long k) {
    touch(int(k)), touch(int(s.size()) + n);  // LAMBDA 5
  };
  if (n > 3) twice(text, 1);
  twice(text, 2);
}

static void parse(char const* text) {
  forward([=](int x) { touch(x), touch(text[x]); });  // LAMBDA 6
}

namespace {

struct hidden {
  static void run(int n) {
    forward([=](int x) {
      call([=](int y) {
        touch(x), touch(y + n);  // LAMBDA 7
      });
    });
    forward([=](int x) { touch(x), touch(n + 8); });  // LAMBDA 8
  }
};

}  // namespace
}  // namespace sample

extern "C" void sample_entry(int n) {
  sample::parse("text", n);
  sample::parse("text");
  sample::hidden::run(n);
}
