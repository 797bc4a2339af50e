// SPDX-License-Identifier: MIT
#include "delivery/decide/symbol_kinds.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/base.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

using modules::elf_file;
using modules::function_table;
using modules::loaded_image;

using runtime_callback = void (*)(char const* name, std::uintptr_t address);

/// Calls the callback with `name`, cut before its @VERSION. No runtime function has a longer name.
void report(runtime_callback found, char const* name, std::uintptr_t address) noexcept {
  char cut[128];
  const std::size_t length = strnlen(name, sizeof cut);
  if (length == sizeof cut) return;
  std::memcpy(cut, name, length + 1);
  if (char* version = std::strchr(cut, '@')) *version = '\0';
  found(cut, address);
}

void report_runtime(function_table const& table, loaded_image const& image,
                    runtime_callback found) noexcept {
  table.for_each([&](ElfW(Sym) const& symbol, char const* name) {
    // The address of an indirect function is that of its resolver.
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC || !may_be_runtime(name)) return;
    if (image.end_of_code_at(symbol.st_value) == 0) return;
    report(found, name, image.bias + symbol.st_value);
  });
}

/// Fills an array of ranges that has a place for each symbol of the table.
class range_builder {
 public:
  range_builder(loaded_image const& image, code_range* ranges, bool complete) noexcept
      : image_(image), begin_(ranges), end_(ranges), complete_(complete) {}

  /// Leaves the ranges sorted, disjoint, none of them plain; in addresses of memory.
  std::uint32_t build(function_table const& table) noexcept {
    collect(table);
    std::sort(begin_, end_, [](auto const& a, auto const& b) { return a.begin < b.begin; });
    merge_equal_places();
    // The second look at all symbols: what has a mangled name, too, is not C; sizes left out.
    table.for_each([this](ElfW(Sym) const& symbol, char const* name) { adjust(symbol, name); });
    make_disjoint();
    return static_cast<std::uint32_t>(end_ - begin_);
  }

 private:
  /// May use addresses as in the file; `for_each` visits no more symbols than there are places.
  void collect(function_table const& table) noexcept {
    table.for_each([this](ElfW(Sym) const& symbol, char const* name) {
      if (symbol.st_shndx == SHN_UNDEF || (symbol.st_size == 0 && !complete_)) return;
      const code_kind kind = kind_of_name(name);
      if (kind == code_kind::plain) return;
      const std::uintptr_t limit = image_.end_of_code_at(symbol.st_value);
      if (limit == 0) return;
      *end_++ = {symbol.st_value, clipped(symbol.st_value, symbol.st_size, limit), kind,
                 symbol.st_size == 0};
    });
  }

  /// The size to the end of the function, or if it says none to `limit`.
  static std::uint32_t clipped(std::uintptr_t begin, std::uint64_t size,
                               std::uintptr_t limit) noexcept {
    const std::uint64_t room = limit - begin;
    const std::uint64_t least = size == 0 ? room : std::min<std::uint64_t>(size, room);
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(least, std::numeric_limits<std::uint32_t>::max()));
  }

  /// Names for the same place become one range. A mangled one wins: its kinds come later.
  void merge_equal_places() noexcept {
    code_range* last = begin_;
    for (code_range* r = begin_; r != end_; ++r) {
      if (r == begin_) continue;
      if (r->begin != last->begin) {
        *++last = *r;
        continue;
      }
      last->kind = std::max(last->kind, r->kind);
      if (last->size_guessed != r->size_guessed) {
        last->size = last->size_guessed ? r->size : last->size;
        last->size_guessed = false;
      } else {
        last->size = std::max(last->size, r->size);
      }
    }
    if (begin_ != end_) end_ = last + 1;
  }

  void adjust(ElfW(Sym) const& symbol, char const* name) noexcept {
    if (symbol.st_shndx == SHN_UNDEF) return;
    const std::uintptr_t address = symbol.st_value;
    code_range* after = std::lower_bound(
        begin_, end_, address, [](code_range const& r, std::uintptr_t a) { return r.begin < a; });
    if (after != end_ && after->begin == address && is_c(after->kind) && is_mangled(name)) {
      after->kind = code_kind::plain;
    }
    if (after == begin_) return;
    code_range& before = after[-1];
    if (before.size_guessed && address - before.begin < before.size) {
      before.size = static_cast<std::uint32_t>(address - before.begin);
    }
  }

  /// Joins what touches, cuts what overlaps, drops what has become plain, adds the bias.
  void make_disjoint() noexcept {
    code_range* out = begin_;
    for (code_range const* r = begin_; r != end_; ++r) {
      code_range range = *r;
      if (range.kind == code_kind::plain || range.size == 0) continue;
      range.begin += image_.bias;
      if (out != begin_) {
        code_range& last = out[-1];
        const std::uintptr_t last_end = last.begin + last.size;
        const std::uintptr_t end = std::max(last_end, range.begin + range.size);
        if (range.begin <= last_end && range.kind == last.kind &&
            end - last.begin <= std::numeric_limits<std::uint32_t>::max()) {
          last.size = static_cast<std::uint32_t>(end - last.begin);
          last.size_guessed = last.size_guessed || range.size_guessed;
          continue;
        }
        if (range.begin < last_end) {  // one within another: the inner kind up to the outer end
          last.size = static_cast<std::uint32_t>(range.begin - last.begin);
          range.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(
              end - range.begin, std::numeric_limits<std::uint32_t>::max()));
        }
      }
      *out++ = range;
    }
    end_ = out;
  }

  loaded_image const& image_;
  code_range* begin_;
  code_range* end_;
  bool complete_;
};

