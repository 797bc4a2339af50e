// SPDX-License-Identifier: MIT
#include "export/json_number.hpp"

#include <cmath>
#include <cstdint>

#include "text/text.hpp"

namespace memprof::exports {

nlohmann::ordered_json json_number(double number) {
  if (!std::isfinite(number)) return nullptr;
  if (std::fabs(number) < 0x1p53 && number == std::floor(number)) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

std::string json_text(nlohmann::ordered_json const& value, int indent) {
  return text::printable_json(
      value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace memprof::exports
