#!/bin/bash
# many-ranks.sh: time and the root's memory of a calibration by many MPI ranks on this machine, each
# a node of its own with one PoCL device.
#
#   scripts/many-ranks.sh [CONFIG] RANKS...
#
# CONFIG is a configuration (default: tests/data/small.yaml), RANKS a number of ranks for each run, e.g.
# 8 64.  BUILD is the build folder (default: build), BUDGET the seconds for each device (30).
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
gpucal=${BUILD:-$top/build}/mpi/gpucal
config=$top/tests/data/small.yaml

case ${1:-} in
-h | --help | '') sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
*[!0-9]*) config=$1 && shift ;;
esac
[ -x /usr/bin/time ] || { echo "many-ranks.sh: /usr/bin/time not found: install the package time" >&2 && exit 1; }
out=$(mktemp -d) || exit 1
trap 'rm -r "$out"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export POCL_DEVICES=basic XDG_CACHE_HOME=/dev/null # nothing was counted before

# A rank with a node's name; rank 0 says what it needed.
cat > "$out/rank" <<'RANK'
#!/bin/bash
export SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK
[ "$OMPI_COMM_WORLD_RANK" != 0 ] || exec /usr/bin/time -f 'root: %M KB at most, %U s of a processor' "$@"
exec "$@"
RANK
chmod +x "$out/rank"

for ranks; do
    mkdir -m 755 "$out/store.$ranks"
    began=$EPOCHREALTIME
    mpirun --oversubscribe --bind-to none -n "$ranks" "$out/rank" "$gpucal" calibrate --config "$config" \
        --store "$out/store.$ranks" --record "$out/$ranks.h5" --budget "${BUDGET:-30}" > "$out/log" 2>&1
    awk -v n="$ranks" -v from="$began" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "%d ranks: %.1f s; ", n, to - from }'
    grep '^root: ' "$out/log"
    grep -E '^gpucal: run .* published' "$out/log" | cut -c1-200
done
