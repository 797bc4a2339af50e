// SPDX-License-Identifier: MIT
// How many threads there are, each of which has allocated.
#include <barrier>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "library.hpp"
#include "measure.hpp"

namespace growth {

findings threads(std::int64_t count) {
  mixture load;
  std::vector<std::thread> all;
  all.reserve(static_cast<std::size_t>(count));
  std::barrier started(static_cast<std::ptrdiff_t>(count) + 1);
  std::barrier work(static_cast<std::ptrdiff_t>(count) + 1);
  std::barrier end(static_cast<std::ptrdiff_t>(count) + 1);
  const std::int64_t each = 4'000'000 / count;
  findings found;

  const std::int64_t before = resident_bytes();
  std::int64_t start = wall_ns();
  for (std::int64_t i = 0; i < count; ++i) {
    all.emplace_back([&] {
      ::operator delete(keep(::operator new(64)));
      started.arrive_and_wait();
      work.arrive_and_wait();
      for (std::int64_t n = 0; n < each; ++n) ::operator delete(keep(::operator new(64)));
      end.arrive_and_wait();
    });
  }
  started.arrive_and_wait();
  const auto per_thread = [&](std::int64_t amount) {
    return static_cast<double>(amount) / static_cast<double>(count);
  };
  found.emplace_back("start ns", per_thread(wall_ns() - start));
  found.emplace_back("bytes per thread", per_thread(resident_bytes() - before));
  found.emplace_back("pair ns", load.ns_per_pair());
  start = wall_ns();
  work.arrive_and_wait();
  end.arrive_and_wait();
  found.emplace_back("pair of all ns", per_thread(wall_ns() - start) / static_cast<double>(each));
  start = wall_ns();
  for (std::thread& t : all) t.join();
  found.emplace_back("end ns", per_thread(wall_ns() - start));
  return found;
}

}  // namespace growth
