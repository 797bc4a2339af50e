// SPDX-License-Identifier: MIT
/// \file
/// The calls in some stacks, each with its name and module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "endpoints/code_names.hpp"

namespace memprof::endpoints {

/// The addresses of calls: return addresses less one. First all stacks are added, then named.
class called_code {
 public:
  void add(std::span<std::uintptr_t const> frames);
  void find_names(code_names& names) { places_ = names.find(addresses_); }

  /// Of a return address in one of the stacks.
  [[nodiscard]] std::size_t index_of(std::uintptr_t frame) const { return indexes_.at(frame - 1); }
  [[nodiscard]] std::uintptr_t address(std::size_t i) const { return addresses_[i]; }
  [[nodiscard]] std::size_t size() const { return addresses_.size(); }
  [[nodiscard]] modules::code_places const& places() const { return places_; }
  /// The function; "libx.so+0x1234" where the module does not say, "0x7f..." where there is none.
  [[nodiscard]] std::string name(std::size_t i) const;

 private:
  std::unordered_map<std::uintptr_t, std::size_t> indexes_;
  std::vector<std::uintptr_t> addresses_;
  modules::code_places places_;
};

}  // namespace memprof::endpoints
