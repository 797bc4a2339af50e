// SPDX-License-Identifier: MIT
#include "tracer/module_list.hpp"

#include <cstdint>
#include <filesystem>
#include <gnu/libc-version.h>
#include <memory>
#include <string>
#include <utility>

#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "unit/runtime/tracer/unloadable_module.hpp"

using memprof::test::unloadable_module;
using memprof::test::within;
using memprof::tracer::module_list;

namespace {

std::string path_of(module_list const& list, memprof::trace::location_code code) {
  auto const* const m = list.module_of(code);
  return m == nullptr ? "none" : std::string(m->path);
}

constexpr std::uint64_t second = std::uint64_t{1} << module_list::address_bits;

}  // namespace

TEST_CASE("module_list: codes are addresses while no place was taken twice") {
  auto const list = std::make_unique<module_list>();
  CHECK(path_of(*list, within(reinterpret_cast<void const*>(&path_of))) == "none");
  list->refresh();
  const std::uintptr_t here = within(reinterpret_cast<void const*>(&path_of));
  CHECK(list->code_of(here) == here);
  CHECK(path_of(*list, here) == std::filesystem::read_symlink("/proc/self/exe").string());
  const std::uintptr_t libc = within(reinterpret_cast<void const*>(&gnu_get_libc_version));
  CHECK(list->code_of(libc) == libc);
  CHECK(path_of(*list, libc).find("/libc.so") != std::string::npos);
  CHECK(path_of(*list, 12345) == "none");
  CHECK(path_of(*list, here | second) == "none");
  module_list::module const& program = *list->module_of(here);
  CHECK(program.loaded);
  CHECK(program.range.contains(here - 1));
  // A call may be the last instruction of its module.
  CHECK(list->module_of(program.range.end) == &program);
  CHECK(list->module_of(program.range.begin) != &program);
}

TEST_CASE("module_list: a module that comes again is the same, another one in its place is not") {
  const auto [one, other] = GENERATE(std::pair("small_frame", "large_frame"),
                                     std::pair("without_id", "without_id_either"));
  auto const list = std::make_unique<module_list>();
  auto module = std::make_unique<unloadable_module>(one);
  const std::string first_path = module->path;
  const std::uintptr_t frame = module->frame;
  list->refresh();
  CHECK(list->code_of(frame) == frame);
  CHECK(path_of(*list, frame) == first_path);
  CHECK(std::string(list->module_of(frame)->build_id).size() ==
        (first_path.find("without_id") == std::string::npos ? 16u : 0u));

  module.reset();
  list->refresh();
  CHECK(list->code_of(frame) == frame);
  CHECK(path_of(*list, frame) == first_path);  // what has that code came from it
  CHECK_FALSE(list->module_of(frame)->loaded);

  module = std::make_unique<unloadable_module>(one);
  list->refresh();
  if (MEMPROF_SANITIZED == 0) REQUIRE(module->frame == frame);
  if (module->frame != frame) return;
  CHECK(list->code_of(frame) == frame);
  CHECK(list->module_of(frame)->loaded);

  for (int round = 0; round < 3; ++round) {
    module.reset();
    module = std::make_unique<unloadable_module>(other);
    list->refresh();
    REQUIRE(module->frame == frame);
    CHECK(list->code_of(frame) == (frame | second));
    CHECK(module_list::address_of(list->code_of(frame)) == frame);
    CHECK(path_of(*list, frame | second) == module->path);
    CHECK(path_of(*list, frame) == first_path);
    module.reset();
    module = std::make_unique<unloadable_module>(one);
    list->refresh();
    REQUIRE(module->frame == frame);
    CHECK(list->code_of(frame) == frame);
  }
  // The program's own codes stay.
  const std::uintptr_t here = within(reinterpret_cast<void const*>(&path_of));
  CHECK(list->code_of(here) == here);
}

TEST_CASE("module_list: what was said to be in no module stays so") {
  // An unknown address within the module's place, and one far below it.
  const bool there = GENERATE(true, false);
  auto const list = std::make_unique<module_list>();
  list->refresh();  // takes its memory now, and not from where the module was
  auto module = std::make_unique<unloadable_module>("small_frame");
  const std::uintptr_t frame = module->frame;
  module.reset();
  list->refresh();
  CHECK(path_of(*list, frame) == "none");
  list->keep_unknown(there ? frame : 4096);
  module = std::make_unique<unloadable_module>("small_frame");
  list->refresh();
  if (MEMPROF_SANITIZED == 0) REQUIRE(module->frame == frame);
  if (module->frame != frame) return;
  CHECK(list->code_of(frame) == (there ? frame | second : frame));
  CHECK(path_of(*list, list->code_of(frame)) == module->path);
  CHECK(path_of(*list, frame) == (there ? "none" : module->path));
}
