// SPDX-License-Identifier: MIT
// Files about inlined functions: what is taken from them, and those that lie.
#include "delivery/decide/inlined_functions.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "support/address_limit.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "unit/runtime/delivery/decide/loaded_module.hpp"

using namespace memprof::delivery;
using namespace memprof::test;

extern "C" [[gnu::noinline]] int memprof_test_inlined_into(int x) { return x + 2; }

namespace {

constexpr char const* unsafe_name = "_ZN4absl8internal12raw_hash_setIiE6resizeEm";

std::string hexadecimal(std::uintptr_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

/// CRC-32, a bit at a time.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t c = 0xffffffff;
  for (char byte : bytes) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320 ^ c >> 1 : c >> 1;
  }
  return ~c;
}

/// What goes to standard error while this lives.
class captured_errors {
 public:
  captured_errors() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) {
    dup2(fileno(file_), STDERR_FILENO);
  }
  ~captured_errors() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    std::fclose(file_);
  }
  [[nodiscard]] std::string text() const {
    std::string all(2000, '\0');
    const ssize_t length = pread(fileno(file_), all.data(), all.size(), 0);
    all.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return all;
  }

 private:
  std::FILE* file_;
  int before_;
};

/// A module that is loaded, and a file that claims to be about it.
class inlined_file {
 public:
  explicit inlined_file(std::uintptr_t code = address(memprof_test_inlined_into))
      : module_(module_of(code)) {
    char name[] = "/tmp/memprof_inlined_XXXXXX";
    close(mkstemp(name));
    path_ = name;
  }
  ~inlined_file() {
    release(index);
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + inlined_suffix);
  }

  /// Where the function is in the module.
  [[nodiscard]] std::uintptr_t place() const {
    return address(memprof_test_inlined_into) - module_.bias;
  }
  [[nodiscard]] std::string head() const {
    std::string text = "memprof inlined functions 1\nbuild id ";
    auto const loaded = image();
    for (unsigned char byte : loaded.build_id()) {
      text += hexadecimal(byte >> 4) + hexadecimal(byte & 15);
    }
    return text + "\n";
  }
  static std::string with_checksum(std::string const& lines) {
    return lines + "checksum " + hexadecimal(crc32(lines)) + "\n";
  }
  /// What the library says of the file.
  std::string read(std::string_view text) {
    std::ofstream{path_ + inlined_suffix, std::ios::binary} << text;
    release(index);
    captured_errors const errors;
    read_inlined(path_.c_str(), image(), index);
    return errors.text();
  }
  /// What comes of reading it once more.
  file_outcome read_again() {
    release(index);
    return read_inlined(path_.c_str(), image(), index);
  }
  [[nodiscard]] code_kind kind(std::uintptr_t offset) const {
    return kind_at(index, module_.bias + offset);
  }
  [[nodiscard]] loaded_module const& module() const { return module_; }

  symbol_index index;

 private:
  [[nodiscard]] memprof::modules::loaded_image image() const {
    return {module_.bias, module_.segments};
  }

  loaded_module module_;
  std::string path_;
};

}  // namespace

TEST_CASE("inlined functions: those on the list, in order and joined") {
  inlined_file f;
  const std::uintptr_t at = f.place();
  const std::string function = std::string("function ") + unsafe_name + "\n";
  CHECK(f.read(f.with_checksum(f.head() + function + hexadecimal(at + 4) + " " +
                               hexadecimal(at + 6) + "\n" + hexadecimal(at) + " " +
                               hexadecimal(at + 2) + "\n" + hexadecimal(at + 1) + " " +
                               hexadecimal(at + 3) + "\n" + "function _ZN4absl7StrJoinEv\n" +
                               hexadecimal(at + 3) + " " + hexadecimal(at + 4) + "\n")) == "");
  CHECK(f.index.count == 2);
  check_sound(f.module(), f.index);
  for (std::uintptr_t i = 0; i < 8; ++i) {
    CHECK(f.kind(at + i) == (i < 3 || i == 4 || i == 5 ? code_kind::unsafe : code_kind::plain));
  }
  CHECK(f.read(f.with_checksum(f.head())) == "");
  CHECK(f.index.count == 0);
}

TEST_CASE("inlined functions: without a file there is nothing to say") {
  inlined_file f;
  captured_errors const errors;
  read_inlined("/no/such/module", {}, f.index);
  read_inlined("", {}, f.index);
  CHECK(errors.text().empty());
  CHECK(f.index.count == 0);
}

