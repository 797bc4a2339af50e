// SPDX-License-Identifier: MIT
#include "delivery/decide/inlined_functions.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.hpp"
#include "delivery/decide/unsafe_functions.hpp"

namespace memprof::delivery {
namespace {

using modules::loaded_image;
using std::string_view;

constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
constexpr string_view first_line = "memprof inlined functions 1\n";
constexpr string_view id_word = "build id ";
constexpr string_view function_word = "function ";
constexpr string_view checksum_word = "checksum ";

/// CRC-32 as zlib has it.
std::uint32_t crc32(string_view bytes) noexcept {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < t.size(); ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t c = ~std::uint32_t{0};
  for (char byte : bytes) c = table[(c ^ static_cast<unsigned char>(byte)) & 0xff] ^ c >> 8;
  return ~c;
}

/// The next line without its end; `rest` is what follows.
string_view next_line(string_view& rest) noexcept {
  const std::size_t end = rest.find('\n');
  const string_view line = rest.substr(0, end);
  rest.remove_prefix(end == string_view::npos ? rest.size() : end + 1);
  return line;
}

/// Reads a hexadecimal number from the beginning of `text`, which is cut behind it.
bool take_number(string_view& text, std::uint64_t& value) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool is_build_id(string_view hexadecimal, std::span<unsigned char const> id) noexcept {
  constexpr string_view digits = "0123456789abcdef";
  if (id.empty() || hexadecimal.size() != 2 * id.size()) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (hexadecimal[2 * i] != digits[id[i] >> 4] || hexadecimal[2 * i + 1] != digits[id[i] & 15]) {
      return false;
    }
  }
  return true;
}

/// Appends the ranges of unsafe functions in `lines`. False if a line is not as it should be.
bool collect(string_view lines, loaded_image const& image, symbol_index& out,
             code_range* ranges) noexcept {
  bool unsafe = false;
  while (!lines.empty()) {
    string_view line = next_line(lines);
    if (line.starts_with(function_word)) {
      unsafe = is_unsafe_function(line.substr(function_word.size()));
      continue;
    }
    std::uint64_t begin = 0, end = 0;
    if (!take_number(line, begin) || !line.starts_with(' ')) return false;
    line.remove_prefix(1);
    if (!take_number(line, end) || !line.empty() || begin >= end ||
        end > image.end_of_code_at(begin) ||
        end - begin > std::numeric_limits<std::uint32_t>::max()) {
      return false;
    }
    if (!unsafe) continue;
    ranges[out.count++] = {image.bias + begin, static_cast<std::uint32_t>(end - begin),
                           code_kind::unsafe, false};
  }
  return true;
}

/// Sorted, and those that touch or overlap joined.
void make_disjoint(code_range* ranges, std::uint32_t& count) noexcept {
  std::sort(ranges, ranges + count, [](auto const& a, auto const& b) { return a.begin < b.begin; });
  code_range* last = ranges;
  for (code_range* r = ranges; r != ranges + count; ++r) {
    const std::uintptr_t end = std::max(last->begin + last->size, r->begin + r->size);
    if (r->begin <= last->begin + last->size &&
        end - last->begin <= std::numeric_limits<std::uint32_t>::max()) {
      last->size = static_cast<std::uint32_t>(end - last->begin);
    } else {
      *++last = *r;
    }
  }
  count = count == 0 ? 0 : static_cast<std::uint32_t>(last + 1 - ranges);
}

struct text_outcome {
  file_outcome outcome;
  char const* why = "";  ///< it is not used, a literal
};

text_outcome read_text(string_view text, loaded_image const& image, symbol_index& out) noexcept {
  using enum file_outcome;
  if (!text.starts_with(first_line)) return {unusable, "is no such file of this version"};
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  string_view end = text.substr(last);
  std::uint64_t sum = 0;
  if (!end.starts_with(checksum_word)) return {unusable, "is cut short"};
  end.remove_prefix(checksum_word.size());
  if (!take_number(end, sum) || end != "\n" || sum != crc32(text.substr(0, last))) {
    return {unusable, "is damaged"};
  }
  string_view lines = text.substr(first_line.size(), last - first_line.size());
  const string_view id = next_line(lines);
  if (!id.starts_with(id_word) || !is_build_id(id.substr(id_word.size()), image.build_id())) {
    return {unusable, "was made of another build"};
  }
  const auto most = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  if (most == 0) return {read};
  const std::size_t mapped = base::whole_pages(most * sizeof(code_range));
  void* const pages = base::map_pages(mapped);
  if (pages == nullptr) return {no_memory};
  auto* const ranges = static_cast<code_range*>(pages);
  out.ranges = ranges;
  out.mapped_size = mapped;
  if (!collect(lines, image, out, ranges)) {
    release(out);
    return {unusable, "has a line that is no range of the module's code"};
  }
  make_disjoint(ranges, out.count);
  return {read};
}

text_outcome read_file(char const* path, loaded_image const& image, symbol_index& out) noexcept {
  using enum file_outcome;
  const modules::open_file file{path};
  if (!file.is_open()) return {read};
  modules::file_part text;
  const bool whole = file.size() <= most_bytes && file.read(0, file.size(), text);
  if (file.lacked_memory()) return {no_memory};
  if (!whole) return {unusable, "cannot be read"};
  return read_text({reinterpret_cast<char const*>(text.data()), text.size()}, image, out);
}

void say_unused(string_view path, char const* why) noexcept {
  std::array<char, 400> text{};
  std::size_t used = 0;
  for (string_view part :
       {path.substr(0, 300), string_view{" "}, string_view{why}, string_view{": not used"}}) {
    used += part.copy(text.data() + used, text.size() - 1 - used);
  }
  base::raw_message(text.data());
}

/// Room for the path of a module, and of the file beside it.
class path_beside {
 public:
  explicit path_beside(string_view module) noexcept {
    if (text_ == nullptr) return;
    if (module == "/proc/self/exe") {
      const long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", text_, most);
      used_ = length > 0 ? static_cast<std::size_t>(length) : most;
    } else {
      used_ = module.copy(text_, most);
    }
    whole_ = used_ > 0 && used_ < most;
    std::memcpy(text_ + used_, inlined_suffix, sizeof inlined_suffix);
  }
  ~path_beside() {
    if (text_ != nullptr) base::unmap_pages(text_, room);
  }
  path_beside(path_beside const&) = delete;
  path_beside& operator=(path_beside const&) = delete;

  [[nodiscard]] bool lacked_memory() const noexcept { return text_ == nullptr; }
  /// Null if the module has none, or a longer one than there is room for.
  [[nodiscard]] char const* get() const noexcept { return whole_ ? text_ : nullptr; }

 private:
  static constexpr std::size_t most = 4096;
  static constexpr std::size_t room = most + sizeof inlined_suffix;
  // Not on the stack, which may be a task's small one.
  char* text_ = static_cast<char*>(base::map_pages(room));
  std::size_t used_ = 0;
  bool whole_ = false;
};

}  // namespace

file_outcome read_inlined(char const* path, loaded_image const& image, symbol_index& out) noexcept {
  const int saved_errno = errno;
  out = {};
  const path_beside beside{path};
  text_outcome result{beside.lacked_memory() ? file_outcome::no_memory : file_outcome::read};
  if (beside.get() != nullptr) result = read_file(beside.get(), image, out);
  if (result.outcome == file_outcome::unusable) say_unused(beside.get(), result.why);
  errno = saved_errno;
  return result.outcome;
}

}  // namespace memprof::delivery
