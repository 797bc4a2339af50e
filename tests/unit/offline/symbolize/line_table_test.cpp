// SPDX-License-Identifier: MIT
#include "symbolize/line_table.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof::symbolize;

namespace {

/// A table of DWARF 4 with this program.
std::string table_of(std::string const& program) {
  const std::string header(
      "\x01\x01\x01\xfb\x0e\x0d\0\x01\x01\x01\x01\0\0\0\x01\0\0\x01\0f.c\0\0\0\0\0", 27);
  std::string rest = std::string("\x04\0", 2) + static_cast<char>(header.size()) +
                     std::string(3, '\0') + header + program;
  std::string table;
  for (int i = 0; i < 4; ++i) table += static_cast<char>(rest.size() >> (8 * i) & 255);
  return table + rest;
}

bytes_view view(std::string const& s) {
  return {reinterpret_cast<std::uint8_t const*>(s.data()), s.size()};
}

std::uint64_t memory_of(std::string const& table, std::uint64_t at = 0) {
  return memory_of_line_table(view(table), at);
}

}  // namespace

TEST_CASE("line tables: rows take memory, and operands are no rows") {
  const std::uint64_t none = memory_of(table_of(""));
  const auto more = [&](std::string const& program) {
    return memory_of(table_of(program)) - none - program.size();
  };
  const std::uint64_t row = more("\x20");  // a special opcode
  CHECK(row > 64);
  CHECK(more("\x01") == row);  // DW_LNS_copy
  CHECK(more("\x20\x20\x01") == 3 * row);
  CHECK(more(std::string("\0\x01\x01", 3)) == row);      // DW_LNE_end_sequence
  CHECK(more("\x02\xa0\xa0\x20\x03\x20\x04\x20") == 0);  // advance_pc, advance_line, set_file
  CHECK(more("\x09\x20\x20") == 0);                      // fixed_advance_pc
  CHECK(more(std::string("\0\x09\x02\x20\x20\x20\x20\x20\x20\x20\x20", 11)) == 0);  // set_address
}

TEST_CASE("line tables: what is cut or nonsense is none") {
  const std::string table = table_of("\x20\x20");
  for (std::size_t n = 0; n < table.size(); ++n) {
    CHECK(memory_of(table.substr(0, n)) <= memory_of(table));
  }
  CHECK(memory_of(table, table.size()) == 0);
  CHECK(memory_of(table, ~std::uint64_t{0}) == 0);
  CHECK(memory_of(std::string(64, '\xff')) == 0);
}

TEST_CASE("line tables: a module's may take so much together, and each is counted once") {
  const std::string table = table_of("\x20");
  const std::uint64_t one = memory_of(table);
  memory_budget all{10 * one};
  line_tables tables{view(table), one + 1, all};
  CHECK(tables.may_read(0));
  CHECK(tables.may_read(0));
  CHECK(tables.may_read(1 << 20));  // not there: nothing is read
  CHECK_FALSE(tables.refused());
  memory_budget little{one - 1};
  line_tables others{view(table), 10 * one, little};
  CHECK_FALSE(others.may_read(0));
  CHECK(others.refused());
  CHECK_FALSE(others.may_read(1 << 20));
}
