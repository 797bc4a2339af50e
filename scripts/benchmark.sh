#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: benchmark.sh [--short] [--into FOLDER] [PART...]
#
# Runs the benchmarks in a Release build and writes their tables into benchmarks/results/PART.md, between
# the markers, and their plots into docs/performance. The parts: pairs, growth, processes, recorded, memory,
# start, tracing, reading, serving; all of them if none is named. Takes an hour to two on a machine that has
# nothing else to do (other work shows in the controls, A/A). Installs what is missing.
# MEMPROF_TRACES: a folder with memtrace's traces leaky_dense and ocamlopt_repo_v1, to be read beside.
#   --short        some minutes: smaller sizes and few rounds, to see that all of it works
#   --into FOLDER  writes tables and plots there instead; the pages are copied if they are missing
set -euo pipefail
cd "$(dirname "$0")/.."

short=false
pages=benchmarks/results
plots=docs/performance
parts=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --short) short=true ;;
    --into)
      [[ $# -ge 2 ]] || { echo "$0: --into needs a folder" >&2; exit 2; }
      pages=$2
      plots=$2
      shift
      ;;
    pairs | growth | processes | recorded | memory | start | tracing | reading | serving) parts+=("$1") ;;
    *)
      sed -n '4,12s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
  shift
done
if [[ ${#parts[@]} -eq 0 ]]; then parts=(pairs growth processes recorded memory start tracing reading serving); fi
mkdir -p "$pages"
for part in "${parts[@]}"; do
  if [[ ! -e $pages/$part.md ]]; then cp "benchmarks/results/$part.md" "$pages"; fi
done

scripts/install_dependencies.sh build test examples plots peers
build=build/release
cmake --preset release -DMEMPROF_BUILD_BENCHMARKS=ON
targets=(memprof_preload)
for part in "${parts[@]}"; do
  case $part in
    pairs) targets+=(memprof-benchmark-pairs) ;;
    growth | processes) targets+=("memprof-benchmark-$part" "memprof-benchmark-$part-bare") ;;&
    processes) targets+=(memprof-benchmark-json memprof-benchmark-ginac) ;;
    recorded)
      targets+=(memprof-cli memprof-benchmark-processes-bare memprof-benchmark-unread memprof-benchmark-json)
      ;;
    memory) targets+=(memprof-benchmark-fill) ;;
    reading | serving) targets+=(memprof-cli memprof-example-leaky_server) ;;
  esac
done
cmake --build "$build" --target "${targets[@]}"

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")
machine=$(PYTHONPATH=benchmarks python3 -c 'from driving import measuring; print(measuring.machine())')

# run PART COMMAND...: what the command prints becomes the page of the part, under what was run and where.
run() {
  local part=$1 page=$results/$1.md shown
  shift
  shown=${*//$results\//}
  if [[ -n ${MEMPROF_TRACES:-} ]]; then shown=${shown//$MEMPROF_TRACES/\$MEMPROF_TRACES}; fi
  printf '\n== %s: %s\n' "$part" "$*"
  {
    # shellcheck disable=SC2016  # these quotes are Markdown
    printf '`%s`, %s, commit %s, %s, Release. ' "$shown" "$(date -I)" \
      "$(git rev-parse --short HEAD)" "$("$compiler" --version | head -n 1)"
    printf '%s; load average %s.\n\n' "$machine" "$(cut -d ' ' -f 1 /proc/loadavg)"
  } >"$page"
  "$@" | tee -a "$page"
  if [[ -e scripts/performance/$part.gp ]]; then
    printf '\n![%s](%s/%s.svg)\n' "$part" "$(realpath -m --relative-to="$pages" "$plots")" "$part" >>"$page"
  fi
  python3 scripts/performance/insert.py "$pages/$part.md" "$part" "$page"
}

# either SHORT... -- LONG...: the arguments for this run, in `chosen`.
either() {
  chosen=()
  local which=true argument
  for argument in "$@"; do
    if [[ $argument == -- ]]; then
      which=false
    elif [[ $which == "$short" ]]; then
      chosen+=("$argument")
    fi
  done
}

for part in "${parts[@]}"; do
  case $part in
    pairs)
      either --rounds 5 -- --rounds 120
      run pairs python3 benchmarks/pairs/run.py "$build" "${chosen[@]}" --json "$results/pairs.json"
      ;;
    growth | processes)
      either --short --
      run "$part" python3 "benchmarks/$part/run.py" "$build" ${chosen[@]+"${chosen[@]}"} \
        --json "$results/$part.json"
      ;;
    recorded)
      either --rounds 3 -- --rounds 15
      run recorded python3 benchmarks/recorded/run.py "$build" "${chosen[@]}"
      ;;
    memory)
      either --rounds 3 -- --rounds 21
      run memory python3 benchmarks/fill.py "$build" "${chosen[@]}"
      ;;
    start)
      either --rounds 50 -- --rounds 1500
      run start python3 benchmarks/start.py "$build" "${chosen[@]}"
      ;;
    tracing)
      either --rounds 3 --size 0.3 -- --rounds 9
      run tracing python3 benchmarks/tracing/real_programs.py "$build" "${chosen[@]}"
      ;;
    reading)
      either --megabytes 10 --rounds 2 -- --megabytes 100 --rounds 9
      if [[ -n ${MEMPROF_TRACES:-} ]]; then chosen+=(--traces "$MEMPROF_TRACES"); fi
      run reading python3 benchmarks/tracing/reading.py "$build" "${chosen[@]}"
      ;;
    serving)
      either --megabytes 10 --rounds 1 -- --megabytes 100 --rounds 3
      if [[ -n ${MEMPROF_TRACES:-} ]]; then chosen+=(--traces "$MEMPROF_TRACES"); fi
      run serving python3 benchmarks/tracing/serving.py "$build" "${chosen[@]}"
      ;;
  esac
done

mkdir -p "$plots"
python3 scripts/performance/plot_data.py "$results"
for part in growth processes; do
  if [[ -e $results/$part.tsv ]]; then
    gnuplot -e "data='$results'; out='$plots'" "scripts/performance/$part.gp"
  fi
done
printf '\nWritten: %s, and plots in %s\n' "$pages" "$plots"
