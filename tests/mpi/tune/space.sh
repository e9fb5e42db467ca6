#!/bin/bash
# space.sh GPUCAL SOURCE - spaces from files: ranked, and refused with the position of the error.
set -u
gpucal=$1 data=$2/tests/data examples=$2/docs/examples/tune
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent
cd "$out" || exit 1
cp "$examples"/product.* .

fail() {
    echo "FAILED: $*"
    cat answer
    exit 1
}
tune() { # SPACE OPTION...
    "$gpucal" tune product.cl --space "$@" --params "$data/general/h200.yaml" > answer 2>&1
}
expect() { grep -qE -- "$1" answer || fail "no line matches: $1"; }
edit() { sed -e "$1" product.yaml > edited.yaml; }
refuse() { # SED-COMMAND MESSAGE
    edit "$1"
    cmp -s product.yaml edited.yaml && fail "nothing edited by $1"
    tune edited.yaml && fail "accepted: $1"
    grep -qF -- "$2" answer || fail "expected: $2"
    [ "$(grep -vc '^[ 0-9]* | ' answer)" = 1 ] || fail "not one message: $1"
}

tune product.yaml --best 1 || fail "status $?"
expect '^product n:2048 on NVIDIA H200 of node vm, model general$'
expect '^22 configurations$'
expect '^ +1 .* 1\.000 +- +TILE:[0-9]+ ROWS:[0-9] LOCAL_B:[01]$'
# Other sizes; fixed defines; a parameter without a macro, which is named with its one value;
# no arguments.
# shellcheck disable=SC2016
edit 's/ROWS: .*/ROWS: {values: [4], define: false}/; s/where:.*/defines: {ROWS: 4}/; /^args/,$d; s/n \/ ROWS/n \/ 4/'
sed -i 's/ROWS: {v/ROWS_: {v/; /assume/a check: {n: 128}' edited.yaml
tune edited.yaml --at n=4Ki --json || fail "status $?"
python3 - <<'PYTHON' || fail "JSON"
import json
a = json.load(open("answer"))
assert a["parameters"] == {"TILE": [8, 16, 32], "ROWS_": [4], "LOCAL_B": [0, 1]}, a["parameters"]
assert a["kernel"] == "product ROWS_:4 n:4096", a["kernel"]
assert len(a["ranking"]) == a["configurations"] == 6
assert a["ranking"][0]["configuration"]["ROWS_"] == 4
PYTHON
# Configurations whose work-groups do not divide the sizes, or are too large.
edit 's/TILE: .*/TILE: {range: [16, 40, 8]}/; s/ROWS: .*/ROWS: [1]/; s/LOCAL_B: .*/LOCAL_B: [1]/'
tune edited.yaml --at n=3072 || fail "status $?"
expect '^3 configurations; 1 left out$'
expect '^  1 need larger work-groups than the device allows$'
tune edited.yaml --at n=2048 || fail "status $?"
expect '^2 configurations; 2 left out$'
expect '^  1 cannot be counted at these sizes, the first: .*multiple of the work-group size, 24$'

# CUDA, whose parameters are macros or arguments of a template: the same predictions.
cat > copy.cu << 'KERNEL'
template <typename T, int Each> __device__ void put(T *y, const T *x, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * Each;
    for (int k = 0; k < Each; k++)
        if (i + k < n)
            y[i + k] = x[i + k];
}
namespace by {
template <typename T, int Each> __global__ void argument(T *y, const T *x, int n) { put<T, Each>(y, x, n); }
}
__global__ void macro(float *y, const float *x, int n) { put<float, EACH>(y, x, n); }
int main() { macro<<<4, 64>>>(nullptr, nullptr, 4); }
KERNEL
for kernel in macro 'by::argument<float, EACH>'; do
    cat > copy.yaml << SPACE
gpucal_space: 1
kernel: "$kernel"
parameters: {EACH: [1, 4], B: {values: [64, 256], define: false}}
sizes: {n: 1048576}
local_size: [B]
global_size: [n/EACH]
args:
  - {name: y, buffer: float32, elements: n, output: true}
  - {name: x, buffer: float32, elements: n}
  - {name: n, scalar: int32, value: n}
