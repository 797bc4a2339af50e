// SPDX-License-Identifier: MIT
/// \file
/// Modules made for the tests, in a folder that goes away with them, and what addr2line says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/catch2.hpp"
#include "symbolize/elf_image.hpp"
#include "symbolize/resolver.hpp"

namespace memprof::test {

namespace fs = std::filesystem;

class folder {
 public:
  folder() {
    std::string name = fs::temp_directory_path() / "memprof-symbolize-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = fs::canonical(name);
  }
  ~folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  fs::path operator/(std::string const& name) const { return path_ / name; }

 private:
  fs::path path_;
};

inline bool runs(std::string const& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}
inline void run(std::string const& command) {
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
}

/// The sample as a shared library; -1 of a return address is any byte of a call, so any address of
/// .text will do.
inline fs::path compile(fs::path const& to, std::string const& options,
                        std::string const& compiler = MEMPROF_TEST_GXX,
                        fs::path const& source = MEMPROF_TEST_SAMPLE) {
  run(compiler + " -std=c++20 -O2 -fPIC -shared -Wl,--build-id " + options + " -o " + to.native() +
      ' ' + source.native());
  return to;
}

/// The sample as the build made it, with -g -O2: a copy.
inline fs::path sample(fs::path const& to) {
  fs::copy(MEMPROF_TEST_SAMPLE_MODULE, to);
  return to;
}

inline std::string build_id(fs::path const& module) {
  std::string reason;
  auto const image = symbolize::elf_image::open(module, reason);
  REQUIRE(image != nullptr);
  return image->build_id();
}

/// Where .text begins, and its size. It must not have been cut.
inline std::pair<std::uint64_t, std::uint64_t> text_of(fs::path const& module) {
  std::FILE* const out = ::popen(("readelf -SW " + module.native()).c_str(), "r");
  REQUIRE(out != nullptr);
  unsigned long long address = 0;
  unsigned long long size = 0;
  for (char line[512]; std::fgets(line, sizeof line, out) != nullptr;) {
    char const* const at = std::strstr(line, "] .text ");
    if (at != nullptr) std::sscanf(at, "] .text %*s %llx %*x %llx", &address, &size);
  }
  ::pclose(out);
  REQUIRE(size != 0);
  return {address, size};
}

inline std::vector<std::uint64_t> some_addresses(fs::path const& module, std::size_t n) {
  const auto [address, size] = text_of(module);
  std::mt19937_64 random{42};
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(address + random() % size);
  return all;
}

inline std::vector<std::uint64_t> all_addresses(fs::path const& module) {
  const auto [address, size] = text_of(module);
  std::vector<std::uint64_t> all(size);
  std::iota(all.begin(), all.end(), address);
  return all;
}

struct raw_name {
  std::string file, name;
  [[nodiscard]] trace::location location() const { return {file, name, 0, 0, 0}; }
};
inline raw_name raw(fs::path const& module, std::uint64_t address, std::string const& id) {
  char text[32];
  std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(address));
  return {module, module.filename().native() + text + (id.empty() ? "" : "@" + id.substr(0, 16))};
}

/// Function, file:line, function, ... of one address, innermost first.
using answer = std::vector<std::string>;

constexpr char const* addr2line = "addr2line -a -i -f -C -e ";
constexpr char const* llvm_symbolizer =
    "llvm-symbolizer --output-style=GNU --addresses --inlines --demangle -e ";

inline std::vector<answer> ask(std::string const& judge, folder const& dir, fs::path const& module,
                               std::vector<std::uint64_t> const& addresses) {
  const fs::path questions = dir / "addresses";
  {
    std::ofstream out{questions};
    for (std::uint64_t a : addresses) out << std::hex << "0x" << a << '\n';
  }
  std::FILE* const out =
      ::popen((judge + module.native() + " < " + questions.native()).c_str(), "r");
  REQUIRE(out != nullptr);
  std::vector<answer> answers;
  char* line = nullptr;
  std::size_t space = 0;
  for (ssize_t n = 0; (n = ::getline(&line, &space, out)) > 0;) {
    std::string text{line, static_cast<std::size_t>(n - 1)};
    if (const auto extra = text.find(" (discriminator"); extra != text.npos) text.resize(extra);
    if (text.empty()) continue;
    text.starts_with("0x") ? void(answers.emplace_back()) : answers.back().push_back(text);
  }
  std::free(line);
  REQUIRE(::pclose(out) == 0);
  REQUIRE(answers.size() == addresses.size());
  return answers;
}

}  // namespace memprof::test
