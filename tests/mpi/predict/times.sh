#!/bin/bash
# times.sh GPUCAL SOURCE - gpucal evaluate --times and --replay: kernels and times of CSV files and
# records, counted for a model and predicted without a device
set -u
gpucal=$1 tests=$2/tests
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OCL_ICD_VENDORS=/nonexistent

fail() {
    echo "FAILED: $*"
    for f in out err all.csv; do [ -f $f ] && sed "s/^/$f: /" $f; done
    exit 1
}
evaluate() { # STATUS OPTION...
    local wanted=$1
    shift
    "$gpucal" evaluate --params "$tests/data/general/h100.yaml" --model general "$@" > out 2> err
    local status=$?
    [ $status = "$wanted" ] || fail "exit status $status, not $wanted: $*"
}
line() { grep -qE -- "$1" "${2:-out}" || fail "no line '$1'"; }
figures() { # KERNELS
    [ "$(grep -c '^kernel,' all.csv)" = "$1" ] || fail "not $1 kernels"
}

# Of columns in any order those that are needed; a quoted field, and CR LF.
printf '%s\r\n' 'time_s,arguments,generator,device' \
    '6.4e-06,"n:100",tiny_rotate,"NVIDIA H100 80GB HBM3"' \
    '6.5e-06,n:512,tiny_rotate,NVIDIA H100 80GB HBM3' \
    '7.5e-06,n:512,tiny_rotate,another GPU' > times.csv
evaluate 0 --times times.csv --catalogue "$tests/scope" --csv all.csv
figures 2
line '^  tiny_rotate$'
line ' 6.4 us +[-+][0-9.]+ % +[-o ]*[|X][-o ]*n:100( |$)'
line '^all: 2 kernels, '
grep -q '^    below 50 us' out && fail 'the only band has a line'
# Launches of two bands are judged apart: a line for each, on the terminal and in the file.
printf '%s\n' generator,arguments,time_s tiny_rotate,n:100,6.4e-06 tiny_rotate,n:512,2e-3 > bands.csv
evaluate 0 --times bands.csv --catalogue "$tests/scope" --csv bands-all.csv
line '^  general: 2 kernels, '
line '^    below 50 us: 1 kernel, geometric mean error ([0-9.]+) %, worst ([0-9.]+) %, by time \2 %, '
line '^    above 1 ms: 1 kernel, geometric mean error 99\.[0-9]+ %'
grep -q '^    50 us to 1 ms' out && fail 'a band without launches'
awk -F , 'FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { bands[$1 " " $2 " " $(column["band"])]++ }
    $1 == "band" && $2 && $(column["band"]) == "above_1_ms" { by_time = $(column["time_percent"]) }
    END { exit by_time < 99 || bands["band general below_50_us"] != 1 || bands["band  above_1_ms"] != 1 ||
        bands["kernel general above_1_ms"] != 1 || bands["model general "] != 1 ||
        bands["band general 50_us_to_1_ms"] }' bands-all.csv || fail 'bands in the file'
# The prediction is that of 'gpucal predict'.
time_s=$("$gpucal" predict --params "$tests/data/general/h100.yaml" --model general \
    -C "$tests/scope" tiny_rotate n:512 --json | sed -n 's/^ *"time_s": \([^,]*\),*$/\1/p')
awk -F , -v time_s="$time_s" '/^kernel,.*n:512[ ,]/ { good = time_s > 0 && ($7 - time_s) ^ 2 < (1e-6 * time_s) ^ 2 }
    END { exit !good }' all.csv || fail "predict: $time_s s"
# Tags select: any name, and all arguments.
evaluate 0 --times times.csv -C "$tests/scope" scope_tiny scope_rod n:100,200 --csv all.csv
figures 1
evaluate 1 --times times.csv -C "$tests/scope" scope_rod
line 'no kernel that the tags select' err

