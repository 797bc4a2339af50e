// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "delivery/reader/frame_outcome.hpp"

namespace memprof::delivery {
namespace {

struct known_name {
  std::string_view name;
  runtime_function function;
};

using enum runtime_function;

// Sorted by name.
constexpr std::array known_names{
    known_name{"_Exit", exit},
    known_name{"_Unwind_ForcedUnwind", unclear},
    known_name{"_Unwind_RaiseException", throw_new},
    known_name{"_Unwind_Resume", resume},
    known_name{"_Unwind_Resume_or_Rethrow", unclear},
    known_name{"_ZN10__cxxabiv111__terminateEPFvvE", terminate},
    known_name{"_ZN10__cxxabiv112__unexpectedEPFvvE", terminate},
    known_name{"_ZNKSt16nested_exception14rethrow_nestedEv", throw_new},
    known_name{"_ZNKSt3__116nested_exception14rethrow_nestedEv", throw_new},
    known_name{"_ZNSt3__117rethrow_exceptionESt13exception_ptr", throw_new},
    known_name{"_ZNSt3__122__libcpp_verbose_abortEPKcz", exit},
    known_name{"_ZNSt3__16threadD1Ev", thread_destructor},
    known_name{"_ZNSt3__16threadD2Ev", thread_destructor},
    known_name{"_ZNSt6threadD1Ev", thread_destructor},
    known_name{"_ZNSt6threadD2Ev", thread_destructor},
    known_name{"_ZSt10unexpectedv", terminate},
    known_name{"_ZSt17current_exceptionv", harmless},
    known_name{"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", throw_new},
    known_name{"_ZSt17rethrow_exceptionSt13exception_ptr", throw_new},
    known_name{"_ZSt21__glibcxx_assert_failPKciS0_S0_", exit},
    known_name{"_ZSt9terminatev", terminate},
    known_name{"__assert", exit},
    known_name{"__assert_fail", exit},
    known_name{"__assert_perror_fail", exit},
    known_name{"__chk_fail", exit},
    known_name{"__clang_call_terminate", terminate},
    known_name{"__cxa_allocate_exception", harmless},
    known_name{"__cxa_bad_cast", throw_new},
    known_name{"__cxa_bad_typeid", throw_new},
    known_name{"__cxa_begin_catch", begin_catch},
    known_name{"__cxa_call_terminate", terminate},
    known_name{"__cxa_call_unexpected", terminate},
    known_name{"__cxa_deleted_virtual", terminate},
    known_name{"__cxa_end_catch", end_catch},
    known_name{"__cxa_free_exception", harmless},
    known_name{"__cxa_get_exception_ptr", harmless},
    known_name{"__cxa_guard_abort", harmless},
    known_name{"__cxa_guard_acquire", harmless},
    known_name{"__cxa_guard_release", harmless},
    known_name{"__cxa_pure_virtual", terminate},
    known_name{"__cxa_rethrow", rethrow},
    known_name{"__cxa_rethrow_primary_exception", unclear},
    known_name{"__cxa_throw", throw_new},
    known_name{"__cxa_throw_bad_array_length", throw_new},
    known_name{"__cxa_throw_bad_array_new_length", throw_new},
    known_name{"__fortify_fail", exit},
    known_name{"__libcpp_verbose_abort", exit},
    known_name{"__longjmp_chk", unclear},
    known_name{"__stack_chk_fail", ignored},
    known_name{"__stack_chk_fail_local", ignored},
    known_name{"_exit", exit},
    known_name{"_longjmp", unclear},
    known_name{"abort", exit},
    known_name{"exit", exit},
    known_name{"free", harmless},
    known_name{"longjmp", unclear},
    known_name{"malloc", harmless},
    known_name{"memcpy", harmless},
    known_name{"memmove", harmless},
    known_name{"memset", harmless},
    known_name{"pthread_exit", unclear},
    known_name{"quick_exit", exit},
    known_name{"siglongjmp", unclear},
};

constexpr bool by_name(known_name const& a, known_name const& b) noexcept {
  return a.name < b.name;
}
static_assert(std::is_sorted(known_names.begin(), known_names.end(), by_name));

/// std::__throw_length_error and its kin, in the spellings of libstdc++ and libc++ (where some are
/// members); boost::throw_exception, std::throw_with_nested: templates that never return.
bool is_throwing_helper(std::string_view name) noexcept {
  if (!name.starts_with("_Z")) return false;
  const bool standard =
      name.starts_with("_ZSt") || name.starts_with("_ZNSt") || name.starts_with("_ZNKSt");
  if (standard && name.find("__throw_") != std::string_view::npos) return true;
  return name.starts_with("_ZSt17throw_with_nestedI") ||
         name.starts_with("_ZNSt3__117throw_with_nested") ||
         name.starts_with("_ZN5boost15throw_exceptionI") ||
         name.starts_with("_ZN5boost16exception_detail16throw_exception_I");
}

}  // namespace

runtime_function runtime_function_named(std::string_view name) noexcept {
  const known_name wanted{name, none};
  auto const* const found =
      std::lower_bound(known_names.begin(), known_names.end(), wanted, by_name);
  if (found != known_names.end() && found->name == name) return found->function;
  if (name.starts_with("_Zdl") || name.starts_with("_Zda")) return harmless;  // operator delete
  // What the sanitizers' checks call when they fail.
  if (name.starts_with("__asan_report_")) return ignored;
  if (name.starts_with("__ubsan_handle_") && name.ends_with("_abort")) return ignored;
  // Notes of the thread sanitizer; its runtime may be part of the program.
  if (name.starts_with("__tsan_")) return harmless;
  return is_throwing_helper(name) ? throw_new : none;
}

}  // namespace memprof::delivery
