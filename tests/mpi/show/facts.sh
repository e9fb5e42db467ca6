#!/bin/bash
# facts.sh GPUCAL DATA - what 'gpucal show' makes of published parameters: a line for each device, and
# rates, latencies and models of those that are asked for.
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
expect '^node h200: NVIDIA H200 \(uuid:.*\)$'
expect '^  driver .*, calibrated 20[-0-9]+ [0-9:]{5} UTC \([0-9]+ [a-z]+ ago\) by run 20'
expect '^  audit: unknown \(needs 4 calibrations, has 0\), speed relative to its type: -$'
expect '^ +4\.[4-7][0-9]* TB/s \+- [0-9.]+ % +memory \(9[0-9] % of the vendor.s 4\.8 TB/s\)$'
expect '^ +6[0-9.]+ TFLOP/s \+- [0-9.]+ % +32-bit floating point, .*\((9[0-9]|100) % of the vendor.s 66\.91 TFLOP/s\)$'
expect '^ +[0-9.]+ ns \+- [0-9.]+ % +latency of the last-level cache$'
expect '^ +[0-9.]+ ps \+- [0-9.]+ % +each further pass over the banks'
expect '^ +[0-9.]+ GB/s \+- [0-9.]+ % +copies to the device, pinned memory$'
expect '^  MODEL +FORM +KERNELS '
expect '^  general +expression +2[0-9][0-9] .* any kernel$'
expect '^  transfer .* (copies|poor: if it is named)$'
if grep -q '^node cpu' "$out/answer"; then fail 'another node'; fi
show --node cpu > "$out/answer"
if grep -q 'copies to the device' "$out/answer"; then fail 'copies that nobody measured'; fi
expect '^ +[0-9.]+ ns \+- [0-9.]+ % +latency of the caches$'
if grep -q 'local memory$' "$out/answer"; then fail 'local memory of a CPU'; fi

# Sums of latencies, reciprocals of costs: from the file, by hand.
show --json > "$out/answer"
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
same(h200["rate_fp32"], 2 * 132 * 32 / cost["p_fp32"], "FLOP/s")
same(h200["rate_l1"], 132 * 128 / cost["p_pass"], "B/s")
same(h200["latency_dram"],
     cost["p_latency_l1"] + cost["p_latency_l2"] + cost["p_latency_dram"], "s")
same(h200["l1_bytes"], cost["p_l1_bytes"], "B")
assert abs(h200["banks"]["value"] - 32) < 1, h200["banks"]
assert "banks" not in nodes["cpu"] and "latency_l1" not in nodes["cpu"]
assert h200["rate_dram"]["vendor"] == 4.8e12 and "vendor" not in h200["rate_l2"], h200
assert abs(nodes["transfers"]["exposed"]["value"] - 0.1) < 1e-12
CHECK

if show --device=fpga > "$out/answer"; then fail 'a device that is not there'; fi
expect "no device matches 'fpga'"
if show --parameters --history > "$out/answer"; then fail 'two questions'; fi
expect '--history excludes'
if show --history > "$out/answer"; then fail 'a history without tracks'; fi
expect 'no calibration of a device that matches'

# A drawing: five devices of a type, one of which is 5 % slower in memory.
mkdir -p "$out/fleet/nodes"
for i in 1 2 3 4 5; do
    sed -e "s/^node: .*/node: n$i/" -e "s/uuid:[-0-9a-f]*/uuid:$i/" "$data/general/h200.yaml" > "$out/fleet/nodes/n$i.yaml"
done
own=$(sed -n 's/.*name: p_dram,.* own: \([^,]*\),.*/\1/p' "$out/fleet/nodes/n4.yaml")
sed -i "/name: p_dram,/s/ own: $own/ own: $(awk "BEGIN { print 1.05 * $own }")/" "$out/fleet/nodes/n4.yaml"
"$gpucal" show --store "$out/fleet" --node n4 --svg "$out/n4.svg" > "$out/answer" || fail '--svg'
python3 - "$out/n4.svg" << 'CHECK' || fail 'the drawing'
import sys
import xml.dom.minidom as dom
svg = dom.parse(sys.argv[1])
own = [float(c.getAttribute("cx")) for c in svg.getElementsByTagName("circle")]
others = [l for l in svg.getElementsByTagName("line") if l.getAttribute("class") == "other"]
texts = [t.firstChild.data for t in svg.getElementsByTagName("text")]
middle = max(set(own), key=own.count)
assert len(own) > 10 and len(others) == 5 * len(own), (len(own), len(others))
slower = [x for x in own if x < middle - 20]
assert slower and len(slower) <= 3 and max(own) == middle, own
assert any("median of 5 devices" in t for t in texts), texts
CHECK

# A line for each device, in columns.
show > "$out/answer"
expect '^NODE +DEVICE +KIND +CALIBRATED +AGE +DRIVER +MODELS +ERROR +SPEED +AUDIT$'
expect '^h200 +NVIDIA H200 +gpu +20[-0-9]{8} +[0-9]+ (s|min|h|d) +580[0-9.]+ +3 +[0-9.]+ % +- +unknown$'
[ "$(wc -l < "$out/answer")" = 4 ] || fail 'not a line for each device'
if grep -q "$(printf '\033')" "$out/answer"; then fail 'colours in a file'; fi
# On a narrow terminal the device's name is cut, not the version of its driver.
script -qec "stty cols 80; '$gpucal' show --store '$out/store'" /dev/null < /dev/null > "$out/answer"
expect '^h200 +NVIDIA H200 .* 580\.159\.04 '

# A model that is poor, in the line of its device.
sed "s/^node: .*/node: doubtful/; s/^held_out_rms: .*/held_out_rms: 0.6/" "$data/general/h200.yaml" > "$out/store/nodes/doubtful.yaml"
show > "$out/answer"
expect '^doubtful .* poor '
expect '^h200 .* [0-9]+ % '
