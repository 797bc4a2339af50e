// SPDX-License-Identifier: MIT
//
// The cost of a pair of malloc and free, bare and through each mode of the library, in one process.
//
//     memprof-benchmark-pairs --help
//
// The program itself runs over the bare allocator. The library comes as modules loaded at run time,
// a copy for each variant, so each has a countdown, tables and caches of its own. All are called by
// the same loops through a table of functions, 30 frames deep. What the machine does meanwhile hits
// all of them alike; the control, bare called a second time, says how well that worked. With
// --processes the rounds are shared among several such processes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

#include "options.hpp"
#include "processes.hpp"
#include "report.hpp"

namespace {

using namespace pairs;

/// The variants of one series: those that start no thread, or those that do. Each has a bare
/// allocator, a control and the library switched off of its own.
std::vector<variant const*> series_of(options const& o, bool beside_thread) {
  const auto belongs = [&](variant const* v) { return v->beside_thread == beside_thread; };
  if (std::none_of(o.variants.begin(), o.variants.end(), belongs)) return {};
  std::vector<variant const*> part;
  for (variant const* v : o.variants) {
    const bool reference = v->from == made_of::bare || std::string_view(v->name).starts_with("off");
    if (reference || belongs(v)) part.push_back(v);
  }
  return part;
}

bool is_for(variant const& v, workload const& w, bool asked) {
  return asked || v.only == nullptr || std::string_view(v.only) == w.name;
}

void measure_series(options const& o, std::vector<variant const*> const& part,
                    module_files const& modules, report& all) {
  if (part.empty()) return;
  const temporary_folder copies;
  std::vector<std::unique_ptr<loaded_variant>> loaded;
  for (variant const* v : part) {
    loaded.push_back(std::make_unique<loaded_variant>(*v, modules, copies.path()));
  }
  for (workload const* w : o.workloads) {
    std::vector<loaded_variant const*> chosen;
    for (auto const& v : loaded) {
      if (is_for(v->what(), *w, o.asked)) chosen.push_back(v.get());
    }
    all.results.push_back(measure(*w, chosen, o.how));
  }
  for (auto const& v : loaded) {
    all.deepest_stack = std::max(all.deepest_stack, v->look().deepest_stack);
  }
}

report measure_here(options const& o) {
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const module_files modules{.library = folder / "memprof-benchmark-pairs-library.so",
                             .pass_through = folder / "memprof-benchmark-pairs-pass-through.so",
                             .other_library = o.other};
  report all{.how = o.how};
  measure_series(o, series_of(o, false), modules, all);
  measure_series(o, series_of(o, true), modules, all);
  return all;
}

void run(options const& o, char** arguments) {
  report all = o.how.processes > 1 ? measure_in_processes(o, arguments) : measure_here(o);
  if (!o.rounds_to.empty()) return write_rounds(o.rounds_to, all);
  std::uint64_t turns = 0;
  std::uint64_t predicted = 0;
  for (result const& r : all.results) {
    turns += r.turns;
    predicted += r.predicted;
  }
  all.predicted = static_cast<double>(predicted) / static_cast<double>(turns);
  std::fputs(to_markdown(all).c_str(), stdout);
  if (!o.json.empty()) write_file(o.json, to_json(all));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const options o = read_options(argc, argv);
    if (o.help) {
      std::fputs(help_text().c_str(), stdout);
      return 0;
    }
    ensure_room_for_modules(argv);
    run(o, argv);
  } catch (usage_error const& e) {
    std::fprintf(stderr, "%s: %s\nTry --help.\n", argv[0], e.what());
    return 2;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
  }
}
