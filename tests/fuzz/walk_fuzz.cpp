// SPDX-License-Identifier: MIT
//
// Stacks that grow, shrink and change from walk to walk, less and more deep than a walk goes: a
// walk by the memo of the one before says what a walk without a memo says, however few frames are
// wanted, and what lies behind the lists of the memo stays as it was.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "callstack/walk.hpp"
#include "callstack/walk_counters.hpp"
#include "require.hpp"

using namespace memprof::callstack;
using memprof_fuzz::require;

namespace {

/// A memo, and what is behind it.
struct guarded_memo {
  walk_memo memo;
  std::array<std::uintptr_t, 64> behind;
};
guarded_memo* guarded = nullptr;
bool with_memo = true;

frames_by_method counted;
bool counted_incomplete = false;

/// Return addresses of frames that are as large, and keep the frame pointer as the kind says.
constexpr unsigned rules = 24;
constexpr std::uintptr_t first_pc = 0x100000;

packed_step rule_of(unsigned rule) {
  const unsigned words = 2 + rule % 5;
  switch (rule % 3) {
    case 0:
      return {step_kind::by_sp, words};
    case 1:
      return {step_kind::save_fp, words, 2};
    default:
      return {step_kind::by_fp};
  }
}

/// The stack's words, from its outermost frame down.
class stack {
 public:
  stack() = default;
  stack(stack const&) = delete;
  stack& operator=(stack const&) = delete;
  ~stack() { std::fill_n(words_.end() - static_cast<std::ptrdiff_t>(deepest_), deepest_, 0); }

  [[nodiscard]] std::size_t depth() const { return frames_.size(); }
  [[nodiscard]] frame const& innermost() const { return frames_.back(); }

  /// Calls a function of that rule. `f` is its frame: where it continues when its callee returns.
  void push(unsigned rule) {
    frame f{.pc = first_pc + rule, .sp = place(used_), .fp = frames_.empty() ? 0 : innermost().fp};
    const packed_step s = rule_of(rule);
    const std::size_t size = s.kind() == step_kind::by_fp ? 2 + rule % 5 : s.n();
    if (used_ + size > room) return;
    std::uintptr_t* const cfa = words_.data() + (room - used_);
    cfa[-1] = frames_.empty() ? 0 : innermost().pc;  // 0: the outermost
    f.sp = place(used_ + size);
    if (s.kind() != step_kind::by_sp) {
      cfa[-2] = f.fp;
      f.fp = s.kind() == step_kind::by_fp ? place(used_ + 2) : f.fp ^ 8;
    }
    used_ += size;
    deepest_ = std::max(deepest_, used_);
    frames_.push_back(f);
    sizes_.push_back(size);
  }
  void pop() {
    used_ -= sizes_.back();
    sizes_.pop_back();
    frames_.pop_back();
  }

 private:
  static constexpr std::size_t room = std::size_t{1} << 17;
  [[nodiscard]] std::uintptr_t place(std::size_t used) const {
    return reinterpret_cast<std::uintptr_t>(words_.data() + (room - used));
  }
  inline static std::vector<std::uintptr_t> words_ = std::vector<std::uintptr_t>(room);
  std::vector<frame> frames_;
  std::vector<std::size_t> sizes_;
  std::size_t used_ = 0;
  std::size_t deepest_ = 0;
};

struct taken {
  std::vector<std::uintptr_t> frames;
  frames_by_method by;
  bool incomplete = false;
  bool operator==(taken const& o) const {
    return frames == o.frames && by.by_frame_pointer == o.by.by_frame_pointer &&
           by.by_tables == o.by.by_tables && incomplete == o.incomplete;
  }
};

/// In a small room first, as `capture` does, and then in as much as is wanted.
taken take(frame const& from, std::size_t near, std::size_t most, bool memo) {
  taken t;
  t.frames.resize(most + 1, 0x5a5a);
  with_memo = memo;
  walk w{from, false};
  const auto room = std::span(t.frames).first(most);
  std::size_t n = w.take(room.first(std::min(near, most)));
  if (n < most && w.goes_on()) n += w.take(room.subspan(n));
  require(n <= std::min(most, largest_stack));
  require(t.frames.back() == 0x5a5a);
  w.finish();
  t.frames.resize(n);
  t.by = counted;
  t.incomplete = counted_incomplete;
  return t;
}

}  // namespace

namespace memprof::callstack {

walk_memo* begin_walk_of_thread() noexcept {
  return with_memo && guarded->memo.begin_walk() ? &guarded->memo : nullptr;
}

void count_walk(frames_by_method frames, bool incomplete) noexcept {
  counted = frames;
  counted_incomplete = incomplete;
}

}  // namespace memprof::callstack

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static bool const known = [] {
    for (unsigned rule = 0; rule < rules; ++rule) known_rules.store(first_pc + rule, rule_of(rule));
    return true;
  }();
  require(known);
  static auto const memory = std::make_unique<guarded_memo>();
  guarded = memory.get();
  guarded->memo.forget();
  guarded->behind.fill(0xa5a5a5a5);
  stack s;
  unsigned walks = 0;
  // Each three bytes: what, and how often.
  for (std::size_t i = 0; i + 2 < size && walks < 64; i += 3) {
    const std::size_t many = data[i + 1] | std::size_t{data[i + 2] & 0x1fu} << 8;
    switch (data[i] % 4) {
      case 0:
      case 1:
        for (std::size_t k = 0; k < many; ++k) {
          s.push(static_cast<unsigned>(data[i] / 4 + (data[i] % 4 == 0 ? 0 : k)) % rules);
        }
        break;
      case 2:
        for (std::size_t k = std::min(many, s.depth()); k > 0; --k) s.pop();
        break;
      default:
        break;
    }
    if (s.depth() == 0) continue;
    const std::size_t most = data[i] % 4 == 3 ? many + 1 : largest_stack + data[i] / 4 % 2;
    const std::size_t near = 1 + data[i] / 4;
    taken const by_memo = take(s.innermost(), near, most, true);
    require(by_memo == take(s.innermost(), near, most, false));
    require(by_memo.frames.size() == std::min({most, s.depth(), largest_stack}));
    const auto kept = guarded->memo.end() - guarded->memo.begin();
    require(kept >= 0 && static_cast<std::size_t>(kept) <= largest_stack);
    require(guarded->memo.end()->from.sp == no_step.from.sp);
    require(std::ranges::all_of(guarded->behind, [](auto word) { return word == 0xa5a5a5a5; }));
    ++walks;
  }
  return 0;
}
