// SPDX-License-Identifier: MIT
#include "decoder/library_code.hpp"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "callstack/callstack.hpp"

namespace memprof::test {
namespace {

/// The start of .eh_frame_hdr with the encodings that all linkers choose.
struct frame_header {
  unsigned char version, frame_encoding, count_encoding, table_encoding;
  std::int32_t frame;
  std::uint32_t count;
};
struct table_entry {  // relative to the header
  std::int32_t procedure;
  std::int32_t description;
};

void list_procedures(unsigned char const* header, library_code& code) {
  frame_header h;
  std::memcpy(&h, header, sizeof h);
  const bool understood = h.version == 1 && h.frame_encoding == 0x1b && h.count_encoding == 3 &&
                          h.table_encoding == 0x3b;
  if (!understood) return;
  const auto start = reinterpret_cast<std::uintptr_t>(header);
  for (std::uint32_t n = 0; n < h.count; ++n) {
    table_entry entry;
    std::memcpy(&entry, header + sizeof h + n * sizeof entry, sizeof entry);
    callstack::procedure p;
    const std::uintptr_t fde =
        start + static_cast<std::uintptr_t>(std::intptr_t{entry.description});
    if (callstack::parse_procedure(fde, modules::readable_around(fde), p)) {
      code.procedures.push_back({p.begin, p.end});
    }
  }
}

struct search {
  ElfW(Dyn) const* dynamic;
  library_code& code;
};

/// A module is known by its dynamic section: bias and name may be those of several.
int list_if_searched(dl_phdr_info* info, std::size_t, void* data) {
  auto& searched = *static_cast<search*>(data);
  unsigned char const* header = nullptr;
  bool found = false;
  for (int n = 0; n < info->dlpi_phnum; ++n) {
    ElfW(Phdr) const& segment = info->dlpi_phdr[n];
    auto const* const at =
        reinterpret_cast<unsigned char const*>(info->dlpi_addr + segment.p_vaddr);
    if (segment.p_type == PT_GNU_EH_FRAME) header = at;
    if (segment.p_type == PT_DYNAMIC) {
      found = at == reinterpret_cast<unsigned char const*>(searched.dynamic);
    }
  }
  if (!found) return 0;
  searched.code.bias = info->dlpi_addr;
  if (header != nullptr) list_procedures(header, searched.code);
  return 1;
}

}  // namespace

library_code load_code(std::string const& name) {
  library_code code;
  void* const handle = dlopen(name.empty() ? nullptr : name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return code;
  code.path = map->l_name;
  search searched{map->l_ld, code};
  dl_iterate_phdr(list_if_searched, &searched);
  return code;
}

}  // namespace memprof::test
