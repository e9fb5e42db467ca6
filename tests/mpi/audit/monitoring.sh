#!/bin/bash
# monitoring.sh GPUCAL MAKE_STORE SOURCE - metrics by Prometheus' own tool; alerts, dashboard and
# NHC check of docs/examples.
set -u
gpucal=$1 make_store=$2 source=$3
examples=$source/docs/examples
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
    echo "FAILED: $*"
    [ ! -s out ] || cat out
    exit 1
}

# ---- metrics ----

mkdir store
"$make_store" store "$source/tests/data/h200/vm.yaml" 6 8 0.002 3 > out || fail "no store"
"$gpucal" audit --store store --warn 4 --fail 15 --prometheus metrics.prom > out
promtool check metrics < metrics.prom > out 2>&1 || fail "metrics"
[ ! -s out ] || fail "remarks on metrics"

# ---- alerts and dashboard ----

cp "$examples"/prometheus/*.yml .
promtool check rules alerts.yml > out 2>&1 || fail "alerts.yml"
promtool test rules alerts_test.yml > out 2>&1 || fail "alerts_test.yml"
python3 "$source/tests/mpi/audit/monitoring.py" "$examples" metrics.prom > out 2>&1 || fail "monitoring.py"
promtool check rules board.yml > out 2>&1 || fail "expressions of the dashboard"

# ---- NHC: a check calls die with a reason and returns 1, or returns 0 ----

stub() { # STATUS LINE: a gpucal that says so
    printf '#!/bin/sh\necho "%s"\nexit %d\n' "$2" "$1" > gpucal
    chmod +x gpucal
}
die() {
    status=$1 reason=$2
}
# shellcheck source=docs/examples/nhc/gpucal.nhc
. "$examples/nhc/gpucal.nhc"
GPUCAL=$work/gpucal
check() { # RETURNED REASON ARGUMENT...
    local wanted=$1 says=$2 returned=0
    shift 2
    status='' reason=''
    check_gpucal "$@" || returned=$?
    [ "$returned:$reason" = "$wanted:$says" ] || fail "returned $returned, reason '$reason'"
    [ "$wanted" = 0 ] || [ "$status" = 1 ] || fail "died with '$status'"
}
stub 0 "n1: good: 2 devices"
check 0 ''
stub 3 "n1: failure: NVIDIA H200 (uuid:1) is gone"
check 1 'check_gpucal:  failure: NVIDIA H200 (uuid:1) is gone'
stub 2 "n1: warning: drift of NVIDIA H200: launch slower by 4 %"
check 0 ''
check 1 'check_gpucal:  warning: drift of NVIDIA H200: launch slower by 4 %' warning
stub 1 "n1: unknown: store is not mounted"
check 0 ''
check 0 '' warning
# The real one, for a node with devices that are gone.
GPUCAL=$gpucal
node=$(basename store/nodes/*0.yaml .yaml)
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=/dev/null GPUCAL_STORE=$work/store
export SLURMD_NODENAME=$node
check_gpucal && fail "devices that are gone"
case $reason in
'check_gpucal:  failure: '*' is gone') ;;
*) fail "reason '$reason'" ;;
esac
