// SPDX-License-Identifier: MIT
#include "tracer/traced_block.hpp"

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("late_list: a record is in it once, with all that is late") {
  late_list late;
  const std::uint32_t a = traced_blocks.acquire();
  const std::uint32_t b = traced_blocks.acquire();
  CHECK(late.take() == 0);
  late.add(a, traced_block::late_promotion, 5);
  late.add(b, traced_block::late_collection, 6);
  late.add(a, traced_block::late_collection, 7);
  CHECK_FALSE(late.empty());
  CHECK(late.take() == b);
  CHECK(traced_blocks[b].next_late == a);
  CHECK(traced_blocks[a].next_late == 0);
  CHECK(traced_blocks[a].late.exchange(0) ==
        (traced_block::late_promotion | traced_block::late_collection));
  CHECK(traced_blocks[a].promoted_at == 5);
  CHECK(traced_blocks[a].collected_at == 7);
  CHECK(late.empty());
  CHECK(traced_blocks[b].late.exchange(0) == traced_block::late_collection);
  traced_blocks.release(a);
  traced_blocks.release(b);
}
