// SPDX-License-Identifier: MIT
/// \file
/// Front header of `relay`: the memory that recorded programs share with their recorder, and how
/// events cross in it.
#pragma once

#include "relay/area.hpp"            // IWYU pragma: export
#include "relay/attach.hpp"          // IWYU pragma: export
#include "relay/attach_request.hpp"  // IWYU pragma: export
#include "relay/create.hpp"          // IWYU pragma: export
#include "relay/invitation.hpp"      // IWYU pragma: export
#include "relay/read_once.hpp"       // IWYU pragma: export
#include "relay/record.hpp"          // IWYU pragma: export
#include "relay/ring.hpp"            // IWYU pragma: export
#include "relay/sleep.hpp"           // IWYU pragma: export
