// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "base/base.hpp"
#include "copies/copies.hpp"
#include "modules/modules.hpp"

namespace memprof::copies {
namespace {

constexpr std::uint32_t note_type = 1;

constinit std::atomic<bool> foreign_copy{false};

/// The copy in a module; null if it has none.
copy* copy_in(dl_phdr_info const& info) noexcept {
  const auto note = modules::loaded_image::of(info).note("memprof", note_type);
  std::int32_t distance = 0;
  if (note.size() != sizeof distance) return nullptr;
  std::memcpy(&distance, note.data(), sizeof distance);
  return reinterpret_cast<copy*>(reinterpret_cast<std::uintptr_t>(note.data()) +
                                 static_cast<std::uintptr_t>(std::intptr_t{distance}));
}

/// What a look at all copies shows.
struct found_copies {
  copy const* chosen = nullptr;    ///< by those that were loaded before
  copy const* replaces = nullptr;  ///< the first with the replacement
  copy const* first = nullptr;
  copy const* foreign = nullptr;  ///< one that cannot be used

  void add(copy const& c) noexcept {
    if (c.kind != memprof_own_copy.kind) {
      if (foreign == nullptr) foreign = &c;
      return;
    }
    if (chosen == nullptr) chosen = c.chosen.load(std::memory_order_relaxed);
    if (replaces == nullptr && c.replacement != nullptr) replaces = &c;
    if (first == nullptr) first = &c;
  }
  [[nodiscard]] copy const& best() const noexcept {
    for (copy const* c : {chosen, replaces, first}) {
      if (c != nullptr) return *c;
    }
    return memprof_own_copy;  // its note was removed
  }
};

/// All copies in the loader's order, and the choice: both under its lock, so that two copies do not
/// choose at the same time.
found_copies choose() noexcept {
  found_copies found;
  modules::visit_modules([&found](dl_phdr_info const&) noexcept {
    modules::visit_modules([&found](dl_phdr_info const& info) noexcept {
      if (copy const* const c = copy_in(info)) found.add(*c);
      return true;
    });
    copy const& best = found.best();
    memprof_own_copy.chosen.store(&best, std::memory_order_relaxed);
    memprof_own_copy.used.store(in_preload_library() ? &memprof_own_copy : &best,
                                std::memory_order_relaxed);
    return false;
  });
  return found;
}

char const* file_of(copy const& c) noexcept {
  Dl_info info{};
  return dladdr(&c, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "?";
}

/// The module of `c` must outlive the one of this copy, whose calls end there.
void keep_loaded(copy const& c) noexcept {
  modules::found_module module;
  if (!modules::find_module(reinterpret_cast<std::uintptr_t>(&c), module)) return;
  if (module.name == nullptr || *module.name == '\0') return;  // the program
  // Looked up, because linkers warn of dlopen in static programs, which never get here.
  const auto open = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_DEFAULT, "dlopen"));
  if (open != nullptr) open(module.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void report_foreign(copy const& c) noexcept {
  foreign_copy.store(true, std::memory_order_relaxed);
  base::raw_message({"two that do not know each other are in this process, ", c.kind.text, " in ",
                     file_of(c), " and ", memprof_own_copy.kind.text, " in ",
                     file_of(memprof_own_copy),
                     ". Limits, masks and tokens of one do nothing for the other: build both with "
                     "the same memprof."});
}

[[gnu::constructor]] void find_when_loaded() noexcept {
  const int saved_errno = errno;
  if (memprof_own_copy.used.load(std::memory_order_relaxed) == nullptr) find_used_copy();
  errno = saved_errno;
}

}  // namespace

bool in_preload_library() noexcept {
  if (memprof_preload_interrupted == nullptr) return false;
  modules::found_module of_it;
  return modules::find_module(reinterpret_cast<std::uintptr_t>(memprof_preload_interrupted),
                              of_it) &&
         of_it.range.contains(reinterpret_cast<std::uintptr_t>(&memprof_own_copy));
}

bool met_foreign_copy() noexcept { return foreign_copy.load(std::memory_order_relaxed); }

copy const& find_used_copy() noexcept {
  const found_copies found = choose();
  copy const& used = *memprof_own_copy.used.load(std::memory_order_relaxed);
  if (&used != &memprof_own_copy) keep_loaded(used);
  // (A program with the replacement may run under the preload library of another version.)
  if (found.foreign != nullptr && memprof_own_copy.replacement == nullptr) {
    report_foreign(*found.foreign);
  }
  return used;
}

}  // namespace memprof::copies
