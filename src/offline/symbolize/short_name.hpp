// SPDX-License-Identifier: MIT
/// \file
/// Names of functions, from the linker's to those that people read.
#pragma once

#include <string>
#include <string_view>

namespace memprof::symbolize {

/// The C++ name, "ns::f(int)", of the linker's, "_ZN2ns1fEi". Names that are not mangled, and those
/// whose text would grow out of bounds, stay as they are. "ns::f<...>" if the arguments of a
/// template are mangled in a way that is not known (some are by clang 18 and later).
std::string demangle(std::string_view linker_name);

/// A demangled name as people would write it:
///
///     std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >  std::string
///     std::vector<int, std::allocator<int> >::push_back(int const&)  std::vector<int>::push_back
///     void ns::f<long>(long)::{lambda(int)#1}::operator()(int) const
///                                                     ns::f<long>::{lambda(int)#1}::operator()
///     f(int) [clone .isra.0]                                                           f
///
/// Inline namespaces of the standard library, its default template arguments, return types, and
/// (unless `arguments`) the arguments of functions are left out. A name that is not understood
/// stays as it is.
std::string short_name(std::string_view name, bool arguments = false);

}  // namespace memprof::symbolize
