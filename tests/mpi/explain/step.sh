#!/bin/bash
# step.sh GPUCAL DATA - a kernel with its copies explained, by a model of transfers whose costs are
# round: 1 us for each copy, 20 ps per byte to the device and 40 ps from it, a tenth exposed.
set -eu
gpucal=$1 params=$2/transfers.yaml
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
explain() { # OPTION...
    "$gpucal" explain "$out/add.cl" --local 256 --global 'ceil(n/256)*256' "$@" > "$out/answer" 2>&1
}
expect() { # PATTERN
    grep -qE -- "$1" "$out/answer" && return
    echo "no line matches: $1"
    cat "$out/answer"
    exit 1
}

# 4 MiB: 84.886 us to the device, twice, and 168.77 us back.
explain --params "$params" --at n=2^20 --copy-in auto:pinned --copy-out auto:pinned
expect '^step of copies and kernel: [0-9.]+ us, 90 % interval [0-9.]+ us to [0-9.]+ us \(model transfer\)$'
expect '^limited by copies to the device: 4[0-9] % of the step; the kernel is [0-9.]+ %$'
expect '^copy in +sum +4\.194 MB +pinned +84\.89 us +[0-9.]+ % +1 us +49\.4 GB/s$'
expect '^kernel +add +[0-9.]+ us +[0-9.]+ %$'
expect '^copy out +sum +4\.194 MB +pinned +168\.8 us +[0-9.]+ % +1 us +24\.9 GB/s$'
expect '^  copies in and back one after the other: '
expect '^  the kernel behind copies: [0-9.]+ us of [0-9.]+ us hidden \(10 % are not\)$'
expect '^ -[0-9.]+ %  half of the bytes back: '

# Both directions at once, with a quarter of the shorter exposed.
explain --params "${params%.yaml}-both.yaml" --at n=2^20 --copy-in auto:pinned --copy-out auto:pinned --svg "$out/step.svg"
expect '^  copies in and back at once: 212 us instead of 338\.5 us \(25 % of the shorter direction not hidden\)$'
expect '^ -[0-9.]+ %  repeated steps in three queues, '
explain --params "${params%.yaml}-both.yaml" --at n=2^20 --copy-in auto:pinned --copy-out auto:pinned --json
python3 - "$out/answer" "$out/step.svg" <<'PYTHON'
import json, sys
import xml.etree.ElementTree as tree

text = open(sys.argv[1]).read()
answer = json.loads(text[text.index("{"):])
step = answer["step"]
near = lambda a, b: abs(a - b) < 1e-9*b
copies_s = max(step["in_s"], step["out_s"]) + 0.25*min(step["in_s"], step["out_s"])
assert near(step["copies_s"], copies_s), step
assert near(step["kernel_s"], answer["time_s"])
assert near(step["overlapped_s"], copies_s + 0.1*step["kernel_s"]), step
assert step["limited_by"] == "copies in" and len(step["copies"]) == 3, step
assert all(near(c["start_s"], 1e-6) for c in step["copies"]), step
times = [a["time_s"] for a in step["advice"]]
assert times == sorted(times) and near(times[0], step["overlapped_s"]), step["advice"]
ns = "{http://www.w3.org/2000/svg}"
titles = [r.find(ns + "title").text for r in tree.parse(sys.argv[2]).getroot().iter(ns + "rect")
          if r.find(ns + "title") is not None]
assert sum(t.startswith("copies back: 168.8 us, ") for t in titles) == 2, titles
PYTHON

# Several sizes side by side; without copies, nothing of a step.
explain --params "$params" --at n=2^18,2^20 --copy-in 4*n:pinned
expect '^copies in +21\.97 us +[0-9.]+ % +84\.89 us +[0-9.]+ %$'
expect '^overlapped +[0-9.]+ us -[0-9.]+ % '
explain --params "$params" --at n=2^20
if grep -E 'step|copies' "$out/answer"; then exit 1; fi

# What there is no cost for, and where there is no model.
if explain --params "$params" --at n=2^20 --copy-in auto; then exit 1; fi
expect 'has no cost of copies to the device, pageable memory'
if explain --params "${params%transfers.yaml}general/cpu.yaml" --at n=2^20 --copy-in auto; then exit 1; fi
expect 'no model of transfers is published'
