// SPDX-License-Identifier: MIT
/// \file
/// What the reader asks of a processor. There is one reader, in delivery/reader; each processor has
/// a folder with a `processor` that meets the concept at the end of this file.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "modules/modules.hpp"

namespace memprof::delivery {

using modules::module_code;

/// Where an instruction sends control.
enum class control : std::uint8_t {
  next,    ///< to the instruction behind it
  call,    ///< elsewhere, and perhaps back to the instruction behind it
  jump,    ///< elsewhere
  branch,  ///< elsewhere, or to the instruction behind it
  ret,
  trap  ///< nowhere: the process ends
};

/// What a call or jump goes to. Both are 0 if that is not known.
struct destination {
  std::uintptr_t address = 0;  ///< code, or a stub of the PLT; or
  std::uintptr_t slot = 0;     ///< the pointer (of the GOT) that it goes through
};

/// A processor, as a type that is never instantiated. Its `instruction` has `length` in bytes and,
/// of direct calls, jumps and branches, `target` (else 0).
///
/// A processor may know as much of registers and stack as it likes. What it does not know costs
/// precision, but never makes an answer less safe. It keeps this in two types, both trivially
/// copyable:
///
/// `values`: what is known at a place in a landing pad, whichever path led there.
///  - `enter_pad`: the state in which the personality routine enters a pad, with this selector if
///    it is known
///  - `after_call`: keeps what the calling convention preserves
///  - `join`: keeps what is true of both; true if that is less than before, which can happen a
///    bounded number of times only
///  - `may_be_caught`: may a handler of this frame get the exception?
///
/// `run_values`: what is known from the instructions of one straight run, in a function that a pad
/// calls.
///  - `forget`: begins a run
///
/// The functions:
///  - `decode`: false if the instruction is not understood
///  - `execute`: applies an instruction that sends control to the next one
///  - `is_taken`: is the branch taken, if that is known? Applies what else it does.
///  - `destination_of`: where a call, jump or branch goes
///  - `slot_of_stub`: the slot that a stub of the PLT at this address goes through; 0 if none does
///  - `stays_in_registers`: does an instruction that sends control to the next one change registers
///    and flags alone? False for one that sets a mode of the processor.
template <class P>
concept readable_processor = requires(module_code const& module, std::uintptr_t address,
                                      typename P::instruction& out,
                                      typename P::instruction const& i, typename P::values& values,
                                      typename P::values const& known, typename P::run_values& run,
                                      typename P::run_values const& known_in_run) {
  { P::decode(module, address, out) }
  noexcept->std::same_as<bool>;
  { i.length } -> std::convertible_to<std::size_t>;
  { i.target } -> std::convertible_to<std::uintptr_t>;
  { P::control_of(i) }
  noexcept->std::same_as<control>;
  { P::execute(i, module, values) }
  noexcept;
  { P::is_taken(i, values) }
  noexcept->std::same_as<std::optional<bool>>;
  { P::destination_of(i, module, known) }
  noexcept->std::same_as<destination>;
  { P::execute(i, run) }
  noexcept;
  { P::destination_of(i, known_in_run) }
  noexcept->std::same_as<destination>;
  { P::slot_of_stub(module, address) }
  noexcept->std::same_as<std::uintptr_t>;
  { P::stays_in_registers(i) }
  noexcept->std::same_as<bool>;
  { values.enter_pad(std::optional<std::int32_t>{}) }
  noexcept;
  { values.after_call() }
  noexcept;
  { values.join(known) }
  noexcept->std::same_as<bool>;
  { known.may_be_caught() }
  noexcept->std::same_as<bool>;
  { run.forget() }
  noexcept;
  { run.after_call() }
  noexcept;
};

}  // namespace memprof::delivery
