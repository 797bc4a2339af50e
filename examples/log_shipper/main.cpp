// SPDX-License-Identifier: MIT
/// \file
/// A program whose memory swells and shrinks again: nothing is in use at the end, and no list of
/// leaks tells why. It knows nothing of memprof; docs/tutorial.md finds the reason with the command
/// alone.
///
/// usage: memprof-example-log_shipper [LINES]
///
/// One thread writes lines of log into a queue without a bound, another ships them in batches. In
/// the middle of the run the network is slow, and the lines pile up.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;

struct line_queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> lines;
  bool closed = false;

  void push(std::string line) {
    {
      const std::lock_guard lock(mutex);
      lines.push_back(std::move(line));
    }
    changed.notify_one();
  }

  /// All lines that wait, at most `most`; none: the queue was closed.
  std::deque<std::string> take(std::size_t most) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !lines.empty() || closed; });
    std::deque<std::string> batch;
    while (!lines.empty() && batch.size() < most) {
      batch.push_back(std::move(lines.front()));
      lines.pop_front();
    }
    return batch;
  }

  void close() {
    {
      const std::lock_guard lock(mutex);
      closed = true;
    }
    changed.notify_one();
  }
};

std::string format_line(long number) {
  std::string line = "2026-11-22T00:00:00Z host-7 shop[4242]: request " + std::to_string(number);
  line +=
      " took " + std::to_string(number % 997) + " ms, user agent Mozilla/5.0 (X11; Linux x86_64), ";
  line += "trace id " + std::to_string(number * 2654435761);
  return line;
}

std::string compress_batch(std::deque<std::string> const& batch) {
  std::string packed;
  for (std::string const& line : batch) packed.append(line, 0, line.size() / 4);
  return packed;
}

/// From a quarter of the run to a half of it the network takes its time.
std::size_t send_batch(std::string const& packed, bool slow) {
  std::this_thread::sleep_for(slow ? 10ms : 100us);
  return packed.size();
}

void write_log(line_queue& queue, long lines) {
  for (long i = 0; i < lines; ++i) {
    queue.push(format_line(i));
    if (i % 100 == 99) std::this_thread::sleep_for(200us);
  }
  queue.close();
}

std::size_t ship_log(line_queue& queue, long lines) {
  std::size_t sent = 0;
  long shipped = 0;
  while (true) {
    const std::deque<std::string> batch = queue.take(500);
    if (batch.empty()) return sent;
    shipped += static_cast<long>(batch.size());
    const bool slow = shipped > lines / 4 && shipped < lines / 2;
    sent += send_batch(compress_batch(batch), slow);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long lines = argc > 1 ? std::atol(argv[1]) : 400'000;
  line_queue queue;
  std::thread writer(write_log, std::ref(queue), lines);
  const std::size_t sent = ship_log(queue, lines);
  writer.join();
  std::cout << lines << " lines shipped, " << sent << " bytes\n";
}
