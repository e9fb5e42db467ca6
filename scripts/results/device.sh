# device.sh: device selection and clpeak's figures, sourced by papers.sh and evaluate.sh.
# Needs 'gpucal', 'out', die() and an array 'failed'.
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # set and used where this is sourced

# Sets 'device' (its name) and 'kind' ("gpu" or "cpu").
find_device() {
    local pattern=${DEVICE:-gpu} all
    "$gpucal" devices --json > "$out/devices.json" || die "$gpucal devices failed: see its messages above"
    all=$(awk -F'"' '$2 == "name" { name = $4 }
        $2 == "device_type" { print $4 "\t" name }' "$out/devices.json")
    while IFS=$'\t' read -r kind device; do
        # shellcheck disable=SC2053 # a pattern
        [[ $kind == "$pattern" || $device == $pattern ]] && return
    done <<< "$all"
    [ -z "${DEVICE:-}" ] || die "no device matches '$DEVICE'"
    IFS=$'\t' read -r kind device <<< "$all"
}

# Prints the size for a large GPU, or for any other device.
size() { # GPU OTHER
    if [ "$kind" = gpu ]; then echo "$1"; else echo "$2"; fi
}

# Writes clpeak's figures to OUT/clpeak.txt, if clpeak is in PATH or named by CLPEAK.  clpeak
# selects platforms by number, so each is searched for the device first.
measure_clpeak() {
    local clpeak=${CLPEAK:-clpeak} platform began=$SECONDS
    command -v "$clpeak" > /dev/null || { echo "clpeak not found, skipped" && return; }
    for platform in 0 1 2 3 4; do
        timeout 60 "$clpeak" -p $platform --kernel-latency > "$out/clpeak.txt" 2>&1
        grep -qF "$device" "$out/clpeak.txt" && break
    done
    timeout 60 "$clpeak" -p $platform --use-event-timer --global-bandwidth --compute-sp \
        > "$out/clpeak.txt" 2>&1 || failed+=(clpeak)
    printf '%-16s %4d s  %d figures\n' clpeak $((SECONDS - began)) \
        "$(grep -c ' : ' "$out/clpeak.txt")"
}

# For comparisons of the devices of this machine: sets 'kinds' (of --device), 'configuration'
# (options), 'product' (tags of a kernel that its models predict) and 'load' (of one that keeps a
# device busy).  GPUs by the default configuration; with DEVICE=cpu, PoCL by a short one.
choose_product() {
    kinds=${DEVICE:-gpu} configuration=()
    product=(matmul_sq dtype:float32 prefetch:True n:4096)
    load=(matmul_sq dtype:float32 prefetch:True n:1024,2048,4096)
    if [ "$kinds" = cpu ]; then
        configuration=(--config "$top/docs/examples/balance/balance.yaml" --budget 8)
        product=(matmul_rows dtype:float32 rows:256)
        load=("${product[@]}")
    fi
}

published_uids() { # STORE
    sed -n 's/^- uid: //p' "$1"/nodes/*.yaml
}

# The predicted time of the product, in seconds; nothing if there is no prediction.
predict_s() { # STORE UID
    "$gpucal" predict "${product[@]}" --params "$1"/nodes/*.yaml --device "$2" --json 2>> "$out/predict.log" |
        awk -F'[:,]' '/^ *"time_s"/ { print $2; exit }'
}
