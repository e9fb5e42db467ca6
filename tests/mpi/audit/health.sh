#!/bin/bash
# health.sh GPUCAL SOURCE - gpucal health: what it saw is a failure, what it could not see is unknown.
set -u
gpucal=$1 data=$2/tests/data
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -r "$work"' EXIT
cd "$work" || exit 1
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=/dev/null GPUCAL_STORE=$work/store SLURMD_NODENAME=other

health() { # STATUS LINE ARGUMENT...
    local wanted=$1 line=$2 status=0
    shift 2
    "$gpucal" health "$@" > out 2> err || status=$?
    [ $status = "$wanted" ] && grep -qE "$line" out && return
    echo "FAILED: health $*: status $status instead of $wanted, or no line '$line'"
    cat out err
    exit 1
}

health 1 '^n7: unknown: store .*store' --node n7
# Of what cannot be a node, nothing is said.
for name in ../n7 $'\xff'; do
    "$gpucal" health --node "$name" --json > out 2> err
    [ $? = 1 ] && [ ! -s out ] && grep -q 'cannot be the name of a node' err || exit 1
done
mkdir store
# A name that is mistyped does not pass; this node, which is new, does, unless it must be there.
health 1 "^n7: unknown: nothing is published of it: 'gpucal show' lists" --node n7
health 0 '^other: good: nothing is published of it$'
health 0 '^other: good' --max-age 1
health 3 '^other: failure: nothing is published of it$' --require
health 3 '"code": "GPUCAL-NOT-CALIBRATED"' --require --node n7 --json
"$gpucal" health --max-age -1 2>&1 | grep -q 'max-age: expected a positive number' || exit 1

# A node with two GPUs: from elsewhere, and there, where they are gone.
"$gpucal" fit --record "$data/two-gpus/record.h5" --store store > fit 2>&1 || exit 1
health 0 '^vm: good: 2 devices, not looked at from here$' --node vm
SLURMD_NODENAME=vm health 3 '^vm: failure: NVIDIA H200 \(uuid:.*\) is gone$'
SLURMD_NODENAME=vm health 3 '"code": "GPUCAL-DEVICE-GONE"' --json
grep -q '"status": "failure"' out && grep -q '"present": 0' out || exit 1

# Old calibrations: the record's is of years before this test, or months.
health 2 '^vm: warning: model .* was calibrated [0-9]+ days ago: calibrate' --node vm --max-age 0.001
health 2 '"code": "GPUCAL-OLD"' --node vm --max-age 0.001 --json
health 0 '^vm: good: 2 devices' --node vm --max-age 100000 --require
SLURMD_NODENAME=vm health 3 'is gone$' --max-age 0.001
cp -r store without
"$gpucal" store forget --store without --node vm --device 'NVIDIA H200' \
    --model "$(sed -n 's/^ *model: //p' store/nodes/vm.yaml | head -1)" > out 2>&1
health 3 '^vm: failure: NVIDIA H200 .* is not calibrated' --node vm --require --store without
health 0 '^vm: good' --node vm --store without

# Its first device has become slower, by 30 % and by 5 %.
cp store/tracks/vm.tsv track
slower() { # BY
    awk -v slower="$1" -F '\t' -v OFS='\t' '
        BEGIN { srand(7) }
        $1 != "run" || seen++ { if ($1 != "run") print; next }
        {
            for (i = 1; i <= 12; i++) {
                $2 = sprintf("202611%02dT000000Z-%08x", i, i)
                $3 = sprintf("2026-11-%02dT00:00:00Z", i)
                for (f = 12; f < NF; f += 2) {
                    $f = 1e-10 * (1 + 0.002 * (rand() - 0.5)) * (i > 9 ? 1 + slower : 1)
                    $(f + 1) = 0.001 * $f
                }
                print
            }
        }' track > store/tracks/vm.tsv
}
slower 0.3
health 3 '^vm: failure: drift of NVIDIA H200: .*slower by (29|30)[.][0-9] % \(GPUCAL-' --node vm
slower 0.05
health 2 '^vm: warning: drift of NVIDIA H200: .*\(GPUCAL-' --node vm
slower 0
health 0 '^vm: good' --node vm

# What cannot be read is no failure; but one that was seen stays one.
echo damaged >> store/tracks/vm.tsv
health 1 '^vm: unknown: the node is not audited: .*tracks/vm.tsv' --node vm
SLURMD_NODENAME=vm health 3 'is gone$'
echo damaged >> store/nodes/vm.yaml
health 1 '^vm: unknown: store .*nodes/vm.yaml' --node vm
