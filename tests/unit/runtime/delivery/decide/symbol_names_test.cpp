// SPDX-License-Identifier: MIT
#include "delivery/decide/symbol_names.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof::delivery;

TEST_CASE("symbol names: what is not mangled is C, with suffixes and versions") {
  char const* name =
      GENERATE("qsort", "foo.part.0", "foo.cold", "bar.constprop.0.isra.1", "_start", "_init",
               "_fini", "frame_dummy", "malloc@@GLIBC_2.2.5", "_", "m", "", "mainly", "mymain",
               "_main", "foo._omp_fn.0", ".hidden", "__cxa_throw", "_RNvC4rust3foo");
  INFO(name);
  CHECK(kind_of_name(name) == code_kind::c_function);
  CHECK(may_be_runtime(name));
}

TEST_CASE("symbol names: what aborts when malloc returns null, and what does not") {
  for (char const* name : {"xmalloc", "xrealloc.cold", "g_slice_alloc", "malloc_or_die"}) {
    CAPTURE(name);
    CHECK(kind_of_name(name) == code_kind::needs_memory);
  }
  for (char const* name : {"g_try_malloc", "g_try_realloc_n@@LIBGLIB_2"}) {
    CAPTURE(name);
    CHECK(kind_of_name(name) == code_kind::gets_null);
  }
  CHECK(kind_of_name("or_die_not") == code_kind::c_function);
}

TEST_CASE("symbol names: what the compiler makes for C++ is plain") {
  char const* name =
      GENERATE("main", "main.cold", "main._omp_fn.0", "__clang_call_terminate", "_GLOBAL__sub_I_x",
               "_GLOBAL__sub_D_x", "_GLOBAL__sub_I_a.cpp", "__cxx_global_var_init",
               "__cxx_global_var_init.17", "__cxx_global_array_dtor", "_sub_I_65535_0.0");
  INFO(name);
  CHECK(kind_of_name(name) == code_kind::plain);
}

TEST_CASE("symbol names: thread_local initialisers") {
  char const* name = GENERATE("__tls_init", "__tls_init.part.0", "_ZTH3foo", "_ZTWN4user3fooE");
  INFO(name);
  CHECK(kind_of_name(name) == code_kind::tls_initialiser);
  CHECK(kind_of_name("__tls_initialise") == code_kind::c_function);
  CHECK(kind_of_name("_ZThn16_N4user3fooEv") == code_kind::plain);
}

TEST_CASE("symbol names: streams, locales and futures of libstdc++ and libc++") {
  char const* name = GENERATE(
      "_ZNSolsEi", "_ZNSi3getEv", "_ZNSdC1Ev", "_ZNKSo6sentrycvbEv",
      "_ZNSt13basic_filebufIcSt11char_traitsIcEE9underflowEv",
      "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
      "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_",
      "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_"
      "stringIS4_S5_T1_EE",
      "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE8overflowEi",
      "_ZNSt8ios_base4InitC1Ev", "_ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv",
      "_ZNSt6localeC1ERKS_", "_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale",
      "_ZNKSt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE6do_putES3_RSt8ios_basecb",
      "_ZNSt13__future_base13_State_baseV29_M_do_setEPSt8functionIFSt10unique_ptrINS_12_Result_"
      "baseENS3_8_DeleterEEvEEPb",
      "_ZNSt17_Function_handlerIFSt10unique_ptrINSt13__future_base12_Result_baseENS2_8_"
      "DeleterEEvEE",
      "_ZZSt9call_onceIMNSt13__future_base13_State_baseV2EFvvEJEEvRSt9once_flagOT_DpOT0_ENKUlvE_"
      "clEv.cold",
      "_ZNSt7promiseIiE9set_valueEi", "_ZNSt13packaged_taskIFivEEclEv",
      "_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEi",
      "_ZNSt3__124__put_character_sequenceB8ne190107IcNS_11char_traitsIcEEEERNS_13basic_ostreamIT_"
      "T0_EES7_PKS4_m",
      "_ZNSt3__16localeC1Ev", "_ZNSt3__17promiseIvE13set_exceptionESt13exception_ptr",
      "_ZNSt3__117__assoc_sub_state9set_valueEv", "_ZNKSt3__18ios_base6getlocEv");
  INFO(name);
  CHECK(kind_of_name(name) == code_kind::library_io);
}

TEST_CASE("symbol names: other C++ is plain, also what takes a stream") {
  char const* name = GENERATE(
      "_Z3fooRSo", "_ZN4user5printERSt13basic_ostreamIcSt11char_traitsIcEE", "_ZlsRSoRK1x",
      "_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRKiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_",
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm", "_ZNSs6appendEPKc",
      "_ZNSt12basic_regexI", "_ZSt9terminatev", "_ZNSt6threadD1Ev", "_Znwm", "_ZL5localv",
      "_ZZ4mainENKUlRSoE_clES_", "_ZN13basic_ostream3fooEv", "_Z", "_ZN", "_ZS", "_ZNS", "_ZNSt",
      "_ZNSt1", "_ZT", "_ZNSt12basic_istreaX");
  INFO(name);
  CHECK(kind_of_name(name) == code_kind::plain);
}

TEST_CASE("symbol names: what may be the runtime's") {
  CHECK(may_be_runtime("_ZSt9terminatev"));
  CHECK(may_be_runtime("_ZNSt6threadD1Ev"));
  CHECK(may_be_runtime("_ZNSt3__16threadD1Ev"));
  CHECK_FALSE(may_be_runtime("_ZN4user3fooEv"));
  CHECK_FALSE(may_be_runtime("_Z3foov"));
}

TEST_CASE("symbol names: a name of megabytes takes no time") {
  const std::string name = "_ZNSt" + std::string(10'000'000, '1');
  for (int i = 0; i < 10'000; ++i) {
    if (kind_of_name(name.c_str()) != code_kind::plain) FAIL();
  }
}
