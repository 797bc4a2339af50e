// SPDX-License-Identifier: MIT
/// \file
/// Debug files from servers (elfutils' debuginfod), for who asks for them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace memprof::symbolize {

/// Asks by elfutils' own program, `debuginfod-find`, which keeps what it gets in the user's cache:
/// the servers are those of DEBUGINFOD_URLS, and its other variables hold, too.
class debuginfod {
 public:
  /// \param notice called with the reason why nothing can be fetched, once.
  explicit debuginfod(std::function<void(std::string)> notice) : notice_(std::move(notice)) {}

  /// The file with the debug information of a build; empty: no server has it. Each build is asked
  /// for once.
  ///
  /// \param build_id whole, in hexadecimal. Anything else is not asked for.
  /// \note Cost: the network's: debuginfod-find gives up after 90 s without an answer
  ///   (DEBUGINFOD_TIMEOUT).
  [[nodiscard]] std::filesystem::path find(std::string_view build_id);

 private:
  std::function<void(std::string)> notice_;
  std::unordered_set<std::string> asked_;
  bool works_ = true;
};

}  // namespace memprof::symbolize
