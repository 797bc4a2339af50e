// SPDX-License-Identifier: MIT
//
// The data behind the plots of docs/statistical.md: what the bounds say, and what the engine does.
//
//     memprof-benchmark-statistics FOLDER [RUNS]
//
// Writes tab-separated tables into FOLDER. RUNS (default 4000) tasks are interrupted for each
// measured one. The seed is fixed, so the measured ones replay. About a minute.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "memprof/process.hpp"

#include "curves.hpp"
#include "measurements.hpp"

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s FOLDER [RUNS]\n", argv[0]);
    return 2;
  }
  int const runs = argc > 2 ? std::atoi(argv[2]) : 4000;
  if (runs < 100) {
    std::fprintf(stderr, "%s: %s: at least 100 runs\n", argv[0], argv[2]);
    return 2;
  }
  try {
    memprof::set_seed(42);
    statistics::write_curves(argv[1]);
    statistics::write_measurements(argv[1], runs);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
  }
}
