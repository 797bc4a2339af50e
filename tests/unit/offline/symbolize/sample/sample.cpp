// SPDX-License-Identifier: MIT
//
// Code for the resolver to name: the test compiles it in several ways. Nothing here is run.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sample {
namespace {

struct hidden {
  int value = 0;
  [[gnu::noinline]] int twice() const { return value * 2; }
};

inline int small(std::vector<int>& v, int x) {
  v.push_back(x);
  return v.back() + static_cast<int>(v.size());
}

}  // namespace

inline int middle(std::vector<int>& v, int x) { return small(v, x) + small(v, x + 1); }

template <class T>
struct box {
  std::map<T, std::string> names;
  [[gnu::noinline]] void put(T key, std::string const& text) { names[key] += text; }
  T operator()(T x) const { return x + T(names.size()); }
};

template <class T>
[[gnu::noinline]] int total(std::vector<T> const& v, box<T> const& b) {
  int sum = 0;
  std::for_each(v.begin(), v.end(), [&](T x) {
    const auto more = [&](auto y) { return static_cast<int>(b(x) + y); };
    sum += more(x) + more(1);
  });
  return sum;
}

struct base {
  virtual ~base() = default;
  virtual int run(std::vector<int>& v) = 0;
};
struct derived : base {
  std::unique_ptr<box<long>> b = std::make_unique<box<long>>();
  int run(std::vector<int>& v) override {
    struct local {
      [[gnu::noinline]] static int helper(int x) { return x ^ 3; }
    };
    b->put(local::helper(middle(v, 1)), "text");
    return hidden{middle(v, 3)}.twice();
  }
};

__attribute__((cold, noinline)) void rarely(std::string& s) { s.insert(0, "rare"); }

std::string operator+(box<int> const& b, std::vector<std::string>& v) {
  std::sort(v.begin(), v.end());
  if (v.empty()) throw v;
  std::string all = std::to_string(b.names.size());
  for (std::string const& s : v) all += s;
  if (all.size() > 100) rarely(all);
  return all;
}

}  // namespace sample

extern "C" int sample_entry(int n) {
  std::vector<int> v;
  sample::derived d;
  sample::box<int> b;
  std::vector<std::string> texts{"a", "b"};
  for (int i = 0; i < n; ++i) {
    d.run(v);
    b.put(i, b + texts);
  }
  return sample::total(v, b) + sample::total(std::vector<long>{1, 2}, *d.b);
}
