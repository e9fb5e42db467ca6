#!/bin/bash
# export_fleets.sh GPUCAL SOURCE - gpucal export to Node Feature Discovery, and of the tables for Gavel and PAL
set -u
gpucal=$1 source=$2 data=$2/tests/data
checks=$(cd "$(dirname "$0")" && pwd)/checks.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_TRUSTED_KEYS
export GPUCAL_STORE=$work/store
mkdir -p store/nodes made

# shellcheck source=tests/mpi/export/checks.sh
. "$checks"

# Three nodes of two H200, of which the slow one takes 1.3 times as long.
run "$gpucal" fit --record "$data/two-gpus/record.h5" --store made # node vm
for node in a=1 b=1 slow=1.3; do
    sed "s/^node: vm\$/node: ${node%=*}/; s/^\( *factor:\) .*/\1 ${node#*=}/" made/nodes/vm.yaml \
        > "store/nodes/${node%=*}.yaml"
done
sizes=(--profile "$data/mm.profile.yaml" --at n=1048576 --at n=4194304)

tables=$source/docs/examples/simulators/tables.py
run "$gpucal" export --json "${sizes[@]}"
cp out kernels.json
run python3 "$tables" pal < kernels.json
cp out scores.csv
run python3 "$tables" gavel < kernels.json
cp out gavel.json
run "$gpucal" export --json
cp out costs.json
run python3 "$tables" pal < costs.json
cp out costs.csv
uid=$(sed -n 's/^- uid: //p' store/nodes/a.yaml | head -n 1)
for n in 1048576 4194304; do
    run "$gpucal" predict --node a --device "$uid" --profile "$data/mm.profile.yaml" --at n=$n --json
    cp out $n.json
done
# Nodes with the general model, of which the labels have rates.
mkdir -p general/nodes
for kind in h100 cpu; do
    sed "s/^node: .*/node: $kind/" "$data/general/$kind.yaml" > general/nodes/$kind.yaml
done
run "$gpucal" export --to nfd --store general --output labels
run python3 "$source/tests/mpi/export/export_fleets.py" "$source/docs/examples/kubernetes"

# A node of which the general model is poor is left out of the fleet, unless that is named.
sed 's/^node: .*/node: doubtful/; s/^held_out_rms: .*/held_out_rms: 0.6/' "$data/general/h100.yaml" > general/nodes/doubtful.yaml
for to in slurm flux; do
    run "$gpucal" export --to $to --store general --device 'gpu'
    grep -q h100 out || fail "$to: no node is left"
    grep -q doubtful out && fail "$to: a poor model is chosen"
    run "$gpucal" export --to $to --store general --device 'gpu' --model general
    grep -q doubtful out || fail "$to: a poor model is not taken by name"
done
refused 'it is poor' "$gpucal" export --to flux --store general --node doubtful

refused 'give --output FOLDER' "$gpucal" export --to nfd
refused 'mm n=7 is given twice' "$gpucal" export --json --profile "$data/mm.profile.yaml" \
    --at n=7 --at n=7
refused 'usage' python3 "$tables" slurm
