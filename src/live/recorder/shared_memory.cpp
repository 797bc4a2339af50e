// SPDX-License-Identifier: MIT
#include "recorder/shared_memory.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <random>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace memprof::recorder {
namespace {

[[noreturn]] void refuse(char const* what) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("the memory that is shared with the program: ") + what);
}

/// As long as it lives, files of this process are as large as may be. For memory that is a file.
class lifted_file_size {
 public:
  lifted_file_size() noexcept {
    if (getrlimit(RLIMIT_FSIZE, &before_) != 0 || before_.rlim_cur == RLIM_INFINITY) return;
    for (rlimit const wanted : {rlimit{RLIM_INFINITY, RLIM_INFINITY},  // for root
                                rlimit{before_.rlim_max, before_.rlim_max}}) {
      if ((lifted_ = setrlimit(RLIMIT_FSIZE, &wanted) == 0)) return;
    }
  }
  ~lifted_file_size() {
    if (lifted_) setrlimit(RLIMIT_FSIZE, &before_);
  }
  lifted_file_size(lifted_file_size const&) = delete;
  lifted_file_size& operator=(lifted_file_size const&) = delete;

 private:
  rlimit before_{};
  bool lifted_ = false;
};

int memory_of_ours() {
  const lifted_file_size lifted;
  char const* failed = "";
  const int made = relay::create_memory(failed);
  if (made >= 0) return made;
  if (errno == EFBIG) {
    throw std::runtime_error(
        "the memory that is shared with the program is a file of 513 MiB, and the limit on the "
        "size of files is lower: ulimit -f unlimited");
  }
  refuse(failed);
}

}  // namespace

shared_memory::shared_memory(bool children, int made)
    : descriptor_(made >= 0 ? made : memory_of_ours()) {
  void* const at = mmap(nullptr, sizeof(relay::area), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (at == MAP_FAILED) refuse("mmap");
  area_ = static_cast<relay::area*>(at);
  if (made >= 0) return;
  std::random_device random;
  invitation_ = {.recorder = getpid(),
                 .descriptor = descriptor_,
                 .cookie = std::uint64_t{random()} << 32 | random()};
  relay::control& c = *::new (static_cast<void*>(&area_->shared)) relay::control;
  c.cookie = invitation_.cookie;
  c.children = children ? 1 : 0;
  struct stat status {};
  if (stat("/proc/self/ns/pid", &status) == 0) c.pid_namespace = status.st_ino;
  c.magic = relay::magic;
}

shared_memory::~shared_memory() {
  // A process that does not allocate any more still maps it, for a while: as little as can be.
  fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, relay::control_bytes,
            sizeof(relay::area) - relay::control_bytes);
  munmap(area_, sizeof(relay::area));
  close(descriptor_);
}

void shared_memory::enter_first_process() const noexcept {
  fcntl(descriptor_, F_SETFD, 0);
  area_->shared.first_process.store(getpid(), std::memory_order_relaxed);
}

void shared_memory::recycle(std::size_t i) noexcept {
  relay::channel& c = area_->channels[i];
  auto* const slots = reinterpret_cast<char*>(&c.events) + relay::ring::header_bytes;
  constexpr std::size_t size = sizeof(relay::ring) - relay::ring::header_bytes;
  const auto offset = slots - reinterpret_cast<char*>(area_);
  if (fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size) != 0) {
    std::memset(slots, 0, size);
  }
  c.events.restart();
  c.process = 0;
  c.dropped.store(0, std::memory_order_relaxed);
  c.state.store(relay::channel_state::free, std::memory_order_release);  // and what is above
}

}  // namespace memprof::recorder
