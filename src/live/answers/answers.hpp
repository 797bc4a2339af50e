// SPDX-License-Identifier: MIT
/// \file
/// Front header of `answers`: what a program is asked over HTTP, whether it is this one or one that
/// is watched.
#pragma once

#include "answers/program_source.hpp"
#include "answers/routes.hpp"
#include "answers/served.hpp"
#include "answers/text_response.hpp"
