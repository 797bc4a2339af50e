// SPDX-License-Identifier: MIT
/// \file
/// Interrupts a container at each of its allocations, each in a process of its own, and at a limit.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "memprof/memprof.hpp"
#include "memprof/testing.hpp"

#include "check.hpp"

namespace containers {

using namespace memprof::literals;

/// Too long to lie within a string.
inline std::string text(int i) { return std::string(30, 'x') + std::to_string(i); }

/// A task fills a container that outlives it until a limit is hit. The limit holds, and the
/// container can be read and destroyed.
template <class Container, class Add>
void fill_beyond_limit(Add add) {
  Container container;
  int tried = 0;
  auto const r = memprof::limit_memory(8_MiB, [&] {
    while (tried < 10'000'000) add(container, tried++);
  });
  CHECK(!r);
  CHECK(tried < 1'000'000);
  std::size_t letters = 0;
  for (auto const& element : container) letters += sizeof(element);
  CHECK(letters > 0);
}

}  // namespace containers

/// After each interrupt the container is destroyed; nothing crashes and nothing leaks.
template <class Container, class Fill>
void interrupted_container(char const* name, Fill fill) {
  std::optional<Container> container;
  auto const report = memprof::testing::for_each_interrupt(
      [&] {
        container.emplace();
        fill(*container);
      },
      [&] { container.reset(); }, {.isolate = true});
  std::printf("%s: %s\n", name, report.message().c_str());
  CHECK(report.ok());
}
