// SPDX-License-Identifier: MIT
/// \file
/// Types as the demangler writes them: "std::vector<int, std::allocator<int> > const&".
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "symbolize/dwarf_file.hpp"

namespace memprof::symbolize {

/// Names the class, union or enumeration at an entry, with what encloses it.
using class_namer = std::function<std::string(dwarf_entry)>;

/// The types of the parameters of the function at this entry, "int, char const*", without those
/// that the source does not have. A parameter of a type that the function is instantiated for is
/// "auto:1", as in a generic lambda.
std::string parameter_types(dwarf_entry function, class_namer const& class_name);

/// The types that a template is instantiated for, "int, char"; none if it has other arguments.
std::optional<std::string> template_types(dwarf_entry e, class_namer const& class_name);

}  // namespace memprof::symbolize
