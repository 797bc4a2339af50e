// SPDX-License-Identifier: MIT
#include "delivery/decide/symbol_names.hpp"

#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include "delivery/decide/unsafe_functions.hpp"

namespace memprof::delivery {
namespace {

using std::string_view;

// Bounds the time spent on a name; what matters stands near the beginning.
constexpr std::size_t longest_name_read = 2048;

string_view view(char const* name) noexcept { return {name, strnlen(name, longest_name_read)}; }

/// `name` without .part.0, .constprop.1, .cold, @VERSION. A name may begin with a dot.
string_view stem(string_view name) noexcept { return name.substr(0, name.find_first_of(".@", 1)); }

/// What follows the "S" if the name is a function (or local to a function) of namespace std: 't'
/// for std itself, 'i', 'o', 'd' for its streams, 'a', 's', 'b' for allocator and string. Else
/// '\0'.
///
/// Example: _ZNKSt8ios_base..., _ZNSolsEi, _ZZSt9call_onceI...ENKUlvE_clEv (a lambda in call_once).
char in_std(char const* mangled) noexcept {
  char const* at = mangled + 2;
  while (*at != '\0' && std::strchr("ZNKVrRO", *at) != nullptr) ++at;
  return at[0] == 'S' && at[1] != '\0' && std::strchr("tiodasb", at[1]) != nullptr ? at[1] : '\0';
}

/// Identifiers as mangling writes them: with their length before. libstdc++ and libc++.
constexpr string_view machinery[] = {
    // streams
    "13basic_istream", "13basic_ostream", "14basic_iostream", "15basic_streambuf",
    "13basic_filebuf", "14basic_ifstream", "14basic_ofstream", "13basic_fstream",
    "15basic_stringbuf", "19basic_istringstream", "19basic_ostringstream", "18basic_stringstream",
    "13basic_syncbuf", "17basic_osyncstream", "13basic_spanbuf", "17basic_ispanstream",
    "17basic_ospanstream", "16basic_spanstream", "9basic_ios", "8ios_base", "19istreambuf_iterator",
    "19ostreambuf_iterator", "16istream_iterator", "16ostream_iterator", "12strstreambuf",
    "10istrstream", "10ostrstream", "9strstream", "12__basic_file",
    // locales and their facets
    "6locale", "5ctype", "7codecvt", "7collate", "8messages", "8numpunct", "10moneypunct",
    "7num_get", "7num_put", "8time_get", "8time_put", "9money_get", "9money_put", "11__timepunct",
    // futures
    "13__future_base", "7promise", "13packaged_task", "6future", "13shared_future",
    "14__basic_future", "13__assoc_state", "17__assoc_sub_state", "19__async_assoc_state",
    "22__deferred_assoc_state", "12__async_func", "20__packaged_task_func",
    "20__packaged_task_base", "24__packaged_task_function"};

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr std::size_t digits_of(string_view word) noexcept { return is_digit(word[1]) ? 2 : 1; }

/// The words above by the first letter of the identifier: words[first[c]] to words[first[c + 1]].
struct dictionary {
  string_view words[std::size(machinery)] = {};
  unsigned char first[257] = {};

  constexpr dictionary() {
    std::size_t n = 0;
    for (std::size_t letter = 0; letter < 256; ++letter) {
      first[letter] = static_cast<unsigned char>(n);
      for (string_view word : machinery) {
        if (static_cast<unsigned char>(word[digits_of(word)]) == letter) words[n++] = word;
      }
    }
    first[256] = static_cast<unsigned char>(n);
  }
};
constexpr dictionary known;

bool mentions_machinery(string_view name) noexcept {
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (!is_digit(name[i - 1])) continue;
    const auto letter = static_cast<unsigned char>(name[i]);
    for (unsigned w = known.first[letter]; w != known.first[letter + 1U]; ++w) {
      const string_view word = known.words[w];
      // Back by the digits of this word, not by all: there are more before in "St3__113basic_ios".
      const std::size_t digits = digits_of(word);
      if (i < digits || name[i - digits] != word[0]) continue;
      if (name.substr(i - digits).starts_with(word)) return true;
    }
  }
  return false;
}

code_kind kind_of_mangled(char const* name) noexcept {
  if (name[2] == 'T' && (name[3] == 'H' || name[3] == 'W')) return code_kind::tls_initialiser;
  if (is_unsafe_function(view(name))) return code_kind::unsafe;
  const char what = in_std(name);
  if (what == '\0') return code_kind::plain;
  if (what == 'i' || what == 'o' || what == 'd') return code_kind::library_io;
  return mentions_machinery(view(name)) ? code_kind::library_io : code_kind::plain;
}

/// Functions of C that call malloc and abort or exit if it returns null. glib's, for programs that
/// contain it; glibc's own for destructors of thread_local objects; and what programs call their
/// wrappers (libiberty's and gnulib's names, those of sudo, redis, git, bash).
constexpr string_view aborting_allocators[] = {"__cxa_thread_atexit_impl",
                                               "g_malloc",
                                               "g_malloc0",
                                               "g_malloc_n",
                                               "g_malloc0_n",
                                               "g_realloc",
                                               "g_realloc_n",
                                               "g_aligned_alloc",
                                               "g_slice_alloc",
                                               "g_slice_alloc0",
                                               "gpr_malloc",
                                               "gpr_zalloc",
                                               "gpr_realloc",
                                               "gpr_malloc_aligned",
                                               "xmalloc",
                                               "xmalloc0",
                                               "xcalloc",
                                               "xrealloc",
                                               "xreallocarray",
                                               "xzalloc",
                                               "xnmalloc",
                                               "xnrealloc",
                                               "x2realloc",
                                               "x2nrealloc",
                                               "xcharalloc",
                                               "xmemdup",
                                               "xstrdup",
                                               "xstrndup",
                                               "xmallocz",
                                               "emalloc",
                                               "ecalloc",
                                               "erealloc",
                                               "estrdup",
                                               "safe_malloc",
                                               "safe_calloc",
                                               "safe_realloc",
                                               "zmalloc",
                                               "zcalloc",
                                               "zrealloc"};

bool is_aborting_allocator(string_view name) noexcept {
  if (name.ends_with("_or_die")) return true;
  if (std::strchr("_gxesz", name[0]) == nullptr) return false;
  for (string_view known_name : aborting_allocators) {
    if (name == known_name) return true;
  }
  return false;
}

code_kind kind_of_c_function(string_view name) noexcept {
  if (name.starts_with("g_try_")) return code_kind::gets_null;
  return is_aborting_allocator(name) ? code_kind::needs_memory : code_kind::c_function;
}

}  // namespace

code_kind kind_of_name(char const* name) noexcept {
  if (is_mangled(name)) return kind_of_mangled(name);
  const string_view whole = view(name);
  if (name[0] != '_' && name[0] != 'm') return kind_of_c_function(stem(whole));
  const string_view of = stem(whole);
  if (of == "__tls_init") return code_kind::tls_initialiser;
  const bool made_by_compiler = of == "main" || of == "__clang_call_terminate" ||
                                of.starts_with("_GLOBAL__") || of.starts_with("_sub_I_") ||
                                of.starts_with("_sub_D_") || of.starts_with("__cxx_global_");
  return made_by_compiler ? code_kind::plain : kind_of_c_function(of);
}

bool may_be_runtime(char const* name) noexcept { return !is_mangled(name) || in_std(name) == 't'; }

}  // namespace memprof::delivery
