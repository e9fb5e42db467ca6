# scatter.gp: predicted against measured times of many kernels.  In the environment: DATA
# (scatter.awk), FIGURE (the .svg), TITLE.  Vertical lines are 90 % intervals; the diagonals
# are equal times, and factors of 1.5 and 2 either way.
set terminal svg size 720,640 font "sans,12" background "white"
set output system("printf %s \"$FIGURE\"")
set title system("printf %s \"$TITLE\"") noenhanced font "sans,11"
set xlabel "measured, ms"
set ylabel "predicted, ms"
set key outside right top noenhanced font "sans,10"
set logscale xy 10
set format xy "%g"
set grid linecolor "#dddddd"
data = system("printf %s \"$DATA\"")
stats data using 1:2 nooutput
last = STATS_blocks - 1
least = (STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y)/1.5
most = (STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y)*1.5
set xrange [least:most]
set yrange [least:most]
set samples 2
plot x with lines linecolor "black" notitle, \
     1.5*x with lines linecolor "gray" dashtype 2 notitle, \
     x/1.5 with lines linecolor "gray" dashtype 2 notitle, \
     2*x with lines linecolor "gray" notitle, \
     x/2 with lines linecolor "gray" notitle, \
     for [i = 0 : last] data index i using 1:2:3:4 with yerrorbars linecolor i + 1 \
         linewidth 0.5 pointtype 7 pointsize 0.01 notitle, \
     for [i = 0 : last] data index i using 1:2 with points linecolor i + 1 pointtype 7 \
         pointsize 0.5 title columnheader(1)
