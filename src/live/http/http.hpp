// SPDX-License-Identifier: MIT
/// \file
/// Front header of `http`: a small HTTP server, and the answers that it gives for any program.
#pragma once

#include "http/answers.hpp"
#include "http/host_name.hpp"
#include "http/listen_address.hpp"
#include "http/program_source.hpp"
#include "http/server.hpp"
#include "http/text_response.hpp"
