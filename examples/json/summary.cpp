// SPDX-License-Identifier: MIT
#include "summary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace example::json {
namespace {

/// FNV-1a of 64 bits over an unambiguous text of the document.
class summarizer {
 public:
  void add(nlohmann::json const& value, int depth = 1) {
    if (depth > 1000) throw std::runtime_error("nested deeper than 1000");
    ++values_;
    depth_ = std::max(depth_, depth);
    switch (value.type()) {
      case nlohmann::json::value_t::object:
        hash("{");
        for (auto const& [key, member] : value.items()) {  // sorted by the bytes of the key
          hash_string(key);
          add(member, depth + 1);
        }
        return hash("}");
      case nlohmann::json::value_t::array:
        hash("[");
        for (auto const& element : value) add(element, depth + 1);
        return hash("]");
      case nlohmann::json::value_t::string:
        return hash_string(value.get_ref<std::string const&>());
      case nlohmann::json::value_t::boolean:
        return hash(value.get<bool>() ? "t" : "f");
      case nlohmann::json::value_t::number_integer:
        return hash_integer(value.get<std::int64_t>());
      case nlohmann::json::value_t::number_unsigned:
        return hash_integer(value.get<std::uint64_t>());
      case nlohmann::json::value_t::number_float:
        return hash_double(value.get<double>());
      default:
        return hash("n");
    }
  }

  [[nodiscard]] summary result() const {
    std::string text = "0000000000000000";
    std::array<char, 16> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), hash_, 16).ptr;
    std::copy_backward(digits.data(), end, text.data() + text.size());
    return {values_, depth_, text};
  }

 private:
  void hash(std::string_view bytes) {
    for (char const c : bytes) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  template <class Integer>
  void hash_integer(Integer number) {
    hash("i");
    hash_decimal(number);
  }
  template <class Integer>
  void hash_decimal(Integer number) {
    std::array<char, 24> text;
    auto const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    hash({text.data(), end});
    hash(";");
  }
  void hash_double(double number) {
    hash("d");
    hash_decimal(std::bit_cast<std::uint64_t>(number));
  }
  void hash_string(std::string const& text) {
    hash("s");
    hash_decimal(text.size());
    hash(text);
  }

  std::uint64_t values_ = 0;
  int depth_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

summary summarize(nlohmann::json const& document) {
  summarizer s;
  s.add(document);
  return s.result();
}

}  // namespace example::json
