#!/bin/bash
# The health check drains and resumes for what it saw, never because it could not look:
# gpucal and scontrol are stand-ins here.
set -u
source=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" && mkdir bin || exit 1

cat > bin/gpucal << 'END'
#!/bin/bash
[ "$*" = "${EXPECTED-health}" ] && [ "$SLURMD_NODENAME" = n0 ] || exit 9
case $STATUS in
0) echo "n0: good: 1 device" ;;
2) echo "n0: warning: drift of H200: arithmetic slower by 5 %" ;;
3) echo "n0: failure: H200 (uuid:1) is gone" ;;
1) echo "n0: unknown: the devices are not known: killed" ;;
KILL) kill -9 $$ ;;
esac
exit "$STATUS"
END
cat > bin/scontrol << 'END'
#!/bin/bash
case $1 in
show) printf '   State=%s\n   Reason=gpucal: H200 (uuid:1) is gone [root@2026]\n' "$STATE" ;;
update) echo "$*" >> updates ;;
esac
END
chmod +x bin/*

check() { # STATE DEVICES EXPECTED
    rm -f updates
    env PATH="$folder/bin:$PATH" STATE="$1" STATUS="$2" SLURMD_NODENAME=n0 \
        GPUCAL="$folder/bin/gpucal" GPUCAL_STORE="$folder/store" GPUCAL_SETTINGS=/nonexistent \
        "$source/slurm/health-check.sh" > out 2>&1
    [ "$(cat updates 2> /dev/null)" = "$3" ] || {
        echo "FAILED: $1, gpucal health ends with $2: '$(cat updates 2> /dev/null)'"
        sed 's/^/out: /' out
        exit 1
    }
}

check IDLE 0 ''
check IDLE 2 ''
check IDLE 3 'update NodeName=n0 State=DRAIN Reason=gpucal: H200 (uuid:1) is gone'
check IDLE+DRAIN 3 ''
check IDLE 1 ''
grep -q "unknown: the devices are not known: killed" out || { cat out && exit 1; }
check IDLE+DRAIN 1 ''
for status in 5 6 126 127 134 139 KILL; do
    check IDLE $status ''
    grep -q "'gpucal health' ended with" out || { cat out && exit 1; }
    check IDLE+DRAIN $status ''
done
check IDLE+DRAIN 0 'update NodeName=n0 State=RESUME'
check IDLE+DRAIN 2 'update NodeName=n0 State=RESUME'
grep -q 'warning: drift of H200' out || { cat out && exit 1; }
export GPUCAL_REQUIRE=yes GPUCAL_MAX_AGE=90 EXPECTED='health --require --max-age 90'
check IDLE 0 ''
