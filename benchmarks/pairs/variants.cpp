// SPDX-License-Identifier: MIT
#include "variants.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <new>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace pairs {
namespace {

constexpr variant variants[] = {
    {"bare", "bare", made_of::bare},
    {"aa", "A/A: bare again", made_of::bare},
    {"pass", "pass-through", made_of::pass_through},
    {"off", "loaded, off", made_of::library},
    {"no-stacks", "1e-4, no stacks", made_of::library, {.rate = 1e-4}},
    {"on-1e-5", "1e-5, stacks", made_of::library, {.rate = 1e-5, .samples = consumer::count}},
    {"on", "1e-4, stacks", made_of::library, {.rate = 1e-4, .samples = consumer::count}},
    {"on-1e-3", "1e-3, stacks", made_of::library, {.rate = 1e-3, .samples = consumer::count}},
    {"tracker", "1e-4, stacks copied", made_of::library, {.rate = 1e-4, .samples = consumer::keep}},
    {"limits", "1e-4, under limits", made_of::library, {.rate = 1e-4, .limits = true}},
    {"on-live-100",
     "1e-4, stacks, 100 live",
     made_of::library,
     {.rate = 1e-4, .samples = consumer::count, .live_samples = 100},
     false,
     "rnd"},
    {"on-live-100k",
     "1e-4, stacks, 100 000 live",
     made_of::library,
     {.rate = 1e-4, .samples = consumer::count, .live_samples = 100'000},
     false,
     "rnd"},
    {"trace", "1e-4, traced", made_of::library, {.rate = 1e-4, .samples = consumer::trace}, true},
};

[[noreturn]] void fail(variant const& v, std::string const& what) {
  throw std::runtime_error("variant " + std::string(v.name) + ": " + what);
}

void* symbol(variant const& v, void* handle, char const* name) {
  if (void* const found = dlsym(handle, name)) return found;
  char const* const error = dlerror();
  fail(v, error != nullptr ? error : name);
}

/// As the loader gives them: called directly, as those of the modules.
allocator_functions functions_in(variant const& v, void* handle) {
  return {
      .malloc = reinterpret_cast<void* (*)(std::size_t)>(symbol(v, handle, "malloc")),
      .free = reinterpret_cast<void (*)(void*)>(symbol(v, handle, "free")),
      .operator_new = reinterpret_cast<void* (*)(std::size_t)>(symbol(v, handle, "_Znwm")),
      .operator_delete =
          reinterpret_cast<void (*)(void*, std::size_t)>(symbol(v, handle, "_ZdlPvm")),
  };
}

}  // namespace

std::span<variant const> all_variants() { return variants; }

variant const& other_of(variant const& v) {
  // Kept for ever, as the names of all the others.
  static std::deque<variant> others;
  static std::deque<std::string> texts;
  variant& other = others.emplace_back(v);
  other.name = texts.emplace_back(std::string(v.name) + "-other").c_str();
  other.title = texts.emplace_back(std::string(v.title) + " (other)").c_str();
  other.other = true;
  return other;
}

temporary_folder::temporary_folder() {
  std::string name = std::filesystem::temp_directory_path() / "memprof-pairs-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make a folder " + name);
  }
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

loaded_variant::loaded_variant(variant const& v, module_files const& modules,
                               std::filesystem::path const& copies)
    : variant_(v), functions_(functions_in(v, RTLD_DEFAULT)) {
  if (v.from == made_of::bare) return;
  std::filesystem::path const& file = v.from == made_of::pass_through ? modules.pass_through
                                      : v.other                       ? modules.other_library
                                                                      : modules.library;
  const std::filesystem::path copy = copies / (std::string(v.name) + ".so");
  std::filesystem::copy_file(file, copy);
  void* const handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail(v, dlerror());
  const allocator_functions beneath = functions_;
  functions_ = functions_in(v, handle);
  if (functions_.malloc == beneath.malloc) fail(v, "its malloc is the program's");
  controls_ = reinterpret_cast<entry_function*>(symbol(v, handle, entry_name))(beneath, functions_);
  const std::string trace = (copies / (std::string(v.name) + ".ctf")).string();
  settings how = v.how;
  how.trace_file = trace.c_str();
  if (char const* const error = controls_->start(how)) fail(v, error);
}

loaded_variant::~loaded_variant() {
  if (controls_ != nullptr) controls_->stop();
}

void loaded_variant::run(void (*task)(void*), void* context) const {
  if (controls_ == nullptr) return task(context);
  controls_->run(task, context);
}

counts loaded_variant::look() const { return controls_ != nullptr ? controls_->look() : counts{}; }

void ensure_room_for_modules(char** arguments) {
  // A copy of the library takes 700 bytes.
  constexpr char const* tunable = "glibc.rtld.optional_static_tls=65536";
  char const* const set = std::getenv("GLIBC_TUNABLES");
  if (set != nullptr && std::strstr(set, tunable) != nullptr) return;
  const std::string all = set != nullptr ? std::string(set) + ":" + tunable : tunable;
  setenv("GLIBC_TUNABLES", all.c_str(), 1);
  for (char const* name : {"MEMPROF_RATE", "MEMPROF_SEED", "MEMPROF_NURSERY", "MEMPROF_CALLSTACK",
                           "MEMPROF_CALLSTACK_DEPTH", "MEMTRACE", "MEMTRACE_RATE"}) {
    unsetenv(name);
  }
  execv("/proc/self/exe", arguments);
  throw std::system_error(errno, std::generic_category(), "cannot execute itself anew");
}

}  // namespace pairs
