// SPDX-License-Identifier: MIT
//
// What libdw would cost in the place of our own reading of .debug_info: the CPU time of each part
// for the units that hold the given addresses, and of the whole resolver from a cold start, which
// is nearly all that `memprof symbolize` takes.
//
//     memprof-benchmark-symbolize-libdw MODULE [ROUNDS] < addresses
//
// MODULE has its debug information in itself. Prints for each part the medians of the rounds, which
// alternate, and what the whole would take with this part done by libdw, relative to now.
//
// libdw.csv has what it measured. From a cold start the resolver takes 1.4 to 1.7 times as long
// with libdw for functions, and 1.9 to 2.4 times with scopes, too, in walks of our own. Scopes are
// read here in each unit that was met, by the resolver only where functions have no linker's name,
// so its ratio lies between. In an earlier profile more than a sixth of libdw's time were locks,
// one for each abbreviation that it looks up. The warm case is not measured: once units are read,
// both search the same maps. Line tables are libdw's.
#include <algorithm>
#include <ctime>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "symbolize/dwarf_functions.hpp"
#include "symbolize/dwarf_ranges.hpp"
#include "symbolize/dwarf_scopes.hpp"
#include "symbolize/symbolize.hpp"

namespace {

using namespace memprof::symbolize;

double cpu_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

/// Ours, opened anew for each round.
struct our_file {
  explicit our_file(std::string const& path)
      : image{elf_image::open(path, reason)}, budget{1ULL << 40}, file{*image, nullptr, budget} {}
  std::string reason;
  std::unique_ptr<elf_image> image;
  work_budget budget;
  dwarf_file file;
};

struct libdw_file {
  explicit libdw_file(std::string const& path)
      : descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)},
        dwarf{dwarf_begin(descriptor, DWARF_C_READ)} {}
  ~libdw_file() {
    dwarf_end(dwarf);
    ::close(descriptor);
  }
  int descriptor;
  Dwarf* dwarf;
};

/// Addresses by the offset of the entry of the unit that holds them.
using addresses_of_units = std::map<std::uint64_t, std::vector<std::uint64_t>>;

/// Units by address, from the ranges of all units.
addresses_of_units our_ranges(our_file& f, std::vector<std::uint64_t> const& addresses) {
  range_map map;
  std::vector<address_range> ranges;
  std::vector<dwarf_unit>& units = f.file.units();
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    f.file.know(units[i]);
    if (!units[i].extent) continue;
    read_ranges(f.file, units[i], units[i].extent, ranges);
    for (address_range const& r : ranges) {
      if (f.image->executable(r.low)) map.add(r.low, r.high, i);
    }
  }
  map.finish();
  addresses_of_units met;
  for (std::uint64_t a : addresses) {
    if (const auto i = map.find(a)) met[units[*i].first].push_back(a);
  }
  return met;
}

addresses_of_units libdw_ranges(libdw_file& f, elf_image const& code,
                                std::vector<std::uint64_t> const& addresses) {
  range_map map;
  std::vector<std::uint64_t> offsets;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die entry;
  while (dwarf_get_units(f.dwarf, unit, &unit, nullptr, nullptr, &entry, nullptr) == 0) {
    const auto i = static_cast<std::uint32_t>(offsets.size());
    offsets.push_back(dwarf_dieoffset(&entry));
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&entry, at, &base, &low, &high)) > 0;) {
      if (code.executable(low)) map.add(low, high, i);
    }
  }
  map.finish();
  addresses_of_units met;
  for (std::uint64_t a : addresses) {
    if (const auto i = map.find(a)) met[offsets[*i]].push_back(a);
  }
  return met;
}

std::size_t our_functions(our_file& f, addresses_of_units const& units) {
  std::size_t found = 0;
  for (auto const& [offset, addresses] : units) {
    dwarf_unit& u = *f.file.unit_at(offset);
    const dwarf_functions functions{f.file, u, *f.image};
    for (std::uint64_t a : addresses) found += functions.find(a) != nullptr ? 1 : 0;
  }
  return found;
}

