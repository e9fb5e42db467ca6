#!/bin/bash
# explain.sh GPUCAL DATA - kernels explained from published files, where there is no device.
set -eu
gpucal=$1 params=$2/general/h200.yaml cpu=$2/general/cpu.yaml
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent
cat > "$out/add.cl" <<'KERNEL'
kernel void add(global float *sum, global const float *x, int n)
{
    int i = get_global_id(0);

    if (i < n)
        sum[i] += x[i];
}
KERNEL
cat > "$out/chain.cl" <<'KERNEL'
kernel void chain(global float *x, int m)
{
    local float space[KIB*256];
    float a = x[get_global_id(0)], b = a + 1;

    space[get_local_id(0)] = a;
    for (int i = 0; i < m; i++)
        a = a*b + 0.5f;
    x[get_global_id(0)] = a + space[get_local_id(0)];
}
KERNEL

cat > "$out/turn.cl" <<'KERNEL'
kernel void turn(global const float *a, global float *b, int n)
{
    local float tile[32][PITCH];
    int x = get_local_id(0), y = get_local_id(1);
    int i = get_group_id(1)*32 + y, j = get_group_id(0)*32 + x;

    tile[y][x] = a[i*n + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x % 2)
        b[j*n + i] = tile[x][y];
}
KERNEL

explain() { # FILE.cl OPTION...
    local file=$1
    shift
    "$gpucal" explain "$out/$file" "$@" > "$out/answer" 2> "$out/messages" && return
    cat "$out/messages"
    exit 1
}
expect() { # PATTERN
    grep -qE -- "$1" "$out/answer" && return
    echo "no line matches: $1"
    cat "$out/answer"
    exit 1
}
add() { explain add.cl --local 256 --global 'ceil(n/256)*256' --params "$params" "$@"; }
chain() { explain chain.cl --local 256 --global n --assume 'n % 256 = 0 and n >= 256' --params "$params" "$@"; }

add --at n=2^27
expect '^limited by dram \(memory\): [0-9]+ % of the time; [0-9.]+ TB/s are [0-9]+ % of the [0-9.]+ TB/s measured, [0-9]+ % of the vendor.s 4\.8 TB/s'
expect '^p_dram .* [0-9]+ %: [0-9.]+ TB/s of [0-9.]+ TB/s \([0-9.]+\); [0-9]+ % of 4\.8 TB/s$'
expect '^dram +[0-9.]+ us +[0-9.]+ % +[0-9.]+ us +[0-9.]+ % +[0-9]+ %  p_dram 100 %'
expect '^time +[0-9.]+ us +100.0 %'
expect '^p_group +groups +work-groups +kernel +5.243e\+05 '
expect '^occupancy: 100 % \(8 work-groups of 256 work-items on a compute unit, bound by size of work-groups\)$'
expect '^waves: 496.5; the last one is 48 % full$'
add --at n=1000
expect '^limited by launch \(the launch itself\): 9[0-9] % of the time$'
expect '; 0.38 % reached, as the launch has 4 work-groups for 132 compute units$'

# No limit adds more than it takes alone, a maximum within the limit included; who waits needs others.
"$gpucal" explain histogram version:naive bins:256 items:4 lsize_0:256 \
    n:67108864 --params "$params" --json > "$out/answer"
python3 - "$out/answer" <<'PYTHON'
import json, sys
a = json.load(open(sys.argv[1]))
assert all(l["adds_s"] <= 1.001*l["alone_s"] for l in a["limits"]), a["limits"]
assert abs(a["other_s"]) < 1e-3*a["time_s"], a["other_s"]
PYTHON
chain -D KIB=4 --at n=2^14,m=4096
expect '^limited by latency \(.*\): [0-9]+ % of the time; the launch fills [0-9.]+ % of the device: few work-groups'

# Local memory and arithmetic.
chain -D KIB=48 --at n=2^22,m=4096
expect '^limited by arithmetic \(the instructions of the compute units\)'
expect '^occupancy: 50 % \(4 work-groups .*, bound by local memory\)$'
expect '^bounds: 4 by local memory, 8 by size of work-groups, '
expect 'local memory: 49.15 kB for a work-group, of 233.5 kB$'

