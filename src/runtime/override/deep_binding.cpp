// SPDX-License-Identifier: MIT
// Plug-ins that are loaded with RTLD_DEEPBIND. Their calls of free find the C library's first. A
// sampled block of the program's that reached one would end the process, because no other allocator
// knows its address. So dlopen is replaced: it makes the calls of such a plug-in, and of all that
// was loaded with it, lead to our functions, as those of all other modules do.
//
// A plug-in that brings an allocator of its own keeps it. What the constructors of a plug-in call,
// before its dlopen has returned, is bound as the loader does it.
#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include "base/base.hpp"
#include "modules/modules.hpp"
#include "override/allocator_names.hpp"
#include "override/loaded_bindings.hpp"

#define MEMPROF_EXPORT __attribute__((visibility("default")))

// A tail call also without optimisation: the loader looks in the folders that the caller's module
// names (DT_RUNPATH).
#if defined(__clang__)
#define MEMPROF_TAIL_CALLS
#define MEMPROF_TAIL [[clang::musttail]]
#else
#define MEMPROF_TAIL_CALLS __attribute__((optimize("O2")))
#define MEMPROF_TAIL
#endif

extern "C" {
extern int const memprof_override_anchor_dlopen;
int const memprof_override_anchor_dlopen = 1;

// In a static program the C library's dlopen has this name, too.
[[gnu::weak]] void* __dlopen(char const* file, int mode) noexcept;
}

