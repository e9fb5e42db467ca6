#!/bin/bash
# ranking.sh GPUCAL DATA - configurations ranked from a published file, where there is no device.
set -u
gpucal=$1 params=$2/general/h200.yaml
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent

fail() {
    echo "FAILED: $*"
    cat "$out/answer"
    exit 1
}
tune() { "$gpucal" tune "$@" --params "$params" > "$out/answer" 2>&1; }
expect() { grep -qE -- "$1" "$out/answer" || fail "no line matches: $1"; }
refuse() { # PATTERN OPTION...
    local pattern=$1
    shift
    tune "$@" && fail "accepted: $*"
    expect "$pattern"
    [ "$(wc -l < "$out/answer")" = 1 ] || fail "not one line: $*"
}

# What the tags give several values is the space.
tune increment N:64,256,1024 F:1,8 --at M=2^20 --best 2 || fail "status $?"
expect '^increment dtype:float32 M:1048576 on NVIDIA H200 of node vm, model general$'
expect '^6 configurations$'
expect '^ +1 .* 1\.000 +- +N:[0-9]+ F:[18]$'
expect '^ +2 .* 1\.[0-9]+ +[0-9]+ % +N:[0-9]+ F:[18]$'
expect '^time of the first over the median: 0\.[0-9]+$'
[ "$(grep -c 'N:' "$out/answer")" = 2 ] || fail "not the best two"

tune increment N:64,256 --at M=2^20 --model no_such && fail "accepted a model"

# Conditions and limits of the device.
tune blur N:1024 F:1,8,32 in_local:1 --at M=100000 --json || fail "status $?"
python3 - "$out/answer" <<'PYTHON' || fail "JSON"
import json, sys
a = json.load(open(sys.argv[1]))
assert a["kernel"] == "blur dtype:float32 N:1024 in_local:1 out_local:0 R:4 M:100000", a["kernel"]
assert set(a["parameters"]) <= {"F"} and a["configurations"] + a["n_left_out"] == 3, a
assert a["n_left_out"] == len(a["left_out"]) == 1, a
assert a["left_out"][0] == "1 need more local memory than the device has", a
assert [r["place"] for r in a["ranking"]] == [1, 2]
assert a["ranking"][0]["time_s"] <= a["ranking"][1]["time_s"]
assert a["ranking"][0]["probability_faster_than_first"] is None
assert 0 < a["ranking"][1]["probability_faster_than_first"] <= 0.5
PYTHON

# Tags without several values: all values of the arguments that change how the work is done,
# of all generators.
tune matmul_sq --at n=1024 --json || fail "status $?"
python3 - "$out/answer" <<'PYTHON' || fail "JSON"
import json, sys
a = json.load(open(sys.argv[1]))
assert a["kernel"] == "matmul_sq dtype:float32 groups_fit:True n:1024", a["kernel"]
assert a["parameters"] == {"prefetch": ["False", "True"], "lsize_0": [8, 16, 32],
                           "lsize_1": [8, 16, 32]}, a["parameters"]
assert a["configurations"] == len(a["ranking"]) == 6, a["configurations"]
assert all(r["configuration"]["lsize_0"] == r["configuration"]["lsize_1"] for r in a["ranking"])
PYTHON
# A generator without an argument has no value of it.
tune transpose tile:16,32 lsize_1:4 pad:1 --at n=4096 --json || fail "status $?"
python3 - "$out/answer" <<'PYTHON' || fail "JSON"
import json, sys
a = json.load(open(sys.argv[1]))
assert a["parameters"] == {"prefetch": ["False", "True"], "tile": [16, 32], "pad": [1]}, a
assert {(r["configuration"]["prefetch"], r["configuration"]["pad"]) for r in a["ranking"]} == \
    {("False", None), ("True", 1)}
PYTHON
# Problems are no parameters.
tune blur N:256 F:4 in_local:0 --at M=1000000 --json || fail "status $?"
expect '"configurations": 2,'
expect 'R:4 M:1000000"'

refuse "'increment' has several sizes: give each size, as in --at M=" increment
refuse "expected one value of each size, found 2 combinations" increment N:64,128 --at M=1000,2000
refuse "has an argument 'm'; there are: .*N" increment N:64,128 --at m=1000
refuse "NVIDIA H200 can run none of the 1 configurations: 1 need more local memory" \
    blur N:1024 F:32 in_local:1 out_local:0 R:4 --at M=4096
refuse "'no_such': no model of this name|no model 'no_such'|no_such" increment N:64,128 --at M=4096 --model no_such
