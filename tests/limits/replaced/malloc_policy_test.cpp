// SPDX-License-Identifier: MIT
//
// malloc_policy::refuse: what malloc gives to a task whose limit was hit.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

limits refusing(limits l) {
  l.malloc_after_hit = malloc_policy::refuse;
  return l;
}

/// Blocks of malloc, of one size, until there is no more; frees them at the end.
struct chain {
  struct link {
    link* next;
  };
  link* first = nullptr;
  std::size_t bytes = 0;

  /// Whether all `most` bytes could be had.
  bool fill(std::size_t most, std::size_t size) {
    while (bytes < most) {
      void* const block = std::malloc(size);
      if (block == nullptr) return false;
      first = ::new (block) link{first};
      bytes += size;
    }
    return true;
  }
  chain() = default;
  chain(chain const&) = delete;
  chain& operator=(chain&& other) noexcept {
    std::swap(first, other.first);
    bytes = std::exchange(other.bytes, bytes);
    return *this;
  }
  ~chain() {
    while (first != nullptr) std::free(std::exchange(first, first->next));
  }
};

TEST_CASE("refuse: malloc returns null from the request that crosses the limit on",
          "[limits][malloc]") {
  exactly fixture;
  for (std::size_t const size : {std::size_t{64}, std::size_t{5000}, std::size_t{1'000'000}}) {
    chain got;
    bool all = true;
    int error = 0;
    bool again = false;
    auto const r = run_limited(refusing({.memory = 8_MiB}), [&] {
      errno = 0;
      all = got.fill(100'000'000, size);
      error = errno;
      again = got.fill(100'000'000, 16);
    });
    CAPTURE(size);
    REQUIRE_FALSE(r);
    CHECK_FALSE(all);
    CHECK_FALSE(again);
    CHECK(error == ENOMEM);
    CHECK(got.bytes <= 8u << 20);
    CHECK(r.error().refusals() == 2);
    CHECK(r.error().deliveries() == 0);
    CHECK(r.error().exception() == nullptr);
    CHECK_THAT(r.error().message(), Catch::Matchers::ContainsSubstring("malloc refused 2 times"));
    // The task is over.
    CHECK(got.fill(got.bytes + 1000, 16));
  }
}

TEST_CASE("refuse: cancel_if is asked in a task that only calls malloc, where it may refuse",
          "[limits][malloc]") {
  with_seed fixture(3);
  for (bool const masked : {false, true}) {
    int asked = 0;
    chain got;
    bool all = true;
    limits l;
    l.cancel_if = [&] { return ++asked > 3; };
    auto const r = run_limited(refusing(l), [&] {
      if (masked) {
        masked_scope const mask;
        all = got.fill(10'000'000, 1000);
      } else {
        all = got.fill(10'000'000, 1000);
      }
    });
    CAPTURE(masked);
    CHECK(all == masked);
    CHECK(r.has_value() == masked);
    CHECK(asked == (masked ? 0 : 4));
    if (masked) continue;
    CHECK(r.error().kind() == limit_kind::token);
    CHECK(std::string(r.error().reason()) == "cancel_if");
    CHECK(r.error().refusals() > 0);
  }
  int asked = 0;
  limits served;
  served.cancel_if = [&] { return ++asked > 3; };
  chain got;
  CHECK(run_limited(served, [&] { return got.fill(10'000'000, 1000); }));
  CHECK(asked == 0);
}

TEST_CASE("serve, the default: malloc goes on", "[limits][malloc]") {
  exactly fixture;
  chain got;
  bool all = false;
  auto const r = run_limited({.memory = 1_MiB}, [&] { all = got.fill(10'000'000, 1000); });
  REQUIRE_FALSE(r);
  CHECK(all);
  CHECK(r.error().refusals() == 0);
}

