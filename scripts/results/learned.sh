#!/bin/bash
# learned.sh OUT.csv - kernels of tests/own, learned on this machine's GPU by 'gpucal learn' as it chooses
# their sizes, then predicted and timed at others, by the learned model and by the general one.
#
# The device is calibrated in $GPUCAL_STORE; gpucal is in $PATH.  Takes some four minutes; a line
# for each launch: kernel, sizes, times in seconds.
set -eu
[ $# = 1 ] || { sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 1; }
source=$(cd "$(dirname "$0")/../../tests/own" && pwd)/own.cl

field() { # NAME: of a prediction, or of the first of a list
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\?\$/\1/p" | head -n 1
}

echo kernel,sizes,measured_s,learned_s,low_s,high_s,general_s > "$1"
while read -r kernel lanes items points; do
    launch=("$source" -k "$kernel" -l "$lanes" -g "$items")
    gpucal learn "${launch[@]}" --quiet
    for at in ${points//;/ }; do
        own=$(gpucal predict "${launch[@]}" --at "$at" --model "$kernel" --measure --json 2> /dev/null)
        general=$(gpucal predict "${launch[@]}" --at "$at" --model general --json 2> /dev/null | field time_s)
        line=$kernel,${at//,/ }
        for name in measured_s time_s low_s high_s; do line+=,$(field "$name" <<< "$own"); done
        echo "$line,$general" >> "$1"
    done
done << 'KERNELS'
saxpy 256 ((n+255)/256)*256 n=10000;n=65536;n=300000;n=1000003;n=5000000;n=20000000;n=100000000;n=700000001
conv5x5 16,16 width,height width=64,height=64;width=160,height=320;width=320,height=320;width=1008,height=1008;width=2000,height=2000;width=4096,height=4096;width=8192,height=8192;width=12000,height=8000
transpose 16,16 n,n n=128;n=512;n=1040;n=2048;n=3184;n=8192;n=16384
nbody 64 n n=256;n=1024;n=3008;n=8192;n=20032;n=65536;n=131072
reduce 128 16384 n=20000;n=200000;n=1000000;n=12345678;n=100000000;n=500000000
heat_materials 16,16 nx,ny nx=64,ny=64;nx=256,ny=256;nx=1008,ny=1008;nx=2048,ny=2048;nx=4000,ny=4000;nx=8192,ny=8192
grey 64 64*floor((pixels+63)/64) pixels=10000;pixels=100001;pixels=1000000;pixels=12345678;pixels=100000000
matmul 16,16 n,n n=64;n=128;n=320;n=1024;n=1536;n=2048;n=4096
matvec 64 rows rows=1024,cols=1000;rows=4096,cols=4096;rows=16384,cols=1024;rows=512,cols=20000;rows=65536,cols=500;rows=20032,cols=10000
stencil7 8,8,4 nx,ny,nz nx=32,ny=32,nz=32;nx=64,ny=64,nz=64;nx=128,ny=128,nz=128;nx=256,ny=256,nz=256;nx=512,ny=512,nz=512
blur_rows 16,16 width,height width=64,height=64;width=320,height=320;width=1008,height=1008;width=2000,height=2000;width=8192,height=8192
black_scholes 64 n n=2048;n=16384;n=200000;n=1000000;n=10000000;n=100000000
KERNELS
