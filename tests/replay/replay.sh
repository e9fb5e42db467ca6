#!/bin/sh
# replay.sh GPUCAL FILE.test - fits a recorded run again, where there is no device, and
# compares the parameter file with the one that the run published, byte by byte.
set -eu
gpucal=$1 folder=$(dirname "$2")
record=$(sed -n 's/^record: *//p' "$2") golden=$(sed -n 's/^golden: *//p' "$2")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
OCL_ICD_VENDORS=/nonexistent "$gpucal" fit --record "$folder/$record" --output "$out" > "$out/table"
grep -q 'model .*: good' "$out/table"
diff "$folder/$golden" "$out/$golden"
