// SPDX-License-Identifier: MIT
#include "delivery/decide/function_pattern.hpp"

#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "delivery/decide/unsafe_functions.hpp"
#include "support/catch2.hpp"

using namespace memprof::delivery;

namespace {

bool is_matched(char const* pattern, char const* mangled) {
  std::array<name_part, most_name_parts> parts;
  const std::size_t count = parts_of_name(mangled, parts);
  return count > 0 && matches(pattern_of(pattern), std::span(parts).first(count));
}

std::string text_of(char const* mangled) {
  std::array<name_part, most_name_parts> parts;
  const std::size_t count = parts_of_name(mangled, parts);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : "::") + std::string(parts[i].identifier) +
            (parts[i].has_arguments ? "<>" : "");
  }
  return text;
}

constexpr char resize[] =
    "_ZN4absl12lts_2022062318container_internal12raw_hash_setINS1_17FlatHashMapPolicyISsiEENS1_"
    "10StringHashELm5ELb1EJPFvvEDnA3_iEE6resizeEm";

}  // namespace

TEST_CASE("mangled names: their parts") {
  CHECK(text_of("_Z1fi") == "f");
  CHECK(text_of("_Z1fIiEvT_") == "f<>");
  CHECK(text_of("_ZN1a1b1fEv") == "a::b::f");
  CHECK(text_of("_ZNK1a1bIiE1fILi12EEEvv") == "a::b<>::f<>");
  CHECK(text_of("_ZN1aC2Ev") == "a::a");
  CHECK(text_of("_ZN1aD0Ev") == "a::a");
  CHECK(text_of("_ZN1a1bixEm") == "a::b::operator");
  CHECK(text_of("_ZZN1a1fEvENKUlvE_clEv") == "a::f");
  CHECK(text_of("_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvv") ==
        "std::vector<>::_M_realloc_insert<>");
  CHECK(text_of("_ZN1aB5cxx111fEv.part.0") == "a::f");
  CHECK(text_of("_ZN1a1bIZNS_1gEvEUlvE3_E1fEv") == "a::b<>::f");
  CHECK(text_of("_ZN1a1bIXadL_ZNS_1gEvEEE1fEv") == "a::b<>::f");
  CHECK(text_of("_ZN1a1bILN1c1eE7EE1fEv") == "a::b<>::f");
  for (char const* arguments : {"DTplL_Z1xELi1EE", "DtL_Z1xEE", "Dv4_f", "Dv12_f", "Dn", "DoFvvE",
                                "A12_1c", "DpDv2_i", "JDndE"}) {
    INFO(arguments);
    CHECK(text_of(("_ZN1a1bI" + std::string(arguments) + "E1fEv").c_str()) == "a::b<>::f");
    CHECK(text_of(("_ZN1a1bI" + std::string(arguments) + "E1fIiEEvv").c_str()) == "a::b<>::f<>");
  }
  CHECK(text_of("_ZN1a1bIiE1fIJidEEEDTcl1gspfp_EEDpT_") == "a::b<>::f<>");
  CHECK(text_of(resize) == "absl::lts_20220623::container_internal::raw_hash_set<>::resize");
  for (char const* other : {"", "_", "_Z", "main", "_ZTV1a", "_ZThn16_N1a1fEv", "_ZN1a", "_ZN9aEv",
                            "_ZN1aILE", "_ZN99999999999999999999aEv"}) {
    CHECK(text_of(other) == "");
  }
}

TEST_CASE("mangled names: no bytes do harm") {
  std::mt19937_64 random(1);
  const std::string letters = "_ZNKSItLEXJFUlDTAB0123456789abcdv";
  for (int round = 0; round < 100'000; ++round) {
    std::string name = round % 2 == 0 ? "_Z" : resize;
    for (int i = 0; i < 12; ++i) {
      const std::size_t at = round % 2 == 0 ? name.size() : random() % name.size();
      name.insert(at, 1, letters[random() % letters.size()]);
    }
    std::array<name_part, most_name_parts> parts;
    const std::size_t count = parts_of_name(name, parts);
    REQUIRE(count <= parts.size());
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(parts[i].identifier.size() <= name.size());
    }
  }
}