/// Builds the ranges in pages of their own and gives back those that were not needed.
file_outcome build_index(function_table const& table, loaded_image const& image,
                         symbol_index& out) noexcept {
  if (table.count() == 0) return file_outcome::read;
  const std::size_t most = table.count() * sizeof(code_range);
  void* pages = base::map_pages(most);
  if (pages == nullptr) return file_outcome::no_memory;
  auto* ranges = static_cast<code_range*>(pages);
  out.count = range_builder{image, ranges, out.has_symtab}.build(table);
  const std::size_t kept = base::whole_pages(out.count * sizeof(code_range));
  const std::size_t mapped = base::whole_pages(most);
  if (kept < mapped) base::unmap_pages(static_cast<char*>(pages) + kept, mapped - kept);
  out.ranges = kept == 0 ? nullptr : ranges;
  out.mapped_size = kept;
  return file_outcome::read;
}

file_outcome read_from(elf_file const& file, loaded_image const& image, symbol_index& out,
                       runtime_callback found) noexcept {
  const bool is_it = file.is_file_of(image);
  if (file.lacked_memory()) return file_outcome::no_memory;
  if (!is_it) return file_outcome::unusable;
  const function_table exported{file, SHT_DYNSYM};
  if (found != nullptr) report_runtime(exported, image, found);
  const function_table all{file, SHT_SYMTAB};
  if (file.lacked_memory()) return file_outcome::no_memory;
  if (all.count() == 0) return build_index(exported, image, out);
  if (found != nullptr) report_runtime(all, image, found);
  out.has_symtab = true;
  return build_index(all, image, out);
}

}  // namespace

file_outcome read_symbols(char const* path, loaded_image const& image, symbol_index& out,
                          runtime_callback found_runtime) noexcept {
  const int saved_errno = errno;
  out = {};
  const file_outcome outcome = read_from(elf_file{path}, image, out, found_runtime);
  if (outcome != file_outcome::read) out = {};
  errno = saved_errno;
  return outcome;
}

code_kind kind_at(symbol_index const& index, std::uintptr_t pc) noexcept {
  code_range const* end = index.ranges + index.count;
  code_range const* after = std::upper_bound(
      index.ranges, end, pc, [](std::uintptr_t at, code_range const& r) { return at < r.begin; });
  if (after == index.ranges) return code_kind::plain;
  code_range const& r = after[-1];
  return pc - r.begin < r.size ? r.kind : code_kind::plain;
}

void release(symbol_index& index) noexcept {
  if (index.ranges != nullptr) {
    base::unmap_pages(const_cast<code_range*>(index.ranges), index.mapped_size);
  }
  index = {};
}

}  // namespace memprof::delivery
