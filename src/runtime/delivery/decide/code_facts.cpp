// SPDX-License-Identifier: MIT
#include "delivery/decide/code_facts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.hpp"
#include "callstack/callstack.hpp"
#include "delivery/decide/inlined_functions.hpp"
#include "delivery/decide/unsafe_functions.hpp"
#include "delivery/reader/runtime_addresses.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

using modules::listed_module;
using modules::module_list;

/// What does not change while a file is the same.
struct module_facts {
  bool cxx = false;
  bool standard_library = false;
  bool needs_memory = false;
  bool unsafe = false;
  std::uintptr_t bias = 0;  ///< that the indexes were made for
  symbol_index symbols;
  symbol_index inlined;
};

struct permanent_module {
  modules::address_range range;
  module_facts facts;
};

constexpr std::size_t most_modules = std::tuple_size_v<decltype(module_list::modules)>;
std::array<permanent_module, most_modules> permanent;
std::size_t permanent_count = 0;  ///< of those whose files were read

/// `not_begun`, `done`, or the process in which a thread is classifying the modules: in a child
/// that was forked meanwhile none is.
constexpr pid_t not_begun = 0;
constexpr pid_t done = -1;
constinit std::atomic<pid_t> prepared{not_begun};
void found_runtime(char const* name, std::uintptr_t address) {
  if (std::strcmp(name, "_Unwind_RaiseException") == 0) {
    add_unwinder(address);
  } else {
    add_runtime_function(name, address);
  }
}

bool is_standard_library(char const* path) noexcept {
  std::string_view name{path};
  name.remove_prefix(name.rfind('/') + 1);
  return name.starts_with("libstdc++.so") || name.starts_with("libc++.so") ||
         name.starts_with("libc++abi.so");
}

/// The C++ library and the unwinder allocate for exceptions, and the loader for thread-local
/// variables: that ends in std::terminate or abort. GLib aborts, too, and what asks for its slices
/// is an inlined function of a stripped file; only `g_try_malloc` and the like return null. gRPC
/// aborts or does not look, at what upb returns to it neither.
bool needs_memory(char const* path) noexcept {
  std::string_view name{path};
  name.remove_prefix(name.rfind('/') + 1);
  return is_standard_library(path) || name.starts_with("libgcc_s.so") ||
         name.starts_with("libunwind.so") || name.starts_with("ld-linux") ||
         name.starts_with("libglib-2.0.so") || name.starts_with("libgrpc") ||
         name.starts_with("libgpr.so") || name.starts_with("libupb.so");
}

bool is_libc(char const* path) noexcept {
  std::string_view name{path};
  name.remove_prefix(name.rfind('/') + 1);
  return name.starts_with("libc.so") || name.starts_with("libc-");
}

unsigned char const* eh_frame_header(listed_module const& m) noexcept {
  ElfW(Phdr) const* const header = m.image.header(PT_GNU_EH_FRAME);
  return header == nullptr ? nullptr
                           : reinterpret_cast<unsigned char const*>(m.image.bias + header->p_vaddr);
}

template <class Visit>
void visit_personalities(unsigned char const* header, Visit visit) noexcept {
  if (header == nullptr) return;
  callstack::for_each_personality(
      callstack::eh_frame_of(header),
      [](void* context, std::uintptr_t personality) noexcept {
        return (*static_cast<Visit*>(context))(personality);
      },
      &visit);
}

bool has_cxx_personality(unsigned char const* header) noexcept {
  bool found = false;
  visit_personalities(header, [&found](std::uintptr_t personality) noexcept {
    found = language_of(personality) == language::cxx;
    return !found;
  });
  return found;
}

/// Reads what the module's file says of its functions. False, and `facts` without any, if there is
/// no memory for it now: a part of them would let others pass.
bool read_file(char const* path, modules::loaded_image const& image, module_facts& facts,
               void (*found)(char const* name, std::uintptr_t address)) noexcept {
  if (read_symbols(path, image, facts.symbols, found) != file_outcome::no_memory &&
      read_inlined(path, image, facts.inlined) != file_outcome::no_memory) {
    return true;
  }
  release(facts.symbols);
  return false;
}

/// False if there is no memory for a file: those that were read stay for the next time.
bool classify_permanent(module_list const& list) noexcept {
  add_own_runtime();
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.count; ++i) {
    listed_module const& m = list.modules[i];
    if (!m.permanent || count++ < permanent_count) continue;
    permanent_module& p = permanent[permanent_count];
    p = {.range = m.range, .facts = {.bias = m.image.bias, .symbols = {}, .inlined = {}}};
    char const* const path = i == 0 ? "/proc/self/exe" : m.name;
    if (!read_file(path, m.image, p.facts, found_runtime)) return false;
    ++permanent_count;
    p.facts.standard_library = is_standard_library(m.name);
    p.facts.needs_memory = needs_memory(m.name);
    p.facts.unsafe = is_unsafe_module(m.name);
    // libc has a hidden copy of its own of C's personality.
    if (is_libc(m.name)) {
      visit_personalities(eh_frame_header(m), [](std::uintptr_t personality) noexcept {
        add_personality(personality, language::c);
        return true;
      });
    }
  }
  // Only now all personalities are known.
  permanent_module* p = permanent.data();
  for (std::size_t i = 0; i < list.count; ++i) {
    listed_module const& m = list.modules[i];
    if (!m.permanent) continue;
    unsigned char const* const header = eh_frame_header(m);
    // Without an index it is a fully static program, and it contains this library.
    p++->facts.cxx = header == nullptr ? m.dynamic == nullptr : has_cxx_personality(header);
  }
  std::sort(permanent.data(), permanent.data() + permanent_count,
            [](auto const& a, auto const& b) { return a.range.begin < b.range.begin; });
  return true;
}

