#!/bin/bash
# evaluation.sh SCRIPT BUILD STEADY_DEVICE.SO - tables and figures of scripts/results/evaluate.sh on the
# CPU, from calibration to plots, with a model of one cost, which two sizes determine, and
# the times of steady_device.c.  Exit status 77: no gnuplot.
set -eu
command -v gnuplot > /dev/null || exit 77
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cat > "$out/two.yaml" <<'CONFIGURATION'
version: 1
measure: {budget_s: 600, min_samples: 4, max_samples: 8, noise: 0.05, rungs: 1}
expressions:
  work: >-
    p_madd * (f_op_float32_madd + f_mem_access_global_float32 + f_mem_access_local_float32)
models:
  - {name: general, output: f_cl_wall_time, expression: work,
     kernels: [{tags: [matmul_sq, "dtype:float32", "n:96,192"]}]}
CONFIGURATION
export BUILD=$2 DEVICE=cpu CONFIG=$out/two.yaml CLPEAK=/nonexistent
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 # of the preloaded

LD_PRELOAD=$3 TEST_NS=0.05 TEST_COUNTED=3 TEST_RUN_ITEMS=20000 \
    "$1" measure "$out" clpeak calibration matmul overlap > "$out/log"
cat "$out/log"
grep '^failed or incomplete' "$out/log" && exit 1
"$1" draw "$out"
cat "$out/tables.md"
grep -E '^\| matmul \| matmul_tiled .* \| 6 \| [0-9.]+% \| [0-6] of 6 \| - ' "$out/tables.md"
grep -E '^\| matmul \| \*\*model general \(expression\)\*\* \| 12 \| [0-9.]+% \| [0-9]+ of 12 \| [0-6] of 6 \| (-|[0-6] of [0-6]) \| 4.3% \|$' \
    "$out/tables.md"
grep -E '^\| general \| p_madd \| [0-9.]+ Gflop/s \| [0-9.]+% \| - \| - \|$' "$out/tables.md"
grep -E '^run [0-9TZ]+-[0-9a-f]+: 1 device' "$out/tables.md"
for figure in matmul matmul_error overlap overlap_error; do
    [ "$(grep -c '<path' "$out/plots/$figure.svg")" -ge 3 ]
done
# Two variants of a product, and one line over m.
[ "$(grep -c '<text>matmul_.* prefetch' "$out/plots/matmul.svg")" = 2 ]
grep -q '<text>overlap<' "$out/plots/overlap.svg"
[ ! -e "$out/plots/dg.svg" ]
