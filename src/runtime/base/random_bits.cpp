// SPDX-License-Identifier: MIT
#include "base/random_bits.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace memprof::base {
namespace {

constexpr unsigned nonblock = 1;  // GRND_NONBLOCK; old C libraries have no header for it

// The finaliser of SplitMix64: each bit of the argument changes half of the result's.
std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

class hash {
 public:
  void add(std::uint64_t word) noexcept { value_ = mix(value_ + 0x9e3779b97f4a7c15) ^ mix(word); }
  void add_time(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    add(static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
        static_cast<std::uint64_t>(now.tv_nsec));
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return mix(value_); }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace

// The bytes of AT_RANDOM are also the stack protector's. 64 bits of their hash with the time do not
// give them away.
std::uint64_t detail::random_bits_without_kernel() noexcept {
  hash h;
  if (auto const* const bytes = reinterpret_cast<char const*>(getauxval(AT_RANDOM))) {
    std::uint64_t words[2];
    std::memcpy(words, bytes, sizeof words);
    h.add(words[0]);
    h.add(words[1]);
  }
  h.add_time(CLOCK_REALTIME);
  h.add_time(CLOCK_MONOTONIC);
  h.add(static_cast<std::uint64_t>(syscall(SYS_getpid)));
  h.add(static_cast<std::uint64_t>(syscall(SYS_gettid)));
  return h.value();
}

std::uint64_t random_bits() noexcept {
  const int saved_errno = errno;
  std::uint64_t bits = 0;
  if (syscall(SYS_getrandom, &bits, sizeof bits, nonblock) != long{sizeof bits}) {
    bits = detail::random_bits_without_kernel();
  }
  errno = saved_errno;
  return bits;
}

}  // namespace memprof::base
