#!/bin/bash
# Features, weights, comments and extras are set from calibration; what others have set
# stays; jobs choose nodes by it.
# shellcheck source=tests/slurm/lib_published.sh
. "$(dirname "$0")/lib_published.sh"
apply=$source/slurm/apply-calibration.sh

publish n0 2
publish n1 1
publish stranger 1
scontrol update NodeName=n0 AvailableFeatures=rack1,gpucal_fast,nvme ActiveFeatures=rack1
scontrol update NodeName=n1 Comment="mine" AvailableFeatures=rack2 ActiveFeatures=rack2

"$apply" --dry-run > out 2>&1 || fail "exit status $?"
grep -q "^n0: .*gpucal_medium.*'Weight=200'.*'Comment=gpucal: speed 0.5, " out ||
    fail "--dry-run does not say what it would do"
expect n0 Weight 1
export GPUCAL_SPEEDS=$folder/speeds.tsv
"$apply" > out 2>&1 || fail "exit status $?"
grep -q 'stranger is not a node of this cluster' out || fail "no word on the other node"
type=gpucal_type_nvidia_cuda_nvidia_h200_132cu
expect n0 AvailableFeatures "rack1,nvme,gpucal,gpucal_medium,$type"
expect n0 ActiveFeatures "rack1,gpucal,gpucal_medium,$type"
expect n0 Weight 200
expect n0 Comment 'gpucal: speed 0.5, calibrated *'
expect n0 Extra '{"gpucal_speed":0.5,"gpucal_calibrated":2026*'
expect n1 ActiveFeatures "rack2,gpucal,gpucal_fast,$type"
expect n1 Weight 100
expect n1 Comment mine
expect n1 Extra '{"gpucal_speed":1.0,"gpucal_calibrated":2026*'
scontrol update NodeName=n1 Extra='{"gpucal":{"speed":0.5}}' # of earlier versions
"$apply" > out 2>&1 || fail "exit status $?"
expect n1 Extra '{"gpucal_speed":1.0,*'
scontrol update NodeName=n1 Extra='{"rack":7}'
"$apply" > out 2>&1 || fail "exit status $?"
expect n1 Extra '{"rack":7}'
scontrol update NodeName=n1 Extra=''
"$apply" > out 2>&1 || fail "exit status $?"
grep -q $'^n0\t.*\t0.5\tuuid:' speeds.tsv || fail "the speeds are not kept"

# The fast node is taken first, and features choose.
[ "$(srun -Q -N1 -n1 --mpi=none printenv SLURMD_NODENAME)" = n1 ] || fail "n1 is not first"
[ "$(srun -Q -N1 -n1 --mpi=none -C gpucal_medium printenv SLURMD_NODENAME)" = n0 ] ||
    fail "-C gpucal_medium is not n0"

"$apply" > out 2>&1 || fail "exit status $?"
[ "$(grep -c ': unchanged$' out)" = 2 ] || fail "the second time changes something"
publish n0 1.02
"$apply" --node n0 > out 2>&1 || fail "exit status $?"
expect n0 ActiveFeatures "rack1,gpucal,gpucal_fast,$type"

# Reconfiguring takes weights and features back; with the lines in slurm.conf they stay.
publish n0 2
"$apply" --conf "$SLURM_CONF" > slurm.conf 2> out || fail "exit status $?"
diff <(grep -v '^NodeName' slurm.conf) <(grep -v '^NodeName' "$SLURM_CONF") > out ||
    fail "other lines changed"
cp slurm.conf "$SLURM_CONF"
scontrol reconfigure
expect n0 ActiveFeatures "gpucal,gpucal_medium,$type"
expect n0 Weight 200
expect n1 Weight 100
expect n1 Comment mine
# A line for several nodes.
cat > several.conf << 'END'
# NodeName=n0 Weight=7
NodeName=DEFAULT RealMemory=8
nodename=n[0-1],m2 NodeAddr=10.0.0.[1-3] Port=7000 CPUs=4 \
    Features=a,gpucal_slow weight=9 Reason="not yet"  # here
END
"$apply" --conf several.conf > slurm.conf 2> out || fail "exit status $?"
cat > expected << END
# NodeName=n0 Weight=7
NodeName=DEFAULT RealMemory=8
nodename=n0 NodeAddr=10.0.0.1 Port=7000 CPUs=4 Reason="not yet" Weight=200 Feature=a,gpucal,gpucal_medium,$type
nodename=n1 NodeAddr=10.0.0.2 Port=7000 CPUs=4 Reason="not yet" Weight=100 Feature=a,gpucal,gpucal_fast,$type
nodename=m2 NodeAddr=10.0.0.3 Port=7000 CPUs=4 weight=9 Reason="not yet" Feature=a,gpucal_slow
END
diff expected slurm.conf > out || fail "the line for several nodes"
"$apply" --conf absent > out 2>&1 && fail "an absent slurm.conf is not refused"
exit 0
