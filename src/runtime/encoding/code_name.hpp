// SPDX-License-Identifier: MIT
/// \file
/// How a trace of ours names code, as long as nobody has looked up its function: the module and the
/// address in it.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memprof::encoding {

using code_name_text = std::array<char, 300>;

/// The location's defname, in `into`. The part from '@' on is left out where the module has no
/// build id:
///
///     libstdc++.so.6+0xa8e2f@2f8a4b6c0d1e3f57
///                    |       first 8 bytes of the build id
///                    address in the file of the call, that is of the return address minus 1
inline std::string_view code_name(std::string_view module_path, std::uint64_t call,
                                  std::string_view build_id, code_name_text& into) noexcept {
  char* at = into.data();
  const auto append = [&](std::string_view piece) {
    at = std::copy_n(piece.begin(), piece.size(), at);
  };
  append(module_path.substr(module_path.rfind('/') + 1).substr(0, 255));  // npos + 1 is 0
  append("+0x");
  at = std::to_chars(at, into.data() + into.size(), call, 16).ptr;
  if (!build_id.empty()) {
    append("@");
    append(build_id.substr(0, 16));
  }
  return {into.data(), static_cast<std::size_t>(at - into.data())};
}

}  // namespace memprof::encoding
