#!/bin/bash
# The health check drains a node that lacks a published device or has drifted, with a
# reason; not for a warning; and resumes what it drained itself, and nothing else.
# shellcheck source=tests/slurm/lib_published.sh
. "$(dirname "$0")/lib_published.sh"
folder_of_conf=${SLURM_CONF%/*}

cat > slurm.env << END
GPUCAL_STORE=$folder/store
GPUCAL=$gpucal
SLURM_CONF=$SLURM_CONF
POCL_DEVICES=basic
END

# n0's own device is published; nothing is of n1.
LD_PRELOAD=$steady SLURMD_NODENAME=n0 "$gpucal" --config "$source/tests/data/small.yaml" \
    --store store --record run.h5 > out 2>&1 || fail "n0 is not calibrated"
# Twelve calibrations of n0, of which the last three took so much longer.
calibrations() { # SLOWER
    awk -v slower="$1" -F '\t' -v OFS='\t' '
        BEGIN { srand(7) }
        $1 != "run" { print; next }
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
        }' track > store/tracks/n0.tsv
}
cp store/tracks/n0.tsv track

# Slurm's own checks come through here while 'enabled' is there.
cat > health-check << END
#!/bin/bash
exec 9> "$folder/lock" && flock 9
[ ! -e "$folder/enabled" ] ||
    GPUCAL_SETTINGS=$folder/slurm.env "$source/slurm/health-check.sh" 2>> "$folder/out"
END
chmod +x health-check
mv health-check "$folder_of_conf/health-check"

# As slurmd runs it: hardly any environment.
check() { # NODE
    env -i SLURMD_NODENAME="$1" GPUCAL_SETTINGS="$folder/slurm.env" \
        timeout 59 "$source/slurm/health-check.sh" > out 2>&1 || fail "exit status $?"
}
is_drained() { # NODE
    scontrol show node "$1" | grep -q '^ *State=[^ ]*DRAIN'
}

check n0
! is_drained n0 || fail "n0 is drained although nothing is wrong"
check n1
! is_drained n1 || fail "n1 is drained although nothing is published"

publish n1 1 # two GPUs that are not there
touch enabled
await 60 "drained by Slurm's check" is_drained n1
rm enabled
flock lock true # the last one has ended
expect n1 Reason 'gpucal: NVIDIA H200 (uuid:*) is gone [[]*'
! is_drained n0 || fail "n0 is drained as well"
rm store/nodes/n1.yaml
check n1
! is_drained n1 || fail "n1 is not resumed"

calibrations 0.05
"$gpucal" audit --node n0 > out 2>&1
[ $? = 2 ] || fail "5 % are no warning"
check n0
! is_drained n0 || fail "n0 is drained for a warning"
calibrations 0.3
check n0
expect n0 Reason 'gpucal: drift of *: arithmetic (*) slower by 30.0 % (GPUCAL-ARITHMETIC) [[]*'
scontrol update NodeName=n0 State=DRAIN Reason="broken fan"
calibrations 0
check n0
is_drained n0 || fail "a node that others drained is resumed"
calibrations 0.3
check n0
expect n0 Reason 'broken fan [[]*'
scontrol update NodeName=n0 State=RESUME
check n0
is_drained n0 || fail "n0 is not drained again"
echo GPUCAL_RESUME=no >> slurm.env
calibrations 0
check n0
is_drained n0 || fail "a node is resumed that was to wait"

# Without its store the check drains nothing, and says so; nor when it cannot audit.
scontrol update NodeName=n0 State=RESUME
mv store elsewhere
check n0
! is_drained n0 || fail "n0 is drained without a store"
grep -q 'n0: unknown: store .*/store: ' out || fail "no word on it"
mv elsewhere store
echo damaged >> store/tracks/n0.tsv
check n0
! is_drained n0 || fail "n0 is drained as it cannot be audited"
grep -q 'n0: unknown: the node is not audited: ' out || fail "no word on it"
