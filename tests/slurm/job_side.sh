#!/bin/bash
# Each task of a job gets its node's calibration, and predicts with it.
# shellcheck source=tests/slurm/lib_published.sh
. "$(dirname "$0")/lib_published.sh"
cluster=${SLURM_CONF%/etc/*}

publish n0 2
publish n1 1
cp -r store "$cluster/store"
GPUCAL_SPEEDS=$cluster/speeds.tsv "$source/slurm/apply-calibration.sh" > out 2>&1 ||
    fail "the speeds are not kept"
unset GPUCAL_STORE

# shellcheck disable=SC2016
srun -Q -N2 --ntasks-per-node=1 --mpi=none -l bash -c '
    echo "$GPUCAL_NODE speed $GPUCAL_SPEED store $GPUCAL_STORE table $GPUCAL_SPEEDS"
    echo "$GPUCAL_NODE devices $GPUCAL_DEVICE_SPEEDS"
    for parameters in "--node $GPUCAL_NODE" "--params $GPUCAL_PARAMS"; do
        "$0" predict $parameters --device "*5d0c465b*" --profile "$1" --at n=1048576
    done' "$gpucal" "$source/tests/data/mm.profile.yaml" 2>&1 | sort > out || fail "the job fails"
for task in '0 0.5 0.25' '1 1 0.5'; do
    read -r i speed device <<< "$task"
    grep -qx "$i: n$i speed $speed store $cluster/store table $cluster/speeds.tsv" out ||
        fail "n$i: no parameters"
    grep -qE "^$i: n$i devices uuid:[^=]*=$device,uuid:[^=]*=$device\$" out || fail "n$i: devices"
    [ "$(grep -c "^$i: NVIDIA H200 on node n$i: predicted " out)" = 2 ] || fail "n$i predicts not"
done
time_on() { sed -n "s/.* on node $1: predicted \([^ ]*\) s,.*/\1/p" out | head -n 1; }
awk -v a="$(time_on n0)" -v b="$(time_on n1)" 'BEGIN { exit !(b > 0 && a / b > 1.9 && a / b < 2.1) }' ||
    fail "n0 does not take twice the time of n1"

# A job's work over its nodes: the time is that of the square of n.
sbatch --wait -N2 -o share.out --wrap "'$gpucal' share '$source/tests/data/mm.profile.yaml' --divide n=30000 \\
    --device '*5d0c465b*' --nodes \"\$(scontrol show hostnames)\"" > out 2>&1 || fail "no shares"
cp share.out out
awk '$1 == "n0" || $1 == "n1" { part[$1] = $4 }
    END { exit !(part["n0"] + part["n1"] == 30000 && part["n1"] / part["n0"] > 1.38 && part["n1"] / part["n0"] < 1.45) }' out ||
    fail "the nodes' shares are not those of their speeds"

# A store of one's own, or none at all.
# shellcheck disable=SC2016
show='echo "${GPUCAL_STORE-} ${GPUCAL_PARAMS-none} ${GPUCAL_SPEED-none}"'
out=$(GPUCAL_STORE=$folder/made srun -Q -w n0 --mpi=none sh -c "$show")
[ "$out" = "$folder/made none 0.5" ] || fail "a store of one's own: $out"
out=$(srun -Q -w n0 --mpi=none --gpucal=no sh -c "$show")
[ "$out" = " none none" ] || fail "--gpucal=no: $out"
srun -Q -w n0 --mpi=none --gpucal=perhaps true > out 2>&1 && fail "--gpucal=perhaps is taken"
grep -q 'expected yes or no' out || fail "no word on what is expected"
sbatch --wait --gpucal=yes -w n0 -o batch.out --wrap "$show" > out 2>&1 || fail "the batch job fails"
grep -qx "$cluster/store $cluster/store/nodes/n0.yaml 0.5" batch.out || fail "$(cat batch.out)"

# Speeds that are not there do not keep jobs from running.
rm "$cluster/speeds.tsv"
out=$(srun -Q -w n0 --mpi=none sh -c "$show")
[ "$out" = "$cluster/store $cluster/store/nodes/n0.yaml none" ] || fail "without speeds: $out"
