#!/bin/bash
# export.sh GPUCAL DATA - gpucal export to Slurm and Flux, from a store made of a recorded run
set -u
gpucal=$1 data=$2
checks=$(cd "$(dirname "$0")" && pwd)/checks.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_TRUSTED_KEYS
export GPUCAL_STORE=$work/store
mkdir store made

# shellcheck source=tests/mpi/export/checks.sh
. "$checks"
line() { grep -qxE -- "$1" out || fail "no line '$1'"; }

# Nodes of two H200: 'fast' as fitted, 'half' takes twice the time, 'narrow' has sub-groups
# of half the size.
STORE=$GPUCAL_STORE
run "$gpucal" fit --record "$data/two-gpus/record.h5" --store "$work/made" # node vm
make_node() { # NAME SED-COMMANDS
    mkdir -p "$STORE/nodes"
    sed "s/^node: vm\$/node: $1/; $2" "$work/made/nodes/vm.yaml" > "$STORE/nodes/$1.yaml"
}
make_node fast 's/^\( *factor:\) .*/\1 1/'
make_node half 's/^\( *factor:\) .*/\1 2/'
make_node narrow 's/^\( *factor:\) .*/\1 1/; s/^\( *sub_group_size:\) 32$/\1 16/'

# slurm: of 8 costs of 'narrow' 4 are per sub-group, so its speed is sqrt(1/2).
type=gpucal_type_nvidia_cuda_nvidia_h200_132cu
run "$gpucal" export --to slurm
tab=$'\t'
line "fast${tab}gpucal,gpucal_fast,$type${tab}100${tab}1${tab}uuid:[-0-9a-f]+=0\.[45][0-9]*,uuid:[-0-9a-f]+=0\.[45][0-9]*${tab}gpucal: speed 1, calibrated 2026-[-0-9]{5}, run [-0-9A-Za-z]+${tab}\{.*\}"
line "half${tab}gpucal,gpucal_medium,$type${tab}200${tab}0\.5${tab}uuid:.*${tab}gpucal: speed 0\.5, .*"
line "narrow${tab}gpucal,gpucal_medium,$type${tab}140${tab}0\.7071${tab}.*${tab}gpucal: speed 0\.71, .*"
for want in fast=1 half=0.5 narrow=0.7071; do
    awk -F '\t' -v node="${want%=*}" '$1 == node { print $7 }' out > extra.json
    python3 - "${want#*=}" 2> err << 'END' || fail "Extra of ${want%=*}"
import json, sys
with open("extra.json") as f:
    said = json.load(f)
assert abs(said["gpucal_speed"] - float(sys.argv[1])) < 1e-3, said
devices = said["gpucal_devices"]
assert len(devices) == 2, said
assert abs(sum(d["speed"] for d in devices) - said["gpucal_speed"]) < 1e-3, said
assert all(d["uid"].startswith("uuid:") and d["run"] for d in devices), said
assert said["gpucal_calibrated"] // 10000 == 2026, said
assert "gpucal_gbps" not in said, "a rate without the general model"
END
done

# Rates that jobs filter by are those that 'gpucal show' prints.
extra_of() { # NODE KEY
    run "$gpucal" export --to slurm --store general --node "$1"
    awk -F '\t' '!/^#/ { print $7 }' out | jq -c ".$2"
}
mkdir -p general/nodes
for kind in h100 h200 cpu; do
    sed "s/^node: .*/node: $kind/" "$data/general/$kind.yaml" > general/nodes/$kind.yaml
done
h100=$(extra_of h100 gpucal_gbps) h200=$(extra_of h200 gpucal_gbps)
shown=$("$gpucal" show --store general --node h200 --json |
    jq '[.. | .rate_dram? // empty][0].value / 1e9 | round')
[ "$h200" = "$shown" ] || fail "gpucal_gbps $h200, shown $shown"
[ "$h100" -lt "$h200" ] || fail "gpucal_gbps of an H100 $h100, of an H200 $h200"
[ "$(extra_of cpu gpucal_gbps)" -lt "$h100" ] || fail "no rate of a CPU"
[ "$(extra_of cpu gpucal_gflops)" = null ] || fail "a rate that the CPU's model does not have"
run "$gpucal" export --to slurm --node half --format conf
line "NodeName=half Feature=gpucal,gpucal_fast,$type Weight=100"
run "$gpucal" export --to slurm --node '[fh]*' --format commands -o commands
grep -qE "^scontrol update NodeName='half' Weight=200 Comment='gpucal: .*' Extra='\{.*\}'$" \
    commands || fail "no commands"
[ ! -s out ] || fail "--output goes to standard output as well"

# By the time of a kernel.
run "$gpucal" export --to slurm --format conf --profile "$data/mm.profile.yaml" --at n=1048576 \
    --at n=4194304
line "NodeName=half .* Weight=200"
refused "mm.profile.yaml.*n" "$gpucal" export --to slurm --profile "$data/mm.profile.yaml"

# Nodes without the model, and nodes without a common cost.
make_node other 's/\brates\b/others/'
run "$gpucal" export --to slurm --model rates
line "other${tab}gpucal,$type${tab}-${tab}-${tab}uuid:[^=]*=-,uuid:[^=]*=-${tab}gpucal: speed unknown, .*"
refused 'no device has a model absent with costs known to 20 %' "$gpucal" export --to slurm --model absent
refused 'none of the 4 published nodes matches x' "$gpucal" export --to slurm --node x
refused 'no published device matches cpu' "$gpucal" export --to slurm --device cpu
refused 'expected slurm, .*, found .abacus.' "$gpucal" export --to abacus
refused 'to .or --json. is required' "$gpucal" export

