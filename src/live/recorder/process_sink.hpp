// SPDX-License-Identifier: MIT
/// \file
/// Where the recorder puts the records of one process: into its trace, or into a table of what is
/// live.
#pragma once

#include <cstdint>
#include <string>

#include "records/records.hpp"

namespace memprof::recorder {

using records::most_tags;

/// All calls are of the recorder's thread.
class process_sink : public records::record_sink {
 public:
  process_sink() = default;
  virtual ~process_sink() = default;
  process_sink(process_sink const&) = delete;
  process_sink& operator=(process_sink const&) = delete;

  /// What is known of the process besides; the last one of a name counts.
  virtual void note(std::string const& name, std::string const& value) noexcept = 0;
  /// Now and then: what was taken may be written.
  virtual void flush() noexcept = 0;
  /// The process has ended, or is recorded no longer.
  virtual void close() noexcept = 0;

  /// Why it ended before its process; empty: it did not.
  [[nodiscard]] virtual std::string const& failure() const noexcept = 0;
  /// There was an event.
  [[nodiscard]] virtual bool sampled() const noexcept = 0;
  /// Microseconds since it began; 0 before.
  [[nodiscard]] virtual std::uint64_t age() const noexcept = 0;
};

}  // namespace memprof::recorder
