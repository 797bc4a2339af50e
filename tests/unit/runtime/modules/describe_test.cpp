// SPDX-License-Identifier: MIT
//
// describe(): an address of a call stack in words.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <unistd.h>

#include "memprof/callstack.hpp"

#include "support/catch2.hpp"

namespace {

/// Calls f from a function whose name is in the symbol table alone.
template <class F>
[[gnu::noinline]] static void* called_by_me(F f) {
  void* const here = f();
  asm volatile("" ::: "memory");
  return here;
}

[[gnu::noinline]] void* return_address() { return __builtin_return_address(0); }

std::string program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, static_cast<std::size_t>(length > 0 ? length : 0)};
}

TEST_CASE("describe: a static function of the program, with its place in the file") {
  if (std::getenv("MEMPROF_TEST_UNLINK") != nullptr) REQUIRE(unlink(program().c_str()) == 0);
  void* const address = called_by_me(return_address);
  errno = 42;
  const std::string text = memprof::describe(address);
  CHECK(errno == 42);
  CAPTURE(text);
  std::smatch parts;
  REQUIRE(
      std::regex_match(text, parts, std::regex(R"((.*)\+0x([0-9a-f]+) \((.*)\+0x([0-9a-f]+)\))")));
  CHECK(parts[1].str().find("called_by_me") != std::string::npos);
  CHECK(parts[3] == program());
}

TEST_CASE("describe: a program whose file was deleted") {
  std::string folder = std::filesystem::temp_directory_path() / "memprof-describe-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string copy = folder + "/copy";
  const std::string run = "cp '" + program() + "' " + copy + " && MEMPROF_TEST_UNLINK=1 " + copy +
                          " 'describe: a static function*' > /dev/null && test ! -e " + copy;
  CHECK(std::system(run.c_str()) == 0);
  CHECK(rmdir(folder.c_str()) == 0);
}

TEST_CASE("describe: a function of a library") {
  // The call's last byte is described, so an address just behind the function's first byte will do.
  const auto in_getenv = reinterpret_cast<std::uintptr_t>(&std::getenv) + 1;
  const std::string text = memprof::describe(reinterpret_cast<void*>(in_getenv));
  CAPTURE(text);
  CHECK(text.find("getenv+0x0 (") != std::string::npos);
  CHECK(text.find("libc.so") != std::string::npos);
}

TEST_CASE("describe: the same place as addr2line names") {
  void* const address = called_by_me(return_address);
  const std::string text = memprof::describe(address);
  const std::size_t plus = text.rfind("+0x");
  REQUIRE(plus != std::string::npos);
  const std::string command = "addr2line -Cfie '" + program() + "' " +
                              text.substr(plus + 1, text.size() - plus - 2) + " 2>/dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string lines;
  for (char line[1024]; std::fgets(line, sizeof line, pipe) != nullptr;) lines += line;
  pclose(pipe);
  if (lines.empty()) return;  // no binutils here
  CAPTURE(text, lines);
  CHECK(lines.find("called_by_me") != std::string::npos);
}

TEST_CASE("describe: what is in no module") {
  CHECK(memprof::describe(nullptr) == "0x0");
  int local = 0;
  const std::string text = memprof::describe(&local);
  CHECK(text.starts_with("0x"));
  CHECK(text.find('(') == std::string::npos);
}

}  // namespace
