# SPDX-License-Identifier: MIT
#
# The plots of docs/statistical.md, from the tables of memprof-benchmark-statistics.
#
#     gnuplot -e "data='FOLDER'; out='FOLDER'" plots.gp

set terminal svg size 760,440 font 'sans-serif,13' background rgb 'white' name 'memprof'
set border 3 lc rgb '#888888'
set tics nomirror out tc rgb '#333333'
set grid lc rgb '#dddddd' lt 1
set key left top reverse Left samplen 2 spacing 1.2
set style line 1 lc rgb '#0b5394' lw 2
set style line 2 lc rgb '#b45f06' lw 2
set style line 3 lc rgb '#38761d' lw 2
set style line 4 lc rgb '#741b47' lw 2
set style line 5 lc rgb '#555555' lw 2
kw(x) = sprintf('%g', x / 1000)

set output out.'/interruption.svg'
set xlabel 'allocated, in limits'
set ylabel 'probability of having been interrupted'
set xrange [0:2.5]
set yrange [0:1]
set key right bottom
plot data.'/interruption.tsv' index 0 using 1:2 with lines ls 1 title 'limit 10 kw, 1 sample', \
  '' index 1 using 1:2 with lines ls 2 title '50 kw, 5 samples', \
  '' index 2 using 1:2 with lines ls 3 title '200 kw, 20 samples', \
  '' index 3 using 1:2 with lines ls 4 title '1 Mw, 100 samples', \
  '' index 4 using 1:2 with lines ls 5 title '10 Mw, 1000 samples'

set key right top
set logscale x
set format x '10^{%L}'
set xrange [*:*]
set yrange [*:*]

set output out.'/accuracy.svg'
set logscale y
set format y '%g %%'
set xlabel 'limit, words'
set ylabel 'how much too early, too late'
set yrange [0.1:2000]
plot data.'/accuracy.tsv' index 0 using 1:(100*$2) with lines ls 1 title 'safe, at a risk of 1e-9', \
  '' index 1 using 1:(100*$2) with lines ls 2 title 'safe, 1e-14', \
  '' index 2 using 1:(100*$2) with lines ls 3 title 'safe, 1e-50', \
  '' index 0 using 1:(100*$3) with lines ls 1 dt 2 title 'certain, 1e-9', \
  '' index 1 using 1:(100*$3) with lines ls 2 dt 2 title 'certain, 1e-14', \
  '' index 2 using 1:(100*$3) with lines ls 3 dt 2 title 'certain, 1e-50'

set output out.'/safe-limit.svg'
set format y '%g'
set xlabel 'amount that must be safe, words'
set xrange [1e3:1e9]
set ylabel 'least limit, in such amounts'
set yrange [1:1000]
plot data.'/safe_limit.tsv' index 0 using 1:2 with lines ls 4 title 'rate 1e-2', \
  '' index 1 using 1:2 with lines ls 3 title 'rate 1e-3', \
  '' index 2 using 1:2 with lines ls 1 title 'rate 1e-4 (default)', \
  '' index 3 using 1:2 with lines ls 2 title 'rate 1e-5'

set output out.'/minimal-rate.svg'
set format y '10^{%L}'
set ylabel 'least sampling rate, per word'
set yrange [*:1]
plot data.'/minimal_rate.tsv' index 0 using 1:2 with lines ls 1 title 'limit 10 times the amount', \
  '' index 1 using 1:2 with lines ls 2 title '2 times', \
  '' index 2 using 1:2 with lines ls 3 title '1.25 times', \
  '' index 3 using 1:2 with lines ls 4 title '1.1 times'

set output out.'/stop.svg'
set xrange [1e5:1e9]
unset logscale y
set format y '%g'
set xlabel 'limit, words'
set ylabel 'allocated, in limits'
set yrange [0:4]
plot data.'/stop.tsv' index 1 using 1:2:3 with filledcurves lc rgb '#cfe2f3' title 'interrupted here, but for 1e-50', \
  '' index 0 using 1:2:3 with filledcurves lc rgb '#9fc5e8' title 'but for 1e-9', \
  1 with lines ls 5 dt 2 title 'the limit'

set output out.'/live-error.svg'
set xrange [0.2:320]
set logscale y
set format x '%g'
set format y '%g %%'
set xlabel 'live heap of small blocks, MiB'
set ylabel 'standard deviation of its estimate'
set yrange [*:*]
plot data.'/live.tsv' using 'heap':(100*column('predicted')) with lines ls 1 title 'predicted: sqrt(80 kB / heap)', \
  '' using 'heap':(100*column('spread')) with points pt 7 ps 0.7 lc rgb '#b45f06' title 'measured'

unset logscale
set xrange [*:*]
set ytics autofreq
unset ytics
set output out.'/measured.svg'
set terminal svg size 760,620 font 'sans-serif,12' background rgb 'white' name 'memprof'
set multiplot layout 3,1
set yrange [0:*]
set ylabel 'density'
limits = '10 100 1000'
do for [i=0:2] {
  set xlabel (i == 2 ? 'allocated when interrupted, in limits' : '')
  set title sprintf('limit %s kw', word(limits, i + 1)) offset 0,-0.8
  plot data.'/measured.tsv' index 3*i using 1:3 with lines ls 5 title (i == 0 ? 'predicted' : ''), \
    '' index 3*i using 1:2 with points pt 7 ps 0.5 lc rgb '#0b5394' title (i == 0 ? 'blocks of 7 B' : ''), \
    '' index 3*i+1 using 1:2 with points pt 5 ps 0.5 lc rgb '#b45f06' title (i == 0 ? '64 B' : ''), \
    '' index 3*i+2 using 1:2 with points pt 9 ps 0.5 lc rgb '#38761d' title (i == 0 ? '4 KiB' : '')
}
unset multiplot
