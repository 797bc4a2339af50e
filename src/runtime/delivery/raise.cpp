// SPDX-License-Identifier: MIT
#include "delivery/raise.hpp"

#include <cstddef>
#include <cxxabi.h>
#include <new>
#include <typeinfo>

namespace memprof::delivery {

#if defined(__GLIBCXX__)
namespace {

/// What a handler of `abi::__forced_unwind&` refers to: that class is abstract and cannot be
/// derived from (its destructor is private), so this one has virtual functions in its place.
class forced_unwind_part {
 public:
  virtual ~forced_unwind_part() = default;
  virtual void pure_dummy() {}
};

/// The exception object: a limit_exceeded, and behind it what its type information promises.
struct raised_interrupt {
  limit_exceeded interrupt;
  forced_unwind_part forced{};
};
constexpr long forced_offset = sizeof(limit_exceeded);
static_assert(sizeof(limit_exceeded) % alignof(forced_unwind_part) == 0);
static_assert(sizeof(raised_interrupt) == forced_offset + sizeof(forced_unwind_part));

// Of any known length: clang takes the address of an element of no other array as a constant.
extern "C" void const* const class_with_bases[3] __asm__(
    "_ZTVN10__cxxabiv121__vmi_class_type_infoE");

/// The layout of abi::__vmi_class_type_info with two bases. Written out, because that class can
/// only be constructed at run time.
struct type_information {
  struct base {
    std::type_info const* type;
    long offset_flags;
  };
  void const* const* virtual_table;
  char const* name;
  unsigned flags;
  unsigned base_count;
  base bases[2];
};
static_assert(sizeof(type_information) ==
              sizeof(abi::__vmi_class_type_info) + sizeof(abi::__base_class_type_info));

constexpr long is_public = abi::__base_class_type_info::__public_mask;
constexpr int offset_shift = abi::__base_class_type_info::__offset_shift;

// Types are compared by name, so this is limit_exceeded to every handler.
constinit const type_information interrupt_type{
    .virtual_table = class_with_bases + 2,  // where objects point: behind the offset and type
    .name = "N7memprof2v014limit_exceededE",
    .flags = 0,  // no base comes twice
    .base_count = 2,
    .bases = {{.type = &typeid(std::bad_alloc), .offset_flags = is_public},
              {.type = &typeid(abi::__forced_unwind),
               .offset_flags = forced_offset * (1L << offset_shift) | is_public}}};

}  // namespace

void raise(limit_kind kind) {
  void* const memory = abi::__cxa_allocate_exception(sizeof(raised_interrupt));
  ::new (memory) raised_interrupt{.interrupt = limit_exceeded(kind)};
  auto* const type =
      reinterpret_cast<std::type_info*>(const_cast<type_information*>(&interrupt_type));
  abi::__cxa_throw(memory, type, [](void* object) {
    static_cast<raised_interrupt*>(object)->~raised_interrupt();
  });
}

#else

void raise(limit_kind kind) { throw limit_exceeded(kind); }

#endif

}  // namespace memprof::delivery
