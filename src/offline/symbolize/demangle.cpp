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

/// False if `name` is no mangled name, or its text is too long.
bool demangle_into(bounded_text& out, char const* name) {
  if (setjmp(out.end) != 0) return false;
  constexpr int options = DMGL_PARAMS | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT;
  return cplus_demangle_v3_callback(name, options, &append, &out) != 0;
}

}  // namespace

std::string demangle(std::string_view linker_name) {
  std::string name{linker_name};
  if (!linker_name.starts_with("_Z") || name.size() > longest_name) return name;
  bounded_text out{};
  return demangle_into(out, name.c_str()) ? std::move(out.text) : name;
}

}  // namespace memprof::symbolize