# Parts add up to the time, and what is printed is what predict says.
chain -D KIB=4 --at n=2^14:2^22,m=64 --json
python3 - "$out/answer" <<'PYTHON'
import json, sys
for a in json.load(open(sys.argv[1])):
    time = a["time_s"]
    assert abs(sum(l["adds_s"] for l in a["limits"]) + a["other_s"] - time) < 1e-6*time, a
    assert abs(sum(c["adds_s"] for c in a["costs"]) - time) < 1e-6*time, a
    assert a["limited_by"] == max(a["limits"], key=lambda l: l["adds_s"])["limit"], a
    for limit in a["limits"]:
        parts = sum(c["of_limits"].get(limit["limit"], 0) for c in a["costs"])
        assert abs(parts - (limit["alone_s"] > 0)) < 1e-6, (limit, parts)
    fp32 = next(c for c in a["costs"] if c["cost"] == "p_fp32" and c["counted"] == "fp32")
    assert fp32["count"] == (2 + 64)*a["sizes"]["n"]/32 and fp32["per"] == "sub-group", fp32
    assert abs(fp32["rate"]*time - (2 + 64)*a["sizes"]["n"]) < 1e-6*fp32["rate"], fp32
    assert a["occupancy"]["bounds"][0]["groups"] == a["occupancy"]["resident_groups"], a
PYTHON

# Each access with its place: sectors, lines, passes over the banks, what is wanted.
turn() { explain turn.cl --local 32,32 --global n,n --assume 'n % 32 = 0 and n >= 32' --params "$params" --at n=4096 "$@"; }
turn -D PITCH=32
expect '^ +7:5 +store +float32 +local +tile +67.11 MB +- +- +- +- +1 +-$'
expect '^ +7:18 +load +float32 +global +a +67.11 MB +67.11 MB +0 B +4 +1 +1 +-'
expect '^branch 9:9: sub-groups diverge 5.243e\+05 times, 1 times each$'
expect '^b +store +268.4 MB +268.4 MB +33.55 MB x8 '
turn -D PITCH=32 --json
python3 - "$out/answer" <<'PYTHON'
import json, sys
a = json.load(open(sys.argv[1]))
at = {(x["line"], x["column"]): x for x in a["accesses"]}
load, store = at[7, 18], at[10, 9]
n = 4096*4096
assert load["sectors"] == n/8 and load["lines"] == n/32 and load["wasted_bytes"] == 0, load
assert store["wanted_bytes"] == 4*n/2 and store["executions"] == n/2/32, store
assert store["sectors"] == n/2 and store["wasted_bytes"] == (32 - 4)*n/2, store
assert at[10, 22]["passes"] == n/2, at[10, 22]  # 16 lanes in one bank
assert not any(x["divided"] for x in a["accesses"])
b = next(x for x in a["arrays"] if x["array"] == "b")
assert b["accessed_bytes"] == 16*n and b["group_bytes"] == b["launch_bytes"] == 2*n, b
PYTHON
turn -D PITCH=33 --json
python3 -c 'import json, sys
at = {(x["line"], x["column"]): x for x in json.load(open(sys.argv[1]))["accesses"]}
assert at[10, 22]["passes"] == 4096*4096/32, at[10, 22]' "$out/answer"

# Changes: what a user asks for, and what helps.
chain -D KIB=48 --at n=2^20,m=256 --what-if local-memory=32Ki --what-if resident=6 --what-if m=0 \
    --what-if p_fp32=x0
expect '^ +-[0-9.]+ %  local memory of 45\.67 kB instead of 49\.15 kB: .*; resident work-groups 4 -> 5; limited by'
expect '^ +-[0-9.]+ %  half of the operations fp32: '
expect '^ +-[0-9.]+ %  p_fp32=x0: '
[ "$(sed -n 's/^ *\(-[0-9.]* %\)  local-memory=32Ki.*resident work-groups 4 -> 6;.*/\1/p' "$out/answer")" = \
    "$(sed -n 's/^ *\(-[0-9.]* %\)  resident=6: .*/\1/p' "$out/answer")" ]