# A kernel of the built-in catalogue.
printf '%s\n' generator,arguments,time_s \
    'gmem_copy,dtype:float32 lsize_0:256 pointer:restrict width:4 per_item:1 nelements:67108864,2.1e-4' > copy.csv
evaluate 0 --times copy.csv --csv all.csv
line '^all: 1 kernel, '
# A record without counts of traffic: its kernels are counted again.  Two records are one set.
own=$tests/data/own-h100
evaluate 0 --replay "$own/own-saxpy.h5" --replay "$own/own-matmul.h5" --csv all.csv
line '^all: 14 kernels, '
figures 14
grep -q 'not predicted:' out && fail 'not counted again'
evaluate 1 --replay "$own/own-saxpy.h5" --replay not-there.h5
line 'not-there.h5' err

# Beside it another model of the same kernels, which has the same figures and a name of its own.
cp "$tests/data/general/h100.yaml" other.yaml
evaluate 0 --times times.csv -C "$tests/scope" --csv all.csv --baseline=other.yaml
figures 4
line '^model general of other.yaml .expression.$'
line '^  general of other.yaml: 2 kernels, '
[ "$(grep -c '^  tiny_rotate$' out)" = 1 ] || fail 'kernels of a baseline are listed'
line '^all: 2 kernels, '
awk -F , 'FNR == 1 { n = NF; for (i = 1; i <= NF; i++) column[$i] = i }
    NF != n { print "fields: " NF; bad = 1 }
    $1 == "model" { key = $2; for (i = 6; i <= NF; i++) if (i != column["baseline"]) key_of[key] = key_of[key] "," $i
        baseline[key] = $(column["baseline"]); models++ }
    $1 == "application" && $(column["application"]) == "tiny" && $(column["within_2"]) == 2 { applications++ }
    END { exit bad || models != 2 || applications != 2 || baseline["general"] != 0 ||
        baseline["general of other.yaml"] != 1 || key_of["general"] != key_of["general of other.yaml"] }' \
    all.csv || fail 'figures of the baseline'
evaluate 1 --times times.csv -C "$tests/scope" --baseline
line 'no published model roofline, linear or overlap' err
evaluate 1 --times times.csv -C "$tests/scope" --baseline="$tests/data/rates/cpu.yaml"
line 'cpu.yaml has neither device NVIDIA H100 80GB HBM3 nor another of its type' err

# What the driver said of the built kernels, for a model that asks for it.
cat > built-config.yaml <<'CONFIGURATION'
version: 1
models:
  - name: built
    output: f_cl_wall_time
    expression: >-
      p_launch*f_sync_kernel_launch +
      p_work*(f_op + f_mem_access)*max(1, f_kernel_registers)/max(1, f_device_registers)
    parameters: {p_launch: {initial: 6e-06}, p_work: {initial: 1e-09}}
    kernels:
      - tags: [gmem_copy_pattern]
CONFIGURATION
"$gpucal" fit --record "$tests/data/general/h100.h5" --config built-config.yaml --output . > out 2> err ||
    fail 'no model'
sed '/^  unit_registers:/d; s/^  unit_local_memory_bytes: .*/&\n  unit_registers: 65536/' vm.yaml > registers.yaml
printf '%s\n' generator,arguments,time_s,registers,private_bytes \
    tiny_rotate,n:100,6.4e-06,, tiny_rotate,n:512,6.5e-06,255,616 > built.csv
evaluate 0 --times built.csv -C "$tests/scope" --params registers.yaml --model built --csv all.csv
# The time grows with the registers, of which the second kernel alone has some.
awk -F , '/^kernel,.*n:100[ ,]/ { few = $7 } /^kernel,.*n:512[ ,]/ { many = $7 }
    END { exit !(few > 0 && many > few) }' all.csv || fail 'registers'

