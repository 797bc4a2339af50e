// SPDX-License-Identifier: MIT
#include "encoding/name_tables.hpp"

namespace memprof::encoding {

void recency_list::touch(unsigned index) noexcept {
  std::uint8_t const slot = order_[index];
  for (; index > 0; --index) order_[index] = order_[index - 1];
  order_[0] = slot;
}

unsigned recency_list::push() noexcept {
  if (size_ < name_table_size) {
    order_[size_] = static_cast<std::uint8_t>(size_);
    ++size_;
  }
  touch(size_ - 1);
  return order_[0];
}

unsigned name_tables::encode_in(name_list& list, std::string_view name) noexcept {
  for (unsigned index = 0; index < list.order.size(); ++index) {
    if (list.names[list.order.slot(index)] == name) {
      list.order.touch(index);
      return index;
    }
  }
  list.names[list.order.push()] = name;
  return new_name;
}

name_tables::codes name_tables::encode(std::string_view file, std::string_view function) noexcept {
  unsigned const file_code = encode_in(files_, file);
  name_list& functions = functions_[files_.order.slot(0)];
  if (file_code == new_name) functions.order.clear();
  return {file_code, encode_in(functions, function)};
}

}  // namespace memprof::encoding
