# evaluation.gp: a figure of predictions beside measurements.  In the environment: DATA
# (evaluation.awk), FIGURE (the .svg), TITLE, XLABEL, LOG, the axes that are logarithmic
# ("", "x", "xy"), and WHAT, "time" or "error".
set terminal svg size 600,460 font "sans,12" background "white"
set output system("printf %s \"$FIGURE\"")
set title system("printf %s \"$TITLE\"") noenhanced font "sans,10"
set xlabel system("printf %s \"$XLABEL\"") noenhanced
set key below vertical maxcols 1 noenhanced font "sans,10"
set grid
set rmargin 6
set format x "%.0f"
data = system("printf %s \"$DATA\"")
axes = system("printf %s \"$LOG\"")
what = system("printf %s \"$WHAT\"")
if (strstrt(axes, "x")) { set logscale x 2 }
if (strstrt(axes, "y")) { set logscale y 10 }
if (what eq "time" && !strstrt(axes, "y")) { set yrange [0:*] }
stats data using 1:2 nooutput
last = STATS_blocks - 1
set style fill transparent solid 0.15 noborder
if (what eq "time") {
    set ylabel "time, ms"
    plot for [i = 0 : last] data index i using 1:4:5 with filledcurves \
             linecolor i + 1 notitle, \
         for [i = 0 : last] data index i using 1:3 with lines linecolor i + 1 notitle, \
         for [i = 0 : last] data index i using 1:2 with points linecolor i + 1 \
             pointtype 7 pointsize 0.5 title columnheader(1)
} else {
    set ylabel "predicted / measured - 1, %"
    set xzeroaxis linetype -1
    plot for [i = 0 : last] data index i using 1:6 with linespoints linecolor i + 1 \
             pointtype 7 pointsize 0.5 title columnheader(1)
}