TEST_CASE("refuse: every function of the family, and nothrow new", "[limits][malloc]") {
  exactly fixture;
  for (auto const kind : all_kinds) {
    int served = 0;
    int aligned = 0;
    auto const r = run_hit(
        kind,
        [&] {
          void* blocks[] = {std::malloc(100),
                            std::calloc(10, 10),
                            std::realloc(nullptr, 100),
                            std::aligned_alloc(64, 128),
                            memalign(64, 100),
                            reallocarray(nullptr, 10, 10),
                            ::operator new(100, std::nothrow),
                            std::malloc(10'000'000)};
          for (void* b : blocks) served += b != nullptr ? 1 : 0;
          for (void* b : blocks) std::free(b);
          void* p = nullptr;
          aligned = posix_memalign(&p, 64, 100);
          std::free(p);
        },
        refusing({}));
    CAPTURE(to_string(kind), served);
    REQUIRE_FALSE(r);
    CHECK(served == 0);
    CHECK(aligned == ENOMEM);
    CHECK(r.error().refusals() == 9);
  }
}

TEST_CASE("refuse: realloc leaves the block alone, and may shrink it", "[limits][malloc]") {
  for (double const rate : {1.0, 1e-9}) {
    with_seed fixture(1, sampling_rate{rate});
    auto* text = static_cast<char*>(std::malloc(10'000));
    text[9'999] = 'x';
    void* grown = text;
    void* shrunk = nullptr;
    token stop;
    auto const r = run_limited(refusing({.token = stop}), [&] {
      stop.set();
      void* volatile looked_at = std::malloc(100'000);  // volatile: the pair is not elided
      std::free(looked_at);
      grown = std::realloc(text, 20'000);
      shrunk = std::realloc(text, 5'000);
    });
    CAPTURE(rate);
    CHECK(grown == nullptr);
    REQUIRE(shrunk != nullptr);
    std::free(shrunk);
    CHECK_FALSE(r);
  }
}

TEST_CASE("refuse: one request that is over what is left is refused at once", "[limits][malloc]") {
  with_seed fixture(1, sampling_rate{1e-4});
  void* huge = nullptr;
  bool small = false;
  auto const r = run_limited(refusing({.memory = 64_MiB}), [&] {
    void* const first = std::malloc(1000);
    small = first != nullptr;
    std::free(first);
    huge = std::malloc(1 << 30);
  });
  REQUIRE_FALSE(r);
  CHECK(small);
  CHECK(huge == nullptr);
}

TEST_CASE("refuse_large: requests over what the limit has left, and no smaller ones",
          "[limits][malloc]") {
  for (double const rate : {1.0, 1e-4}) {
    with_seed fixture(1, sampling_rate{rate});
    for (limit_kind const kind : {limit_kind::memory, limit_kind::allocations}) {
      limits l;
      (kind == limit_kind::memory ? l.memory : l.allocations) = 64_MiB;
      l.malloc_after_hit = malloc_policy::refuse_large;
      void* huge = nullptr;
      void* huge_again = nullptr;
      bool room = false;
      chain got;
      bool all = true;
      std::size_t bytes_freed = 0;
      auto const r = run_limited(l, [&] {
        huge = std::malloc(1 << 30);
        huge_again = std::malloc(100'000'000);
        room = got.fill(32 << 20, 10'000);
        all = got.fill(1 << 30, 10'000);
        bytes_freed = got.bytes;
        got = chain{};
        void* volatile after = std::malloc(10'000'000);
        CHECK((after != nullptr) == (kind == limit_kind::memory));
        std::free(after);
      });
      CAPTURE(rate, to_string(kind));
      REQUIRE_FALSE(r);
      CHECK(r.error().kind() == kind);
      CHECK(huge == nullptr);
      CHECK(huge_again == nullptr);
      CHECK(room);
      CHECK_FALSE(all);
      // Estimated from 1000 samples and more: 6 standard errors of 3 %.
      CHECK(bytes_freed >= std::size_t{64 << 20} * (rate == 1.0 ? 99 : 80) / 100);
      CHECK(bytes_freed <= std::size_t{64 << 20} * (rate == 1.0 ? 100 : 120) / 100);
    }
  }
}

TEST_CASE("refuse: a limit around it that was not hit refuses nothing", "[limits][malloc]") {
  exactly fixture;
  std::uint64_t refusals = 0;
  auto const outer = run_limited(refusing({.memory = 64_MiB}), [&] {
    auto const inner = run_limited(refusing({.memory = 1_MiB}), [] {
      void* volatile block = std::malloc(2 << 20);  // volatile: the pair is not elided
      std::free(block);
    });
    refusals = inner ? 0 : inner.error().refusals();
  });
  CHECK(refusals == 1);
  CHECK(outer);
}

TEST_CASE("refuse_large: a token leaves nothing", "[limits][malloc]") {
  exactly fixture;
  token stop;
  limits l{.token = stop};
  l.malloc_after_hit = malloc_policy::refuse_large;
  bool served = true;
  CHECK_FALSE(run_limited(l, [&] {
    stop.set();
    void* volatile block = std::malloc(100'000);  // volatile: the pair is not elided
    std::free(block);
    block = std::malloc(10);
    served = block != nullptr;
    std::free(block);
  }));
  CHECK_FALSE(served);
}

TEST_CASE("refuse: masked regions, other threads and clean-ups are served", "[limits][malloc]") {
  exactly fixture;
  struct cleans_up {
    bool& served;
    ~cleans_up() {
      void* const block = std::malloc(100);
      served = block != nullptr;
      std::free(block);
    }
  };
  bool refused = false, masked = false, elsewhere = false, cleaned = false, thrown = false;
  auto const r = run_limited(refusing({.memory = 1_MiB}), [&] {
    void* const crossing = std::malloc(2 << 20);
    refused = crossing == nullptr;
    {
      memprof::masked_scope const mask;
      void* const block = std::malloc(100);
      masked = block != nullptr;
      std::free(block);
      std::thread([&] {
        void* const other = std::malloc(100);
        elsewhere = other != nullptr;
        std::free(other);
      }).join();
      // The exception object is the C++ runtime's.
      try {
        throw std::runtime_error("a text that is too long for its own buffer");
      } catch (std::runtime_error const&) {
        thrown = true;
      }
    }
    cleans_up const last{cleaned};
    ::operator delete(::operator new(100));  // raised here
  });
  REQUIRE_FALSE(r);
  CHECK(refused);
  CHECK(masked);
  CHECK(elsewhere);
  CHECK(cleaned);
  CHECK(thrown);
  CHECK(r.error().deliveries() == 1);
}

TEST_CASE("refuse: a thrown exception, a thread_local with a destructor", "[limits][malloc]") {
  exactly fixture;
  bool thrown = false;
  auto const r = run_limited(refusing({.memory = 1_MiB, .handlers = handler_policy::defer}), [&] {
    void* volatile crossing = std::malloc(2 << 20);  // volatile: the pair is not elided
    std::free(crossing);
    for (int n = 0; n < 3; ++n) {
      try {
        throw n;  // __cxa_allocate_exception calls malloc
      } catch (int) {
        thrown = true;
      }
    }
    struct at_exit {
      int value = 1;
      ~at_exit() { value = 0; }
    };
    thread_local at_exit object;  // __cxa_thread_atexit_impl calls calloc
    static_cast<void>(object.value);
  });
  REQUIRE_FALSE(r);
  CHECK(thrown);
}

TEST_CASE("refuse_with_grace: after each null as much as the grace is served") {
  exactly fixture;
  limits l{.memory = 1_MiB, .grace = words{1000}};
  l.malloc_after_hit = malloc_policy::refuse_with_grace;
  std::vector<void*> got;
  got.reserve(300);
  auto const r = run_limited(l, [&] {
    got.push_back(std::malloc(1'000'000));
    for (int i = 0; i < 200; ++i) got.push_back(std::malloc(800));  // 101 words each
    got.push_back(std::malloc(20'000));                             // more than any grace
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::memory);
  auto const nulls = std::count(got.begin(), got.end(), nullptr);
  CHECK(r.error().refusals() == static_cast<std::uint64_t>(nulls));
  // 60 fit below the limit; then 9 of each 10, which is a grace.
  CHECK(nulls == 15);
  CHECK(got.back() == nullptr);
  for (void* const block : got) std::free(block);
}

}  // namespace
}  // namespace memprof::test