# flux: percent slower; an unknown speed is the worst class.
run "$gpucal" export --to flux --model rates
printf 'flux ion-resource set-property %s perf_class=%s\n' "'/cluster0/fast'" 0 \
    "'/cluster0/half'" 100 "'/cluster0/narrow'" 41 "'/cluster0/other'" 9999 > expected
diff expected out || fail "flux's commands"
run "$gpucal" export --to flux --model rates --format jgf
cp out classes.json
# The recipe of gpucal-schedulers(7), on a graph as 'flux ion-R encode' makes it.
cat > R.json << 'END'
{"version": 1, "execution": {}, "scheduling": {"graph": {"nodes": [
 {"id": "0", "metadata": {"type": "cluster", "name": "cluster0"}},
 {"id": "1", "metadata": {"type": "node", "name": "half", "properties": {"old": ""}}},
 {"id": "2", "metadata": {"type": "core", "name": "core0"}},
 {"id": "3", "metadata": {"type": "node", "name": "stranger"}}], "edges": []}}}
END
run jq --slurpfile c classes.json '.scheduling.graph.nodes[].metadata |=
    if .type == "node" then .properties += ($c[0][.name] // {}) else . end' R.json
cp out merged.json
run jq -c '[.scheduling.graph.nodes[].metadata.properties]' merged.json
line '\[null,\{"old":"","perf_class":"100"\},null,\{\}\]'

# Nodes that differ by no more than their errors have one class, wherever its limit is.
class() { # NODE FEATURE WEIGHT PERF_CLASS
    run "$gpucal" export --to slurm --model rates --node '[emt]*'
    grep -q "^$1${tab}gpucal,gpucal_$2,$type${tab}$3${tab}" out || fail "$1 is not $2 of weight $3"
    run "$gpucal" export --to flux --model rates --node '[emt]*'
    grep -q "/$1' perf_class=$4\$" out || fail "$1 is not in class $4"
}
make_node top 's/^\( *factor:\) .*/\1 1/'
make_node equal 's/^\( *factor:\) .*/\1 1.108/' # 0.9025
make_node equal2 's/^\( *factor:\) .*/\1 1.116/' # 0.896
class equal medium 110 11
class equal2 medium 110 11

# Another class only if a second calibration confirms it.
make_node moved 's/^\( *factor:\) .*/\1 1.3/'
calibrated() { # TIMES...: of each calibration, relative to the last
    awk -v times="$*" -F '\t' -v OFS='\t' '
        $1 != "run" { print; next }
        {
            n = split(times, time, " ")
            split($0, last)
            for (i = 1; i <= n; i++) {
                $2 = sprintf("202611%02dT000000Z-%08x", i, i)
                for (f = 12; f < NF; f += 2) {
                    $f = last[f] == "-" ? "-" : last[f] * time[i]
                    $(f + 1) = last[f] == "-" ? "-" : last[f] * 0.001
                }
                print
            }
        }' "$work/made/tracks/vm.tsv" > "$STORE/tracks/moved.tsv"
}
mkdir "$STORE/tracks"
calibrated 0.77 0.768 0.77 1
class moved fast 100 0
calibrated 0.77 0.768 1 0.77 1 # never twice
class moved fast 100 0
calibrated 0.77 0.768 1.003 1
class moved medium 130 30
calibrated 1 1 0.77 1
class moved medium 130 30
rm "$STORE"/nodes/{top,equal,equal2,moved}.yaml

# A file that cannot be read stops no other node.
expected=$("$gpucal" export --to slurm --node '[fh]*')
echo '{' > "$STORE/nodes/hurt.yaml"
run "$gpucal" export --to slurm --node '[fh]*'
[ "$(cat out)" = "$expected" ] || fail "the other nodes are not exported as before"
grep -q 'node hurt is left out: .*hurt.yaml' err || fail "the damaged node is not named"
run "$gpucal" export --to flux
run "$gpucal" show
grep -q '^half ' out && grep -q '^narrow ' out || fail "a node is not shown"
grep -q 'node hurt is left out: .*hurt.yaml' err || fail "the damaged node is not named"
run "$gpucal" show --json
refused 'hurt.yaml' "$gpucal" show --node hurt
refused 'hurt.yaml' "$gpucal" export --to slurm --node hurt
rm "$STORE/nodes/hurt.yaml"

# Output that cannot be written.
refused 'standard output: ' sh -c '"$1" show > /dev/full' sh "$gpucal"
refused 'standard output: ' sh -c '"$1" audit --json > /dev/full' sh "$gpucal"
for command in show 'show --json' 'export --to slurm' audit kernels help; do
    refused 'standard output: it is closed' sh -c "\"\$1\" $command >&-" sh "$gpucal"
done

# A run's id is one field of one line, whatever is in it.
make_node sly 's/^\( *run_id:\) .*/\1 "r\\tx\\nfast\\tgpucal"/'
run "$gpucal" export --to slurm --node sly
[ "$(wc -l < out)" = 2 ] || fail "a run's id makes a line"
awk -F '\t' 'NF != 7 { exit 1 }' out || fail "a run's id makes a field"
rm "$STORE/nodes/sly.yaml"
