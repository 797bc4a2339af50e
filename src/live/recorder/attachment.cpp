// SPDX-License-Identifier: MIT
#include "recorder/attachment.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "relay/relay.hpp"

namespace memprof::recorder {
namespace {

using relay::attach_refusal;
using relay::attach_request;
using relay::attach_role;
using relay::attach_state;

/// A process whose thread had to wait too long for us, or for another recorder, is asked again.
constexpr int most_attempts = 10;
constexpr std::chrono::milliseconds pause_when_busy{100};
constexpr std::chrono::milliseconds confirmation{1000};

std::string number(pid_t process) { return std::to_string(process); }

template <class... Text>
[[noreturn]] void fail(pid_t process, Text const&... text) {
  throw cannot_attach((number(process) + ... + text));
}

/// Before anything else, so that it is clear what is wrong with the number.
process_facts checked(pid_t process, bool despite_filter) {
  process_facts facts = look_at_process(process);
  if (facts.state == 0) {
    const bool hidden = kill(process, 0) == 0 || errno == EPERM;
    fail(process, hidden ? " cannot be seen in /proc, which is mounted with hidepid"
                         : ": there is no such process");
  }
  if (facts.leader != process) {
    fail(process, " is a thread of process ", number(facts.leader), ": give that number");
  }
  if (process == getpid()) fail(process, " is this command itself");
  if (facts.state == 'Z' || facts.state == 'X') {
    fail(process, " has ended, and waits for its parent to notice");
  }
  if (!facts.own_memory) fail(process, " is a thread of the kernel, which has no malloc");
  if (facts.filtered && !despite_filter) {
    fail(process,
         " runs under a seccomp filter, which may kill it at what the library has to call "
         "(memfd_create, ftruncate, fcntl, mmap, munmap, madvise, futex, close, prlimit64, "
         "readlink, "
         "newfstatat): --force, if you know that it allows these");
  }
  return facts;
}

process_facts checked_permission(process_facts facts) {
  try {
    const process_memory open(facts.leader);
  } catch (std::system_error const& e) {
    if (e.code().value() == ENOENT || e.code().value() == ESRCH) {
      fail(facts.leader, " has just ended");
    }
    fail(facts.leader, " may not be attached to, because ", why_no_permission(facts));
  }
  return facts;
}

bool runs(relay::recorder_identity const& recorder) {
  const process_facts facts = look_at_process(recorder.process);
  return facts.state != 0 && facts.state != 'Z' &&
         (recorder.started == 0 || facts.started == recorder.started);
}

std::uint64_t random_cookie() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

attachment::attachment(pid_t process, attach_wish const& wish)
    : process_(process),
      wish_(wish),
      facts_(checked_permission(checked(process, wish.despite_filter))),
      followed_(process, true),
      memory_(process),
      cookie_(random_cookie()) {
  find_request();
  ask();
}

attachment::~attachment() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (recorded_) return;
  // What has been taken meanwhile the process takes back itself, since nobody accepts it.
  attach_state state{};
  std::uint64_t cookie = 0;
  if (memory_.read(request_ + offsetof(attach_request, state), state) &&
      memory_.read(request_ + offsetof(attach_request, cookie), cookie) &&
      state == attach_state::asked && cookie == cookie_) {
    memory_.write(request_ + offsetof(attach_request, state), attach_state::idle);
  }
}

template <class T>
T attachment::field(std::size_t offset) const {
  T value{};
  if (!memory_.read(request_ + offset, value))
    fail(process_, " has ended or executes another program");
  return value;
}

#define MEMPROF_FIELD(name) \
  field<decltype(attach_request::name)::value_type>(offsetof(attach_request, name))
#define MEMPROF_PLAIN_FIELD(name) \
  field<decltype(attach_request::name)>(offsetof(attach_request, name))

/// The copy of the library that sees all blocks. `memprof record` uses another one, so all of them
/// are asked whether they are in use.
void attachment::find_request() {
  constexpr std::uint32_t copy_note_type = 1;
  bool any_copy = false;
  bool narrow = false;
  std::string other_layout;
  attach_role best = attach_role::none;
  std::uintptr_t found = 0;
  for (mapped_file const& file : mapped_files(process_)) {
    narrow |= is_32_bit(memory_, file.begin);
    any_copy |= find_note(memory_, file.begin, "memprof", copy_note_type).size != 0;
    const found_note note = find_note(memory_, file.begin, "memprof", relay::attach_note_type);
    std::int32_t distance = 0;
    if (note.size != sizeof distance || !memory_.read(note.begin, distance)) continue;
    any_copy = true;
    request_ = note.begin + static_cast<std::uintptr_t>(std::intptr_t{distance});
    if (MEMPROF_PLAIN_FIELD(layout) != relay::magic) {
      other_layout = file.name;
      continue;
    }
    const auto role = MEMPROF_FIELD(role);
    check_request();
    if (role > best && role <= attach_role::linked) {
      best = role;
      found = request_;
    }
  }
  request_ = found;
  if (best != attach_role::none) return;
  if (!other_layout.empty()) {
    fail(process_,
         " has a memprof of another version, which this command cannot attach to: ", other_layout);
  }
  if (any_copy) {
    fail(process_,
         " has memprof, but that cannot be attached to: it is of another version, or "
         "the program has only begun");
  }
  if (narrow) fail(process_, " is a 32-bit program, which cannot be traced");
  fail(process_,
       " has no memprof in it, so it cannot be attached to: start it with `memprof "
       "record`, preload libmemprof-preload.so, or link it with memprof::memprof");
}

/// Another recorder may be there, or have died there.
void attachment::check_request() const {
  const auto recording = MEMPROF_PLAIN_FIELD(recording);
  if (recording.process != 0 && runs(recording)) {
    fail(process_, " is recorded already, by process ", number(recording.process));
  }
  const auto asking = MEMPROF_PLAIN_FIELD(asking);
  const auto state = MEMPROF_FIELD(state);
  const bool asks = state == attach_state::asked || state == attach_state::taken ||
                    state == attach_state::offered;
  if (asks && runs(asking)) {
    fail(process_, " is being attached to by process ", number(asking.process));
  }
}

void attachment::ask() {
  struct stat status {};
  const process_facts own = look_at_process(getpid());
  const auto put = [this]<class T>(std::size_t offset, T const& value) {
    if (!memory_.write(request_ + offset, value)) fail(process_, " has ended");
  };
#define MEMPROF_PUT(name, value) \
  put(offsetof(attach_request, name), decltype(attach_request::name){value})
  MEMPROF_PUT(cookie, cookie_);
  MEMPROF_PUT(rate, wish_.rate);
  MEMPROF_PUT(callstack_size, wish_.callstack_size);
  MEMPROF_PUT(children, wish_.children ? 1u : 0u);
  MEMPROF_PUT(process, facts_.inner);
  MEMPROF_PUT(replaces, MEMPROF_PLAIN_FIELD(recording).process);
  MEMPROF_PUT(pid_namespace, stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0);
#undef MEMPROF_PUT
  put(offsetof(attach_request, asking),
      relay::recorder_identity{.process = getpid(), .unused = 0, .started = own.started});
  put(offsetof(attach_request, state), attach_state::asked);
  ++asked_;
  release();
}

void attachment::report_refusal() const {
  const int error = MEMPROF_PLAIN_FIELD(error);
  switch (MEMPROF_PLAIN_FIELD(refusal)) {
    case attach_refusal::recorded:
      fail(process_, " is recorded already");
    case attach_refusal::tracing:
      fail(process_, " writes a trace itself (MEMTRACE or start_tracing): one at a time");
    case attach_refusal::no_memory:
      fail(process_, " could not make the memory that is shared with it: ",
           std::generic_category().message(error),
           error == EFBIG ? "; its limit on the size of files (RLIMIT_FSIZE) is too low: `prlimit "
                            "--fsize=unlimited --pid` lifts it"
                          : "");
    default:
      fail(process_, " refused to be recorded");
  }
}

bool attachment::answered() {
  if (followed_.has_ended()) fail(process_, " has ended before it could be attached to");
  if (recorded_) return true;
  const auto state = MEMPROF_FIELD(state);
  if (MEMPROF_PLAIN_FIELD(cookie) != cookie_) {
    fail(process_, " was attached to by another process at the same time");
  }
  const bool busy =
      state == attach_state::refused && MEMPROF_PLAIN_FIELD(refusal) == attach_refusal::busy;
  if (state == attach_state::refused && !busy) report_refusal();
  if (state == attach_state::idle || busy) {
    if (asked_ >= most_attempts) fail(process_, " did not wait for this command's answer");
    if (busy) std::this_thread::sleep_for(pause_when_busy);
    ask();
  }
  return state == attach_state::offered && accept();
}

/// False: it did not wait.
bool attachment::accept() {
  const auto offered = MEMPROF_PLAIN_FIELD(descriptor);
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
  const auto descriptor =
      process < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_getfd, process, offered, 0));
  const int why = errno;
  if (process >= 0) ::close(process);
  if (descriptor < 0) {
    if (MEMPROF_FIELD(state) != attach_state::offered) return false;
    fail(process_,
         " shares its memory, but that cannot be opened: ", std::generic_category().message(why));
  }
  // Whatever it is: that it may not shrink makes it safe to map.
  struct stat status {};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  void* const at =
      seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(descriptor, &status) == 0 &&
              status.st_size == sizeof(relay::area)
          ? mmap(nullptr, relay::control_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
          : MAP_FAILED;
  auto* const shared = static_cast<relay::control*>(at);
  if (at == MAP_FAILED || shared->magic != relay::magic || shared->cookie != cookie_) {
    if (at != MAP_FAILED) munmap(at, relay::control_bytes);
    ::close(descriptor);
    if (MEMPROF_FIELD(state) != attach_state::offered) return false;
    fail(process_, " offers memory that is not memprof's");
  }
  shared->accepted.store(1, std::memory_order_release);
  syscall(SYS_futex, &shared->accepted, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  munmap(at, relay::control_bytes);
  const auto end = std::chrono::steady_clock::now() + confirmation;
  auto state = MEMPROF_FIELD(state);
  while (state == attach_state::offered && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    state = MEMPROF_FIELD(state);
  }
  if (state != attach_state::attached) {
    ::close(descriptor);
    return false;
  }
  descriptor_ = descriptor;
  recorded_ = true;
  return true;
}

int attachment::take_descriptor() noexcept { return std::exchange(descriptor_, -1); }

attached_state attachment::now() {
  if (followed_.has_ended()) return attached_state::process_ended;
  try {
    const bool ours =
        MEMPROF_PLAIN_FIELD(cookie) == cookie_ && MEMPROF_FIELD(state) == attach_state::attached;
    return ours ? attached_state::recorded : attached_state::left;
  } catch (cannot_attach const&) {
    // Its memory is gone: it has another one, or is about to end.
    return look_at_process(process_).own_memory ? attached_state::other_program
                                                : attached_state::recorded;
  }
}

void attachment::release() noexcept {
  std::uintptr_t call = 0;
  if (memory_.read(request_ + offsetof(attach_request, call), call)) {
    memory_.write(call, std::uint32_t{1});
  }
}

}  // namespace memprof::recorder
