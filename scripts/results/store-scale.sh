#!/bin/bash
# store-scale.sh: measures time and memory of reading, auditing and verifying large stores.
#
#   scripts/results/store-scale.sh [-c] [-b BUILD] [-f FILE] [NODES [RUNS]]
#
# Makes stores of 10, 1000 and NODES (10000) nodes with RUNS (50) calibrations each, pruned as
# by 'gpucal store prune --keep 1', from a real parameter file (FILE, by default of an H200
# with its models), every 50th node 10 % slower in its last runs, in a temporary folder
# (TMPDIR) that is removed at the end.  Measures how long libgpucal takes to load one node and
# to bind a model, with files in memory and, with -c, from disk (as root: it empties this
# machine's page cache), and the time and memory of 'gpucal audit', of 'gpucal health' for one
# node, and of 'gpucal store verify' for the largest store.  Prints one line per figure: name, value, unit, subject.
set -eu
export LC_ALL=C # numbers with points, words in English

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$source_dir/build
file=$source_dir/tests/data/h200-repeats/params.yaml
profile=$source_dir/docs/examples/splitter/rows.profile.yaml
sigma=0.002 # from run to run, as two runs on an H200 differ
every=50    # node drifts
loads=300
cold=no

fail() { echo "store-scale.sh: $*" >&2; exit 1; }

while getopts :cb:f:h option; do
    case $option in
    c) cold=yes ;;
    b) build=$OPTARG ;;
    f) file=$OPTARG ;;
    h) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) fail "unknown option (see -h)" ;;
    esac
done
shift $((OPTIND - 1))
nodes=${1:-10000} runs=${2:-50}
gpucal=$build/mpi/gpucal bench=$build/tests/store/bench_predict
maker=$build/tests/store/make_store
for program in "$gpucal" "$bench" "$maker"; do
    [ -x "$program" ] || fail "$program not found: run scripts/build.sh first"
done
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

row() { # NAME VALUE UNIT OF-WHAT
    printf '%-28s %10s %-4s %s\n' "$@"
}

# Two files per node; a line of its track and two of the ledger per run.
check_room() {
    local need_kb have_kb
    need_kb=$(((nodes + 1010) * (2 * $(stat -c %s "$file") + runs * 8000) / 1024))
    have_kb=$(df -Pk "$temp" | awk 'NR == 2 { print $4 }')
    ((have_kb > need_kb + need_kb / 10)) ||
        fail "$temp has $((have_kb / 1024)) MB left, and about $((need_kb / 1024)) MB are" \
            "needed: set TMPDIR to a folder with more"
}

# Runs a command; wall time and peak memory.
measure() { # NAME COMMAND..
    python3 - "$@" <<'PYTHON'
import resource, subprocess, sys, time
start = time.monotonic()
rc = subprocess.run(sys.argv[2:], stdout=open("out", "w"), stderr=open("err", "w")).returncode
took = time.monotonic() - start
kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{sys.argv[1] + ', time':28} {took:10.3f} s    exit status {rc}")
print(f"{sys.argv[1] + ', memory':28} {kb / 1024:10.1f} MB   most resident")
PYTHON
}

some_nodes() { # OF HOW-MANY
    shuf -i 0-$(($1 - 1)) -n "$2" | xargs printf 'node%05d\n'
}

# Medians over random nodes: the first load, the one after, and a model.
load() { # NODES STATE
    local out
    mapfile -t names < <(some_nodes "$1" "$loads")
    out=$("$bench" "$temp/store-$1" rates "$profile" 1024,4096 "${names[@]}")
    [ "$2" = cold ] || row "load, $1 nodes" "$(value "load, again" "$out")" ms "in memory"
    [ "$2" = warm ] || row "load, $1 nodes, cold" "$(value "load, first" "$out")" ms "from disk"
    [ "$2" = cold ] || row "bind, $1 nodes" "$(value bind "$out")" ms "one model"
}

value() { # NAME OUTPUT
    echo "$2" | sed -n "s/^$1 *\([0-9.]*\) .*/\1/p"
}

check_room
cd "$temp"
sizes=$(printf '%s\n' 10 1000 "$nodes" | sort -n | awk -v most="$nodes" '$1 <= most' | uniq)
for size in $sizes; do
    mkdir "store-$size"
    start=$(date +%s%N)
    made=$("$maker" "store-$size" "$file" "$size" "$runs" "$sigma" "$every")
    row "make, $size nodes" "$((($(date +%s%N) - start) / 1000000))" ms "$made, $runs runs each"
done
row "size, $nodes nodes" "$(du -sm "store-$nodes" | cut -f 1)" MB "on disk"
for size in $sizes; do
    load "$size" warm
done
for size in $sizes; do
    [ $cold = yes ] || continue
    sync
    echo 3 >/proc/sys/vm/drop_caches
    load "$size" cold
done
measure "audit, $nodes nodes" "$gpucal" audit --store "store-$nodes"
head -n 1 out | sed 's/^/audit says: /'
measure "health, of $nodes nodes" "$gpucal" health --node "$(some_nodes "$nodes" 1)" --store "store-$nodes"
measure "verify, $nodes nodes" "$gpucal" store verify --store "store-$nodes"
tail -n 1 out | sed 's/^/verify says: /'
