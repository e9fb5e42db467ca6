#!/bin/bash
# health_check.sh GPUCAL SOURCE STEADY - gpucal health --check: which resource lost how much, from measuring
set -u
gpucal=$1 data=$2/tests/data steady=$3
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -r "$work"' EXIT
cd "$work" || exit 1
export GPUCAL_STORE=$work/store XDG_CACHE_HOME=$work/cache SLURMD_NODENAME=n1
export LD_PRELOAD=$steady TEST_NS=0.01 TEST_RUN_ITEMS=100000

health() { # STATUS LINE ARGUMENT...
    local wanted=$1 line=$2 status=0
    shift 2
    "$gpucal" health --check "$@" > out 2> err || status=$?
    [ $status = "$wanted" ] && grep -qE "$line" out && return
    echo "FAILED: health --check $*: status $status instead of $wanted, or no line '$line'"
    cat out err
    exit 1
}

# N checks before this one, in which each time was FACTOR, of those named, times that of 'one'; copies,
# which are real and not always timed here, were so slow that they are faster in any case.
past() { # N NAME:FACTOR...
    local n=$1
    shift
    awk -F '\t' -v OFS='\t' -v n="$n" -v factors="$*" '
        BEGIN {
            split(factors, words, " ")
            for (i in words) { split(words[i], w, ":"); by[w[1]] = w[2] }
            by["to_device"] = by["from_device"] = 1e9
            print "gpucal_checks 1"
        }
        {
            for (i = 1; i <= n; i++) {
                split(one = $0, f, "\t")
                for (k = 7; k <= NF; k++) {
                    split(f[k], w, ":")
                    $k = sprintf("%s:%s:%.9g", w[1], w[2],
                                 w[3] * (w[1] in by ? by[w[1]] : 1) * (1 + 0.0002 * (i % 3)))
                }
                print
                $0 = one
            }
        }' one > store/checks/n1.tsv
}

health 1 'n1: unknown: no such|n1: unknown: store'
"$gpucal" health --check --node n1 2>&1 | grep -q 'excludes --node' || exit 1
mkdir store
health 0 '^n1: good: nothing is published of it$'
"$gpucal" calibrate --config "$data/small.yaml" --record a.h5 > calibrated 2>&1 || { cat calibrated && exit 1; }

# The first checks have nothing to be compared with.  On a busy machine fewer resources, or none, are
# measured in time.
for _ in 1 2 3 4 5 6; do
    rm -f store/checks/n1.tsv
    "$gpucal" health --check > out 2> err
    grep -q ': good: [5-7] resources' out && break
    grep -qE ': (good: [1-4] resources measured|unknown: not measured: no resource)' out || { cat out err && exit 1; }
done
grep -qE '^  .*: good: [5-7] resources measured, 0 of 5 checks that a reference needs; ' out || { cat out err && exit 1; }
[ ! -s err ] || { cat err && exit 1; }
tail -1 store/checks/n1.tsv > one
[ "$(wc -l < store/checks/n1.tsv)" = 2 ] || exit 1

# Beside a calibration nothing is measured.
if ! python3 -c '
import fcntl, subprocess, sys
lock = open("store/locks/n1.lock", "a")
fcntl.lockf(lock, fcntl.LOCK_EX)
done = subprocess.run(sys.argv[1:], stdout=open("out", "w"), check=False)
sys.exit(done.returncode != 1)' "$gpucal" health --check 2> err ||
    ! grep -q 'n1: unknown: .*: not judged: the node is being calibrated' out; then
    cat out err
    exit 1
fi

# At most 40 checks of a device are kept.
past 45
health 0 '^n1: good: 1 device$'
grep -qE '^  .*: good: [5-7] resources as in the checks before; ' out || { cat out && exit 1; }
[ "$(wc -l < store/checks/n1.tsv)" = 41 ] || { wc -l store/checks/n1.tsv && exit 1; }

# What is off is named, and marked: it is no reference.
past 10 memory:0.985
health 2 '^n1: warning: .*: memory bandwidth lost 1\.[4-6] % \+- 0\.[0-9] %$'
tail -1 store/checks/n1.tsv | grep -q 'memory:[0-9a-f]*:[^:]*:off' || exit 1
past 10 cache:0.7 latency:0.9
health 3 'reason.*last-level cache lost 4[23]\..*; latency lost 11\.' --json
grep -q '"code": "GPUCAL-SLOWER"' out && grep -q '"resource": "memory"' out || exit 1

# Other devices of the type, on other nodes: a device may have been slow from the first day.
past 1
for i in $(seq 2 40); do
    awk -F '\t' -v OFS='\t' -v i="$i" 'NR > 1 {
        $3 = "cl:" i
        for (k = 7; k <= NF; k++) if (split($k, w, ":") && w[1] == "latency") $k = w[1] ":" w[2] ":" w[3] / 2
    } { print }' store/checks/n1.tsv > "store/checks/n$i.tsv"
done
# Where the store has a reference, it says where the device is in it.
type=$(cut -f 4 one)
mkdir store/references
LD_PRELOAD='' "$gpucal" store export-reference "$type" > reference || exit 1
mv reference "store/references/$type.tsv"
health 3 '^n1: failure: .*: latency (99|100)\.[0-9] % slower than the median of its type; .*latency is of the slowest 2\.5 % of 40 of its type'
rm store/checks/n[2-9].tsv store/checks/n??.tsv

# Lines that nobody signed do not count where keys are trusted; those of a key do.
past 10 latency:0.5
LD_PRELOAD='' "$gpucal" store keygen key > keys 2>&1 || exit 1
GPUCAL_TRUSTED_KEYS=$work/key.pub "$gpucal" store sign --key key > signed 2>&1 || { cat signed && exit 1; }
export GPUCAL_TRUSTED_KEYS=$work/key.pub GPUCAL_SIGN_KEY=$work/key
health 0 'good: [5-7] resources measured, 0 of 5 .*; 10 checks before are damaged, or not signed'
tail -1 store/checks/n1.tsv | grep -q '	# gpucal-signature ed25519 ' || exit 1
unset GPUCAL_TRUSTED_KEYS GPUCAL_SIGN_KEY

# A file that cannot be read is said, and left as it is.
echo other > store/checks/n1.tsv
health 0 'checks/n1.tsv is damaged, or written by another version of gpucal: remove it'
grep -qx other store/checks/n1.tsv || exit 1

# A node that is forgotten leaves none.
if ! GPUCAL_SIGN_KEY=$work/key LD_PRELOAD='' "$gpucal" store forget --node n1 > forgotten 2>&1 ||
    [ -e store/checks/n1.tsv ]; then
    cat forgotten
    exit 1
fi
