# lines.gp: a figure of lines.  Environment: DATA (from series.awk), FIGURE (the .svg), TITLE,
# XLABEL, YLABEL, and LOG, the logarithmic axes ("", "x", "y" or "xy").
set terminal svg size 600,420 font "sans,12" background "white"
set output system("printf %s \"$FIGURE\"")
set title system("printf %s \"$TITLE\"") noenhanced
set xlabel system("printf %s \"$XLABEL\"") noenhanced
set ylabel system("printf %s \"$YLABEL\"") noenhanced
set key below maxrows 3 noenhanced autotitle columnhead
set grid
data = system("printf %s \"$DATA\"")
axes = system("printf %s \"$LOG\"")
if (strstrt(axes, "x")) { set logscale x 2 }
if (strstrt(axes, "y")) { set logscale y 10 } else { set yrange [0:*] }
stats data using 1:2 nooutput
plot for [i = 0 : STATS_blocks - 1] data index i using 1:2 \
    with linespoints pointsize 0.5 title columnheader(1)
