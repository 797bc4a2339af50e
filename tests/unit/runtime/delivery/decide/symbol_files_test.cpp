// SPDX-License-Identifier: MIT
// Which files symbols are read from, and files that lie.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <random>
#include <string>
#include <vector>

#include "delivery/decide/symbol_kinds.hpp"
#include "support/address_limit.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "unit/runtime/delivery/decide/loaded_module.hpp"

using namespace memprof::delivery;
using namespace memprof::test;

extern "C" [[gnu::noinline]] int memprof_test_own_function(int x) { return x + 1; }

namespace {

loaded_module own_module() { return module_of(address(memprof_test_own_function)); }

}  // namespace

TEST_CASE("symbol kinds: only the file that was loaded is read") {
  const loaded_module m = own_module();
  symbol_index index;
  CHECK_FALSE(m.read_from("/no/such/file", index));
  CHECK_FALSE(m.read_from("/", index));
  CHECK_FALSE(m.read_from("/dev/null", index));
  CHECK_FALSE(m.read_from(__FILE__, index));
  const loaded_module libc = module_of(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_NEXT, "abort")));
  CHECK_FALSE(m.read_from(libc.path.c_str(), index));
  CHECK(index.ranges == nullptr);

  copy file{m.path};
  const std::string original = file.bytes();
  const auto changed = [&](std::size_t offset) {
    file.bytes() = original;
    file.bytes()[offset] = static_cast<char>(file.bytes()[offset] ^ 1);
    file.write(file.bytes());
    const bool read = m.read_from(file.path(), index);
    release(index);
    return read;
  };
  CHECK_FALSE(changed(file.header().e_phoff + 8));
  CHECK_FALSE(changed(file.header().e_phoff + m.segments.size() * sizeof(ElfW(Phdr)) - 1));
  // The build id, or without one the table for unwinding.
  std::size_t identity = 0;
  for (auto const& segment : m.segments) {
    if (segment.p_type == PT_GNU_EH_FRAME && identity == 0) {
      identity = segment.p_offset + segment.p_filesz - 1;
    }
    if (segment.p_type != PT_NOTE) continue;
    const std::string name{"\3\0\0\0GNU\0", 8};
    const std::string notes = original.substr(segment.p_offset, segment.p_filesz);
    if (const auto at = notes.find(name); at != std::string::npos) {
      identity = segment.p_offset + at + name.size();
      break;
    }
  }
  REQUIRE(identity != 0);
  CHECK_FALSE(changed(identity));
  file.write(original);
  CHECK(m.read_from(file.path(), index));
  release(index);
}

// What the file says is not trusted: it may lie, or be cut short. Nothing random is claimed here
// but that it does not crash and that what it returns is sound. Seed fixed.
TEST_CASE("symbol kinds: garbled and truncated files") {
  const loaded_module m =
      module_of(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_NEXT, "_Unwind_Resume")));
  const loaded_module own = own_module();
  std::mt19937_64 random{20240607};
  for (loaded_module const* of : {&m, &own}) {
    copy file{of->path};
    const std::string original = file.bytes();
    struct area {
      std::size_t begin, size;
    };
    std::vector<area> areas{{0, sizeof(ElfW(Ehdr))},
                            {file.header().e_shoff, file.header().e_shnum * sizeof(ElfW(Shdr))}};
    for (const unsigned type : {unsigned{SHT_SYMTAB}, unsigned{SHT_DYNSYM}}) {
      if (ElfW(Shdr) const* s = file.section(type)) areas.push_back({s->sh_offset, s->sh_size});
    }
    const int rounds = of == &m ? 600 : 60;
    int accepted = 0;
    for (int round = 0; round < rounds; ++round) {
      INFO(of->path << ", round " << round);
      std::string bytes = original;
      const int changes = 1 << (random() % 12);
      for (int i = 0; i < changes; ++i) {
        area const& a = areas[random() % areas.size()];
        if (a.begin == 0 && i != 0) continue;  // else hardly any is accepted
        bytes[a.begin + random() % a.size] = static_cast<char>(random());
      }
      if (round % 4 == 0) bytes.resize(random() % bytes.size());
      file.write(bytes);
      symbol_index index;
      seen.clear();
      if (of->read_from(file.path(), index, remember)) {
        ++accepted;
        check_sound(*of, index);
        for (auto const& [name, at] : seen) {
          if (!of->is_code(at, at + 1)) FAIL(name);
        }
      }
      release(index);
    }
    CHECK(accepted > rounds / 8);
  }
}

TEST_CASE("symbol kinds: a million symbols") {
  // The own symbol table once more at the end of the file, repeated.
  const loaded_module m = own_module();
  copy file{m.path};
  REQUIRE(file.section(SHT_SYMTAB) != nullptr);
  const std::string table =
      file.bytes().substr(file.section(SHT_SYMTAB)->sh_offset, file.section(SHT_SYMTAB)->sh_size);
  const std::size_t offset = file.bytes().size();
  const std::size_t wanted = 1'000'000 * sizeof(ElfW(Sym));
  std::string repeated;
  while (repeated.size() < wanted) repeated += table;
  file.section(SHT_SYMTAB)->sh_offset = offset;
  file.section(SHT_SYMTAB)->sh_size = repeated.size();
  file.write(file.bytes() + repeated);
  symbol_index index;
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(m.read_from(file.path(), index));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  INFO("a million symbols: " << took.count() << " s, " << index.count << " ranges");
  check_sound(m, index);
  CHECK(kind_at(index, address(memprof_test_own_function)) == code_kind::c_function);
  CHECK(took.count() < 20);  // 0.2 s on a quiet machine, optimised: quadratic would take hours
  release(index);
}

#if !MEMPROF_SANITIZED
// Functions that are not in an index count as harmless, so a part of one would be worse than none.
TEST_CASE("symbol kinds: with too little memory there are none, for now") {
  const loaded_module m = own_module();
  symbol_index whole;
  REQUIRE(m.read(whole));
  REQUIRE(whole.has_symtab);
  int without = 0;
  for (std::size_t room = 0;; room += std::max(std::size_t{4096}, room / 16)) {
    REQUIRE(room < std::size_t{1} << 30);
    symbol_index index;
    bool limited = false;
    file_outcome outcome{};
    {
      const address_limit limit{room};
      limited = limit.in_effect();
      outcome = read_symbols(m.path.c_str(), {m.bias, m.segments}, index, nullptr);
    }
    REQUIRE(limited);
    if (outcome == file_outcome::read) {
      CHECK(index.has_symtab);
      CHECK(index.count == whole.count);
      release(index);
      break;
    }
    INFO(room << " bytes");
    CHECK(outcome == file_outcome::no_memory);
    CHECK(index.ranges == nullptr);
    CHECK(index.count == 0);
    ++without;
  }
  CHECK(without > 20);
  release(whole);
}
#endif