SPACE
    "$gpucal" tune copy.cu --space copy.yaml --params "$data/general/h200.yaml" > answer 2>&1 ||
        fail "status $? of $kernel"
    name=${kernel#by::} name=${name%%<*}
    expect "^$name n:1048576 on NVIDIA H200 of node vm, model general$"
    expect '^4 configurations$'
    expect '^ +4 .*EACH:[14] B:(64|256)$'
    tail -n +2 answer > "$name"
done
cmp -s macro argument || fail "template arguments differ from macros: $(cat macro)"

# The choice as a header, which compilers accept; all of the ranking as JSON.
tune product.yaml --best 1 --header chosen.h -o ranking.json || fail "status $?"
expect '^ +1 '
printf '#include "chosen.h"\nint w[TILE == GPUCAL_PRODUCT_LOCAL_SIZE_0 ? ROWS + 1 : -LOCAL_B];\n' > use.c
cc -Wall -Werror -fsyntax-only use.c > answer 2>&1 || fail "the header"
cp chosen.h answer
expect '^ \* Predicted by model general: [0-9.]+ ms \('
python3 - <<'PYTHON' || fail "the header's choice"
import json, re
chosen = dict(re.findall(r"#define ([A-Z_]+) (\d+)$", open("chosen.h").read(), re.M))
for name, value in json.load(open("ranking.json"))["ranking"][0]["configuration"].items():
    assert chosen[name] == str(value), chosen
PYTHON
# Times of a file, and the same in the format of other autotuners.
python3 - <<'PYTHON'
import json
with open("times.csv", "w") as f:
    f.write("configuration,outcome,seconds,launches,build_s,why\n")
    for i, r in enumerate(json.load(open("ranking.json"))["ranking"]):
        name = " ".join("%s:%s" % p for p in r["configuration"].items())
        f.write('"%s",' % name + ("failed,,0,,no memory\n" if i == 3 else
                                "timed,%.12f,3,0.5,\n" % (r["time_s"] * (1 + i % 5 / 10))))
PYTHON
tune product.yaml --times times.csv --t4 t4.json --json || fail "status $?"
sed -E "s/(\.[0-9]{9})[0-9]*/\1/" answer > before
tune product.yaml --times t4.json --json || fail "status $?"
sed -E "s/(\.[0-9]{9})[0-9]*/\1/" answer | diff before - > differences ||
    { mv differences answer; fail "other times"; }
python3 - <<'PYTHON' || fail "T4"
import json
a = json.load(open("t4.json"))
assert a["schema_version"] == "1.0.0" and len(a["results"]) == 22
assert sorted(r["invalidity"] for r in a["results"])[-2:] == ["correct", "runtime"]
for r in a["results"]:
    assert set(r["configuration"]) == {"TILE", "ROWS", "LOCAL_B"} and r["correctness"] == 1
    assert (len(r["measurements"]) == 1) == (r["invalidity"] == "correct")
    assert not r["measurements"] or r["measurements"][0]["unit"] == "ms"
PYTHON
# By size.
tune product.yaml --over n=256,1024 -o over.json || fail "status $?"
expect '^product on NVIDIA H200'
expect '^n=256 .* 1\.000 +[0-9.]+  TILE:'
expect '^n=1024 .* [0-9.]+ +1\.000  TILE:'
expect '^one for all sizes: TILE:.* \(slower by [0-9.]+ % in the mean, by [0-9.]+ % at most\)$'
python3 - <<'PYTHON' || fail "JSON by size"
import json
a = json.load(open("over.json"))
assert [s["size"] for s in a["sizes"]] == ["n=256", "n=1024"]
for i, s in enumerate(a["sizes"]):
    assert s["slowdown_with_choice_of"][i] == 1 and min(s["slowdown_with_choice_of"]) >= 1
    assert s["time_s"] <= s["median_s"]
assert 1 <= a["one_for_all"]["mean_slowdown"] <= a["one_for_all"]["worst_slowdown"]
PYTHON

refuse 's/<= 128/< 8/' "edited.yaml:8:8: where: no combination of values is allowed: product: 'TILE * ROWS < 8'"
refuse 's/TILE \* ROWS/TILE ** 3/' "edited.yaml:8:9: where: assumption '8 ** 3 <= 128': column 4: expected a number"
refuse 's/<= 128/128/' "edited.yaml:8:9: where: assumption '8 * 1 128': expected one of = != >= > <= <"
refuse 's/TILE \* ROWS/TILE * COLS/' "edited.yaml:8:9: where: assumption '8 * COLS <= 128': column 5: expected a known name"
refuse 's/TILE: \[8.*/TILE: []/' "edited.yaml:5:9: TILE: expected a list of values"
refuse 's/TILE: \[8.*/TILE: 8/' "edited.yaml:5:9: TILE: expected a list of values"
refuse 's/LOCAL_B:/TILE:/' "edited.yaml:7:3: duplicate key 'TILE'"
refuse 's/TILE: \[8, 16/TILE: [8, 8/' "edited.yaml:5:13: TILE: duplicate '8'"
refuse 's/TILE: \[8.*/TILE: {range: [9, 8]}/' "edited.yaml:5:21: TILE: the last value is below the first"
refuse 's/TILE: \[8.*/TILE: {values: [8], define: maybe}/' "edited.yaml:5:31: define: expected true or false"
refuse 's/TILE: \[8.*/TILE: {size: [8]}/' "edited.yaml:5:10: unknown key 'size'"
refuse 's/n: 2048/n: many/' "edited.yaml:9:12: n: expected an integer, found 'many'"
refuse 's/n: 2048/TILE: 2048/' "edited.yaml:9:9: 'TILE' is also a parameter"
refuse 's/where.*/defines: {TILE: 8}/' "edited.yaml:5:3: 'TILE' is also among the fixed defines"
refuse 's/n \/ ROWS/m/' "edited.yaml:11:18: global_size: 'm' is not a size of this kernel"
refuse 's/tolerance/tolerence/' "edited.yaml:19:1: unknown key 'tolerence' (did you mean 'tolerance'?)"
refuse '/^parameters/,/LOCAL_B/d' "edited.yaml:1:1: key 'parameters' is missing"
refuse 's/kernel: product/kernel: produce/' "no kernel named 'produce' (did you mean 'product'?)"
refuse 's/n: 2048/n: 1000/' "NVIDIA H200 can run none of the 22 configurations: 22 cannot be counted"
refuse 's/gpucal_space: 1/gpucal_space: 2/' "edited.yaml:1:15: gpucal_space: expected 1 to 1, found"
tune absent.yaml && fail "accepted an absent file"
expect 'absent.yaml: No such file'
tune product.yaml --at m=4 && fail "accepted another size"
expect "argument 'm'"