TEST_CASE("function patterns") {
  CHECK(is_matched("absl::*::raw_hash_set<*>::*", resize));
  CHECK(is_matched("absl::*::raw_hash_set<*>::resize", resize));
  CHECK(is_matched("absl::*::raw_*_set<*>::re*", resize));
  CHECK(is_matched("absl::*", resize));
  CHECK_FALSE(is_matched("absl::raw_hash_set<*>::*", resize));
  CHECK_FALSE(is_matched("absl::*::raw_hash_set<*>", resize));
  CHECK_FALSE(is_matched("absl::*::raw_hash_map<*>::*", resize));
  CHECK_FALSE(is_matched("absl::*::container_internal<*>::*", resize));
  CHECK_FALSE(is_matched("abs::*", resize));
  CHECK(is_matched("a::*::c::f", "_ZN1a1c1d1c1fEv"));
  CHECK_FALSE(is_matched("a::*::c::f", "_ZN1a1c1fEv"));
  for (char const* wrong : {"", "::f", "a::", "*::f", "a*::f", "a::f(int)", "a::b<int>::f",
                            "a::b::c::d::e::f::g::h::i"}) {
    CHECK(pattern_of(wrong).count == 0);
  }
}

TEST_CASE("functions that are known not to survive an interrupt") {
  CHECK(is_unsafe_function(resize));
  CHECK(is_unsafe_function("_ZN4absl4Cord6AppendEOS0_"));
  CHECK(is_unsafe_function("_ZN6google8protobuf16RepeatedPtrFieldISsE3AddEOSs"));
  CHECK(is_unsafe_function("_ZN6google8protobuf3MapISsSsE6insertEv"));
  CHECK_FALSE(is_unsafe_function("_ZN6google3logEv"));
  CHECK_FALSE(is_unsafe_function("_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvv"));
  CHECK_FALSE(is_unsafe_function("_ZN8memprofT_5shop24treeIiE3addEv"));
  constexpr char mine[] = "_ZN18memprof_test_shelf4treeIiE3addEv";
  CHECK_FALSE(is_unsafe_function(mine));
  CHECK_THROWS_AS(add_function_pattern("*", true), std::invalid_argument);
  const std::string longest = "a::" + std::string(197, 'b');
  CHECK_THROWS_AS(add_function_pattern(longest + "b", true), std::length_error);
  add_function_pattern(longest, true);
  CHECK(is_unsafe_function("_ZN1a197" + std::string(197, 'b') + "Ev"));
  CHECK_FALSE(is_unsafe_function("_ZN1a196" + std::string(196, 'b') + "Ev"));
  add_function_pattern("memprof_test_shelf::tree<*>::*", true);
  CHECK(is_unsafe_function(mine));
  add_function_pattern("memprof_test_shelf::*", false);
  CHECK_FALSE(is_unsafe_function(mine));
  add_function_pattern("memprof_test_shelf::tree<*>::*", true);
  CHECK(is_unsafe_function(mine));
}

TEST_CASE("there is room for 64 patterns") {
  pid_t const child = fork();  // they stay for the process
  if (child == 0) {
    int count = 0;
    try {
      for (; count < 100; ++count) {
        add_function_pattern("memprof_test_many" + std::to_string(count) + "::*", true);
      }
    } catch (std::length_error const&) {
    }
    int found = 0;
    for (int i = 0; i < count; ++i) {
      const std::string name = "memprof_test_many" + std::to_string(i);
      found += is_unsafe_function("_ZN" + std::to_string(name.size()) + name + "1fEv");
    }
    _exit(found == count ? count : 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) <= 64);
  CHECK(WEXITSTATUS(status) > 64 - 8);  // other tests may have added theirs
}

TEST_CASE("modules that are known not to survive an interrupt") {
  CHECK(module_in("module libgrpc.so") == "libgrpc.so");
  for (char const* wrong : {"libgrpc.so", "module ", "module", "module /lib/libgrpc.so",
                            "module lib*.so", "module a b", "modules a"}) {
    CHECK(module_in(wrong).empty());
  }
  CHECK(is_module("libgrpc.so", "/usr/lib/libgrpc.so.29"));
  CHECK(is_module("libgrpc.so", "libgrpc.so"));
  CHECK_FALSE(is_module("libgrpc.so", "/usr/lib/libgrpc.so/libother.so"));
  CHECK_FALSE(is_module("libgrpc.so", "/usr/lib/libgrpc.sofa"));
  CHECK_FALSE(is_module("libgrpc.so", "/usr/lib/libmygrpc.so.29"));
  CHECK_FALSE(is_module("libgrpc.so", ""));

  CHECK(is_unsafe_module("/usr/lib/libgrpc++.so.1.51"));
  CHECK_FALSE(is_unsafe_module("/usr/lib/libstdc++.so.6"));
  CHECK_FALSE(is_unsafe_module(""));
  CHECK_FALSE(is_unsafe_function("module libgrpc.so"));
  CHECK_THROWS_AS(add_function_pattern("module lib/x", true), std::invalid_argument);
  add_function_pattern("module libmemprof_test_shelf.so", true);
  CHECK(is_unsafe_module("/opt/libmemprof_test_shelf.so.1"));
  add_function_pattern("module libmemprof_test_shelf.so", false);
  CHECK_FALSE(is_unsafe_module("/opt/libmemprof_test_shelf.so.1"));
}
