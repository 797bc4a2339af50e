// SPDX-License-Identifier: MIT
/// \file
/// Follows code from a place to wherever it may get, both sides of each branch, through the parts
/// of a function.
#pragma once

#include <cstdint>

#include "delivery/aarch64/code.hpp"
#include "delivery/aarch64/region.hpp"
#include "delivery/reader/call_target.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery::aarch64 {

/// Is told what the code does.
class flow_visitor {
 public:
  /// A call, `next` behind it; `handling`: behind __cxa_begin_catch, may be set. False: the path
  /// ends there.
  virtual bool call(call_target const& target, std::uintptr_t next, bool& handling) noexcept = 0;
  /// A call in place of a return. `target` may be unknown.
  virtual void tail_call(call_target const& target, std::uintptr_t next,
                         bool handling) noexcept = 0;
  virtual void returns() noexcept = 0;
  virtual void traps() noexcept = 0;
  /// Code that is not known to any table; or the end of a procedure behind a call.
  virtual void runs_off() noexcept = 0;
  /// The function is too long, or there was too much to read altogether.
  virtual void too_much() noexcept = 0;

 protected:
  ~flow_visitor() = default;
};

/// Large. No constructor need run.
class flow {
 public:
  /// Reads whatever can be reached from `from`, at most `instructions_left`, which are counted off.
  void follow(module_code const& module, std::uintptr_t from, unsigned& instructions_left,
              flow_visitor& visitor) noexcept;

 private:
  struct reading;
  void read_from(reading const& r, place at) noexcept;
  void transfer(reading const& r, instruction const& jump, place at) noexcept;

  region region_;
  entries entries_;
  known_registers registers_;
};

}  // namespace memprof::delivery::aarch64
