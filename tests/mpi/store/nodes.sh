#!/bin/bash
# nodes.sh - stores are made, and nodes leave them (on simulated devices):
#   nodes.sh GPUCAL SIMULATED_DEVICE.SO SMALL.YAML
set -u
gpucal=$1 config=$3
export OCL_ICD_VENDORS=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_STORE GPUCAL_CATALOGUE GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS
touch out

fail() {
    echo "FAILED: $*"
    cat out
    exit 1
}
run() { # STATUS WORD..
    local status=0 expected=$1
    "$gpucal" "${@:2}" > out 2>&1 || status=$?
    [ $status = "$expected" ] || fail "${*:2}: status $status"
}
says() { grep -q -e "$1" out || fail "not said: $1"; }
says_not() { grep -q -e "$1" out && fail "said: $1"; }

# A folder is made that everyone may read, whatever the umask; what is no store stays as it is.
(umask 077 && "$gpucal" store init --store s > out 2>&1) || fail "not made"
says '^store s: made$'
[ "$(stat -c %a s s/nodes s/ledger | uniq)" = 755 ] || fail "modes: $(stat -c '%a %n' s s/*)"
run 0 store init --store s
says 'exists already'
mkdir none && touch none/file
run 1 store init --store none
says 'not empty'
[ "$(ls none)" = file ] || fail "changed: $(ls none)"
run 6 store init --store no/such/folder
run 1 store init
says 'no store given'
run 0 store init --store t --json
grep -q '"made": true' out || fail "json"
run 6 calibrate --config "$config" --store missing
says 'gpucal store init --store missing'

# A calibration that would publish nothing is refused before it measures, unless a record is wanted.
for with in --quiet --json; do
    run 1 calibrate --config "$config" --device 'Simulated device' $with
    says 'no store given, so that nothing would be published: --store DIR, .*--record'
    [ -z "$(ls ./*.h5* 2> /dev/null)" ] || fail "something was measured"
done
run 0 calibrate --config "$config" --device 'Simulated device' --record alone.h5
says 'nothing is published'
[ -e alone.h5 ] || fail "no record"
run 0 calibrate --config "$config" --device 'Simulated device' --dry-run

touch s/simulated
export GPUCAL_STORE=s
for node in n0 n1 n2; do
    SLURMD_NODENAME=$node run 0 calibrate --config "$config" --device 'Simulated device' --record $node.h5
done
run 0 store verify
# Files of a newer version are named once each.
cp -r s newer
sed -i 's/^gpucal_params: .*/gpucal_params: 99/' newer/nodes/n[01].yaml
for status in 0 1; do
    for command in show 'show --json' 'export --to slurm'; do
        # shellcheck disable=SC2086
        run $status $command --store newer
        for node in n0 n1 n2; do
            n=1
            [ $node$status = n20 ] && n=0 # still readable
            [ "$(grep -c "nodes/$node.yaml:1: version 99" out)" = $n ] || fail "$command: not $n times: $node"
        done
    done
    sed -i 's/^gpucal_params: .*/gpucal_params: 99/' newer/nodes/n2.yaml
done
mkdir kept
cp s/nodes/n1.yaml s/medians/n1.tsv kept

run 1 store forget
run 1 store forget --node n1 --device cpu
run 1 store forget --node n9
says "no node matches 'n9'"
run 0 store forget --node n1 --dry-run
says '^1 node would be removed'
[ -e s/nodes/n1.yaml ] || fail "a dry run removes"
run 0 store forget --node n1 --json
says '"nodes": 1'
[ ! -e s/nodes/n1.yaml ] && [ ! -e s/medians/n1.tsv ] || fail "it is still there"
[ -d s/history/n1 ] && [ -e s/tracks/n1.tsv ] || fail "the history went as well"
run 0 store verify
says '^good: '
run 0 show
says n0
says_not n1
run 0 export --to slurm
says_not n1
run 0 audit
says_not n1
run 1 store forget --node n1

# Put back: reported, and not used.
cp kept/n1.yaml s/nodes
run 1 store verify
says 'nodes/n1.yaml is of run .* removed since'
rm s/nodes/n1.yaml
cp kept/n1.tsv s/medians
run 1 store verify
says 'medians/n1.tsv is of run .* removed since'
run 0 fit --record n0.h5 --store s
says 'the medians of node n1 are left out of the fit: .* removed since'
says 'and 1 device of earlier runs'
rm s/medians/n1.tsv
run 0 store verify

# Calibrated again, it is there, and its audit begins anew.
SLURMD_NODENAME=n1 run 0 calibrate --config "$config" --device 'Simulated device'
run 0 store verify
run 0 show
says n1
[ "$(grep -c '^forget' s/tracks/n1.tsv)" = 1 ] || fail "the track: $(cat s/tracks/n1.tsv)"

# Files that somebody removed or damaged.
rm s/nodes/n1.yaml
run 1 store verify
says 'nodes/n1.yaml is missing'
run 0 store forget --node n1
run 0 store verify
echo x >> s/nodes/n2.yaml
rm s/medians/n2.tsv
run 0 store forget --node 'n2'
run 0 store verify
run 0 store prune --keep 1
run 0 store verify

# With a key: nobody else removes a node, and what is removed is signed.
(umask 077 && "$gpucal" store keygen key) > out || fail keygen
run 0 store sign --key key
run 6 store forget --node n0
says 'set \$GPUCAL_SIGN_KEY'
GPUCAL_SIGN_KEY=key run 0 store forget --node '*'
run 0 store verify --keys key.pub
run 1 show
says 'nothing is published'