! "$gpucal" explain "$out/turn.cl" -D PITCH=32 --local 32,32 --global n,n --params "$params" --at n=4096 \
    --what-if sector=3 2> "$out/refused" || exit 1
grep -q "^gpucal: --what-if: 'sector' is neither a size (n) nor of model general" "$out/refused"
for change in n=0 resident=0 local=64x32 local=0; do
    ! "$gpucal" explain "$out/turn.cl" -D PITCH=32 --local 32,32 --global n,n --params "$params" --at n=4096 \
        --what-if "$change" > /dev/null 2> "$out/refused" || { echo "takes $change"; exit 1; }
    grep -q '^gpucal: .*--what-if\|^gpucal: --what-if' "$out/refused"
done
turn -D PITCH=32 --json --what-if local=32x32,n=x1 --what-if n=8192
python3 - "$out/answer" <<'PYTHON'
import json, sys
a = json.load(open(sys.argv[1]))
same, larger = a["what_if"]
assert same["time_s"] == a["time_s"] and same["limited_by"] == a["limited_by"], same
assert larger["time_s"] > 3*a["time_s"], larger
advice = [x["what"] for x in a["advice"]]
assert "no bank conflicts (line 10)" in advice, advice
assert "10:9: neighbours store neighbouring elements of b" in advice, advice
assert [x["time_s"] for x in a["advice"]] == sorted(x["time_s"] for x in a["advice"])
assert all(x["time_s"] < a["time_s"] for x in a["advice"]), a["advice"]
PYTHON
turn -D PITCH=33 --json
if grep -q "no bank conflicts" "$out/answer"; then exit 1; fi
add --at n=2^27 --what-if local=64
expect '^ +-[0-9.]+ %  work-groups of 512: '
expect '^ *\+[0-9.]+ %  local=64: '

# Constants of type double are named where they alone make operations double.
cat > "$out/constants.cl" <<'KERNEL'
kernel void scaled(global const float *x, global float *y)
{
    int i = get_global_id(0); /* 0.5 */
    float s = 0;

    for (int k = 0; k < 100; k++)
        s += x[i]*0.1*k + 1e-3f;
    y[i] = s*2.;
}
KERNEL
sed 's/0\.1/0.1f/; s/2\.;/2.f;/' "$out/constants.cl" > "$out/suffixed.cl"
sed 's/float s/double s/' "$out/constants.cl" > "$out/double.cl"
for file in constants suffixed double; do
    explain $file.cl -l 256 -g n --at n=2^24 --params "$params"
    if [ $file = constants ]; then
        expect '^ +-[0-9.]+ %  constants of type float \(1\.5f\): those of type double \(line 7, 8\) make operations on floats double: '
    elif grep -q 'constants of type' "$out/answer"; then
        echo "$file: advice on constants"
        exit 1
    fi
    if grep -q 'f_aux' "$out/answer"; then exit 1; fi
done

