// SPDX-License-Identifier: MIT
/// \file
/// Takes what one process pushes out of its ring, also behind a record that is never completed.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "records/record_sink.hpp"
#include "relay/relay.hpp"

namespace memprof::records {

/// Room for one record. The readers of a thread share it.
using record_buffer = std::array<std::uint64_t, relay::ring::most_words>;

class channel_reader {
 public:
  using clock = std::chrono::steady_clock;

  /// Both references and the buffer must live as long as the reader.
  channel_reader(relay::ring& ring, record_sink& sink, record_buffer& buffer)
      : ring_(&ring), sink_(&sink), buffer_(&buffer), last_record_(clock::now()) {}

  /// Takes at most `most` records, and returns how many there were: fewer if they take long.
  ///
  /// \param producers_dead nobody pushes any more: what is not complete never will be.
  MEMPROF_INTERNAL_API int take(bool producers_dead, int most);
  /// What is there now, in however long it takes: a ring is finite.
  MEMPROF_INTERNAL_API void take_all(bool producers_dead);
  /// For a process that goes on when the recording ends: waits some milliseconds for what its
  /// threads are pushing now.
  MEMPROF_INTERNAL_API void take_last();
  /// To be called after each turn. A thread that was interrupted while it pushed may never come
  /// back, since a signal handler can jump: what is behind its record is taken after a while.
  MEMPROF_INTERNAL_API void look_at_hole();

  /// When the last record was taken, or the reader made.
  [[nodiscard]] clock::time_point last_record() const noexcept { return last_record_; }

 private:
  void take_behind_hole();

  relay::ring* ring_;
  record_sink* sink_;
  record_buffer* buffer_;
  clock::time_point last_record_;
  // What is not complete, where, and since when that holds up what is behind it.
  std::uint64_t hole_at_ = ~std::uint64_t{0};
  clock::time_point hole_since_{};
};

}  // namespace memprof::records
