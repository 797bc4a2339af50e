// SPDX-License-Identifier: MIT
/// \file
/// The GNU build id of an ELF file.
#pragma once

#include <string>

#include "symbolize/byte_reader.hpp"

struct Elf;

namespace memprof::symbolize {

/// In lower case hexadecimal digits; empty: none. libdwelf would read every note of the file,
/// whatever their sizes, and keep them: here notes of more than 64 KiB are passed over, and so is
/// what comes after the first 64.
///
/// \param descriptor of the file that `elf` was opened from.
[[nodiscard]] std::string read_build_id(Elf* elf, int descriptor);

/// In lower case.
[[nodiscard]] std::string hexadecimal(bytes_view bytes);

}  // namespace memprof::symbolize
