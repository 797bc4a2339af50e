// SPDX-License-Identifier: MIT
#include "relay/attach.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.hpp"
#include "relay/invitation.hpp"

namespace memprof::relay {
namespace {

bool is_ours(int descriptor, std::uint64_t cookie) noexcept {
  std::uint64_t begin[2] = {};
  return pread(descriptor, begin, sizeof begin, 0) == sizeof begin && begin[0] == magic &&
         begin[1] == cookie;
}

/// -1: it cannot be reached.
int open_recorders(invitation const& of) noexcept {
  char name[64] = "/proc/";
  char* const end = name + sizeof name - 1;
  char* at = std::to_chars(name + 6, end, of.recorder).ptr;
  std::memcpy(at, "/fd/", 4);
  std::to_chars(at + 4, end, of.descriptor);
  return open(name, O_RDWR | O_CLOEXEC);
}

/// A few for the processes that this one executes or forks before the recorder has looked again.
constexpr std::size_t least_channels = 4;
/// Where children take none. A shell that lowers its own limit on address space (`ulimit -v`) below
/// what it has cannot even grow its stack any more: 512 MiB would be too much.
constexpr std::size_t channels_without_children = 16;

std::size_t channels_wanted(int descriptor) noexcept {
  std::uint32_t children = 0;
  const bool read = pread(descriptor, &children, sizeof children, offsetof(control, children)) ==
                    static_cast<ssize_t>(sizeof children);
  return channels_under_limit(read && children == 0 ? channels_without_children : most_channels);
}

mapped_area map(int descriptor, std::int32_t recorder) noexcept {
  for (const std::size_t channels : {channels_wanted(descriptor), std::size_t{1}}) {
    mapped_area mapped = map_area(descriptor, channels);
    mapped.recorder = recorder;
    if (mapped) return mapped;
  }
  const std::int32_t why = errno;
  [[maybe_unused]] const auto written =
      pwrite(descriptor, &why, sizeof why, offsetof(control, could_not_map));
  return {};
}

/// As the recorder stores it; 0 if it cannot be seen from here.
std::uint64_t pid_namespace() noexcept {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

std::size_t channels_under_limit(std::size_t most) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return most;
  // An eighth of it at most, so that a program that fits into 30 MiB still does.
  const std::size_t eighth = std::max<std::size_t>(limit.rlim_cur / 8 / sizeof(channel), 1);
  return std::min(
      {std::max<std::size_t>(limit.rlim_cur / 16 / sizeof(channel), least_channels), most, eighth});
}

mapped_area map_area(int descriptor, std::size_t channels) noexcept {
  void* const at = mmap(nullptr, bytes_with(channels), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (at == MAP_FAILED) return {};
  madvise(at, bytes_with(channels), MADV_DONTDUMP);  // cores do not need it
  return {static_cast<area*>(at), channels};
}

void unmap_area(mapped_area const& what) noexcept {
  const int saved_errno = errno;
  munmap(what.shared, bytes_with(what.channels));
  errno = saved_errno;
}

mapped_area attach() noexcept {
  char const* const text = base::environment_value(variable);
  invitation to;
  if (text == nullptr || !invitation::parse(text, to)) return {};
  const int saved_errno = errno;
  mapped_area result;
  if (is_ours(to.descriptor, to.cookie)) {
    result = map(to.descriptor, to.recorder);
  } else if (const int opened = open_recorders(to); opened >= 0) {
    if (is_ours(opened, to.cookie)) result = map(opened, to.recorder);
    close(opened);
  }
  errno = saved_errno;
  return result;
}

bool is_invited() noexcept {
  char const* const text = base::environment_value(variable);
  return text != nullptr && *text != '\0';
}

channel* take_channel(mapped_area const& in) noexcept {
  const int saved_errno = errno;
  channel* taken = nullptr;
  for (std::size_t i = 0; i < in.channels && taken == nullptr; ++i) {
    channel& c = in.shared->channels[i];
    auto state = channel_state::free;
    // Acquire: the recorder has emptied it.
    if (c.state.compare_exchange_strong(state, channel_state::taken, std::memory_order_acquire)) {
      taken = &c;
    }
  }
  if (taken == nullptr) {
    in.shared->shared.without_channel.fetch_add(1, std::memory_order_relaxed);
  } else {
    const std::uint64_t here = pid_namespace();
    taken->process = getpid();
    taken->visible = here != 0 && here == in.shared->shared.pid_namespace ? 1 : 0;
    taken->state.store(channel_state::used, std::memory_order_release);  // publishes these
  }
  errno = saved_errno;
  return taken;
}

void note_other_process(mapped_area const& in) noexcept {
  control& shared = in.shared->shared;
  const std::uint32_t number = shared.others.fetch_add(1, std::memory_order_relaxed);
  if (number < control::most_noted) shared.other_processes[number] = getpid();
}

}  // namespace memprof::relay
