// SPDX-License-Identifier: MIT
/// \file
/// Front header of the component `text`.
#pragma once

#include "text/json_string.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"
