#!/bin/sh
# judged.sh GPUCAL DATA: configurations that were all timed on a GPU, chosen by prediction alone
# and after ten measurements, with the share of the best speed that is reached
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

# The last column but those of more measurements: after 0 and after 10.
share() { # DEVICE NAME TAG...
    share_of 0.9 "$@"
}

share_of() { # SHARE-AFTER-NONE DEVICE NAME TAG...
    least=$1 device=$2 name=$3
    shift 3
    "$gpucal" tune "$@" --params "$data/general/$device.yaml" --model general \
        --times "$data/tune/$device/$name.csv" > "$out/answer"
    awk -v name="$name on $device" -v least="$least" '
        $1 == "search" && NF == 7 {
            found = 1
            print name ": " $2 " after none, " $5 " after 10"
            bad = $2 < least || $5 < 0.97
        }
        END { exit !found || bad }' "$out/answer" || { cat "$out/answer"; exit 1; }
}

share h200 increment increment dtype:float32 M:268435456
share h100 increment increment dtype:float32 M:268435456
# All configurations are predicted within 2 %, as memory limits them: the first is any of them.
share_of 0.7 h100 dense dense dtype:float32 K:256 M:4194304
for device in h100 h200; do
    for bins in 8 128 512; do # the version, where atomic operations contend
        share $device histogram-$bins histogram dtype:float32 lsize_0:256 n:33554432 bins:$bins \
            version:naive,striped,padded,local,local_padded items:1,2,4,8,16,32
    done
done
