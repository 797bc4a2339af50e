# SPDX-License-Identifier: MIT
#
# Workloads with memprof as ratios to the same without: benchmarks/results/processes.md.
#
#     gnuplot -e "data='FOLDER'; out='FOLDER'" processes.gp

load 'scripts/performance/style.gp'
set terminal svg size 900,460 font 'sans-serif,12' background rgb 'white' name 'memprof'
set output out.'/processes.svg'
set datafile separator '\t'
set style data histograms
set style histogram errorbars gap 1.5 lw 1
set style fill solid 0.8 border -1
set xtics rotate by -35
set ylabel 'ratio to the bare program'
set yrange [0:2]  # what noise makes larger is cut off
set key outside top horizontal
set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#888888' front
plot for [i = 0:4] data.'/processes.tsv' using (column(2 + 3 * i)):(column(3 + 3 * i)):(column(4 + 3 * i)):xtic(1) \
  ls (i + 1) title columnheader(2 + 3 * i)
