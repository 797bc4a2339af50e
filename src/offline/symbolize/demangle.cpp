// SPDX-License-Identifier: MIT
//
// By libiberty, which hands the text over in pieces: __cxa_demangle of the C++ library makes all of
// it at once, and a name of 500 characters may mean 2^100, because a substitution (S_, T0_) repeats
// a part of the name with the substitutions in it.
#include <csetjmp>
// The C++ library's <cstring> declares it otherwise than libiberty would.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include "symbolize/short_name.hpp"

namespace memprof::symbolize {
namespace {

constexpr std::size_t longest_name = 4096;
constexpr std::size_t longest_demangled = std::size_t{1} << 22;

struct bounded_text {
  std::string text;
  std::jmp_buf end;
};

/// Leaves the demangler, which is C and holds nothing but its stack, when the text is too long.
void append(char const* piece, std::size_t size, void* to) {
  auto& out = *static_cast<bounded_text*>(to);
  bool fits = out.text.size() + size <= longest_demangled;
  try {
    if (fits) out.text.append(piece, size);
  } catch (...) {
    fits = false;
  }
  if (!fits) std::longjmp(out.end, 1);
}

enum class outcome : unsigned char { read, not_understood, too_long };

outcome demangle_into(bounded_text& out, char const* name) {
  if (setjmp(out.end) != 0) return outcome::too_long;
  constexpr int options = DMGL_PARAMS | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT;
  return cplus_demangle_v3_callback(name, options, &append, &out) != 0 ? outcome::read
                                                                       : outcome::not_understood;
}

/// Since clang 18 arguments of templates may have the parameter's declaration or constraints with
/// them (Tn, Tk, Q), which libiberty does not read. So that such a function is known at all, its
/// name as far as arguments begin behind which the rest can be left out, and "<...>" for these:
/// "std::pair<int, int>::pair<...>". Otherwise `name`. Only whole parts of a name can be read, so a
/// cut in the arguments of a type, or within an identifier, is never taken.
std::string without_arguments(std::string const& name) {
  const bool nested = name.starts_with("_ZN");
  for (std::size_t at = name.rfind('I'); at != std::string::npos && at > 2;
       at = name.rfind('I', at - 1)) {
    bounded_text out{};
    const outcome found = demangle_into(out, (name.substr(0, at) + (nested ? "Ev" : "v")).c_str());
    if (found == outcome::too_long) break;
    if (found == outcome::read) return out.text.substr(0, out.text.rfind("()")) + "<...>";
  }
  return name;
}

}  // namespace

std::string demangle(std::string_view linker_name) {
  std::string name{linker_name};
  if (!linker_name.starts_with("_Z") || name.size() > longest_name) return name;
  bounded_text out{};
  switch (demangle_into(out, name.c_str())) {
    case outcome::read:
      return std::move(out.text);
    case outcome::not_understood:
      return without_arguments(name);
    case outcome::too_long:
      break;
  }
  return name;
}

}  // namespace memprof::symbolize