evaluate 0 --times times.csv -C "$tests/scope" --baseline=other.yaml --csv all.csv
# A figure of both models, and none of a model that is not there.
if command -v gnuplot > /dev/null; then
    "$2/scripts/results/scatter.sh" all.csv figure.svg 'general of other.yaml' > out 2> err || fail 'no figure'
    grep -q '<text>tiny (2)' figure.svg || grep -q '(2)<' figure.svg || fail 'no points in the figure'
    "$2/scripts/results/scatter.sh" all.csv none.svg nothing > out 2> err && fail 'a figure of nothing'
    line 'no kernel that nothing predicted' err
fi

# A kernel without a time, and one that cannot be counted, are listed with the reason.
mkdir own
cat > own/own_data.cl <<'SOURCE'
__kernel void own_data(__global const int *list, __global float *x)
{
    for (int i = list[get_global_id(0)]; i > 0; i = list[i])
        x[get_global_id(0)] += 1;
}
SOURCE
cat > own/own_data.yaml <<'DESCRIPTION'
gpucal_kernel: 1
name: own_data
description: a loop whose trips are data
tags: [own_data]
source: own_data.cl
kernel: own_data
arguments:
  n: {size: [1024]}
local_size: [64]
global_size: [n]
args:
  - {name: list, buffer: int32, elements: n}
  - {name: x, buffer: float32, elements: n, output: true}
check: {n: 1024}
DESCRIPTION
cat > times.csv <<'CSV'
generator,arguments,time_s,spread,samples,status,detail
tiny_rotate,n:512,,,0,build failed,"no ""compiler"""
tiny_rotate,n:100,6.4e-06,0.01,12,good,
own_data,n:1024,1e-05,0.01,12,good,
CSV
evaluate 0 --times times.csv -C "$tests/scope" -C own --csv all.csv
figures 3
line 'build failed: no "compiler"$'
line 'not predicted: own_data: own_data.cl:3:'
line '^all: 1 kernel, '

# What cannot be read.
refused() { # PATTERN LINE...
    local pattern=$1
    shift
    printf '%s\n' "$@" > bad.csv
    evaluate 1 --times bad.csv -C "$tests/scope"
    line "$pattern" err
}
head='generator,arguments,time_s'
refused 'bad.csv:1: expected the columns' 'generator,arguments'
refused 'bad.csv: a header line'
refused 'bad.csv:3: 2 fields, but the header line has 3' $head '' 'tiny_rotate,n:512'
refused 'bad.csv:2: a quote' $head 'tiny_rotate,"n:512,1' 'e,'
refused "bad.csv:2: no kernel of the catalogue is called 'tiny_rotat'" $head 'tiny_rotat,n:512,1e-5'
refused "bad.csv:2: time_s 'fast': expected a number" $head 'tiny_rotate,n:512,fast'
refused "bad.csv:2: time_s '': expected a time in seconds" $head 'tiny_rotate,n:512,'
refused "bad.csv:2: time_s '-1'" $head 'tiny_rotate,n:512,-1'
refused "bad.csv:2: registers 'many': expected a number" $head,registers 'tiny_rotate,n:512,1e-5,many'
refused "bad.csv:2: status 'slow'" $head,status 'tiny_rotate,n:512,1e-5,slow'
refused 'bad.csv: no kernel that NVIDIA H100 80GB HBM3 ran' $head
evaluate 1 --times not-there.csv
line 'not-there.csv' err
evaluate 1 --times bad.csv --record e.h5
line 'excludes' err

# From before models made for kernels went: a record says what to do, a parameter file predicts.
"$gpucal" fit --record "$own/own-saxpy.h5" > out 2> err && fail 'a form that is gone is fitted'
line 'models made for kernels from their own components are no longer fitted: leave the model out' err
"$gpucal" predict --params "$tests/data/rates/before.yaml" --model matmul_sq matmul_sq prefetch:True n:1024 \
    > out 2> err || fail 'a parameter file from before'
line 'predicted [0-9.]+ us, 90 % interval [0-9.]+ to [0-9.]+ us \(model matmul_sq\)$'
