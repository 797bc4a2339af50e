// SPDX-License-Identifier: MIT
#include "symbolize/demangled_size.hpp"

#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "support/catch2.hpp"
#include "symbolize/short_name.hpp"

using memprof::symbolize::demangle;
using memprof::symbolize::demangled_size;

namespace {

// As g++ writes them.
constexpr std::array names{
    "_ZN2ns1fEi",
    "_Z1fIiJcdEEvT_DpT0_",
    "_ZNKSt6vectorIiSaIiEE4sizeEv",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2ERKS4_",
    "_ZZ4mainENKUliE0_clEi",
    "_ZZ4mainENKUlT_T0_E1_clINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES6_EEDaS_S0_",
    "_ZN12_GLOBAL__N_18new_slowEmm",
    "_ZSt4moveIRSt6vectorIiSaIiEEEONSt16remove_referenceIT_E4typeEOS5_",
    "_ZNSt4pairIKiSt8functionIFviPKcEEEC1IRS5_Lb1EEERS0_OT_",
    "_ZN1aplERKS_M1bFivEPA3_i",
    "_ZNSt11_Tuple_implILm0EJSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS6_"
    "EESt3m"
    "apIiSt7variantIJiS6_S0_ISt3anySaISB_EEEESt4lessIiESaISt4pairIKiSE_EEESt8functionIFS9_IS6_S0_"
    "ISH_Ii"
    "S6_ESaISN_EESF_IS6_ESaISH_IKS6_SP_EEES9_IS6_S6_SQ_SaISH_ISR_S6_EEEEEEE9_M_assignIS8_JSL_SZ_"
    "EEEvOS_"
    "ILm0EJT_DpT0_EE",
    "_ZN5boost6spirit2x36detail24parse_sequence_containerINS1_4listINS1_10int_"
    "parserIiLj10ELj1ELin1EEEN"
    "S1_12literal_charINS0_13char_encoding8standardENS1_11unused_typeEEEEEN9__gnu_cxx17__normal_"
    "iterato"
    "rIPcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEENS1_7contextINS1_11skipper_tagEKNS1_"
    "10ch"
    "ar_classIS9_NS1_9space_tagEEESA_EESt4pairISL_St6vectorISV_IiSaIiEESaISX_EEESX_EENS_12disable_"
    "if_cI"
    "X33pass_sequence_container_attributeIT_T1_EEbE4typeERKS12_RT0_RKS18_RKS13_RT2_RT3_",
};

std::optional<std::size_t> real_size(std::string const& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text{
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free};
  if (text == nullptr) return std::nullopt;
  return std::string_view{text.get()}.size();
}

}  // namespace

TEST_CASE("the size of a demangled name is known before it is made") {
  for (char const* name : names) {
    CAPTURE(name);
    const auto bound = demangled_size(name);
    const auto size = real_size(name);
    REQUIRE(bound);
    REQUIRE(size);
    CHECK(*bound >= static_cast<double>(*size));
    CHECK(*bound < 70 * static_cast<double>(*size));
    CHECK(demangle(name) != name);
  }
}

TEST_CASE("what the size does not follow is no size") {
  for (char const* name : {"", "main", "_Z", "_ZTV1a", "_ZN1acvT_IiEEv", "_Z1fIXtl1aEEEvv",
                           "_ZN1aE1", "_Z1fS0_", "_Z9fi", "_ZN", "_ZZ1f", "_Z1fIi"}) {
    CAPTURE(name);
    CHECK_FALSE(demangled_size(name));
  }
  std::string deep = "_Z1f";
  for (int i = 0; i < 3000; ++i) deep += 'P';
  CHECK_FALSE(demangled_size(deep + "i"));
}

TEST_CASE("no damage to a name makes its text longer than its size") {
  // Pieces that shift the numbers of substitutions, and parts of other names.
  static constexpr std::array pieces{"S_",  "S0_", "S2_",    "T_",  "T0_", "DpT_", "JT_E", "UlvE_",
                                     "PT_", "St",  "UlT_E_", "Ut_", "SA_", "E",    "I",    "N"};
  std::mt19937 random(7);  // fixed: the same names in every run
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int demangled = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string name = names[below(names.size())];
    for (std::size_t k = 1 + below(3); k > 0; --k) {
      const std::size_t at = 2 + below(name.size() - 2);
      const std::string_view other = names[below(names.size())];
      switch (below(3)) {
        case 0:
          name.insert(at, pieces[below(pieces.size())]);
          break;
        case 1:
          name.insert(at, other.substr(below(other.size()), 1 + below(20)));
          break;
        default:
          name.erase(at, 1 + below(3));
          if (name.size() < 4) name = "_Z1fv";
      }
    }
    const auto bound = demangled_size(name);
    if (!bound || *bound > 1e6) continue;
    const auto size = real_size(name);
    if (!size) continue;
    ++demangled;
    CAPTURE(name);
    REQUIRE(*bound >= static_cast<double>(*size));
  }
  CHECK(demangled > 500);
}
