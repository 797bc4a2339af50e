# SPDX-License-Identifier: MIT
# What the plots of docs/performance.md have in common.
set border 3 lc rgb '#888888'
set tics nomirror out tc rgb '#333333'
set grid lc rgb '#dddddd' lt 1
set key samplen 2 spacing 1.2
set style line 1 lc rgb '#0b5394' lw 2 pt 7 ps 0.5
set style line 2 lc rgb '#b45f06' lw 2 pt 7 ps 0.5
set style line 3 lc rgb '#38761d' lw 2 pt 7 ps 0.5
set style line 4 lc rgb '#741b47' lw 2 pt 7 ps 0.5
set style line 5 lc rgb '#777777' lw 2 pt 7 ps 0.5
