// SPDX-License-Identifier: MIT
#include "decoder/random_encodings.hpp"

#include <cstddef>
#include <cstdint>

namespace memprof::test {
namespace {

using byte = unsigned char;

constexpr byte legacy_prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                    0x66, 0x67, 0xf0, 0xf2, 0xf3};

class writer {
 public:
  explicit writer(std::mt19937_64& random) noexcept : random_(random) {
    for (byte& b : bytes_) b = any();
  }
  void add(unsigned b) noexcept { bytes_[at_++] = static_cast<byte>(b); }
  [[nodiscard]] byte any() noexcept { return static_cast<byte>(below(256)); }
  /// That the lowest numbers come a little more often does not matter here.
  [[nodiscard]] unsigned below(unsigned n) noexcept { return static_cast<unsigned>(random_() % n); }
  [[nodiscard]] encoding_bytes const& bytes() const noexcept { return bytes_; }

 private:
  std::mt19937_64& random_;
  encoding_bytes bytes_{};
  std::size_t at_ = 0;
};

}  // namespace

encoding_bytes random_encoding(std::mt19937_64& random) {
  writer w(random);
  const unsigned form = w.below(7);
  const bool legacy = form < 4;
  // VEX and EVEX take no other prefixes than those of segments and of the address size.
  for (unsigned n = w.below(8); legacy && n < 5; n += 3) w.add(legacy_prefixes[w.below(11)]);
  if (legacy && w.below(2) == 0) w.add(0x40 | w.below(16));
  switch (form) {
    case 0:
      break;
    case 1:
      w.add(0x0f);
      break;
    case 2:
    case 3:
      w.add(0x0f);
      w.add(form == 2 ? 0x38 : 0x3a);
      break;
    case 4:
      w.add(0xc5);
      w.add(w.any());
      break;
    case 5:
      w.add(0xc4);
      w.add((w.any() & 0xe0U) | (1 + w.below(3)));
      w.add(w.any());
      break;
    default:
      w.add(0x62);
      w.add((w.any() & 0xf0U) | (1 + w.below(6)));
      w.add(w.any() | 4U);
      w.add(w.any());
      break;
  }
  return w.bytes();
}

}  // namespace memprof::test
