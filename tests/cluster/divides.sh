#!/usr/bin/env bash
# divides.sh - calibrates PoCL as two nodes, n1 of twice the speed of n0, with the link between them, and
# runs the example on them, by srun where there is a Slurm cluster, else by mpirun:
#   divides.sh GPUCAL CLUSTER SOURCE STEADY_DEVICE.SO
set -u
gpucal=$1 cluster=$2 source=$3 steady=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM
cd "$work" || exit 1
POCL_CACHE_DIR="${TMPDIR:-/tmp}/gpucal-test-pocl.$(id -u)"
export POCL_CACHE_DIR POCL_DEVICES=basic
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset GPUCAL_STORE SLURMD_NODENAME
mkdir store

fail() {
    echo "FAILED: $*"
    tail -n 20 out err
    exit 1
}

cat > as-node.sh <<'SCRIPT'
#!/bin/sh
export SLURMD_NODENAME=${SLURMD_NODENAME:-n$OMPI_COMM_WORLD_RANK}
case $SLURMD_NODENAME in n1) TEST_NS=20 ;; *) TEST_NS=40 ;; esac
export TEST_NS
exec "$@"
SCRIPT
chmod +x as-node.sh
if [ -n "${SLURM_CONF:-}" ]; then
    launch() { srun -Q -N2 --ntasks-per-node=1 --mpi=pmix ./as-node.sh "$@"; }
else
    launch() { mpirun --oversubscribe --bind-to none -n 2 ./as-node.sh "$@"; }
fi

cp -r "$source/docs/examples/cluster/kernels" .
kernel=kernels/heat.cl
# Times of steady_device.so are those of work-items and integer arguments: n * width.
sed -e 's/min_time_s: .*/min_time_s: 0.0003/' -e 's/max_time_s: .*/max_time_s: 0.01/' \
    -e 's/max_samples: .*/max_samples: 12/' -e 's/tags: \[heat\]/tags: [heat, "width:1024", "rows:64,128"]/' \
    -e 's/"per_item:1"/&, "nelements:2097152"/' "$source/docs/examples/cluster/cluster.yaml" > small.yaml
LD_PRELOAD=$steady TEST_COUNTED=9 launch "$gpucal" --config small.yaml --store store --record run.h5 \
    > out 2> err || fail "the nodes are not calibrated"
grep -q '1 link measured' err || fail "no link"
"$gpucal" count $kernel --local 64,4 --global width,rows \
    --assume "width % 64 = 0 and width >= 64 and rows % 4 = 0 and rows >= 4" \
    --output heat.profile.yaml > out 2> err || fail "the kernel is not counted"

launch "$cluster" store heat.profile.yaml $kernel 384 256 3 > out 2> err || fail "it does not run"
grep -q '^0 rows differ' out || fail "it is wrong"
[ "$(grep -cE '^(equal|cores|bandwidth|gpucal|corrected) +[0-9.]+ ms  over equal [0-9.]+ \(.*rows [0-9]+ [0-9]+$' out)" = 5 ] ||
    fail "not all ways"
grep -qE '^bound +[0-9.]+ ms$' out || fail "no bound"
rows() { sed -n "s/^$1 .* rows //p" out; }
[ "$(rows equal)" = '192 192' ] || fail "not equal: $(rows equal)"
[ "$(rows cores)" = '192 192' ] || fail "not by cores: $(rows cores)"
for way in bandwidth gpucal; do
    read -r first second <<< "$(rows $way)"
    [ $((first + second)) = 384 ] && [ "$first" -ge 120 ] && [ "$first" -le 136 ] ||
        fail "$way: $first and $second rows, expected a third and two thirds"
done

sed 's/0.25f/0.26f/' $kernel > wrong.cl
launch "$cluster" store heat.profile.yaml wrong.cl 384 256 1 equal > out 2> err && fail "a wrong kernel is right"
grep -qE '^16 rows differ' out || fail "not said: wrong"
launch "$cluster" store heat.profile.yaml $kernel 383 256 1 > out 2> err && fail "383 rows"
grep -q 'a multiple of 4' err || fail "not said: rows"