TEST_CASE("inlined functions: files of another build, or with lines that are none") {
  inlined_file f;
  const std::uintptr_t at = f.place();
  const std::string function = std::string("function ") + unsafe_name + "\n";
  const std::string range = hexadecimal(at) + " " + hexadecimal(at + 2) + "\n";
  std::string other = f.head();
  other[other.size() - 2] = other[other.size() - 2] == '0' ? '1' : '0';
  CHECK(f.read(f.with_checksum(other + function + range)).find("was made of another build: not") !=
        std::string::npos);
  CHECK(f.index.ranges == nullptr);
  for (std::string const& line :
       {range + "1\n", std::string("fffffffffffff000 fffffffffffff001\n"),
#ifdef __x86_64__  // elsewhere a module may begin with code
        std::string("0 1\n"),
#endif
        hexadecimal(at) + " " + hexadecimal(at) + "\n", hexadecimal(at) + " fffffffffffff000\n",
        hexadecimal(at) + "  " + hexadecimal(at + 1) + "\n", std::string("\n"),
        hexadecimal(at) + " 1ffffffffffffffff\n"}) {
    CHECK(f.read(f.with_checksum(f.head() + function + line)).find("no range of the module's") !=
          std::string::npos);
    CHECK(f.index.ranges == nullptr);
  }
}

TEST_CASE("inlined functions: a name of fewer letters than a mangled one begins with") {
  inlined_file f;
  const std::string range = hexadecimal(f.place()) + " " + hexadecimal(f.place() + 2) + "\n";
  for (char const* name : {"", "_", "_Z", "_ZN"}) {
    CHECK(f.read(f.with_checksum(f.head() + "function " + name + "\n" + range)) == "");
    CHECK(f.index.count == 0);
  }
}

// A number that cannot be read is not 0, which is code here.
TEST_CASE("inlined functions: lines without a number, in a module that begins with code") {
  void* const module = dlopen(MEMPROF_TEST_CALLSTACK_MODULES "/code_first.so", RTLD_NOW);
  REQUIRE(module != nullptr);
  {
    inlined_file f(reinterpret_cast<std::uintptr_t>(dlsym(module, "call_from_module")));
    const std::string head = f.head() + "function " + unsafe_name + "\n";
    CHECK(f.read(f.with_checksum(head + "0 10\n")) == "");
    CHECK(f.kind(0) == code_kind::unsafe);
    for (char const* line : {" 10\n", "1ffffffffffffffff 10\n"}) {
      CHECK(f.read(f.with_checksum(head + line)).find("no range of the module's") !=
            std::string::npos);
      CHECK(f.index.ranges == nullptr);
    }
  }
  dlclose(module);
}

TEST_CASE("inlined functions: every change of a byte, and every shorter file, is refused") {
  inlined_file f;
  const std::uintptr_t at = f.place();
  const std::string text = f.with_checksum(f.head() + "function " + unsafe_name + "\n" +
                                           hexadecimal(at) + " " + hexadecimal(at + 2) + "\n");
  REQUIRE(f.read(text) == "");
  REQUIRE(f.index.count == 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    if (f.read(changed).find(": not used\n") == std::string::npos || f.index.count != 0) {
      FAIL("byte " << i << " is not missed");
    }
    if (f.read(text.substr(0, i)).find(": not used\n") == std::string::npos || f.index.count != 0) {
      FAIL(i << " bytes suffice");
    }
  }
}

#if !MEMPROF_SANITIZED
TEST_CASE("inlined functions: with too little memory nothing is said of the file, for now") {
  inlined_file f;
  std::string lines = f.head() + "function " + unsafe_name + "\n";
  for (int i = 0; i < 3000; ++i) {
    lines += hexadecimal(f.place()) + " " + hexadecimal(f.place() + 4) + "\n";
  }
  REQUIRE(f.read(f.with_checksum(lines)) == "");
  int without = 0;
  for (std::size_t room = 0;; room += 4096) {
    REQUIRE(room < std::size_t{1} << 20);
    file_outcome outcome{};
    const captured_errors errors;
    {
      const memprof::test::address_limit limit{room};
      outcome = f.read_again();
    }
    CHECK(errors.text() == "");
    if (outcome == file_outcome::read) break;
    CHECK(outcome == file_outcome::no_memory);
    CHECK(f.index.count == 0);
    CHECK(f.index.ranges == nullptr);
    ++without;
  }
  CHECK(without > 10);
  CHECK(f.kind(f.place()) == code_kind::unsafe);
}
#endif
