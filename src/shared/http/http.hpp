// SPDX-License-Identifier: MIT
/// \file
/// Front header of `http`: a small HTTP server.
#pragma once

#include "http/exchange.hpp"
#include "http/host_name.hpp"
#include "http/listen_address.hpp"
#include "http/no_signals.hpp"
#include "http/request_target.hpp"
#include "http/server.hpp"
