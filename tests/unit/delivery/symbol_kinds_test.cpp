// SPDX-License-Identifier: MIT
#include "delivery/symbol_kinds.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace memprof::delivery;

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

[[gnu::noinline]] static int initial_value(int x) { return x * 2; }
extern thread_local int memprof_test_initialised;
thread_local int memprof_test_initialised = initial_value(memprof_test_c_function(20));

namespace {

template <class Function>
std::uintptr_t address(Function* f) {
  Function* volatile hidden = f;  // compilers "know" that functions do not lie three bytes apart
  return reinterpret_cast<std::uintptr_t>(hidden);
}

struct module {
  std::string path;
  std::uintptr_t bias = 0;
  std::vector<ElfW(Phdr)> segments;

  bool read(symbol_index& index, void (*found)(char const*, std::uintptr_t) = nullptr) const {
    return read_from(path.c_str(), index, found);
  }
  bool read_from(char const* file, symbol_index& index,
                 void (*found)(char const*, std::uintptr_t) = nullptr) const {
    return read_symbols(file, bias, segments.data(), static_cast<unsigned>(segments.size()), index,
                        found);
  }
  [[nodiscard]] bool is_code(std::uintptr_t at, std::uintptr_t end) const {
    return std::any_of(segments.begin(), segments.end(), [&](auto const& s) {
      return s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0 && at >= bias + s.p_vaddr &&
             end <= bias + s.p_vaddr + s.p_memsz;
    });
  }
};

/// The loaded module that `pc` is in.
module module_of(std::uintptr_t pc) {
  struct search {
    std::uintptr_t pc;
    module found;
  } s{pc, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<search*>(data);
        const module m{*info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe",
                       info->dlpi_addr,
                       {info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum}};
        if (m.is_code(wanted.pc, wanted.pc + 1)) wanted.found = m;
        return 0;
      },
      &s);
  REQUIRE_FALSE(s.found.path.empty());
  return s.found;
}
module own_module() { return module_of(address(memprof_test_c_function)); }

