// SPDX-License-Identifier: MIT
/// \file
/// The names that examples in the public headers leave to their reader. Nothing is defined: the
/// examples are compiled, not run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "memprof/trace/event.hpp"
#include "memprof/trace/info.hpp"
#include "memprof/units.hpp"

/// As Catch2 has it; any test framework has something like it.
#define REQUIRE(condition) header_examples::require(static_cast<bool>(condition))

namespace header_examples {

using namespace memprof::literals;
using namespace std::chrono_literals;

// What tasks do.
std::vector<int> parse(std::string_view text);
extern std::string_view const untrusted;
void use(std::vector<int> const& parsed);
void work();
void log(std::string_view message);
bool enough_memory();
void require(bool condition);

// soft_limit.hpp, poisonable.hpp
struct cache {
  void insert(int its_key, int its_value);
  void clear();
};
extern cache page_cache;
extern int const key;
extern int const value;

// masking.hpp
struct database {
  struct lock_type {};
  lock_type lock();
  void unlock(lock_type& held) noexcept;
};
extern database db;
std::int64_t work(database::lock_type& held);

// recovery.hpp
struct account_book {
  void debit(int account, int amount);
  void credit(int account, int amount) noexcept;
};
extern account_book accounts;
extern int const from;
extern int const to;
extern int const amount;
extern std::string const request;
std::string render(std::string const& asked);
std::string error_page();

// sources.hpp
void* device_alloc(std::int64_t size);
void device_free(void* block);
extern std::int64_t const n;

// testing.hpp
struct double_entry {
  void transfer(int from_account, int to_account, int sum);
  [[nodiscard]] bool balanced() const;
  [[nodiscard]] bool is_unlocked() const;
};
extern double_entry ledger;
extern int const a;
extern int const b;
struct store {
  explicit store(char const* name);
  void insert(int its_key, int its_value);
  [[nodiscard]] bool is_valid() const;
};

// trace/reader.hpp, trace/writer.hpp
extern std::uint64_t total;
extern memprof::trace::info const info;
extern std::map<memprof::trace::location_code, std::span<memprof::trace::location const>> const
    positions;
extern std::span<memprof::trace::location_code const> const stack;

}  // namespace header_examples
