// SPDX-License-Identifier: MIT
/// \file
/// An ELF file, read by libelf: sections, uncompressed; symbols; its build id; the
/// names of its debug files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/byte_reader.hpp"

struct Elf;

namespace memprof::symbolize {

/// The file may contain anything: what cannot be read is empty.
class elf_image {
 public:
  /// Null, and why in `reason`, if it is no ELF file for a machine of this byte order.
  static std::unique_ptr<elf_image> open(std::filesystem::path const& file, std::string& reason);
  ~elf_image();
  elf_image(elf_image const&) = delete;
  elf_image& operator=(elf_image const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  [[nodiscard]] std::uint64_t file_size() const noexcept { return file_size_; }
  /// Of its contents, or when it was copied.
  [[nodiscard]] std::chrono::sys_time<std::chrono::microseconds> modified() const noexcept {
    return modified_;
  }
  /// The GNU build id in lower case hexadecimal digits; empty: none.
  [[nodiscard]] std::string const& build_id() const noexcept { return build_id_; }

  /// For libdw, which may share it.
  [[nodiscard]] Elf* handle() const noexcept { return elf_; }

  /// What its debug sections take in memory, uncompressed.
  [[nodiscard]] std::uint64_t debug_bytes() const noexcept { return debug_bytes_; }
  /// That is more than most_memory_of(file_size()): it has no debug sections then.
  [[nodiscard]] bool too_large() const noexcept;

  /// The bytes of a section, which live as long as this.
  [[nodiscard]] bytes_view section(std::string_view name);

  struct debug_link {
    std::string file;
    std::uint32_t crc = 0;
  };
  /// .gnu_debuglink; `file` is empty if there is none.
  [[nodiscard]] debug_link link();
  struct alternative_link {
    std::string file;
    std::string build_id;
  };
  /// .gnu_debugaltlink: what dwz moved out of several files.
  [[nodiscard]] alternative_link alternative();

  /// A segment from which code can run; `offset` in the file.
  struct extent {
    std::uint64_t low, high, offset;
  };
  [[nodiscard]] std::vector<extent> const& code() const noexcept { return executable_; }
  /// Addresses from which code can run.
  [[nodiscard]] bool executable(std::uint64_t address) const noexcept;

  struct symbol {
    std::uint64_t value;
    std::uint64_t size;
    std::string_view name;
    std::uint8_t binding;
  };
  /// About what functions() takes in memory.
  [[nodiscard]] std::uint64_t symbol_bytes(bool dynamic) const;
  /// The functions with a size in .symtab, or in .dynsym.
  [[nodiscard]] std::vector<symbol> functions(bool dynamic);

 private:
  elf_image() = default;
  void read_segments();
  void measure_debug_sections();

  std::filesystem::path path_;
  int descriptor_ = -1;
  Elf* elf_ = nullptr;
  std::uint64_t file_size_ = 0, debug_bytes_ = 0;
  std::chrono::sys_time<std::chrono::microseconds> modified_;
  bool has_names_ = true;  // of sections
  std::string build_id_;
  std::vector<extent> executable_;
};

}  // namespace memprof::symbolize
