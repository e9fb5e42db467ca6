#!/bin/bash
# test_command.sh GPUCAL RECORD: output and exit status of gpucal store, on a store filled from
# a record
set -u
gpucal=$1
record=$2
top=$(mktemp -d /tmp/gpucal-test-XXXXXX)
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 1
unset GPUCAL_STORE GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS
mkdir -m 755 store
failed=0

# expect STATUS TEXT COMMAND...: TEXT is in what it prints.
expect() {
    local status=$1 text=$2 got out
    shift 2
    out=$("$@" 2>&1)
    got=$?
    [ $got = "$status" ] && grep -qF -- "$text" <<< "$out" && return
    echo "$*: status $got, not $status, or no '$text' in: $out"
    failed=1
}

expect 1 'no store given (--store DIR or $GPUCAL_STORE)' "$gpucal" store verify
expect 1 'missing action: init, verify' "$gpucal" store
expect 1 "unknown action 'tidy'" "$gpucal" store tidy
expect 1 'prune requires --keep' "$gpucal" store prune --store store
expect 1 'keep: expected an integer' "$gpucal" store prune --store store --keep 1.5
expect 1 unexpected "$gpucal" store verify this --store store
expect 1 'No such file' "$gpucal" store verify --store nowhere
expect 0 'good: 0 files' "$gpucal" store verify --store store

export GPUCAL_STORE=$top/store
expect 0 '1 node published' "$gpucal" fit --record "$record" --store store
expect 0 'good: 7 files, 0 signed, 6 lines of the ledger' "$gpucal" store verify
expect 0 '' "$gpucal" store verify --quiet
[ -z "$("$gpucal" store verify --quiet)" ] || { echo '--quiet prints'; failed=1; }

# Signing existing files, and files when they are published.
expect 0 'secret key: key' "$gpucal" store keygen key
expect 1 'not overwritten' "$gpucal" store keygen key
expect 6 'No such file' "$gpucal" store keygen nowhere/key
expect 0 '' "$gpucal" store keygen other
expect 1 'not signed' env GPUCAL_TRUSTED_KEYS=key.pub "$gpucal" show
expect 1 'no key given' "$gpucal" store sign
expect 0 '5 files signed' "$gpucal" store sign --key key
expect 0 '0 files signed' env GPUCAL_SIGN_KEY=key "$gpucal" store sign
expect 0 'vm  ' env GPUCAL_TRUSTED_KEYS=key.pub "$gpucal" show
expect 1 'is not trusted' env GPUCAL_TRUSTED_KEYS=other.pub "$gpucal" show
expect 1 'is not trusted' "$gpucal" store verify --keys other.pub
expect 0 '5 signed' "$gpucal" store verify --keys key.pub
expect 6 'is not trusted' env GPUCAL_SIGN_KEY=other \
    "$gpucal" fit --record "$record" --store store
cat key.pub other.pub > both.pub
expect 0 '1 node published' env GPUCAL_SIGN_KEY=other GPUCAL_TRUSTED_KEYS=both.pub \
    "$gpucal" fit --record "$record" --store store
expect 0 'good: 7 files, 5 signed' "$gpucal" store verify --keys both.pub
chmod 644 key
expect 1 'chmod go=' env GPUCAL_SIGN_KEY=key "$gpucal" fit --record "$record" --store store

# Nor does an unsigned file replace a signed one.
expect 6 'is signed, and what replaces it would not be' \
    "$gpucal" fit --record "$record" --store store

# Forgetting a model: signed again, in the ledger, and nowhere else but in the history.
chmod 600 key
expect 1 'forget requires --model' "$gpucal" store forget
expect 1 'for forget alone' "$gpucal" store verify --model rates
expect 1 "no model 'nix' is published:" "$gpucal" store forget --model nix
expect 1 "no model 'rates' is published there" "$gpucal" store forget --model rates --node 'x*'
expect 1 "no model 'rates' is published there" "$gpucal" store forget --model rates --device nix
expect 0 'would be removed from 2 devices (2 files)' \
    "$gpucal" store forget --model rates --dry-run
expect 6 'is not trusted' env GPUCAL_SIGN_KEY=key GPUCAL_TRUSTED_KEYS=key.pub \
    "$gpucal" store forget --model rates
expect 6 'is signed, and what replaces it would not be' "$gpucal" store forget --model rates
expect 0 'model rates removed from 2 devices (1 file)' \
    env GPUCAL_SIGN_KEY=other "$gpucal" store forget --model rates --node vm
expect 0 'model rates removed from 0 devices (1 file)' \
    env GPUCAL_SIGN_KEY=other "$gpucal" store forget --model rates
expect 1 "no model 'rates' is published" "$gpucal" store forget --model rates
expect 0 'good: 7 files, 5 signed, 19 lines' "$gpucal" store verify --keys both.pub
grep -q 'model: rates' store/nodes/vm.yaml store/types/*.yaml && { echo 'not forgotten'; failed=1; }
grep -q 'model: rates' store/history/vm/*.yaml || { echo 'forgotten in the history'; failed=1; }
grep -q 'model: rates' store/type-history/*/*.yaml || { echo 'forgotten of the type'; failed=1; }
expect 0 '0 pass' "$gpucal" audit
expect 0 '1 node published' env GPUCAL_SIGN_KEY=other GPUCAL_TRUSTED_KEYS=both.pub \
    "$gpucal" fit --record "$record" --store store
expect 0 'model rates' env GPUCAL_TRUSTED_KEYS=both.pub "$gpucal" show --parameters
expect 0 'good: 7 files, 5 signed' "$gpucal" store verify --keys both.pub

# Damage: reported, not signed, and not read.
cp -a store/nodes/vm.yaml vm.yaml
sed -i 's/fp64: true/fp64: false/' store/nodes/vm.yaml
expect 1 'nodes/vm.yaml differs from the published file' "$gpucal" store verify
expect 1 'nothing was signed' "$gpucal" store sign --key other
expect 1 'changed since it was signed' env GPUCAL_TRUSTED_KEYS=other.pub "$gpucal" show
cp -a vm.yaml store/nodes/vm.yaml
chmod 666 store/nodes/vm.yaml
expect 1 "run 'chmod o-w $top/store/nodes/vm.yaml'" "$gpucal" show
chmod 644 store/nodes/vm.yaml

expect 0 '0 files would be removed' "$gpucal" store prune --keep 0 --max-age 1 --dry-run
expect 0 '2 files would be removed' "$gpucal" store prune --keep 0 --dry-run
expect 0 '2 files removed' "$gpucal" store prune --keep 0
expect 0 'good: 5 files' "$gpucal" store verify
# A process without standard files does not write its messages into the store's.
"$gpucal" fit --record "$record" --store store <&- >&- 2>&-
expect 0 'good' "$gpucal" store verify
expect 1 "unknown command 'worker'" "$gpucal" worker -1
expect 1 "unknown command 'spawner'" "$gpucal" spawner 0
# A calibration goes on when nobody reads its messages.
{ sleep 0.3; "$gpucal" --config nowhere 2>&1; echo $? > status; } | true
[ "$(cat status)" = 1 ] || { echo "a closed log ends a calibration: $(cat status)"; failed=1; }

chmod 777 store
expect 1 'everyone may write to it' "$gpucal" store verify
expect 6 'everyone may write to it' "$gpucal" fit --record "$record" --store store
exit $failed
