// SPDX-License-Identifier: MIT
#include "records/channel_reader.hpp"

#include "base/base.hpp"

namespace memprof::records {
namespace {

using std::chrono::milliseconds;

/// More records than that are not in a ring at once: who pushes them now is not waited for.
constexpr int most_at_once = relay::ring::capacity;
/// Other channels, and what is done at limits, wait no longer for one that takes much time.
constexpr milliseconds longest_turn{20};
constexpr int records_between_times = 64;
/// At what is half pushed when the recording ends.
constexpr int most_last_looks = 20;
constexpr std::int32_t between_last_looks_us = 1000;
/// When what is behind a record that is not complete comes before it, and when that is given up.
constexpr milliseconds hole_patience{200};
constexpr milliseconds most_hole_patience{500};

}  // namespace

int channel_reader::take(bool producers_dead, int most) {
  int taken = 0;
  const auto begin = clock::now();
  for (; taken < most; ++taken) {
    if (taken % records_between_times == records_between_times - 1 && most < most_at_once &&
        clock::now() - begin > longest_turn) {
      break;
    }
    const auto record = ring_->pop(*buffer_, producers_dead);
    if (record.empty()) break;
    relay::popped_record r;
    if (relay::popped_record::read(record, r)) sink_->take(r);
  }
  if (taken > 0) last_record_ = clock::now();
  return taken;
}

void channel_reader::take_all(bool producers_dead) { take(producers_dead, most_at_once); }

/// Records come out of their order. Those of one block do not, since nobody has the block, or its
/// tag, before its record is complete.
void channel_reader::take_behind_hole() {
  relay::popped_record r;
  std::uint64_t from = ring_->popped();
  for (int i = 0; i < most_at_once; ++i) {
    const auto record = ring_->pop_behind_hole(*buffer_, from);
    if (record.empty()) return;
    if (relay::popped_record::read(record, r)) sink_->take(r);
  }
}

void channel_reader::look_at_hole() {
  const auto now = clock::now();
  if (ring_->popped() == ring_->claimed() || ring_->popped() != hole_at_) {
    hole_at_ = ring_->popped();
    hole_since_ = now;
    return;
  }
  if (now - hole_since_ < hole_patience) return;
  take_behind_hole();
  if (now - hole_since_ > most_hole_patience && ring_->crowded()) ring_->skip_hole();
}

void channel_reader::take_last() {
  take_all(false);
  for (int i = 0; i < most_last_looks && ring_->popped() != ring_->claimed(); ++i) {
    base::sleep_uncancellable(between_last_looks_us);
    take_all(false);
  }
  take_behind_hole();
}

}  // namespace memprof::records
