// SPDX-License-Identifier: MIT
/// \file
/// What the traced program is called.
#pragma once

#include <string>
#include <vector>

#include "memprof/trace/info.hpp"

#include "analysis/text_note.hpp"

namespace memprof::analysis {

/// The program as its user knows it: the path of its file, unless it was started by another name
/// (a symbolic link, a script's). Then that name: the first word of the command, or, of a process
/// that the recorder did not start, what the kernel calls its first thread.
///
///     redis-server, a link to redis-check-rdb     redis-server, not /usr/bin/redis-check-rdb
///
/// \param notes of the trace; what they do not say is taken from `info`.
[[nodiscard]] std::string program_name(trace::info const& info,
                                       std::vector<text_note> const& notes);

}  // namespace memprof::analysis