namespace memprof::override {
namespace {

using dlopen_function = void* (*)(char const*, int) noexcept;

constinit std::atomic<dlopen_function> next_dlopen{nullptr};

[[gnu::cold]] void find_next_dlopen() noexcept {
  void* const found = dlsym(RTLD_NEXT, "dlopen");
  next_dlopen.store(found != nullptr ? reinterpret_cast<dlopen_function>(found) : &__dlopen,
                    std::memory_order_relaxed);
}

/// The functions that we replace.
constexpr std::array replaced_functions{"malloc",
                                        "calloc",
                                        "realloc",
                                        "reallocarray",
                                        "free",
                                        "free_sized",
                                        "free_aligned_sized",
                                        "posix_memalign",
                                        "aligned_alloc",
                                        "memalign",
                                        "valloc",
                                        "pvalloc",
                                        "malloc_usable_size",
                                        "_Znwm",
                                        "_ZnwmRKSt9nothrow_t",
                                        "_ZnwmSt11align_val_t",
                                        "_ZnwmSt11align_val_tRKSt9nothrow_t",
                                        "_Znam",
                                        "_ZnamRKSt9nothrow_t",
                                        "_ZnamSt11align_val_t",
                                        "_ZnamSt11align_val_tRKSt9nothrow_t",
                                        "_ZdlPv",
                                        "_ZdlPvm",
                                        "_ZdlPvRKSt9nothrow_t",
                                        "_ZdlPvSt11align_val_t",
                                        "_ZdlPvmSt11align_val_t",
                                        "_ZdlPvSt11align_val_tRKSt9nothrow_t",
                                        "_ZdaPv",
                                        "_ZdaPvm",
                                        "_ZdaPvRKSt9nothrow_t",
                                        "_ZdaPvSt11align_val_t",
                                        "_ZdaPvmSt11align_val_t",
                                        "_ZdaPvSt11align_val_tRKSt9nothrow_t"};

/// From what the plug-in finds, the function that ours calls, to ours.
rebinding find_rebinding(void* plug_in, char const* name) noexcept {
  const auto find = [name](void* scope) noexcept {
    return reinterpret_cast<std::uintptr_t>(dlsym(scope, name));
  };
  const rebinding found{.name = name, .from = find(plug_in), .to = find(RTLD_DEFAULT)};
  const auto here = reinterpret_cast<std::uintptr_t>(&memprof_override_anchor_dlopen);
  const bool is_mended = found.from == find(RTLD_NEXT) && modules::in_one_module(here, found.to);
  return is_mended ? found : rebinding{};
}

struct module_counts {
  std::size_t loaded = 0;
  unsigned long long ever = 0;  ///< loaded until now, those that were unloaded included
};
module_counts count_modules() noexcept {
  module_counts n;
  modules::visit_modules([&n](dl_phdr_info const& info) noexcept {
    ++n.loaded;
    n.ever = info.dlpi_adds;
    return true;
  });
  return n;
}

/// Loads it, and binds what was loaded with it.
void* load_and_rebind(char const* file, int mode) noexcept {
  const unsigned long long before = count_modules().ever;
  void* const plug_in = next_dlopen.load(std::memory_order_relaxed)(file, mode);
  if (plug_in == nullptr) return nullptr;
  // They are at the end of the loader's list, perhaps with others that were loaded meanwhile.
  const module_counts now = count_modules();
  const std::size_t first =
      now.loaded - std::min(static_cast<std::size_t>(now.ever - before), now.loaded);
  rebind_modules(allocator_names(), first);
  dlerror();  // of an attempt before
  if ((mode & RTLD_DEEPBIND) == 0) return plug_in;
  std::array<rebinding, replaced_functions.size()> functions;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    functions[i] = find_rebinding(plug_in, replaced_functions[i]);
  }
  rebind_modules(functions, first);
  dlerror();  // not every C library has every function
  return plug_in;
}

/// Loads the file from where the caller's module wants it to be looked for; null if that module
/// names no folders (DT_RPATH, DT_RUNPATH), or it can be loaded from none of them.
void* load_from_folders_of(void const* caller, char const* file, int mode) noexcept {
  dl_find_object module{};
  if (std::strchr(file, '/') != nullptr ||
      _dl_find_object(const_cast<void*>(caller), &module) != 0) {
    return nullptr;
  }
  bool names_folders = false;
  for (ElfW(Dyn) const* d = module.dlfo_link_map->l_ld; d->d_tag != DT_NULL; ++d) {
    names_folders |= d->d_tag == DT_RPATH || d->d_tag == DT_RUNPATH;
  }
  alignas(Dl_serinfo) char memory[16384];
  auto* const folders = reinterpret_cast<Dl_serinfo*>(memory);
  if (!names_folders || dlinfo(module.dlfo_link_map, RTLD_DI_SERINFOSIZE, folders) != 0 ||
      folders->dls_size > sizeof memory ||
      dlinfo(module.dlfo_link_map, RTLD_DI_SERINFOSIZE, folders) != 0 ||
      dlinfo(module.dlfo_link_map, RTLD_DI_SERINFO, folders) != 0) {
    return nullptr;
  }
  for (unsigned i = 0; i < folders->dls_cnt; ++i) {
    std::array<char, PATH_MAX> path;
    base::bounded_text{path} << folders->dls_serpath[i].dls_name << "/" << file;
    if (access(path.data(), R_OK) != 0) continue;
    // A file for another processor, say, is passed over: so does the loader.
    if (void* const loaded = load_and_rebind(path.data(), mode)) return loaded;
  }
  return nullptr;
}

[[gnu::noinline]] void* open_for_caller(char const* file, int mode, void const* caller) noexcept {
  if (void* const loaded = load_from_folders_of(caller, file, mode)) return loaded;
  return load_and_rebind(file, mode);
}

}  // namespace
}  // namespace memprof::override

// A name of its own, because <dlfcn.h> declares dlopen noexcept: in such a function clang compiles
// no call that must be a tail call.
extern "C" MEMPROF_EXPORT void* memprof_dlopen(char const* file, int mode) __asm__("dlopen");

extern "C" MEMPROF_TAIL_CALLS void* memprof_dlopen(char const* file, int mode) {
  using namespace memprof::override;
  if (next_dlopen.load(std::memory_order_relaxed) == nullptr) find_next_dlopen();
  if (file != nullptr && ((mode & RTLD_DEEPBIND) != 0 || !allocator_names().empty())) {
    return open_for_caller(file, mode, __builtin_return_address(0));
  }
  MEMPROF_TAIL return next_dlopen.load(std::memory_order_relaxed)(file, mode);
}
