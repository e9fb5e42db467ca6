#!/bin/bash
# measured.sh GPUCAL DATA - the time of an explained kernel on this machine's device, and of its
# parts.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export POCL_DEVICES=basic
uid=$("$gpucal" devices --json 2> /dev/null | sed -n 's/.*"uid": "\(.*\)".*/\1/p' | head -1)
sed "s|uid: .*|uid: $uid|; s|^device: .*|device: $uid|" "$data/general/cpu.yaml" > "$out/here.yaml"
cat > "$out/scale.cl" <<'KERNEL'
kernel void scale(global float *y, global const float *x, float a)
{
    int i = get_global_id(0);
    float v = x[i];

    for (int k = 0; k < 64; k++)
        v = v*a + 0.5f;
    y[i] = v;
}
KERNEL
explain() {
    "$gpucal" explain --params "$out/here.yaml" "$@" > "$out/answer" 2> "$out/messages" && return
    cat "$out/messages"
    exit 1
}
explain "$out/scale.cl" --local 64 --global n --at n=262144 --measure --set a=0.5 --json
python3 - "$out/answer" <<'PYTHON'
import json, sys
m = json.load(open(sys.argv[1]))["measured"]
assert m["launches"] >= 5 and m["why_not"] is None, m
shorter = min(m["memory_s"], m["onchip_s"])
hidden = min(1, max(0, (m["memory_s"] + m["onchip_s"] - m["whole_s"])/shorter))
assert abs(m["hidden"] - hidden) < 1e-9, m
expected = "hidden" if hidden >= 0.8 else "not hidden" if hidden <= 0.2 else "partly hidden"
assert m["verdict"] == expected, m
PYTHON
explain matmul_sq prefetch:True n:160 --measure
grep -qE '^measured [0-9.]+ [mu]s \(median of [0-9]+ launches, \+- [0-9.]+ %, least [0-9.]+ [mu]s\): prediction error [+-][0-9.]+ %$' "$out/answer"
grep -qE '^overlap: memory accesses alone [0-9.]+ [mu]s, on-chip work alone [0-9.]+ [mu]s: .* hidden \([0-9]+ %\)$' \
    "$out/answer"
# The derived kernels have the arguments in another order.
explain kmeans dtype:float32 N:64 F:1 centres_local:1 \
    points_local:0 distances_local:0 K:16 M:4096 --measure
grep -qE '^overlap: memory accesses alone [0-9.]+ [mu]s' "$out/answer"