permanent_module const* permanent_at(std::uintptr_t pc) noexcept {
  permanent_module const* const begin = permanent.data();
  permanent_module const* const end = begin + permanent_count;
  permanent_module const* const above = std::upper_bound(
      begin, end, pc, [](std::uintptr_t at, auto const& m) { return at < m.range.begin; });
  return above != begin && above[-1].range.contains(pc) ? above - 1 : nullptr;
}

/// The facts of modules that come and go, by file.
struct file_facts {
  std::atomic<bool> published{false};
  dev_t device{};
  ino_t inode{};
  std::int64_t size = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;
  module_facts facts;

  [[nodiscard]] bool is_of(struct stat const& s) const noexcept {
    return device == s.st_dev && inode == s.st_ino && size == s.st_size &&
           changed_s == s.st_ctim.tv_sec && changed_ns == s.st_ctim.tv_nsec;
  }
};
constinit std::array<file_facts, 1024> files;
constinit std::atomic<std::size_t> files_taken{0};

module_facts const* find_file(struct stat const& s) noexcept {
  const std::size_t taken = std::min(files_taken.load(std::memory_order_acquire), files.size());
  for (std::size_t i = 0; i < taken; ++i) {
    if (files[i].published.load(std::memory_order_acquire) && files[i].is_of(s)) {
      return &files[i].facts;
    }
  }
  return nullptr;
}

/// Classifies a module. `facts` is left without symbols if its file cannot be read, or there is no
/// place to keep what is in it. Null if there is no memory to read it now.
module_facts const* classify(modules::found_module const& module, module_facts& facts) noexcept {
  struct stat s {};
  const bool has_file = ::stat(module.name, &s) == 0;
  if (has_file) {
    if (module_facts const* known = find_file(s)) return known;
  }
  facts.bias = module.bias;
  facts.standard_library = is_standard_library(module.name);
  facts.needs_memory = needs_memory(module.name);
  facts.unsafe = is_unsafe_module(module.name);
  facts.cxx = has_cxx_personality(module.eh_frame_header);
  if (!has_file || files_taken.load(std::memory_order_relaxed) >= files.size()) return &facts;
  if (!read_file(module.name, module.image(), facts, nullptr)) return nullptr;
  const std::size_t place = files_taken.fetch_add(1, std::memory_order_relaxed);
  if (place >= files.size()) {  // other threads took the last ones
    files_taken.store(files.size(), std::memory_order_relaxed);
    release(facts.symbols);
    release(facts.inlined);
    return &facts;
  }
  file_facts& f = files[place];
  f.device = s.st_dev;
  f.inode = s.st_ino;
  f.size = s.st_size;
  f.changed_s = s.st_ctim.tv_sec;
  f.changed_ns = s.st_ctim.tv_nsec;
  f.facts = facts;
  f.published.store(true, std::memory_order_release);
  return &f.facts;
}

code_facts describe(module_facts const& m, std::uintptr_t bias, std::uintptr_t pc,
                    bool is_permanent) noexcept {
  const std::uintptr_t at = pc - bias + m.bias;
  const code_kind kind = kind_at(m.symbols, at);
  const bool unsafe = m.unsafe || kind_at(m.inlined, at) == code_kind::unsafe;
  return {.cxx = m.cxx,
          .standard_library = m.standard_library,
          .needs_memory =
              kind == code_kind::needs_memory || (m.needs_memory && kind != code_kind::gets_null),
          .permanent = is_permanent,
          .kind = unsafe ? code_kind::unsafe : kind};
}

/// A task that began before the modules are classified could be far over its limit by then. But it
/// does not wait for ever: this may be a signal handler on the thread that classifies them.
bool wait_for_other_thread() noexcept {
  constexpr int most_sleeps = 10'000;
  pid_t state = getpid();
  for (int i = 0; i < most_sleeps && state == getpid(); ++i) {
    base::sleep_uncancellable(100);
    state = prepared.load(std::memory_order_acquire);
  }
  return state == done;
}

}  // namespace

bool prepare_modules() noexcept {
  pid_t state = prepared.load(std::memory_order_acquire);
  if (state == done) return true;
  const pid_t own = getpid();
  if (state == own || !prepared.compare_exchange_strong(state, own, std::memory_order_acquire)) {
    return wait_for_other_thread();
  }
  if (state != not_begun) permanent_count = 0;  // the thread of another process was at it
  const int saved_errno = errno;
  module_list const* const list = modules::permanent_modules();
  const bool classified = list != nullptr && classify_permanent(*list);
  errno = saved_errno;
  prepared.store(classified ? done : not_begun, std::memory_order_release);
  return classified;
}

bool facts_at(std::uintptr_t pc, code_facts& facts) noexcept {
  if (!prepare_modules()) return false;
  if (permanent_module const* const m = permanent_at(pc)) {
    facts = describe(m->facts, m->facts.bias, pc, true);
    return true;
  }
  modules::found_module found;
  if (!modules::find_module(pc, found)) return false;
  const int saved_errno = errno;
  module_facts passing;
  module_facts const* const m = classify(found, passing);
  errno = saved_errno;
  facts = m == nullptr ? code_facts{.needs_memory = true, .unread = true}
                       : describe(*m, found.bias, pc, false);
  return true;
}

}  // namespace memprof::delivery
