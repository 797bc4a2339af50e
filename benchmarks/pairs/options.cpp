// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

namespace pairs {
namespace {

int number(std::string const& option, std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw usage_error(option + ": '" + std::string(text) + "' is not a whole number from " +
                      std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

template <class T>
std::string names(std::span<T const> all) {
  std::string text;
  for (T const& each : all) {
    if (!text.empty()) text += ' ';
    text += each.name;
  }
  return text;
}

/// The named ones of all, in their own order.
template <class T>
std::vector<T const*> choose(std::string const& option, std::string_view list,
                             std::span<T const> all) {
  std::vector<T const*> chosen;
  std::vector<bool> wanted(all.size(), false);
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, comma);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](T const& t) { return t.name == name; });
    if (found == all.end()) {
      throw usage_error(option + ": there is no '" + std::string(name) +
                        "'; there are: " + names(all));
    }
    wanted[static_cast<std::size_t>(found - all.begin())] = true;
    if (comma == list.size()) break;
    list.remove_prefix(comma + 1);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted[i]) chosen.push_back(&all[i]);
  }
  return chosen;
}

template <class T>
std::vector<T const*> everything(std::span<T const> all) {
  std::vector<T const*> pointers;
  for (T const& each : all) pointers.push_back(&each);
  return pointers;
}

/// Bare and its control first; and twins, if there is another build.
void complete(std::vector<variant const*>& variants, bool other) {
  std::vector<variant const*> with{&all_variants()[0], &all_variants()[1]};
  for (variant const* v : variants) {
    if (v->from != made_of::bare) with.push_back(v);
    if (v->from == made_of::library && other) with.push_back(&other_of(*v));
  }
  variants = std::move(with);
}

}  // namespace

options read_options(int argc, char** argv) {
  options o{.workloads = everything(all_workloads()), .variants = everything(all_variants())};
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      o.help = true;
      return o;
    }
    if (option == "--predicted") {
      o.how.predicted_only = true;
      continue;
    }
    static constexpr std::string_view known[] = {
        "--rounds",  "--turns",     "--depth",    "--frames",    "--json",
        "--against", "--workloads", "--variants", "--processes", "--rounds-to"};
    if (std::find(std::begin(known), std::end(known), option) == std::end(known)) {
      throw usage_error("'" + option + "' is not an option");
    }
    if (i + 1 == argc) throw usage_error(option + ": its value is missing");
    const std::string_view value = argv[++i];
    if (option == "--rounds") {
      o.how.rounds = number(option, value, 1, 100'000);
    } else if (option == "--turns") {
      o.how.turns = number(option, value, 1, 1000);
    } else if (option == "--depth") {
      o.how.depth = number(option, value, 0, 5000);
    } else if (option == "--processes") {
      o.how.processes = number(option, value, 1, 1000);
    } else if (option == "--rounds-to") {
      o.rounds_to = value;
    } else if (option == "--workloads") {
      o.workloads = choose(option, value, all_workloads());
    } else if (option == "--variants") {
      o.variants = choose(option, value, all_variants());
      o.asked = true;
    } else if (option == "--json") {
      if (value.empty()) throw usage_error(option + ": the name is empty");
      o.json = value;
    } else if (option == "--against") {
      if (!std::filesystem::is_regular_file(value)) {
        throw usage_error(option + ": there is no file '" + std::string(value) + "'");
      }
      o.other = value;
    } else if (value == "pointers" || value == "tables") {
      o.how.frame_pointers = value == "pointers";
    } else {
      throw usage_error(option + ": '" + std::string(value) + "' is neither pointers nor tables");
    }
  }
  if (o.how.processes > o.how.rounds) throw usage_error("--processes: more than there are rounds");
  complete(o.variants, !o.other.empty());
  return o;
}

std::string help_text() {
  std::string text =
      "usage: memprof-benchmark-pairs [OPTIONS]\n"
      "\n"
      "What a pair of malloc and free costs over the bare allocator and through the library in "
      "its\n"
      "modes: all loaded into this one process, in random turns of about 0.1 ms; the median over\n"
      "the rounds of the ratio to bare, and its quartiles. CPU time of the thread.\n"
      "\n"
      "  --rounds N          rounds, each of which gives a ratio (default 60)\n"
      "  --processes N       shares the rounds among N processes: where things lie in memory "
      "differs\n"
      "                      from one to the next, and with it what some loops take (default 1)\n"
      "  --turns N           turns of each variant in a round (default 8)\n"
      "  --depth N           frames between main and the loop (default 21: stacks of about 30)\n"
      "  --frames HOW        pointers (default): these frames have frame pointers; tables: not\n"
      "  --predicted         repeats turns before or after which the processor does not predict\n"
      "                      indirect calls, as some do not while another program is in the\n"
      "                      kernel on the other thread of the core\n"
      "  --workloads A,B     these only\n"
      "  --variants A,B      these only, beside bare and its control\n"
      "  --against FILE      measures another build beside this one, in the same turns: a\n"
      "                      memprof-benchmark-pairs-library.so that was kept\n"
      "  --json FILE         writes the results there, too\n"
      "  --help              this\n"
      "\n"
      "workloads: ";
  text += names(all_workloads()) + "\nvariants: " + names(all_variants()) + '\n';
  for (workload const& w : all_workloads()) {
    text += "\n  " +
            std::string(w.name).append(14 - std::min<std::size_t>(14, std::strlen(w.name)), ' ') +
            w.title;
  }
  text += '\n';
  for (variant const& v : all_variants()) {
    text += "\n  " +
            std::string(v.name).append(14 - std::min<std::size_t>(14, std::strlen(v.name)), ' ') +
            v.title;
  }
  return text + '\n';
}

}  // namespace pairs
