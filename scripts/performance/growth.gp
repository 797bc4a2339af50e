# SPDX-License-Identifier: MIT
#
# Nanoseconds with memprof and without, as things grow: benchmarks/results/growth.md.
#
#     gnuplot -e "data='FOLDER'; out='FOLDER'" growth.gp

load 'scripts/performance/style.gp'
set terminal svg size 900,900 font 'sans-serif,12' background rgb 'white' name 'memprof'
set output out.'/growth.svg'
set multiplot layout 4,2
set logscale xy
set format x '10^{%L}'
set ylabel 'ns'
set key right bottom
array titles[8] = ['live heap in bytes: a pair', 'live samples: a pair at 1e-4', \
  'live samples: a sampled pair', 'threads: a pair', 'nested scopes: to enter one', \
  'nested scopes: a pair at 1e-2', 'scopes one after the other: each, with a pair', \
  'frames on the stack: a sampled pair']
set yrange [1:*]
do for [i = 1:8] {
  set title titles[i]
  plot data.'/growth.tsv' index i - 1 skip 1 using 1:2 with linespoints ls 5 title 'bare', \
    '' index i - 1 skip 1 using 1:3 with linespoints ls 1 title 'with memprof'
}
unset multiplot