# Other work-groups do the same work: where the same global size would leave some out, there are as
# many of them, and the time is that of such a launch; or the change is none.
cat > "$out/rows.cl" <<'KERNEL'
kernel void rows(global const float *x, global float *y, int cols, int rows)
{
    int row = get_group_id(0);
    float s = 0;

    for (int i = get_local_id(0); i < cols; i += get_local_size(0))
        s += x[row*cols + i];
    for (int i = get_local_id(0); i < cols; i += get_local_size(0))
        y[row*cols + i] = x[row*cols + i]/s;
}
kernel void solid(global const float *x, global float *y, int n)
{
    int z = get_group_id(2);
    int i = get_global_id(0) + n*(get_global_id(1) + n*z);

    for (int k = get_local_id(2); k < 4; k += get_local_size(2))
        y[4*i + k] = x[4*i + k];
}
kernel void parts(global const float *x, global float *y)
{
    float s = 0;

    for (int k = 0; k < 8; k++)
        s += x[(get_group_id(0)*8 + k)*get_local_size(0) + get_local_id(0)];
    if (get_local_id(0) == 0)
        y[get_group_id(0)] = s;
}
kernel void given(global float *x, local float *t)
{
    t[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[get_local_id(0) ^ 1];
}
KERNEL
regrouped() { # KERNEL SIZES LOCAL GLOBAL NEW-LOCAL NEW-GLOBAL
    local options=(-k "$1" --at "$2" --params "$params" --json)
    explain rows.cl "${options[@]}" -l "$3" -g "$4" --what-if "local=${5//,/x}"
    "$gpucal" predict "$out/rows.cl" "${options[@]}" -l "$5" -g "$6" > "$out/predicted" 2> /dev/null
    python3 - "$out/answer" "$out/predicted" <<'PYTHON' || { echo "regrouped $*"; exit 1; }
import json, sys
a, predicted = (json.load(open(f)) for f in sys.argv[1:])
assert abs(a["what_if"][0]["time_s"]/predicted["time_s"] - 1) < 1e-9, (a["what_if"], predicted["time_s"])
PYTHON
}
regrouped rows rows=65536,cols=1024 64 '64*rows' 128 '128*rows'
grep -q '"what": "local=128, global=(64\*rows)\*128/64"' "$out/answer"
python3 - "$out/answer" <<'PYTHON'
import json, sys
a = json.load(open(sys.argv[1]))
for x in a["advice"]:
    assert not x["what"].startswith("work-groups of") or "as many as now (--global" in x["what"], x
    assert x["time_s"] > 0.7*a["time_s"], x
PYTHON
regrouped rows rows=65536,cols=1024 256 'rows*256' 32 'rows*32'
regrouped solid n=256 16,4,4 n,n,4*n 16,4,2 n,n,2*n
regrouped solid n=256 16,4,4 n,n,4*n 32,2,4 n,n,4*n
regrouped given n=2^22 64 n 128 n
for change in local=128 local=32; do
    ! "$gpucal" explain "$out/rows.cl" -k parts -l 64 -g n --at n=2^20 --params "$params" --what-if $change \
        > /dev/null 2> "$out/answer" || { echo "takes $change"; exit 1; }
    expect "^gpucal: --what-if $change: the kernel would do other work: [0-9.]+ .B of 'y' are reached instead of "
done
explain rows.cl -k parts -l 64 -g n --at n=2^20 --params "$params"
if grep 'work-groups of [0-9]*[:,]' "$out/answer"; then exit 1; fi
# What moves just what it wants cannot move half.
add --at n=2^27
if grep 'half of the bytes' "$out/answer"; then exit 1; fi
turn -D PITCH=33
expect 'half of the bytes of l2 \(p_l2_line\)'

# Side by side: sizes, devices, variants of the catalogue, profiles.
add --at n=2^20,2^27 --beside "${params%h200.yaml}h100.yaml" --svg "$out/add.svg" --what-if local=64
expect '^sizes +n=1048576 +n=134217728 +n=1048576 +n=134217728$'
expect '^device +NVIDIA H200 +NVIDIA H200 +NVIDIA H100 .*NVIDIA H100'
expect '^column 4 beside 2: \+2[0-9]\.[0-9] %: dram \+[0-9.]+ us, .*; costs: p_dram \+[45][0-9]\.[0-9] %'
[ "$(grep -c 'local=64: ' "$out/answer")" -eq 4 ]
python3 - "$out/add.svg" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
ns = "{http://www.w3.org/2000/svg}"
texts = [t.text for t in root.iter(ns + "text")]
assert any(t.startswith("add n=134217728, NVIDIA H200: ") for t in texts), texts
bars = {}  # widths of the bars of a case are in the ratio of its times
for r in root.iter(ns + "rect"):
    title = r.find(ns + "title")
    if title is not None and " adds " in title.text:
        bars[r.get("y")] = bars.get(r.get("y"), 0) + float(r.get("width"))
assert len(bars) == 4 and max(bars.values()) > 790, bars
PYTHON
"$gpucal" explain matmul_sq n:1024 --params "$params" --json > "$out/answer"
python3 - "$out/answer" <<'PYTHON'
import json, sys
plain, tiled = json.load(open(sys.argv[1]))
assert plain["kernel"] == "matmul_plain" and tiled["kernel"] == "matmul_tiled"
beside = tiled["beside"]
assert beside["number"] == 0
assert abs(beside["more_s"] - (tiled["time_s"] - plain["time_s"])) < 1e-12, beside
assert abs(sum(l["more_s"] for l in beside["limits"]) - beside["more_s"]) < 1e-9, beside
PYTHON
"$gpucal" count "$out/add.cl" --local 256 --global 'ceil(n/256)*256' -o "$out/add.profile"
"$gpucal" explain --profile "$out/add.profile" --profile "$out/add.profile" --params "$params" \
    --at n=2^24 > "$out/answer"
expect '^column 2 beside 1: \+0\.0 %$'
! "$gpucal" explain --profile "$out/add.profile" --params "$params" --at n=2^24 --beside nowhere \
    --store "$out" 2> "$out/answer" || exit 1
[ "$(grep -c . "$out/answer")" -ge 1 ]

# A device that is in no table of its vendor has no peaks of it; a part of one, no bandwidth.
sed 's/^  name: NVIDIA H200$/  name: NVIDIA H200 MIG 1g.18gb/' "$params" > "$out/part.yaml"
explain add.cl --local 256 --global 'ceil(n/256)*256' --params "$out/part.yaml" --at n=2^27
if grep -q vendor "$out/answer"; then exit 1; fi
sed 's/^  compute_units: 132$/  compute_units: 66/' "$params" > "$out/part.yaml"
explain add.cl --local 256 --global 'ceil(n/256)*256' --params "$out/part.yaml" --at n=2^27 --json
python3 -c '
import json, sys
costs = {c["counted"] if c["cost"] == "p_fp32" else c["cost"]: c for c in json.load(open(sys.argv[1]))["costs"]}
assert costs["p_dram"]["vendor_rate"] is None and costs["p_l2"]["vendor_rate"] is None
assert abs(costs["fp32"]["vendor_rate"] / (66*128*1.98e9) - 1) < 1e-9, costs["fp32"]' "$out/answer"

# Kernels of a catalogue are counted at their sizes, as 'evaluate' does, and again at those of --what-if.
scope=("$2/../scope" --model general --params "$params")
"$gpucal" evaluate --times "$2/general/scope-h200.csv" -C "${scope[@]}" --json cipher_global > "$out/evaluated"
"$gpucal" explain cipher_global blocks:3000000 -C "${scope[@]}" --json --what-if blocks=300000 > "$out/answer"
"$gpucal" predict cipher_global blocks:300000 -C "${scope[@]}" --json > "$out/fewer"
python3 - "$out/evaluated" "$out/answer" "$out/fewer" <<'PYTHON'
import json, sys
evaluated, explained, fewer = (json.load(open(name)) for name in sys.argv[1:])
times = {line["sizes"]: line["predicted_s"] for line in evaluated["lines"] if line["level"] == "kernel"}
for a, b in ((explained["time_s"], times["blocks:3000000"]), (explained["what_if"][0]["time_s"], fewer["time_s"])):
    assert abs(a / b - 1) < 1e-6, (a, b)
PYTHON

# A CPU's model has neither resident work-groups nor the same limits.
explain add.cl --local 256 --global 'ceil(n/256)*256' --params "$cpu" --at n=2^24
expect '^limited by (core|cache|dram) '
if grep -E '^(occupancy|waves|registers)' "$out/answer"; then exit 1; fi

# A drawing has the words of the kernel's language, too.
cat > "$out/reversed.cu" <<'KERNEL'
__global__ void reversed(float *x)
{
    __shared__ float all[256];
    for (int i = 0; i < 1000; i++)
        all[threadIdx.x * 32 % 256] += i;
    __syncthreads();
    x[blockIdx.x * 256 + threadIdx.x] = all[255 - threadIdx.x];
}
KERNEL
explain reversed.cu --block 256 --grid blocks --params "$params" --at blocks=10000 --svg "$out/reversed.svg"
grep -q 'the first-level cache and shared memory' "$out/reversed.svg"
! grep -qiE 'work-(item|group)|local memory' "$out/reversed.svg" || exit 1

# What cannot be explained has one line of error.
! "$gpucal" explain "$out/add.cl" --local 256 --global n --params "$params" --at n=0 \
    2> "$out/answer" || exit 1
[ "$(grep -c . "$out/answer")" -eq 1 ]
expect '^gpucal: '
