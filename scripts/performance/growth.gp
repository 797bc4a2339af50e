# SPDX-License-Identifier: MIT
#
# What memprof adds, and what there is without it, as things grow: docs/performance.md.
#
#     gnuplot -e "data='FOLDER'; out='FOLDER'" growth.gp

load 'scripts/performance/style.gp'
set terminal svg size 900,900 font 'sans-serif,12' background rgb 'white' name 'memprof'
set output out.'/growth.svg'
set multiplot layout 4,2
set logscale xy
set format x '10^{%L}'
set ylabel 'ns'
set key left top
do for [i = 0:7] {
  set title word('heap-bytes live-samples,-pairs-at-1e-4 live-samples,-sampled-pairs threads,-pairs nested-scopes,-to-enter nested-scopes,-pairs-at-1e-2 scopes-one-after-another frames,-sampled-pairs', i + 1)
  plot data.'/growth.tsv' index i skip 1 using 1:2 with linespoints ls 5 title 'bare', \
    '' index i skip 1 using 1:3 with linespoints ls 1 title 'with memprof'
}
unset multiplot
