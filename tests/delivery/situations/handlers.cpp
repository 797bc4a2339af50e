// SPDX-License-Identifier: MIT
//
// Handlers on the way: of other types, and such that swallow, rethrow or translate.
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

[[gnu::noinline]] void use(std::exception const& e) { asm volatile("" ::"r"(e.what())); }
[[gnu::noinline]] void nothing() { asm volatile(""); }
bool volatile yes = true;
bool volatile no = false;

MEMPROF_SITUATION(catch_int_only, must_deliver) {
  try {
    interruption();
  } catch (int) {
    nothing();
  }
}

MEMPROF_SITUATION(catch_runtime_error_only, must_deliver) {
  witness const a;
  try {
    witness const b;
    interruption();
  } catch (std::runtime_error const& e) {
    use(e);
  }
}

MEMPROF_SITUATION(catch_all_swallow, must_deliver) {
  try {
    interruption();
  } catch (...) {
    nothing();
  }
}

MEMPROF_SITUATION(catch_bad_alloc_swallow, must_deliver) {
  try {
    interruption();
  } catch (std::bad_alloc const& e) {
    use(e);
  }
}

MEMPROF_SITUATION(catch_exception_swallow, must_deliver) {
  try {
    interruption();
  } catch (std::exception const& e) {
    use(e);
  }
}

MEMPROF_SITUATION(catch_exception_by_value_swallow, must_deliver) {
  try {
    interruption();
  } catch (std::bad_alloc e) {  // NOLINT: by value is the case
    use(e);
  }
}

MEMPROF_SITUATION(catch_all_rethrow, must_deliver) {
  try {
    interruption();
  } catch (...) {
    nothing();
    throw;
  }
}

MEMPROF_SITUATION(catch_bad_alloc_rethrow, must_deliver) {
  witness const a;
  try {
    interruption();
  } catch (std::bad_alloc const& e) {
    use(e);
    throw;
  }
}

MEMPROF_SITUATION(catch_int_then_catch_all_rethrow, must_deliver) {
  try {
    interruption();
  } catch (int) {
    nothing();
  } catch (...) {
    nothing();
    throw;
  }
}

MEMPROF_SITUATION(nested_rethrow_rethrow, must_deliver) {
  try {
    witness const a;
    try {
      witness const b;
      interruption();
    } catch (...) {
      nothing();
      throw;
    }
  } catch (std::exception const& e) {
    use(e);
    throw;
  }
}

MEMPROF_SITUATION(rethrow_then_outer_swallow, must_deliver) {
  try {
    try {
      interruption();
    } catch (...) {
      nothing();
      throw;
    }
  } catch (std::exception const& e) {
    use(e);
  }
}

MEMPROF_SITUATION(catch_all_maybe_rethrow_yes, must_deliver) {
  try {
    interruption();
  } catch (...) {
    if (yes) throw;
  }
}

MEMPROF_SITUATION(catch_all_maybe_rethrow_no, must_deliver) {
  try {
    interruption();
  } catch (...) {
    if (no) throw;
  }
}

MEMPROF_SITUATION(catch_translate, must_deliver) {
  try {
    interruption();
  } catch (std::exception const& e) {
    throw std::runtime_error(e.what());
  }
}

MEMPROF_SITUATION(catch_throw_with_nested, must_deliver) {
  try {
    interruption();
  } catch (...) {
    std::throw_with_nested(std::runtime_error("outer"));
  }
}

MEMPROF_SITUATION(catch_store_exception_ptr, must_deliver) {
  std::exception_ptr stored;
  try {
    interruption();
  } catch (...) {
    stored = std::current_exception();
  }
  if (stored) std::rethrow_exception(stored);
}

[[gnu::noinline]] void lippincott() {
  try {
    throw;
  } catch (std::logic_error const& e) {
    use(e);
  }
}

MEMPROF_SITUATION(catch_lippincott_rethrow, must_deliver) {
  try {
    interruption();
  } catch (...) {
    lippincott();
  }
}

MEMPROF_SITUATION(catch_abort, must_defer) {
  try {
    interruption();
  } catch (...) {
    std::abort();
  }
}

// It would do so with any exception.
MEMPROF_SITUATION(catch_all_then_noexcept, must_defer) {
  try {
    interruption();
  } catch (...) {
    []() noexcept { throw 1; }();
  }
}

MEMPROF_SITUATION(handler_that_allocates, must_deliver) {
  try {
    interruption();
  } catch (std::exception const& e) {
    std::string const text = std::string(100, 'x') + e.what();
    asm volatile("" ::"r"(&text) : "memory");
    throw;
  }
}

}  // namespace
