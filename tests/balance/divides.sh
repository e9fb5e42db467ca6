#!/usr/bin/env bash
# divides.sh - calibrates PoCL as two nodes, one of twice the speed, and divides work between
# them in all ways: divides.sh GPUCAL BALANCE SOURCE STEADY_DEVICE.SO
set -u
gpucal=$1 balance=$2 source=$3 steady=$4
kernel=$source/kernels/catalogue/matmul_rows.cl
rows=768
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
POCL_CACHE_DIR="${TMPDIR:-/tmp}/gpucal-test-pocl.$(id -u)"
export POCL_CACHE_DIR
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset GPUCAL_STORE SLURMD_NODENAME POCL_DEVICES
mkdir store

fail() {
    echo "FAILED: $*"
    tail -n 20 out err
    exit 1
}

as() { # NODE THREADS COMMAND...
    SLURMD_NODENAME=$1 POCL_MAX_PTHREAD_COUNT=$2 POCL_CPU_MAX_CU_COUNT=$2 "${@:3}"
}

divide() { # WAYS NODES KERNEL
    mpirun --oversubscribe --bind-to none -n 2 "$balance" --store store \
        --profile rows.profile.yaml --kernel "$3" --split "$1" --nodes "$2" \
        --rows $rows --width 256 --steps 3 > out 2> err
}

# Of a way: the rows of both ranks and their predicted times, and the predicted makespan.
read_report() { # WAY
    read -r rows_0 predicted_0 rows_1 predicted_1 longest < <(
        awk '$5 == "s" { printf "%s %s ", $3, $4 } $1 == "makespan" { print $5 }' "$1")
}

holds() { # EXPRESSION
    awk "BEGIN { exit !($1) }"
}

sed -e 's/min_time_s: .*/min_time_s: 0.0003/' \
    -e 's/max_time_s: .*/max_time_s: 0.01/' -e 's/max_samples: .*/max_samples: 12/' -e 's/"width:[0-9]*"/&, "nelements:2048"/' \
    -e 's/matmul_rows, "dtype:float32"/&, "n:256"/' "$source/docs/examples/balance/balance.yaml" > small.yaml
for n in 1 2; do
    LD_PRELOAD=$steady TEST_NS=$((80 / n)) as node$n $n "$gpucal" --config small.yaml \
        --store store --record $n.h5 > out 2> err ||
        fail "node$n is not calibrated"
done
"$gpucal" count "$kernel" -D T=float -D ROWS=8 -D WIDTH=16 --local 16,2 --global n/16,rows/8 \
    --assume "n % 256 = 0 and rows % 16 = 0 and rows >= 16" --output rows.profile.yaml \
    > out 2> err || fail "the kernel is not counted"

# In one run, in turn: a report of each, in a file of its own here.
divide equal,peak,one,gpucal,corrected node1,node2 "$kernel" || fail "all ways"
awk '$1 == "split" { file = substr($2, 1, length($2) - 1) } { print > file }' out
for way in equal peak one corrected gpucal; do
    grep -qE "^split $way: $rows rows .* 2 ranks, 3 steps$" $way || fail "no head of $way"
    grep -qE '^[0-9]+ rows compared with the host.s: 0 wrong$' $way || fail "nothing is compared"
    grep -qE '^makespan [0-9.]+ s, predicted [0-9.]+ s, imbalance [0-9.]+ %$' $way ||
        fail "no makespan and imbalance of $way"
    read_report $way
    [ $((rows_0 + rows_1)) = $rows ] || fail "$way: $rows_0 and $rows_1 rows"
    case $way in
    equal)
        [ "$rows_0" = "$rows_1" ] || fail "not equal"
        equal_s=$longest
        ;;
    peak) peak_s=$longest ;;
    one) [ "$rows_0" = 0 ] || [ "$rows_1" = 0 ] || fail "one: $rows_0 and $rows_1 rows" ;;
    esac
done
# No other division ends earlier: a rank that took 16 rows from the other would be later than
# that is now.
holds "$longest <= $equal_s + 2e-6 && $longest <= $peak_s + 2e-6" ||
    fail "predicted: equal $equal_s, peak $peak_s, gpucal $longest"
if [ "$rows_0" -gt 0 ] && [ "$rows_1" -gt 0 ]; then
    holds "$predicted_0 <= $predicted_1 + 16 * $predicted_1 / $rows_1 + 2e-6 &&
        $predicted_1 <= $predicted_0 + 16 * $predicted_0 / $rows_0 + 2e-6" ||
        fail "predicted $predicted_0 and $predicted_1 are not equal"
fi

sed 's/= sum\[r\];/= sum[r] + 1;/' "$kernel" > wrong.cl
divide equal node1,node2 "$PWD/wrong.cl" && fail "a wrong kernel is right"
grep -qE '^16 rows compared with the host.s: 16 wrong$' out || fail "not said: wrong"
divide equal,fast node1,node2 "$kernel" && fail "an unknown way"
grep -q 'equal, peak, one, gpucal or corrected' err || fail "not said: ways"
divide equal node1 "$kernel" && fail "one node for two ranks"
grep -q 'one name for each rank' err || fail "not said: nodes"
divide gpucal node1,node3 "$kernel" && fail "a node that is not calibrated"
grep -q node3 err || fail "not said: which node is missing"
