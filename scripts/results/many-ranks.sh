#!/bin/bash
# many-ranks.sh: time and the root's memory of a calibration by many MPI ranks on this machine, each
# a node of its own with a simulated device, which sleeps its launches.
#
#   scripts/results/many-ranks.sh [-k PERCENT] [-s SEED] RANKS...
#
# RANKS is a number of ranks for each run, e.g. 8 256.  -k kills so many of them (not rank 0), chosen
# by SEED (1), at random times from the first launches on.  Devices differ in speed by up to 5 %,
# and each run checks
#   - that every node that was not killed is published with its speed, to 1 %, and every one that was
#     killed before its end is named;
#   - that all others hear of the end, the exit status, and that the store verifies.
# Nothing of it is published elsewhere: only a store with a file 'simulated' takes such devices.
# BUILD is the build folder (default: build).  Exit status 0: all as it should be, else 1.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${BUILD:-$top/build}" && pwd) || exit 1
gpucal=$build/mpi/gpucal driver=$build/tests/mpi/libsimulated_device.so
percent=0 RANDOM=1

die() {
    echo "many-ranks.sh: $*" >&2
    exit 1
}

while getopts :k:s:h option; do
    case $option in
    k) percent=$OPTARG ;;
    s) RANDOM=$OPTARG ;;
    h) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) die "unknown option -$OPTARG (see -h)" ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die "no number of ranks (see -h)"
for file in "$gpucal" "$driver"; do [ -e "$file" ] || die "$file is not built"; done
[ -x /usr/bin/time ] || die "/usr/bin/time not found: install the package time"
out=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-ranks.XXXXXX") || exit 1
trap 'rm -r "$out"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader
export OCL_ICD_VENDORS=$driver XDG_CACHE_HOME=/dev/null # nothing was counted before

# A rank with a node's name and a speed; rank 0 says what it needed.
cat > "$out/rank" <<'RANK'
#!/bin/bash
rank=$OMPI_COMM_WORLD_RANK
export SLURMD_NODENAME=n$rank SIMULATED_NS=$((950 + rank * 37 % 101))e-6
[ "$rank" != 0 ] || exec /usr/bin/time -f 'root: %M KB at most, %U s of a processor' "$@"
echo $$ > "$OUT/pid.$rank"
exec "$@"
RANK
chmod +x "$out/rank"
# Some seconds of launches on each.
sed 's/_samples: .*/_samples: 60/; s/noise: .*/noise: 1e-9/' "$top/tests/data/small.yaml" > "$out/models.yaml"

# Kills COUNT of RANKS; their numbers go to OUT/killed.
kill_some() { # COUNT RANKS
    local pids=() rank left=$1
    while [ "$left" -gt 0 ]; do
        rank=$((RANDOM % ($2 - 1) + 1))
        [ -z "${pids[rank]:-}" ] || continue
        pids[rank]=$(cat "$OUT/pid.$rank")
        left=$((left - 1))
    done
    for rank in "${!pids[@]}"; do
        sleep "0.$((RANDOM % 3))"
        kill -KILL "${pids[rank]}" 2> /dev/null && echo "$rank" >> "$OUT/killed"
    done
}

factors_differ() { # the nodes whose published speed is not the device's
    awk 'FNR == 1 { split(FILENAME, part, "/"); node = part[length(part)]; gsub(/[^0-9]/, "", node) }
        $1 == "factor:" { factor = $2 }
        /name: p_add,/ { sub(/.*value: /, ""); sub(/,.*/, "")
            off = $0 * factor / ((950 + node * 37 % 101) * 0.5e-15 ) - 1
            if (off > 0.01 || off < -0.01) print "n" node, off }' "$OUT"/store/nodes/*.yaml
}

# What is wrong after a run, nothing if all is right.
judge() { # RANKS STATUS
    local n_killed
    n_killed=$(wc -l < "$OUT/killed")
    for ((rank = 0; rank < $1; rank++)); do
        [ -e "$OUT/store/nodes/n$rank.yaml" ] || grep -q "error: .*node n$rank rank $rank" "$OUT/log" ||
            echo "n$rank is neither published nor named"
        [ -e "$OUT/store/nodes/n$rank.yaml" ] || grep -qx "$rank" "$OUT/killed" ||
            echo "n$rank was not killed and is not published"
    done
    factors_differ
    ! grep -q "no message from rank 0" "$OUT/log" || echo "ranks have not heard of the end"
    [ "$n_killed" -gt 0 ] || [ "$2" = 0 ] || echo "exit status $2"
    "$gpucal" store verify --store "$OUT/store" --quiet || echo "the store does not verify"
}

run() { # RANKS
    export OUT=$out/$1
    mkdir "$OUT" && mkdir -m 755 "$OUT/store" || exit 1
    touch "$OUT/store/simulated" "$OUT/killed"
    /usr/bin/time -o "$OUT/all" -f '%U %S' mpirun --oversubscribe --bind-to none --enable-recovery -n "$1" "$out/rank" "$gpucal" calibrate \
        --config "$out/models.yaml" --device 'Simulated device' --store "$OUT/store" \
        --record "$OUT/run.h5" > "$OUT/log" 2>&1 &
    mpirun=$!
    if [ "$percent" -gt 0 ]; then
        until grep -q ' kernels counted in' "$OUT/log" || ! kill -0 $mpirun 2> /dev/null; do sleep 0.2; done
        kill_some $(($1 * percent / 100)) "$1"
    fi
    wait $mpirun
}

n_bad=0
for ranks; do
    began=$EPOCHREALTIME
    run "$ranks"
    status=$?
    awk -v n="$ranks" -v k="$(wc -l < "$OUT/killed")" -v from="$began" -v to="$EPOCHREALTIME" \
        -v all="$(tail -n 1 "$OUT/all")" 'BEGIN { split(all, cpu, " ")
        printf "%d ranks on simulated devices, %d killed: %.1f s, %.0f s of processors; ", n, k,
            to - from, cpu[1] + cpu[2] }'
    grep '^root: ' "$OUT/log"
    echo "    $(find "$OUT/store/nodes" -name '*.yaml' | wc -l) nodes published"
    wrong=$(judge "$ranks" $status)
    [ -n "$wrong" ] || continue
    echo "WRONG: ${wrong//$'\n'/; }"
    grep -E "error|warning" "$OUT/log" | head -n 5
    n_bad=$((n_bad + 1))
done
[ $n_bad = 0 ]
