#!/bin/bash
# The health check drains and resumes for what it saw, never because it could not look:
# gpucal and scontrol are stand-ins here.
set -u
source=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" && mkdir -p store/nodes bin || exit 1
touch store/nodes/n0.yaml

cat > bin/gpucal << 'END'
#!/bin/bash
case $1 in
show) printf '%s\n' '"uid": "uuid:1",' '"name": "H200",' && exit ;;
devices)
    [ "$DEVICES" != KILL ] || kill -9 $$
    [ "$DEVICES" != 0 ] || echo '"uid": "uuid:1",'
    exit "$DEVICES"
    ;;
audit) exit 0 ;;
esac
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
    env PATH="$folder/bin:$PATH" STATE="$1" DEVICES="$2" SLURMD_NODENAME=n0 \
        GPUCAL="$folder/bin/gpucal" GPUCAL_STORE="$folder/store" GPUCAL_SETTINGS=/nonexistent \
        "$source/slurm/health-check.sh" > out 2>&1
    [ "$(cat updates 2> /dev/null)" = "$3" ] || {
        echo "FAILED: $1, gpucal devices ends with $2: '$(cat updates 2> /dev/null)'"
        sed 's/^/out: /' out
        exit 1
    }
}

check IDLE 0 ''
check IDLE 5 'update NodeName=n0 State=DRAIN Reason=gpucal: H200 (uuid:1) is gone'
for status in 1 6 126 127 134 139 KILL; do
    check IDLE $status ''
    grep -q "ended with .*: the devices are not known" out || { cat out && exit 1; }
    check IDLE+DRAIN $status ''
done
check IDLE+DRAIN 0 'update NodeName=n0 State=RESUME'
