// SPDX-License-Identifier: MIT
#include "delivery/decide/frame_verdict.hpp"

#include "delivery/decide/code_facts.hpp"
#include "delivery/reader/frame_outcome.hpp"
#include "delivery/reader/lsda.hpp"
#include "delivery/reader/only_returns.hpp"
#include "delivery/reader/runtime_addresses.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

bool is_c(code_facts const& code) noexcept { return !code.cxx || is_c(code.kind); }

/// A frame without a handler or clean-up of its own, in code of which this is known.
frame_verdict without_handlers(callstack::procedure const& p, std::uintptr_t pc,
                               code_facts const& code) noexcept {
  if (!is_c(code)) return frame_verdict::pass;
  // C that does nothing behind the call holds nothing: glibc's pthread_once, which std::call_once
  // and so std::promise::set_value call.
  module_code module;
  const bool holds_nothing = module.open(pc) && only_returns(module, p, pc + 1);
  return holds_nothing ? frame_verdict::pass : frame_verdict::c_frame;
}

/// A frame with an exception table.
frame_verdict with_handlers(callstack::procedure const& p, std::uintptr_t pc,
                            code_facts const& code) noexcept {
  const bool library = code.standard_library || code.kind == code_kind::library_io;
  switch (outcome_in_frame(p, pc)) {
    case outcome::pass:
      return library && find_landing(p, pc, thrown::limit).forced_unwind
                 ? frame_verdict::library_pass
                 : frame_verdict::pass;
    case outcome::swallow:
      return library ? frame_verdict::library_swallow : frame_verdict::swallow;
    case outcome::translate:
      return frame_verdict::translate;
    case outcome::terminate:
      return ends_every_exception(p) ? frame_verdict::terminate_all : frame_verdict::terminate;
    case outcome::no_memory:
      return frame_verdict::no_memory;
    case outcome::unknown:
      break;
  }
  return frame_verdict::unknown;
}

}  // namespace

char const* describe(frame_verdict v) noexcept {
  switch (v) {
    case frame_verdict::pass:
      return "in a function that does not catch it";
    case frame_verdict::swallow:
      return "under a handler that may swallow it";
    case frame_verdict::library_swallow:
    case frame_verdict::library_pass:
      return "under a handler of the standard library's streams, locales or futures";
    case frame_verdict::translate:
      return "under a handler that throws something else";
    case frame_verdict::terminate:
    case frame_verdict::terminate_all:
      return "under a noexcept function or destructor";
    case frame_verdict::c_frame:
      return "under a C function";
    case frame_verdict::known_unsafe:
      return "under a function that is known not to survive it";
    case frame_verdict::tls_initialiser:
      return "while thread_local variables are initialised";
    case frame_verdict::signal_frame:
      return "in a signal handler";
    case frame_verdict::no_tables:
      return "under code without unwind tables";
    case frame_verdict::other_language:
      return "under code of another language";
    case frame_verdict::not_ready:
      return "before the loaded modules were classified";
    case frame_verdict::no_memory:
      return "without memory to read the code that it would pass";
    case frame_verdict::unknown:
      break;
  }
  return "under code that is not understood";
}

frame_verdict verdict_in_frame(callstack::procedure const& p, std::uintptr_t pc,
                               bool& permanent) noexcept {
  permanent = false;
  if (p.signal_frame) return frame_verdict::signal_frame;
  code_facts code;
  if (!prepare_modules()) return frame_verdict::not_ready;
  if (!facts_at(pc, code)) return frame_verdict::unknown;
  if (code.unread) return frame_verdict::no_memory;
  permanent = code.permanent;
  if (code.kind == code_kind::tls_initialiser) return frame_verdict::tls_initialiser;
  if (code.kind == code_kind::unsafe) return frame_verdict::known_unsafe;
  if (p.lsda == nullptr) return without_handlers(p, pc, code);
  switch (language_of(p.personality)) {
    case language::cxx:
      return with_handlers(p, pc, code);
    case language::c:
      // Only C that cleans up at this very call wants to be unwound. It may be C++, too: with
      // link-time optimisation g++ gives functions that have nothing but clean-ups C's personality.
      if (!(is_c(code) && has_two_unwinders()) &&
          find_landing(p, pc, thrown::limit).where == landing::place::pad) {
        return code.cxx ? with_handlers(p, pc, code) : frame_verdict::pass;
      }
      return without_handlers(p, pc, code);
    case language::none:
    case language::other:
      break;
  }
  return frame_verdict::other_language;
}

}  // namespace memprof::delivery
