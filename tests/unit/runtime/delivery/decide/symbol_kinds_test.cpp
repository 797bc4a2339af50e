// SPDX-License-Identifier: MIT
#include "delivery/decide/symbol_kinds.hpp"

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <future>
#include <string>

#include "support/catch2.hpp"
#include "unit/runtime/delivery/decide/loaded_module.hpp"

using namespace memprof::delivery;
using namespace memprof::test;

extern "C" [[gnu::noinline]] int memprof_test_c_function(int x) { return x + 1; }
extern "C" [[gnu::noinline, gnu::used]] int memprof_test_shared_place(int x) noexcept {
  return x + 2;
}
[[gnu::alias("memprof_test_shared_place")]] int same_place_in_cpp(int x) noexcept;
extern "C" void memprof_test_assembly();
extern "C" void memprof_test_assembly_end();
asm(R"(
  .text
  .globl memprof_test_assembly
  .globl memprof_test_assembly_end
memprof_test_assembly:
  nop
  nop
  ret
  .type memprof_test_assembly_end, @function
memprof_test_assembly_end:
  ret
  .size memprof_test_assembly_end, 1
)");
// In C++ code, with a label that is no function of its own.
void labelled_in_cpp();
asm(R"(
  .globl _Z15labelled_in_cppv
  .type _Z15labelled_in_cppv, @function
_Z15labelled_in_cppv:
  nop
memprof_test_label:
  nop
  ret
  .size _Z15labelled_in_cppv, .-_Z15labelled_in_cppv
)");

[[gnu::noinline]] static int initial_value(int x) { return x * 2; }
extern thread_local int memprof_test_initialised;
thread_local int memprof_test_initialised = initial_value(memprof_test_c_function(20));

namespace {

#if defined(__aarch64__)
constexpr std::uintptr_t nop_size = 4;
#else
constexpr std::uintptr_t nop_size = 1;
#endif

loaded_module own_module() { return module_of(address(memprof_test_c_function)); }

/// Not the program's own entry of it in the PLT, which is its address in position-dependent code.
std::uintptr_t in_library(char const* name) {
  return reinterpret_cast<std::uintptr_t>(dlsym(RTLD_NEXT, name));
}

}  // namespace

TEST_CASE("symbol kinds: the functions of this program") {
  const loaded_module m = own_module();
  symbol_index index;
  errno = 123;
  REQUIRE(m.read(index));
  CHECK(errno == 123);
  CHECK(index.has_symtab);
  check_sound(m, index);
  const std::uintptr_t c = address(memprof_test_c_function);
  CHECK(kind_at(index, c) == code_kind::c_function);
  CHECK(kind_at(index, c + 1) == code_kind::c_function);
  CHECK(kind_at(index, address(same_place_in_cpp)) == code_kind::plain);
  CHECK(kind_at(index, address(initial_value)) == code_kind::plain);
  CHECK(kind_at(index, address(module_of)) == code_kind::plain);
  CHECK(kind_at(index, address(check_sound)) == code_kind::plain);
  CHECK(kind_at(index, 0) == code_kind::plain);
  CHECK(kind_at(index, ~std::uintptr_t{0}) == code_kind::plain);
  const std::uintptr_t assembly = address(memprof_test_assembly);
  CHECK(address(memprof_test_assembly_end) > assembly);
  for (std::uintptr_t pc = assembly; pc <= address(memprof_test_assembly_end); ++pc) {
    CHECK(kind_at(index, pc) == code_kind::c_function);
  }
  for (std::uintptr_t n = 0; n < 3; ++n) {
    CHECK(kind_at(index, address(labelled_in_cpp) + n * nop_size) == code_kind::plain);
  }
  CHECK(kind_at(index, address(+[] {})) == code_kind::plain);
  release(index);
  CHECK(index.count == 0);
  CHECK(kind_at(index, c) == code_kind::plain);
}

TEST_CASE("symbol kinds: initialisers of thread_local variables") {
  CHECK(memprof_test_initialised == 42);
  const loaded_module m = own_module();
  symbol_index index;
  REQUIRE(m.read(index));
  const auto n = std::count_if(index.ranges, index.ranges + index.count,
                               [](auto const& r) { return r.kind == code_kind::tls_initialiser; });
  CHECK(n >= 1);
  release(index);
}

TEST_CASE("symbol kinds: the machinery of futures compiled into this program") {
  const loaded_module m = own_module();
  std::promise<std::string> promise;
  auto future = promise.get_future();
  promise.set_value(std::string(100, 'x'));
  CHECK(future.get().size() == 100);
  symbol_index index;
  REQUIRE(m.read(index));
  const auto n = std::count_if(index.ranges, index.ranges + index.count,
                               [](auto const& r) { return r.kind == code_kind::library_io; });
  CHECK(n >= 1);
  release(index);
}

TEST_CASE("symbol kinds: the C++ library and libc, which are stripped") {
  const std::uintptr_t put_address = in_library("_ZNSolsEi");
  const loaded_module library = module_of(put_address);
  symbol_index index;
  seen.clear();
  REQUIRE(library.read(index, remember));
  check_sound(library, index);
  CHECK(kind_at(index, put_address) == code_kind::library_io);
  const std::uintptr_t terminate = in_library("_ZSt9terminatev");
  CHECK(was_seen("_ZSt9terminatev", terminate));
  CHECK(kind_at(index, terminate) == code_kind::plain);
  CHECK(std::none_of(seen.begin(), seen.end(),
                     [](auto const& s) { return s.first.find('@') != std::string::npos; }));
  release(index);

  const std::uintptr_t abort_function = in_library("abort");
  const loaded_module libc = module_of(abort_function);
  seen.clear();
  REQUIRE(libc.read(index, remember));
  check_sound(libc, index);
  CHECK(was_seen("abort", abort_function));
  CHECK(kind_at(index, abort_function) == code_kind::c_function);
  CHECK(index.count > 100);
  release(index);
}

TEST_CASE("symbol kinds: a stripped copy of this program") {
  const loaded_module m = own_module();
  copy file{m.path};
  REQUIRE(file.section(SHT_SYMTAB) != nullptr);
  file.section(SHT_SYMTAB)->sh_type = SHT_NULL;
  file.write(file.bytes());
  symbol_index index;
  REQUIRE(m.read_from(file.path(), index));
  CHECK_FALSE(index.has_symtab);
  check_sound(m, index);
  CHECK(kind_at(index, address(check_sound)) == code_kind::plain);
  release(index);
}