bool without_code(int tag) {
  return tag == DW_TAG_array_type || tag == DW_TAG_enumeration_type ||
         tag == DW_TAG_subroutine_type || tag == DW_TAG_formal_parameter ||
         tag == DW_TAG_variable || tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site ||
         tag == DW_TAG_GNU_formal_parameter_pack || tag == DW_TAG_GNU_template_parameter_pack;
}

void walk(Dwarf_Die& first, elf_image const& code, range_map& map, std::vector<std::uint64_t>& all,
          int depth, bool in_code) {
  Dwarf_Die entry = first;
  do {
    const int tag = dwarf_tag(&entry);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
      Dwarf_Addr base = 0;
      Dwarf_Addr low = 0;
      Dwarf_Addr high = 0;
      bool any = false;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&entry, at, &base, &low, &high)) > 0;) {
        if (!code.executable(low)) continue;
        map.add(low, high, static_cast<std::uint32_t>(all.size()));
        any = true;
      }
      if (any) all.push_back(dwarf_dieoffset(&entry));
    }
    // A class of a namespace holds declarations; only those of functions hold code.
    const bool is_class =
        tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
    Dwarf_Die child;
    if (depth < 1000 && !without_code(tag) && (in_code || !is_class) &&
        dwarf_child(&entry, &child) == 0) {
      walk(child, code, map, all, depth + 1, in_code || tag == DW_TAG_subprogram);
    }
  } while (dwarf_siblingof(&entry, &entry) == 0);
}

/// One walk for the index; with `scopes`, what encloses each function that an address is in as
/// well, by dwarf_getscopes_die.
std::size_t libdw_functions(libdw_file& f, elf_image const& code, addresses_of_units const& units,
                            bool scopes) {
  std::size_t found = 0;
  for (auto const& [offset, addresses] : units) {
    Dwarf_Die unit;
    dwarf_offdie(f.dwarf, offset, &unit);
    range_map map;
    std::vector<std::uint64_t> all;
    walk(unit, code, map, all, 0, false);
    map.finish();
    std::set<std::uint32_t> met;
    for (std::uint64_t a : addresses) {
      const auto i = map.find(a);
      if (!i) continue;
      ++found;
      if (!scopes || !met.insert(*i).second) continue;
      Dwarf_Die entry;
      Dwarf_Die* around = nullptr;
      dwarf_offdie(f.dwarf, all[*i], &entry);
      if (dwarf_getscopes_die(&entry, &around) > 0) std::free(around);
    }
  }
  return found;
}

/// The scopes of a unit as dwarf_scopes keeps them, in one more walk.
struct libdw_scope {
  std::uint64_t begin;
  std::uint64_t outer;
  char const* name;
  int line;
};

void walk_scopes(Dwarf_Die& first, std::vector<libdw_scope>& all, std::uint64_t outer, int depth) {
  Dwarf_Die entry = first;
  do {
    const int tag = dwarf_tag(&entry);
    std::uint64_t inside = outer;
    Dwarf_Die child;
    const bool parent = !without_code(tag) && dwarf_child(&entry, &child) == 0;
    const bool is_class =
        tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
    if (parent && (is_class || tag == DW_TAG_namespace || tag == DW_TAG_subprogram)) {
      libdw_scope s{dwarf_dieoffset(&entry), outer, nullptr, 0};
      if (tag != DW_TAG_subprogram) {
        s.name = dwarf_diename(&entry);
        if (is_class) dwarf_decl_line(&entry, &s.line);
      }
      inside = s.begin;
      all.push_back(s);
    }
    if (parent && depth < 1000) walk_scopes(child, all, inside, depth + 1);
  } while (dwarf_siblingof(&entry, &entry) == 0);
}

std::size_t libdw_functions_and_scopes(libdw_file& f, elf_image const& code,
                                       addresses_of_units const& units) {
  for (auto const& one : units) {
    Dwarf_Die unit;
    dwarf_offdie(f.dwarf, one.first, &unit);
    std::vector<libdw_scope> all;
    walk_scopes(unit, all, 0, 0);
  }
  return libdw_functions(f, code, units, false);
}

