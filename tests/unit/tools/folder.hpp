// SPDX-License-Identifier: MIT
/// \file
/// A folder of files as the kernel shows them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch2.hpp"

namespace memprof::test {

class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "memprof-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  void write(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace memprof::test
