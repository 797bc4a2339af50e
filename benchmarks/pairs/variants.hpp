// SPDX-License-Identifier: MIT
/// \file
/// The variants: the bare allocator, the reference, and the library in its modes, each loaded as a
/// module of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "module.hpp"

namespace pairs {

enum class made_of : std::uint8_t { bare, pass_through, library };

/// beside_thread    starts a thread, whose presence alone makes glibc's malloc slower: measured in
///                  a series of its own, with its own bare allocator.
/// only             the one workload that it is for, unless it is asked for; or null.
/// other            made of another build of the library.
struct variant {
  char const* name;
  char const* title;
  made_of from;
  settings how = {};
  bool beside_thread = false;
  char const* only = nullptr;
  bool other = false;
};

/// The first is bare, the second the control: bare as well.
[[nodiscard]] std::span<variant const> all_variants();

/// The same variant, made of another build.
[[nodiscard]] variant const& other_of(variant const& v);

/// The files that modules are copied from. `other_library` may be empty.
struct module_files {
  std::filesystem::path library;
  std::filesystem::path pass_through;
  std::filesystem::path other_library;
};

/// A folder that is there as long as this.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A variant that was loaded and started; it stops with this.
class loaded_variant {
 public:
  /// copies      where the copy of its module is put: the loader knows a file again by its inode.
  /// throws      std::runtime_error, which names the variant.
  loaded_variant(variant const& v, module_files const& modules,
                 std::filesystem::path const& copies);
  ~loaded_variant();
  loaded_variant(loaded_variant const&) = delete;
  loaded_variant& operator=(loaded_variant const&) = delete;

  [[nodiscard]] variant const& what() const { return variant_; }
  [[nodiscard]] allocator_functions const& functions() const { return functions_; }
  /// Runs `task(context)` as the variant wants it.
  void run(void (*task)(void*), void* context) const;
  [[nodiscard]] counts look() const;

 private:
  variant const& variant_;
  allocator_functions functions_;
  module_controls const* controls_ = nullptr;
};

/// Modules need more static TLS than the loader keeps for those it did not know of. If less was
/// asked for, asks and executes the program anew, with none of the library's variables in its
/// environment. Returns if there is nothing to be done.
void ensure_room_for_modules(char** arguments);

}  // namespace pairs
