#!/bin/sh
# replay.sh GPUCAL FILE.test - fits a recorded run again, where there is no device, and
# compares the parameter file with the one that the run published, byte by byte; with
# 'config', with the one that a fit of that configuration gave.
set -eu
gpucal=$1 folder=$(dirname "$2")
value() { sed -n "s/^$1: *//p" "$file"; }
file=$2 record=$(value record) golden=$(value golden) config=$(value config)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
OCL_ICD_VENDORS=/nonexistent "$gpucal" fit --record "$folder/$record" ${config:+--config "$folder/$config"} --output "$out" > "$out/table"
grep -qE 'model .*: (good|poor)' "$out/table"
diff "$folder/$golden" "$out"/*.yaml