void whole(std::string const& path, std::vector<std::uint64_t> const& addresses) {
  std::string reason;
  const std::string id = elf_image::open(path, reason)->build_id().substr(0, 16);
  resolver names{{.debug_directories = {"/usr/lib/debug"}, .sysroot = {}}};
  const std::string base = path.substr(path.rfind('/') + 1);
  for (std::uint64_t a : addresses) {
    const std::string name = fmt::format("{}+{:#x}{}{}", base, a, id.empty() ? "" : "@", id);
    const memprof::trace::location raw{path, name, 0, 0, 0};
    names.resolve({&raw, 1});
  }
}

double median(std::vector<double> all) {
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return all[all.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: memprof-benchmark-symbolize-libdw MODULE [ROUNDS] < addresses\n";
    return 2;
  }
  const std::string path = std::filesystem::canonical(argv[1]);
  const int rounds = argc > 2 ? std::stoi(argv[2]) : 7;
  std::vector<std::uint64_t> addresses;
  for (std::string a; std::cin >> a;) addresses.push_back(std::stoull(a, nullptr, 16));
  addresses_of_units units;
  {
    our_file f{path};
    units = our_ranges(f, addresses);
    libdw_file g{path};
    if (libdw_ranges(g, *f.image, addresses) != units) fmt::print("not the same units\n");
  }
  struct part {
    char const* name;
    std::function<std::size_t(our_file&)> ours;
    std::function<std::size_t(libdw_file&, elf_image const&)> libdw;
    std::vector<double> a{}, b{};
    std::size_t found_a = 0, found_b = 0;
  };
  part parts[] = {
      {"dwarf_ranges, units", [&](our_file& f) { return our_ranges(f, addresses).size(); },
       [&](libdw_file& f, elf_image const& code) {
         return libdw_ranges(f, code, addresses).size();
       }},
      {"functions", [&](our_file& f) { return our_functions(f, units); },
       [&](libdw_file& f, elf_image const& code) {
         return libdw_functions(f, code, units, false);
       }},
      {"and scopes, by a walk",
       [&](our_file& f) {
         for (auto const& one : units) dwarf_scopes{f.file, *f.file.unit_at(one.first)};
         return our_functions(f, units);
       },
       [&](libdw_file& f, elf_image const& code) {
         return libdw_functions_and_scopes(f, code, units);
       }},
      {"and dwarf_getscopes_die",
       [&](our_file& f) {
         for (auto const& one : units) dwarf_scopes{f.file, *f.file.unit_at(one.first)};
         return our_functions(f, units);
       },
       [&](libdw_file& f, elf_image const& code) { return libdw_functions(f, code, units, true); }},
  };
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) {
    for (part& p : parts) {
      our_file f{path};
      const double opened = cpu_ms();
      p.found_a = p.ours(f);
      p.a.push_back(cpu_ms() - opened);
      libdw_file g{path};
      const double opened_too = cpu_ms();
      p.found_b = p.libdw(g, *f.image);
      p.b.push_back(cpu_ms() - opened_too);
    }
    const double before = cpu_ms();
    whole(path, addresses);
    all.push_back(cpu_ms() - before);
  }
  const double total = median(all);
  fmt::print("{}: {} addresses in {} units, resolved in {:.1f} ms\n", path, addresses.size(),
             units.size(), total);
  fmt::print("{:<26}{:>10}{:>10}{:>8}{:>12}\n", "", "ours, ms", "libdw, ms", "ratio", "end to end");
  for (part const& p : parts) {
    const double a = median(p.a);
    const double b = median(p.b);
    fmt::print("{:<26}{:>10.2f}{:>10.2f}{:>8.2f}{:>12.2f}{}\n", p.name, a, b, b / a,
               (total - a + b) / total, p.found_a == p.found_b ? "" : "  (answers differ)");
    if (p.found_a != p.found_b) fmt::print("  {} {}\n", p.found_a, p.found_b);
  }
}