/// A copy of a file, deleted in the end. Edited in place.
class copy {
 public:
  explicit copy(std::string const& from) {
    char name[] = "/tmp/memprof_symbol_kinds_XXXXXX";
    close(mkstemp(name));
    path_ = name;
    std::filesystem::copy_file(from, path_, std::filesystem::copy_options::overwrite_existing);
    std::ifstream file{path_, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    bytes_ = text.str();
  }
  ~copy() { std::filesystem::remove(path_); }

  [[nodiscard]] char const* path() const { return path_.c_str(); }
  [[nodiscard]] std::string& bytes() { return bytes_; }
  void write(std::string_view bytes) const {
    std::ofstream{path_, std::ios::binary | std::ios::trunc}.write(
        bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] ElfW(Ehdr) & header() { return *reinterpret_cast<ElfW(Ehdr)*>(bytes_.data()); }
  [[nodiscard]] ElfW(Shdr) * section(unsigned type) {
    auto* sections = reinterpret_cast<ElfW(Shdr)*>(bytes_.data() + header().e_shoff);
    auto* end = sections + header().e_shnum;
    auto* found = std::find_if(sections, end, [&](auto const& s) { return s.sh_type == type; });
    return found == end ? nullptr : found;
  }

 private:
  std::string path_;
  std::string bytes_;
};

void check_sound(module const& m, symbol_index const& index) {
  std::uintptr_t before = 0;
  for (std::uint32_t i = 0; i < index.count; ++i) {
    code_range const& r = index.ranges[i];
    const bool sound = r.begin >= before && r.size > 0 && r.kind != code_kind::plain &&
                       m.is_code(r.begin, r.begin + r.size);
    if (!sound) FAIL("range " << i << " at " << r.begin - m.bias << ", " << r.size);
    before = r.begin + r.size;
  }
}

std::vector<std::pair<std::string, std::uintptr_t>> seen;
void remember(char const* name, std::uintptr_t at) { seen.emplace_back(name, at); }
bool was_seen(char const* name, std::uintptr_t at) {
  return std::find(seen.begin(), seen.end(), std::pair{std::string{name}, at}) != seen.end();
}

}  // namespace

TEST_CASE("symbol kinds: the functions of this program") {
  const module m = own_module();
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
  CHECK(address(memprof_test_assembly_end) == assembly + 3);
  for (std::uintptr_t pc = assembly; pc < assembly + 4; ++pc) {
    CHECK(kind_at(index, pc) == code_kind::c_function);
  }
  CHECK(kind_at(index, address(+[] {})) == code_kind::plain);
  release(index);
  CHECK(index.count == 0);
  CHECK(kind_at(index, c) == code_kind::plain);
}

TEST_CASE("symbol kinds: initialisers of thread_local variables") {
  CHECK(memprof_test_initialised == 42);
  const module m = own_module();
  symbol_index index;
  REQUIRE(m.read(index));
  const auto n = std::count_if(index.ranges, index.ranges + index.count,
                               [](auto const& r) { return r.kind == code_kind::tls_initialiser; });
  CHECK(n >= 1);
  release(index);
}

TEST_CASE("symbol kinds: the machinery of futures compiled into this program") {
  const module m = own_module();
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
  using put_int = std::ostream& (std::ostream::*)(int);
  const auto put = static_cast<put_int>(&std::ostream::operator<<);
  std::uintptr_t put_address = 0;
  std::memcpy(&put_address, &put, sizeof put_address);
  const module library = module_of(put_address);
  symbol_index index;
  seen.clear();
  REQUIRE(library.read(index, remember));
  check_sound(library, index);
  CHECK(kind_at(index, put_address) == code_kind::library_io);
  void* terminate = dlsym(RTLD_DEFAULT, "_ZSt9terminatev");
  CHECK(was_seen("_ZSt9terminatev", reinterpret_cast<std::uintptr_t>(terminate)));
  CHECK(kind_at(index, reinterpret_cast<std::uintptr_t>(terminate)) == code_kind::plain);
  CHECK(std::none_of(seen.begin(), seen.end(),
                     [](auto const& s) { return s.first.find('@') != std::string::npos; }));
  release(index);

  void* abort_function = dlsym(RTLD_DEFAULT, "abort");
  const module libc = module_of(reinterpret_cast<std::uintptr_t>(abort_function));
  seen.clear();
  REQUIRE(libc.read(index, remember));
  check_sound(libc, index);
  CHECK(was_seen("abort", reinterpret_cast<std::uintptr_t>(abort_function)));
  CHECK(kind_at(index, reinterpret_cast<std::uintptr_t>(abort_function)) == code_kind::c_function);
  CHECK(index.count > 100);
  release(index);
}

TEST_CASE("symbol kinds: a stripped copy of this program") {
  const module m = own_module();
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

TEST_CASE("symbol kinds: only the file that was loaded is read") {
  const module m = own_module();
  symbol_index index;
  CHECK_FALSE(m.read_from("/no/such/file", index));
  CHECK_FALSE(m.read_from("/", index));
  CHECK_FALSE(m.read_from("/dev/null", index));
  CHECK_FALSE(m.read_from(__FILE__, index));
  const module libc = module_of(address(::abort));
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
  const std::string id_name{"\3\0\0\0GNU\0", 8};
  const std::size_t id = original.find(id_name);
  std::size_t identity = id + id_name.size();
  if (id == std::string::npos) {
    const auto table = std::find_if(m.segments.begin(), m.segments.end(),
                                    [](auto const& s) { return s.p_type == PT_GNU_EH_FRAME; });
    REQUIRE(table != m.segments.end());
    identity = table->p_offset + table->p_filesz - 1;
  }
  CHECK_FALSE(changed(identity));
  file.write(original);
  CHECK(m.read_from(file.path(), index));
  release(index);
}

// What the file says is not trusted: it may lie, or be cut short. Nothing random is claimed here
// but that it does not crash and that what it returns is sound. Seed fixed.
TEST_CASE("symbol kinds: garbled and truncated files") {
  const module m =
      module_of(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "_Unwind_Resume")));
  const module own = own_module();
  std::mt19937_64 random{20240607};
  for (module const* of : {&m, &own}) {
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
  const module m = own_module();
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
  CHECK(kind_at(index, address(memprof_test_c_function)) == code_kind::c_function);
  CHECK(took.count() < 20);  // 0.2 s on a quiet machine, optimised: quadratic would take hours
  release(index);
}
