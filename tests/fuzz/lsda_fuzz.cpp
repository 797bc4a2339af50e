// SPDX-License-Identifier: MIT
//
// Any bytes as the exception table (LSDA) of a procedure: what it says is a landing or "malformed",
// in a bounded time, and no byte outside of it is read. Eight bytes 00 to 07, 00, ... 00 become the
// address of a type, or of what looks like one.
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <typeinfo>

#include "delivery/reader/lsda.hpp"
#include "delivery/reader/runtime_addresses.hpp"
#include "require.hpp"

using namespace memprof;
using namespace memprof::delivery;
using memprof_fuzz::require;

namespace {

constexpr std::uintptr_t personality_of_c = 0x10;

struct type_like {
  void const* table;
  char const* name;
};
type_like const limit{nullptr, "N7memprof2v014limit_exceededE"};
type_like const nameless{nullptr, nullptr};
type_like const lost{nullptr, reinterpret_cast<char const*>(std::uintptr_t{0x1234})};
type_like const starred{nullptr, "*St9bad_alloc"};

void const* const types[] = {
    nullptr, &typeid(int), &typeid(std::bad_alloc), &typeid(std::exception), &limit, &nameless,
    &lost,   &starred};

void enter_types(unsigned char* bytes, std::size_t size) {
  for (std::size_t i = 0; i + 8 <= size; ++i) {
    std::uint64_t word;
    std::memcpy(&word, bytes + i, sizeof word);
    if (word > 0 && word < std::size(types)) {
      std::memcpy(bytes + i, &types[word], sizeof types[word]);
      i += 7;
    }
  }
}

void look(callstack::procedure const& p, std::uintptr_t pc) {
  for (thrown const type : {thrown::limit, thrown::anything}) {
    landing const found = find_landing(p, pc, type);
    require(found.where != landing::place::pad || !found.may_pass || !found.selector_known ||
            found.selector == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  add_personality(personality_of_c, language::c);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2 || size > 4096) return 0;
  std::size_t const of_table = size - 1;
  auto const table = std::make_unique<unsigned char[]>(of_table);
  std::memcpy(table.get(), data + 1, of_table);
  enter_types(table.get(), of_table);
  callstack::procedure p;
  p.begin = 0x100000;
  p.end = p.begin + 0x1000;
  p.personality = data[0] % 2 != 0 ? personality_of_c : 0;
  p.lsda = table.get();
  p.lsda_end = table.get() + of_table;
  for (std::uintptr_t const offset : {0u, 1u, 8u, 40u}) look(p, p.begin + offset);
  look(p, p.begin + data[0] / 2u);
  look(p, p.begin + data[0] * 16u);
  return 0;
}
