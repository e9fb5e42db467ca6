#!/bin/bash
# facts.sh GPUCAL DATA - what 'gpucal show --device' makes of published parameters.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
mkdir -m 755 "$out/store" "$out/store/nodes"
for file in general/h200.yaml general/cpu.yaml transfers.yaml; do
    node=$(basename "$file" .yaml)
    sed "s/^node: .*/node: $node/" "$data/$file" > "$out/store/nodes/$node.yaml"
    chmod 644 "$out/store/nodes/$node.yaml"
done

show() { # OPTION...
    "$gpucal" show --store "$out/store" "$@" 2>&1
}
fail() { # TEXT
    echo "$1"
    cat "$out/answer"
    exit 1
}
expect() { # PATTERN
    grep -qE -- "$1" "$out/answer" || fail "no line matches: $1"
}

show --device=gpu --node h200 > "$out/answer"
expect '^  NVIDIA H200 \(uuid:.*\), driver .*, calibrated 20'
expect '^ +4\.[4-7][0-9]* TB/s \+- [0-9.]+ GB/s +memory$'
expect '^ +[0-9.]+ ns \+- [0-9.]+ ns +latency of the last-level cache$'
expect '^ +[0-9.]+ ps \+- [0-9.]+ ps +each further pass over the banks'
expect '^ +[0-9.]+ GB/s \+- [0-9.]+ [GM]B/s +copies to the device, pinned memory$'
show --device --node cpu > "$out/answer"
if grep -q 'copies to the device' "$out/answer"; then fail 'copies that nobody measured'; fi
expect '^ +[0-9.]+ ns \+- [0-9.]+ ns +latency of the caches$'
if grep -q 'local memory$' "$out/answer"; then fail 'local memory of a CPU'; fi

# Sums of latencies, reciprocals of costs: from the file, by hand.
show --device --json > "$out/answer"
python3 - "$out/answer" "$data" <<'CHECK'
import json, re, sys

nodes = {n["node"]: n["devices"][0]["facts"] for n in json.load(open(sys.argv[1]))}
cost = {m[1]: float(m[2]) for m in
        re.finditer(r"name: (p_\w+), value: ([-\d.e+]+)", open(sys.argv[2] + "/general/h200.yaml").read())}
def same(fact, value, unit):
    assert abs(fact["value"] - value) < 1e-9 * value and fact["unit"] == unit, (fact, value)
    assert 0 < fact["standard_error"] < fact["value"], fact
h200 = nodes["h200"]
same(h200["rate_dram"], 32 / cost["p_dram"], "B/s")
same(h200["rate_fp32"], 1e-12 * 132 * 32 / cost["p_fp32"], "Top/s")
same(h200["rate_l1"], 132 * 128 / cost["p_pass"], "B/s")
same(h200["latency_dram"],
     cost["p_latency_l1"] + cost["p_latency_l2"] + cost["p_latency_dram"], "s")
same(h200["l1_bytes"], cost["p_l1_bytes"], "B")
assert abs(h200["banks"]["value"] - 32) < 1, h200["banks"]
assert "banks" not in nodes["cpu"] and "latency_l1" not in nodes["cpu"]
assert abs(nodes["transfers"]["exposed"]["value"] - 0.1) < 1e-12
CHECK

if show --device=fpga > "$out/answer"; then fail 'a device that is not there'; fi
expect "no device matches 'fpga'"
if show --device --history > "$out/answer"; then fail 'two questions'; fi
expect '--device excludes --history'
