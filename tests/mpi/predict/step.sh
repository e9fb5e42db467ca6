#!/bin/bash
# step.sh GPUCAL DATA - a kernel with its copies, by a model of transfers whose costs are round:
# 1 us for each copy, 20 ps per byte to the device and 40 ps from it, a tenth exposed.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=$out
cat > "$out/add.cl" <<'KERNEL'
kernel void add(global float *sum, global const float *x, global int *unused, int n)
{
    int i = get_global_id(0);

    if (i < n)
        sum[i] += x[i];
}
KERNEL
cat > "$out/far.cl" <<'KERNEL'
kernel void far(global float *y, global const float *x, global const int *at)
{
    int i = get_global_id(0);

    y[i] = x[at[i]];
}
KERNEL

# The times of "add" by a model of copies whose held-out errors are so large; fails as predict does.
add_with_error() { # RELATIVE-ERROR OPTION...
    sed "/^model: transfer/,/^---/s/^\(error_90:\|  error_90:\) .*/\1 $1/" "$data/general/h100.yaml" > "$out/uncertain.yaml"
    shift
    "$gpucal" predict "$out/add.cl" --local 256 --global 'ceil(n/256)*256' --at n=2^20 --copy-in auto:pinned \
        --params "$out/uncertain.yaml" "$@" > "$out/answer" 2>&1
}
# A model that is too uncertain is said to be so, not to lack costs.
if add_with_error 1e4; then echo 'an uncertain copy is predicted'; exit 1; fi
grep -q 'model transfer: its parameters are too uncertain' "$out/answer" || { cat "$out/answer"; exit 1; }
# Predictions that were 17 times too long are a factor of 23 either way, not of e^16.
add_with_error 16 || { cat "$out/answer"; exit 1; }
grep -Eq '^step: 2 copies .* 90 % interval [0-9.]+ us to [0-9.]+ ms \(model transfer\)' "$out/answer" ||
    { cat "$out/answer"; exit 1; }

predict() { # OPTION...
    "$gpucal" predict "$out/add.cl" --local 256 --global 'ceil(n/256)*256' \
        --params "$data/transfers.yaml" "$@" 2>&1
}
fail() { # TEXT
    echo "$1"
    cat "$out/answer"
    exit 1
}
expect() { # PATTERN
    grep -qE -- "$1" "$out/answer" || fail "no line matches: $1"
}

# 4 MiB: 84.886 us to the device, twice, and 168.77 us back.
predict --at n=2^20 --copy-in auto:pinned --copy-out 4*n:pinned > "$out/answer"
expect '^step: 2 copies to the device 169.8 us, kernel [0-9.]+ us, 1 copy back 168.8 us: '
expect '^step, its copies beside the kernel of another: [0-9.]+ us \(10 % of the shorter'
predict --at n=2^20 --copy-in auto:pinned --copy-out auto:pinned --json > "$out/answer"
python3 - "$out/answer" <<'CHECK'
import json, sys

text = open(sys.argv[1]).read()
answer = json.loads(text[text.index("{"):])
step = answer["step"]
names = [(c["direction"], c["buffer"], c["bytes"]) for c in step["copies"]]
assert names == [("to_device", "sum", 2**22), ("to_device", "x", 2**22),
                 ("from_device", "sum", 2**22)], names
near = lambda a, b: abs(a - b) < 1e-9 * b
assert near(step["in_s"], 2 * (1e-6 + 20e-12 * 2**22))
assert near(step["out_s"], 1e-6 + 40e-12 * 2**22)
assert near(step["kernel_s"], answer["time_s"])
assert near(step["time_s"], step["in_s"] + step["kernel_s"] + step["out_s"])
assert near(step["overlapped_s"], step["in_s"] + step["out_s"] + 0.1 * step["kernel_s"])
assert step["low_s"] < step["time_s"] < step["high_s"] and not step["extrapolates"]
CHECK
# Several sizes, 256 MiB of them more than was measured; as CSV as well.
predict --at n=2^20,2^26 --copy-in 4*n:pinned --csv "$out/times.csv" > "$out/answer"
expect '^ +n +copies in +kernel +copies out +step +low +high +overlapped$'
expect '^ +1048576 +84.89 us +37.78 us +0 s +122.7 us .*[0-9] us$'
expect '^ *67108864 +5.37 ms .* extrapolated$'
mv "$out/times.csv" "$out/answer"
expect '^"n",time_s,.*,general_s,copy_in_s,copy_out_s,step_s,step_low_s,step_high_s,step_overlapped_s$'
expect '^1048576,.*,8.4886[0-9]*e-05,0,0.00012267[0-9]*,[0-9.e-]+,[0-9.e-]+,8.8664[0-9]*e-05$'
# A kernel of the catalogue, whose buffers have the elements of its description.
"$gpucal" predict increment dtype:float32 N:256 F:1 M:1048576 \
    --params "$data/transfers.yaml" --copy-in auto:pinned > "$out/answer" 2>&1
expect '^step: 1 copy to the device 84.89 us, kernel '

# What cannot be predicted, and why.
refuse() { # PATTERN OPTION...
    if predict --at n=2^20 "${@:2}" > "$out/answer"; then fail "predicted: ${*:2}"; fi
    expect "$1"
}
refuse 'has no cost of copies to the device, pageable memory' --copy-in 4*n
refuse "^gpucal: --copy-in 4\*m: .* expected a known name, found 'm'" --copy-in 4*m
refuse "^gpucal: --copy-out n:tape: expected pageable, pinned or mapped" --copy-out n:tape
refuse '^gpucal: --copy-in: a copy of 0 bytes' --copy-in n-n:pinned
if "$gpucal" predict "$out/far.cl" --local 256 --global n --at n=1024 \
    --params "$data/transfers.yaml" --copy-in auto:pinned > "$out/answer" 2>&1; then
    fail 'an extent that depends on data'
fi
expect "the extent of buffer 'x' is unknown: give its bytes"
"$gpucal" count "$out/add.cl" --local 256 --global 'ceil(n/256)*256' -o "$out/add.yaml" \
    > /dev/null 2>&1
if "$gpucal" predict --profile "$out/add.yaml" --at n=1024 --params "$data/transfers.yaml" \
    --copy-in auto > "$out/answer" 2>&1; then
    fail 'a profile has no buffers'
fi
expect 'a profile does not have the buffers of its kernel'
if "$gpucal" predict "$out/add.cl" --local 256 --global 'ceil(n/256)*256' --at n=1024 \
    --params "$data/general/cpu.yaml" --copy-in 4*n > "$out/answer" 2>&1; then
    fail 'a device without a model of transfers'
fi
expect 'no model of transfers is published'
