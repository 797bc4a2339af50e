// SPDX-License-Identifier: MIT
/// \file
/// The first packet of a trace.
#pragma once

#include <cstddef>

#include "memprof/trace/info.hpp"

#include "trace/packet_check.hpp"

namespace memprof::inline v0::trace {

/// \param at the packet, whole.
/// \param rest where its event ends: the packet should, too.
/// \throws malformed if it is.
info read_info_packet(std::byte const* at, packet_facts const& facts, std::byte const*& rest);

}  // namespace memprof::inline v0::trace
