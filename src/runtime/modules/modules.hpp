// SPDX-License-Identifier: MIT
/// \file
/// Front header of `modules`: what is known of the program and the shared libraries that are
/// loaded, and of their files.
#pragma once

#include "modules/code_location.hpp"      // IWYU pragma: export
#include "modules/code_owner.hpp"         // IWYU pragma: export
#include "modules/code_places.hpp"        // IWYU pragma: export
#include "modules/elf_file.hpp"           // IWYU pragma: export
#include "modules/find_module.hpp"        // IWYU pragma: export
#include "modules/function_table.hpp"     // IWYU pragma: export
#include "modules/imported_slots.hpp"     // IWYU pragma: export
#include "modules/loaded_image.hpp"       // IWYU pragma: export
#include "modules/module_code.hpp"        // IWYU pragma: export
#include "modules/open_file.hpp"          // IWYU pragma: export
#include "modules/permanent_modules.hpp"  // IWYU pragma: export
#include "modules/raw_location.hpp"       // IWYU pragma: export
