// SPDX-License-Identifier: MIT
#include "base/base.hpp"
#include "support/catch2.hpp"

using namespace memprof::base;

TEST_CASE("spare_index: the last one released comes first, others go to the pool") {
  struct record {};
  static index_pool<record> pool;
  spare_index spare;
  const std::uint32_t first = spare.acquire(pool);
  const std::uint32_t second = spare.acquire(pool);
  CHECK(first != 0);
  CHECK(second != first);
  spare.release(pool, first, true);
  spare.release(pool, second, true);
  CHECK(spare.acquire(pool) == first);
  CHECK(spare.acquire(pool) == second);
  CHECK(pool.highest() == 2);
}

TEST_CASE("spare_index: a thread whose end is not noticed keeps none; otherwise it is given back") {
  struct record {};
  static index_pool<record> pool;
  spare_index spare;
  const std::uint32_t index = spare.acquire(pool);
  spare.release(pool, index, false);
  CHECK(pool.acquire() == index);
  spare.release(pool, index, true);
  CHECK(pool.acquire() != index);
  spare.give_back(pool);
  CHECK(pool.acquire() == index);
  spare.give_back(pool);
  CHECK(pool.highest() == 2);
}
