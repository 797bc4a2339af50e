// SPDX-License-Identifier: MIT
#include "page_server/source_files.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "support/catch2.hpp"

using namespace memprof::page_server;
namespace fs = std::filesystem;

namespace {

/// A folder of its own with what a test writes into it.
class folder {
 public:
  folder() {
    std::string name = (fs::temp_directory_path() / "memprof-sources-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~folder() { fs::remove_all(path_); }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;

  std::string write(std::string const& name, std::string const& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  [[nodiscard]] fs::path const& path() const { return path_; }

 private:
  fs::path path_;
};

std::string refusal(source_files const& files, std::string const& name) {
  std::string why;
  const auto lines = files.read(name, why);
  return lines ? "read" : why;
}

}  // namespace

TEST_CASE("a source is read by lines") {
  const folder f;
  const source_files files({});
  std::string why;
  CHECK(files.read(f.write("a.cpp", "one\r\ntwo\n\nfour"), why).value() ==
        std::vector<std::string>{"one", "two", "", "four"});
  CHECK(files.read(f.write("empty.h", ""), why).value().empty());
  CHECK(files.read(f.write("include/vector", "x\n"), why).value().size() == 1);
}

TEST_CASE("what has no name of a source is not read") {
  const folder f;
  const source_files files({});
  for (char const* name : {"id_rsa", "passwd", "a.txt", "a.pem", ".cpp", "a.cpp.bak", "a.json"}) {
    CHECK(refusal(files, f.write(name, "secret")).find("name of a source") != std::string::npos);
  }
  CHECK(refusal(files, "/etc/passwd").find("name of a source") != std::string::npos);
  const std::string secret = f.write("secret", "secret");
  fs::create_symlink(secret, f.path() / "link.cpp");
  CHECK(refusal(files, f.path() / "link.cpp").find("name of a source") != std::string::npos);
}

TEST_CASE("what is no text, too large, or no file is not read") {
  const folder f;
  const source_files files({});
  CHECK(refusal(files, f.write("binary.c", std::string("a\0b", 3))).find("no text") !=
        std::string::npos);
  const std::string large = f.write("large.c", "x");
  fs::resize_file(large, (std::uintmax_t{4} << 20) + 1);
  CHECK(refusal(files, large).find("4 MiB") != std::string::npos);
  const std::string pipe = f.path() / "pipe.c";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal(files, pipe) != "read");  // and does not wait for a writer
  fs::create_directory(f.path() / "folder.c");
  CHECK(refusal(files, f.path() / "folder.c") != "read");
  CHECK(refusal(files, f.path() / "none.c").find("no such file") != std::string::npos);
  CHECK(refusal(files, "relative.c").find("no such file") != std::string::npos);
}

TEST_CASE("paths of debug information are substituted, and nothing is read if that is asked") {
  const folder f;
  f.write("new/a.cpp", "here\n");
  const std::string to = f.path() / "new";
  const source_files files({.substitutions = {{"/build/old", to}}});
  std::string why;
  CHECK(files.read("/build/old/a.cpp", why).value() == std::vector<std::string>{"here"});
  const source_files off({.enabled = false, .substitutions = {{"/build/old", to}}});
  CHECK(refusal(off, "/build/old/a.cpp") == "sources are not shown here");
  CHECK(parse_substitution("/a=/b=c") == std::pair<std::string, std::string>("/a", "/b=c"));
  CHECK_THROWS_AS(parse_substitution("/a"), std::invalid_argument);
  CHECK_THROWS_AS(parse_substitution("=/a"), std::invalid_argument);
}

TEST_CASE("excerpts have the lines around, each once") {
  const folder f;
  std::string text;
  for (int i = 1; i <= 100; ++i) text += std::to_string(i) + "\n";
  const std::string name = f.write("a.c", text);
  const json parts = source_files({}).excerpts({{name, {3, 20, 80}}, {"/none.c", {1}}});
  REQUIRE(parts.size() == 1);
  REQUIRE(parts[name].size() == 2);
  CHECK(parts[name][0][0] == 1);  // 1 to 15 and 8 to 32 are one
  CHECK(parts[name][0][1].size() == 32);
  CHECK(parts[name][1][0] == 68);
  CHECK(parts[name][1][1].size() == 25);
  CHECK(parts[name][1][1][12] == "80");
}
