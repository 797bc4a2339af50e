// SPDX-License-Identifier: MIT
#include "callstack/procedure.hpp"

#include "callstack/table_reader.hpp"
#include "modules/modules.hpp"

// libgcc's own search; its answer is needed only where there is no .eh_frame_hdr.
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};
extern "C" [[gnu::weak]] void const* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);

namespace memprof::callstack {
namespace {

using modules::address_range;

unsigned char const* bytes_at(std::uintptr_t address) noexcept {
  return reinterpret_cast<unsigned char const*>(address);
}

/// A CIE or FDE: its length field and what is behind it.
struct entry {
  unsigned char const* id = nullptr;  ///< 0: a CIE; else the distance back to the CIE
  unsigned char const* end = nullptr;
};

/// False at the terminator, at 64-bit lengths, which no compiler writes into .eh_frame, and for
/// what is not all in `table`.
bool read_entry(std::uintptr_t at, address_range table, entry& e) noexcept {
  std::uint32_t length;
  if (!table.contains(at) || table.end - at < sizeof length) return false;
  std::memcpy(&length, bytes_at(at), sizeof length);
  if (length == 0 || length > table.end - at - sizeof length) return false;
  e = {bytes_at(at + 4), bytes_at(at + 4 + length)};
  return true;
}

struct common_information {
  unsigned char lsda_encoding = encoding_omitted;
  bool has_augmentation_length = false;
};

/// Fills in the part of `p` that the CIE determines.
bool parse_cie(std::uintptr_t cie, address_range table, procedure& p,
               common_information& common) noexcept {
  entry e;
  if (!read_entry(cie, table, e)) return false;
  table_reader r{e.id, e.end};
  if (r.fixed<std::uint32_t>() != 0) return false;
  const auto version = r.fixed<unsigned char>();
  if (version != 1 && version != 3) return false;
  char const* augmentation = reinterpret_cast<char const*>(r.position());
  while (r.fixed<char>() != '\0') {
  }
  if (r.failed()) return false;
  p.code_alignment = r.uleb();
  p.data_alignment = r.sleb();
  p.return_register = version == 1 ? r.fixed<unsigned char>() : r.uleb();
  unsigned char const* instructions = r.position();
  if (*augmentation == 'z') {
    common.has_augmentation_length = true;
    const std::uint64_t length = r.uleb();
    table_reader behind = r;
    behind.skip(length);
    if (behind.failed()) return false;
    instructions = behind.position();
    for (++augmentation; *augmentation != '\0' && !r.failed(); ++augmentation) {
      switch (*augmentation) {
        case 'R':
          p.pointer_encoding = r.fixed<unsigned char>();
          break;
        case 'P': {
          const auto encoding = r.fixed<unsigned char>();
          p.personality = r.pointer(encoding);
          break;
        }
        case 'L':
          common.lsda_encoding = r.fixed<unsigned char>();
          break;
        case 'S':
          p.signal_frame = true;
          break;
        case 'B':
          break;  // AArch64: return addresses are signed
        default:
          return false;
      }
    }
  } else if (*augmentation != '\0') {
    return false;
  }
  p.initial_begin = instructions;
  p.initial_end = e.end;
  return !r.failed() && instructions <= e.end;
}

/// The four bytes at the beginning of .eh_frame_hdr.
struct index_form {
  unsigned char version, section, count, rows;
};

/// Where the FDE for `pc` is, by the binary search table of .eh_frame_hdr; 0 if there is none.
std::uintptr_t search(unsigned char const* header, std::uintptr_t pc) noexcept {
  constexpr unsigned char usual = encoding_data_relative | encoding_sdata4;
  const auto start = reinterpret_cast<std::uintptr_t>(header);
  table_reader r{header, bytes_at(modules::readable_around(start).end)};
  const auto form = r.fixed<index_form>();
  if (form.version != 1 || form.rows != usual) return 0;
  r.pointer(form.section, start);
  const std::uint64_t count = r.pointer(form.count, start);
  struct row {
    std::int32_t begin;
    std::int32_t fde;
  };
  if (r.failed() || count == 0 || count > r.left() / sizeof(row)) return 0;
  unsigned char const* const table = r.position();
  const auto row_at = [table](std::uint64_t i) {
    row found;
    std::memcpy(&found, table + i * sizeof(row), sizeof(row));
    return found;
  };
  const auto wanted = static_cast<std::int64_t>(pc - start);
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (high - low > 1) {  // the answer is in [low, high)
    const std::uint64_t middle = low + (high - low) / 2;
    (row_at(middle).begin <= wanted ? low : high) = middle;
  }
  const row found = row_at(low);
  if (found.begin > wanted) return 0;
  return start + static_cast<std::uintptr_t>(std::intptr_t{found.fde});
}

/// The .eh_frame_hdr for a pc; null if its module has none.
unsigned char const* header_for(std::uintptr_t pc) noexcept {
  modules::found_module found;
  return modules::find_module(pc, found) ? found.eh_frame_header : nullptr;
}

std::uintptr_t find_fde(std::uintptr_t pc) noexcept {
  if (unsigned char const* const header = header_for(pc)) return search(header, pc);
  // Code that no module indexes was generated at run time and has no table; unless we have no
  // index ourselves, because the program is fully static.
  if (header_for(reinterpret_cast<std::uintptr_t>(&parse_procedure)) != nullptr) return 0;
  if (_Unwind_Find_FDE == nullptr) return 0;
  dwarf_eh_bases bases{};
  return reinterpret_cast<std::uintptr_t>(_Unwind_Find_FDE(reinterpret_cast<void*>(pc), &bases));
}

}  // namespace

bool parse_procedure(std::uintptr_t fde, address_range table, procedure& found) noexcept {
  entry e;
  if (!read_entry(fde, table, e)) return false;
  table_reader r{e.id, e.end};
  const auto back = r.fixed<std::uint32_t>();
  if (back == 0) return false;  // a CIE
  found = {};
  common_information common;
  if (!parse_cie(fde + 4 - back, table, found, common)) return false;
  found.begin = r.pointer(found.pointer_encoding);
  // The length has the format of a pointer, and is relative to nothing.
  found.end = found.begin + r.pointer(found.pointer_encoding & 0x0f);
  if (common.has_augmentation_length) {
    const std::uint64_t length = r.uleb();
    table_reader behind = r;
    behind.skip(length);
    if (behind.failed()) return false;
    unsigned char const* const instructions = behind.position();
    if (common.lsda_encoding != encoding_omitted && length > 0) {
      const std::uintptr_t lsda = r.pointer(common.lsda_encoding);
      found.lsda = bytes_at(lsda);
      found.lsda_end = bytes_at(lsda != 0 ? modules::readable_around(lsda).end : 0);
    }
    found.rules_begin = instructions;
  } else {
    found.rules_begin = r.position();
  }
  found.rules_end = e.end;
  return !r.failed() && found.rules_begin <= e.end;
}

bool find_procedure(std::uintptr_t pc, procedure& found) noexcept {
  const std::uintptr_t fde = find_fde(pc);
  return fde != 0 && parse_procedure(fde, modules::readable_around(fde), found) &&
         pc >= found.begin && pc < found.end;
}

address_range eh_frame_of(unsigned char const* header) noexcept {
  const auto start = reinterpret_cast<std::uintptr_t>(header);
  table_reader r{header, bytes_at(modules::readable_around(start).end)};
  const auto form = r.fixed<index_form>();
  const std::uintptr_t section = form.version == 1 ? r.pointer(form.section, start) : 0;
  const address_range around = modules::readable_around(section);
  return r.failed() || around == address_range{} ? address_range{}
                                                 : address_range{section, around.end};
}

void for_each_personality(address_range section,
                          bool (*visit)(void* context, std::uintptr_t personality) noexcept,
                          void* context) noexcept {
  entry e;
  for (std::uintptr_t at = section.begin; read_entry(at, section, e);
       at = reinterpret_cast<std::uintptr_t>(e.end)) {
    std::uint32_t id;
    if (e.end - e.id < 4) return;
    std::memcpy(&id, e.id, sizeof id);
    if (id != 0) continue;
    procedure p;
    common_information common;
    if (!parse_cie(at, section, p, common)) continue;
    if (!visit(context, p.personality)) return;
  }
}

}  // namespace memprof::callstack
