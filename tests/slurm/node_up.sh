#!/bin/bash
# A node that comes back is calibrated, but not again while nothing changes.
# shellcheck source=tests/slurm/lib_published.sh
. "$(dirname "$0")/lib_published.sh"

mkdir logs
cp "$source/tests/data/small.yaml" config.yaml
cat > slurm.env << END
GPUCAL_STORE=$folder/store
GPUCAL=$gpucal
GPUCAL_CONFIG=$folder/config.yaml
GPUCAL_MAX_AGE=30
GPUCAL_LOGS=$folder/logs
GPUCAL_SETTINGS=$folder/slurm.env
POCL_DEVICES=basic
LD_PRELOAD=$steady
END
cat > node-up << END
#!/bin/bash
GPUCAL_SETTINGS=$folder/slurm.env exec "$source/slurm/node-up.sh" "\$@" >> "$folder/out" 2>&1
END
chmod +x node-up

# A job that has said so may still be there; of a node that goes down then, Slurm would put it
# back into the queue, and it waits there for minutes.
ended() { # LOGS: so many jobs have, by their last lines
    [ -z "$(squeue -h -o %i)" ] &&
        [ "$(cat logs/*.log 2> /dev/null | grep -c '^gpucal: \(run\|nothing\)')" = "$1" ]
}
last_log() { find logs -name '*.log' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2; }
come_back() {
    scontrol update NodeName=n1 State=DOWN Reason=test
    scontrol update NodeName=n1 State=RESUME
}

strigger --set --node --up --flags=PERM --program="$folder/node-up" > out 2>&1 ||
    fail "no trigger"
come_back
await 90 "calibrated" ended 1
grep -q ': measured because nothing is published for it on this node' logs/gpucal-n1-*.log || fail "no reason"
[ -s store/nodes/n1.yaml ] || fail "n1 is not published"
[ ! -e store/nodes/n0.yaml ] || fail "n0 was measured, too"
before=$(sha256sum store/nodes/n1.yaml)

come_back
await 60 "looked at" ended 2
grep -q '^gpucal: nothing to do: 1 device unchanged' "$(last_log)" ||
    fail "it is measured again"
[ "$(find logs -name '*.h5' | wc -l)" = 1 ] || fail "a record is left of nothing"
[ "$(sha256sum store/nodes/n1.yaml)" = "$before" ] || fail "what is published changed"

# By hand now, without waiting for the trigger.
sed -i 's/noise: .*/noise: 0.03/' config.yaml
./node-up n1
await 60 "calibrated" ended 3
grep -q ': measured because the configuration changed' "$(last_log)" || fail "no reason"
[ "$(sha256sum store/nodes/n1.yaml)" != "$before" ] ||
    fail "nothing is published: $(tail -n 3 "$(last_log)")"

# One that waits already is enough.
scontrol update NodeName=n1 State=DRAIN Reason=test
./node-up n1
./node-up n1
[ "$(squeue -h -n gpucal-n1 -o %i | wc -l)" = 1 ] || fail "two jobs wait for n1"
