#!/bin/bash
# bench-count.sh: times gpucal count on the kernels of tests/kernels/count/styles, from cold
# (--no-cache) and from the cache, as processes from start to end.
#
#   scripts/results/bench-count.sh [GPUCAL [RUNS]]
#
# Of each kernel the fastest of RUNS (5) counts; printed are median, 90 % and worst of all
# kernels in ms, and the same for a process that does nothing (--version).
set -eu
export LC_ALL=C # numbers with points, words in English

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" = -h ]; then
    sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" | head -n -1
    exit 0
fi
gpucal=${1:-$source_dir/build/mpi/gpucal}
runs=${2:-5}
XDG_CACHE_HOME=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-bench.XXXXXX")
export XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT

# The fastest of all runs of a command, in us; nothing if it fails.
fastest() {
    local best='' start us
    for _ in $(seq "$runs"); do
        start=${EPOCHREALTIME/./}
        "$@" > /dev/null 2>&1 || return 0
        us=$((${EPOCHREALTIME/./} - start))
        if [ -z "$best" ] || [ "$us" -lt "$best" ]; then best=$us; fi
    done
    echo "$best"
}

summary() { # WHAT, times on standard input
    sort -n | awk -v what="$1" '{ t[NR] = $1 / 1000 } END {
        if (NR) printf "%-12s %3d: median %6.1f, 90 %% below %6.1f, worst %6.1f ms\n",
            what, NR, t[int((NR + 1) / 2)], t[int((9 * NR + 9) / 10)], t[NR] }'
}

# One line per kernel: file, kernel, local, global, options, assumptions, by tabs
kernels() {
    awk -v OFS='\t' '
        function put() { if (k != "" && g != "") print FILENAME, k, l, g, o, a }
        FNR == 1 { k = "" }
        $1 == "//:" && $2 == "kernel" { k = $3; l = g = o = a = "-" }
        $1 == "//:" && $2 == "local" { l = $3 }
        $1 == "//:" && $2 == "global" { g = $3 }
        $1 == "//:" && $2 == "options" { $1 = $2 = ""; o = $0 }
        $1 == "//:" && $2 == "assume" { $1 = $2 = ""; a = $0 }
        /^kernel void|^__kernel void/ { put(); k = "" }' \
        "$source_dir"/tests/kernels/count/styles/*.cl
}

count() { # FILE KERNEL LOCAL GLOBAL OPTIONS ASSUMPTIONS [WORD]..
    local words=() word
    for word in $5; do
        case $word in
        -D*) words+=("$word") ;;
        -cl-std=*) words+=("--std=${word#-cl-std=}") ;;
        esac
    done
    [ "$6" = - ] || words+=(--assume "$6")
    "$gpucal" count "$1" -k "$2" -l "$3" -g "$4" --allow-estimates ${words[@]+"${words[@]}"} "${@:7}"
}

cold=$XDG_CACHE_HOME/cold cached=$XDG_CACHE_HOME/cached
: > "$cold"
: > "$cached"
while IFS=$'\t' read -r -a kernel; do
    fastest count "${kernel[@]}" --no-cache >> "$cold"
    fastest count "${kernel[@]}" >> "$cached"
done < <(kernels)
for _ in 1 2 3; do fastest "$gpucal" --version; done | summary '--version'
summary cold < "$cold"
summary cached < "$cached"
