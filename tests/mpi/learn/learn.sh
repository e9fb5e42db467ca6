#!/usr/bin/env bash
# learn.sh - gpucal learn and predict --measure on PoCL:
#   learn.sh GPUCAL TESTS CASE SCHEDULER STEADY_DEVICE.SO
# TESTS: the folder of the tests; SCHEDULER: docs/examples/scheduler.  Times are those of
# steady_device.c, 1 ns per work-item, whatever else the machine does, and the general model is that of
# another CPU; large launches are not run, but where results are the point.
set -u
gpucal=$1 tests=$2 name=$3 scheduler=$4
export LD_PRELOAD=$5 TEST_NS=1 TEST_COUNTED=none TEST_RUN_ITEMS=100000
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 # of the preloaded
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export POCL_DEVICES=basic POCL_CACHE_DIR="${TMPDIR:-/tmp}/gpucal-test-pocl.$(id -u)"
export GPUCAL_STORE=$work/store
unset GPUCAL_CATALOGUE SLURMD_NODENAME
published=store/nodes/$(hostname -s).yaml
calibrated() { "$tests/mpi/learn/calibrated.sh" "$gpucal" "$tests/data/general/cpu.yaml" "$1"; }
mkdir store
calibrated store || exit 1
cp "$published" calibrated.yaml
cp "$tests/own/own.cl" "$tests/own/own.h" "$tests/mpi/learn/bad.cl" .

fail() {
    echo "FAILED: $*"
    for f in out err; do [ -f $f ] && sed "s/^/$f: /" $f; done
    exit 1
}
run() { "$@" > out 2> err; status=$?; }
expect_status() { [ "$status" = "$1" ] || fail "exit status $status, expected $1"; }
expect_line() { grep -qE -- "$1" out err || fail "no line matches '$1'"; }
learn() { run "$gpucal" learn --budget 600 "$@"; }
# One error with its place, and nothing published.
refused() { # STATUS PATTERN LEARN'S ARGUMENTS
    local expected=$1 pattern=$2
    shift 2
    learn bad.cl "$@"
    expect_status "$expected"
    grep -v 'info:\|warning:\|^[ 0-9]* | ' err > lines
    [ "$(wc -l < lines)" = 1 ] || fail "more than one line of error"
    grep -qE -- "$pattern" lines || fail "the error does not match '$pattern'"
    cmp -s "$published" calibrated.yaml || fail "the calibration changed"
    [ -z "$(ls store/learned 2> /dev/null)" ] || fail "something was published"
}

# From source to a published model, and to the kernel's time.
case_saxpy() {
    learn own.cl -k saxpy -l 64 -g '((n+63)/64)*64' --sizes n=20000:500000 --set a=3 \
        --keep kept --record run.h5
    expect_status 0
    expect_line "results: two runs agree, and so does the host's interpreter"
    expect_line '^  n = 20000 [0-9 ]*[13579] .*500000$'
    expect_line "learned 'saxpy' in"
    grep -q '{name: x, buffer: float32, elements: n}' kept/saxpy.yaml || fail "buffer x"
    grep -q '{name: y, buffer: float32, elements: n, output: true}' kept/saxpy.yaml ||
        fail "buffer y"
    grep -q '{name: a, scalar: float32, value: 3}' kept/saxpy.yaml || fail "scalar a"
    # The command that it prints.
    command=$(sed -n 's/^predict it: gpucal //p' out)
    eval "run '$gpucal' $command"
    expect_status 0
    expect_line 'predicted .*s, 90 % interval'
    run "$gpucal" predict own.cl -k saxpy -l 64 -g '((n+63)/64)*64' --at n=100001 \
        --model saxpy --measure
    expect_status 0
    expect_line 'measured .*s \(median of'
    # The same number from C.
    "$gpucal" count own.cl -k saxpy -l 64 -g '((n+63)/64)*64' -o saxpy.profile > /dev/null ||
        fail "saxpy is not counted"
    run "$gpucal" predict --profile saxpy.profile --at n=100000 --json
    predicted=$(sed -n 's/.*"time_s": \([0-9.e-]*\).*/\1/p' out | head -n 1)
    run "$scheduler" store saxpy.profile 100000 "$(hostname -s)"
    expect_status 0
    expect_line "^$(hostname -s) $(printf %.6e "$predicted") "
    # The entry that it kept is one of a catalogue.
    run "$gpucal" kernels --catalogue kept own saxpy n:1000 --counts
    expect_status 0
    expect_line 'saxpy'
    # The general model is far from these times, which are as if each work-item were one add.
    "$gpucal" predict own.cl -k saxpy -l 64 -g '((n+63)/64)*64' --at n=100000 --json > learned.json
    "$gpucal" predict own.cl -k saxpy -l 64 -g '((n+63)/64)*64' --at n=100000 --model general --json > general.json
    python3 - << 'CHECK' || fail "not nearer to 1 ns for each work-item than the general model"
import json, math
def read(name):
    document = json.load(open(name))
    return document[0] if isinstance(document, list) else document
off, before = (abs(math.log(read(f"{name}.json")["time_s"] / 1e-4)) for name in ("learned", "general"))
assert off < 0.25 and off < before, (off, before)
CHECK
    # What it learned is a file of the kernel, and the calibration stays as it is.
    cmp -s "$published" calibrated.yaml || fail "the calibration changed"
    run "$gpucal" show --kernels
    expect_status 0
    expect_line '^KERNEL +FINGERPRINT +TYPE'
    expect_line '^saxpy +[0-9a-f]{12} .* 1 +[0-9]+ +[0-9.]+ %'
    run "$gpucal" show --kernels --json
    expect_status 0
    # Other launches are other kernels.
    run "$gpucal" predict own.cl -k saxpy -l 128 -g '((n+127)/128)*128' --at n=100000
    expect_line '\(model general\)'
    cp -r store before
    run "$gpucal" store forget --model saxpy
    expect_status 0
    run "$gpucal" predict --profile saxpy.profile --at n=100000
    expect_line '\(model general\)'
    run "$gpucal" show --kernels
    expect_status 1
    expect_line 'nothing was learned of any kernel'
    rm -r store
    mv before store
    # The record has all times, and they say the same without the source.
    rm -r own.cl own.h kept
    run "$gpucal" evaluate --replay run.h5 --store store --model general --seen 3 saxpy
    expect_status 0
}

# From times that somebody else took, on a node that is not here.
case_times() {
    saxpy="-k saxpy -l 64 -g ((n+63)/64)*64"
    taken() { # NAME.csv: times of twice the general model's, in microseconds
        echo "n,gpu time (us)"
        for n in 20000 100001 300000 1000000; do
            # shellcheck disable=SC2086 # several options
            "$gpucal" predict own.cl $saxpy --at n=$n --model general --json |
                sed -n 's/.*"time_s": \([0-9.e-]*\).*/\1/p' | head -n 1 |
                awk -v n=$n '{ print n "," 2e6 * $1 }'
        done
    }
    taken > saxpy.csv
    # A first launch and two others at the same size: their median counts.
    tail -n 1 saxpy.csv | awk -F, '{ print $1 "," 50 * $2; print $1 "," $2 * 1.01 }' >> saxpy.csv
    mv store/nodes/* store/nodes/far.yaml
    sed -i 's/^node: .*/node: far/' store/nodes/far.yaml
    # shellcheck disable=SC2086
    run "$gpucal" learn own.cl $saxpy --times saxpy.csv --node far
    expect_status 0
    expect_line "learned 'saxpy' from 4 times"
    # shellcheck disable=SC2086
    run "$gpucal" predict own.cl $saxpy --at n=500000 --node far --csv learned.csv
    expect_status 0
    expect_line '\(model saxpy\)'
    # shellcheck disable=SC2086
    "$gpucal" predict own.cl $saxpy --at n=500000 --node far --model general --csv general.csv > /dev/null
    ratio=$(paste -d, learned.csv general.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_s") at[++k] = i }
        NR == 2 { print $at[1] / $at[2] }')
    awk -v r="$ratio" 'BEGIN { exit !(r > 1.7 && r < 2.2) }' || fail "$ratio times the general model"
    # Again, with one more size: the store has five.
    { head -n 1 saxpy.csv && echo "2000000,$(tail -n 1 saxpy.csv | cut -d, -f2)"; } > more.csv
    # shellcheck disable=SC2086
    run "$gpucal" learn own.cl $saxpy --times more.csv --node far
    expect_status 0
    expect_line "learned 'saxpy' from 5 times"
    uid=$(sed -n 's/^- uid: //p' store/nodes/far.yaml)
    [ "$(grep -c "Z far/$uid$" store/learned/*.yaml)" = 5 ] || fail "times without their device"
    # A file of times without devices is read, and its times count.
    sed -i "s|Z far/$uid$|Z|" store/learned/*.yaml
    # shellcheck disable=SC2086
    run "$gpucal" learn own.cl $saxpy --times more.csv --node far
    expect_status 0
    expect_line "learned 'saxpy' from 5 times"
    # Times that a program observed there, of a file that is written here: far from what was learned they
    # are held back and named, near they are learned.
    # shellcheck disable=SC2086
    "$gpucal" count own.cl $saxpy -o saxpy.yaml
    kernel=$(sed -n "s/^fingerprint: *'*\([0-9a-f]*\).*/\1/p" saxpy.yaml | head -n 1)
    observe() { # RATIO
        printf 'gpucal_observed 1\nprofile\t%s\tsaxpy\t' "$kernel"
        sed 's/\\/\\\\/g; s/\t/\\t/g' saxpy.yaml | awk '{ printf "%s\\n", $0 } END { print "" }'
        sed -n 2,5p saxpy.csv | awk -F, -v OFS='\t' -v kernel="$kernel" -v uid="$uid" -v ratio="$1" '
            { for (i = 0; i < 4; i++)
                  print "time", kernel, "far", uid, "n=" $1, 1e-6 * ratio * $2, "2026-11-27T10:00:00Z", NR ":" i }'
    }
    mkdir -p store/observed
    observe 2 > store/observed/far-1-1.tsv
    run "$gpucal" store merge
    expect_status 0
    expect_line '^saxpy on .* of far: 16 times at 4 sizes, [12].[09]. times what was learned before: stays: drifts'
    run "$gpucal" audit
    expect_status 2
    expect_line 'kernel saxpy takes [12].[09]. times what was learned \(16 times at 4 sizes\)'
    expect_line 'warning  GPUCAL-KERNEL: '
    run "$gpucal" audit --json
    expect_status 2
    grep -q '"all_of_device": false' out || fail "not in JSON"
    rm store/observed/*
    observe 1.02 > store/observed/far-1-2.tsv
    run "$gpucal" store merge
    expect_status 0
    expect_line '^0 kernels|^1 kernel learned from 1 file'
    [ -z "$(ls store/observed)" ] || fail "times stay"
    # Any publication learns from them, too, and warns of what drifts.
    observe 1.01 > store/observed/far-1-3.tsv
    # shellcheck disable=SC2086
    run "$gpucal" learn own.cl $saxpy --times more.csv --node far
    expect_status 0
    [ -z "$(ls store/observed)" ] || fail "times stay"
    observe 3 > store/observed/far-1-4.tsv
    # shellcheck disable=SC2086
    run "$gpucal" learn own.cl $saxpy --times more.csv --node far
    expect_status 0
    grep -q 'kernel saxpy on .* of far takes 3.* times what was learned' err || fail "no warning"
    rm store/observed/*
    refused_times() { # PATTERN TEXT
        printf '%b' "$2" > bad.csv
        # shellcheck disable=SC2086
        run "$gpucal" learn own.cl $saxpy --times bad.csv --node far
        expect_status 1
        expect_line "$1"
    }
    refused_times 'bad.csv:1: no column is a time: name the column' 'n,time\n1000,1\n'
    refused_times "bad.csv:1: 'Triton .ms.' and 'Torch .ms.' are times: keep one of these columns" \
        'n,Triton (ms),Torch (ms)\n1000,1,1\n'
    refused_times "bad.csv:2: time_us '-1': expected a number above 0" 'n,time_us\n1000,-1\n'
    refused_times "bad.csv:2: n 'many': expected a number above 0" 'n,time_us\nmany,1\n'
    refused_times "no size 'm'|has no .*'m'|'m'" 'n,m,time_us\n1000,3,1\n'
    refused_times 'no times' 'n,time_us\n'
    # Tables of other programs, in the form that each has; launches of profilers find their sizes by --at.
    formats() { # NAME TEXT [OPTION]..
        name=$1
        printf '%b' "$2" > taken
        shift 2
        # shellcheck disable=SC2086
        run "$gpucal" learn own.cl $saxpy --name "$name" --times taken --node far "$@"
    }
    refused_format() { # PATTERN TEXT [OPTION]..
        pattern=$1
        shift
        formats bad "$@"
        expect_status 1
        expect_line "$pattern"
    }
    refused_times 'no column is a time' 'n,Triton (GB/s)\n1000,1\n'
    formats triton 'n,Triton (ms)\n4096.0,0.0171\n8192.0,0.0203\n'
    expect_status 0
    state='{"name": "Device=0 n=4096", "is_skipped": false, "axis_values": [{"name": "n{io}", "type": "int64", "value": "4096"}],
        "summaries": [{"tag": "nv/cold/time/cpu/mean", "hint": "duration", "data": [{"name": "value", "value": "1"}]},
        {"tag": "nv/cold/time/gpu/mean", "hint": "duration", "data": [{"name": "value", "type": "float64", "value": "1.71e-05"}]}]}'
    formats nvbench "{\"benchmarks\": [{\"name\": \"saxpy\", \"states\": [$state, {\"is_skipped\": true}]}]}"
    expect_status 0
    refused_format "has no duration" "{\"benchmarks\": [{\"states\": [$(echo "$state" | sed 's/gpu.mean/gpu\/min/')]}]}"
    refused_format "axis 'T' is not an integer" \
        "{\"benchmarks\": [{\"states\": [$(echo "$state" | sed 's/"n{io}"/"T"/; s/"4096"}\]/"F32"}]/')]}]}"
    refused_format "states of device 0 and of device 1: keep one" '{"benchmarks": [{"states": [{"device": 0, "is_skipped": true}, {"device": 1}]}]}'
    refused_format ': 0 benchmarks' '{"benchmarks": []}'
    refused_format 'taken:1:' '{"benchmarks": '
    ncu='"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"\n'
    row='"0","saxpy(int, float)","(64, 1, 1)","(64, 1, 1)","gpu__time_duration.sum"'
    formats ncu "==PROF== Connected to process 7\nhello\n$ncu$row,\"us\",\"17.1\"
$row,\"nsecond\",\"17,100\"\n\"0\",\"other(int)\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"gpu__time_duration.sum\",\"us\",\"5\"
\"0\",\"saxpy(int)\",\"(64, 1, 1)\",\"(64, 1, 1)\",\"dram__bytes.sum\",\"byte\",\"5\"\n==PROF== Disconnected\n" --at n=4096
    expect_status 0
    formats namespace "$ncu$(echo "$row" | sed 's/saxpy/void my::saxpy<float>/'),\"us\",\"17.1\"\n" --at n=4096
    expect_status 0
    refused_format "means over launches of all sizes" '==PROF== Connected
"Process ID","Kernel Name","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"
"1","saxpy","2","GPU Speed Of Light Throughput","Duration","us","1","3","2"\n' --at n=4096
    refused_format 'name those of the launches with --at' "$ncu$row,\"us\",\"17\"\n"
    refused_format "taken:4: a launch of 64 work-groups of 64 work-items, which no --at has" \
        "==PROF== a\nb\n$ncu$row,\"us\",\"17\"\n" --at n=8192
    refused_format "may be that of n=4096 and of n=4095" "$ncu$row,\"us\",\"17\"\n" --at n=4096 --at n=4095
    refused_format "taken:2: 'cycle' is not a unit of time" "$ncu$row,\"cycle\",\"17\"\n" --at n=4096
    refused_format "no launch of kernel saxpy; there is one of other" \
        "$ncu\"0\",\"other(int)\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"gpu__time_duration.sum\",\"us\",\"5\"\n" --at n=4096
    formats ncu_raw '"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"\n"","","","","us"
"0","saxpy","(64, 1, 1)","(64, 1, 1)","17.1"\n' --at n=4096
    expect_status 0
    formats rocprof '"Index","KernelName","grd","wgr","BeginNs","EndNs","DurationNs"\n0,"saxpy(int, float) [clone .kd]",4096,64,1591373051559851,1591373051576951,17100\n' \
        --at n=4096 --at n=8192
    expect_status 0
    formats rocprofv3 '"Kind","Kernel_Name","Start_Timestamp","End_Timestamp","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","saxpy.kd",1791373051559851001,1791373051559868101,64,1,1,8192,1,1\n' --at n=4096 --at n=8192
    expect_status 0
    expect_line "learned 'rocprofv3' from 7 times"
    refused_format "means over launches of all sizes" '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"saxpy",1,2,2,100\n' --at n=4096
    refused_format "launches without times: profile with .--timestamp on" \
        'Index,KernelName,gpu-id,grd,wgr,GPUBusy\n0,"saxpy(int) [clone .kd]",0,4096,64,100\n' --at n=4096
    # of rocprofv2: a line below the header is empty
    formats rocprofv2 'Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Kernel_Name,Start_Timestamp,End_Timestamp\n
1,4,4096,64,"saxpy(int, float) (.kd)",1591373051559851,1591373051576951\n' --at n=4096 --at n=8192
    expect_status 0
    refused_format "ends before it begins" '"KernelName","grd","wgr","BeginNs","EndNs"\n"saxpy",4096,64,2,1\n' --at n=4096
    # Kernels of the catalogue, each by itself.
    cat > products.csv << 'TIMES'
generator,arguments,time_s,spread
flops_add,dtype:float32 lsize_0:256 groups_fit:True nelements:131072 m:64,0.0002,0.01
flops_add,dtype:float32 lsize_0:256 groups_fit:True nelements:262144 m:64,0.0004,0.01
flops_mul,dtype:float32 lsize_0:256 groups_fit:True nelements:131072 m:64,0.0001,0.01
TIMES
    run "$gpucal" learn --times products.csv --node far
    expect_status 0
    expect_line "learned 'flops_add' from 2 times"
    expect_line "learned 'flops_mul' from 1 time:"
    run "$gpucal" learn --times products.csv --node far --json
    expect_status 0
    sed -i 's/131072/524288/' products.csv
    run "$gpucal" learn --times products.csv --node far
    expect_line "learned 'flops_add' from 3 times"
    run "$gpucal" show --kernels
    [ "$(grep -c . out)" = 4 ] || fail "not three kernels"
    run "$gpucal" learn --times products.csv --node near
    expect_status 1
    expect_line "node near is not calibrated; calibrated nodes: far"
}

# Logged times, in their order, of two kernels; what is wrong with a log is said with its line, and nothing is told.
case_observe() {
    "$gpucal" count own.cl -k saxpy -l 64 -g '((n+63)/64)*64' -o saxpy.yaml > /dev/null || fail "saxpy is not counted"
    "$gpucal" count own.cl -k conv5x5 -l 16,16 -g width,height -o conv.yaml > /dev/null || fail "conv5x5 is not counted"
    taken() { # PROFILE SIZES: of the general model, 1.3 times
        "$gpucal" predict --profile "$1" --at "$2" --model general --json |
            sed -n 's/.*"time_s": \([0-9.e-]*\).*/\1/p' | head -n 1 | awk '{ print 1.3e6 * $1 }'
    }
    saxpy=$(taken saxpy.yaml n=300000) conv=$(taken conv.yaml width=512,height=512)
    {
        echo "profile,n,height,width,device,launch time (us)"
        for i in 1 2 3 4 5; do
            echo "saxpy.yaml,300000,,,cpu,$saxpy"
            echo "conv.yaml,,512,512,,$conv"
        done
    } > log.csv
    run "$gpucal" observe log.csv
    expect_status 0
    expect_line 'told the store 8 of 10 times of 2 kernels'
    run "$gpucal" store merge
    expect_status 0
    expect_line '^saxpy on .*: 4 times at 1 size'
    expect_line '^conv5x5 on .*: 4 times at 1 size'
    run "$gpucal" predict --profile saxpy.yaml --at n=300000 --csv learned.csv
    expect_line '\(model saxpy\)'
    python3 - "$saxpy" << 'CHECK' || fail "not what the log says"
import csv, sys
row = next(csv.DictReader(open("learned.csv")))
assert abs(float(row["time_s"]) * 1e6 / float(sys.argv[1]) - 1) < 0.05, row
CHECK
    # One kernel, from a pipe.
    awk 'BEGIN { print "n,time_ms"; for (i = 0; i < 3; i++) print "300000,0.3" }' |
        "$gpucal" observe - --profile saxpy.yaml > out 2> err || fail "no pipe"
    expect_line 'told the store 2 of 3 times of 1 kernel:'
    rm -r store/observed
    bad() { # PATTERN LOG ARGUMENTS
        printf '%b' "$2" > bad.csv
        run "$gpucal" observe bad.csv "${@:3}"
        expect_status 1
        expect_line "$1"
        [ -z "$(ls store/observed 2> /dev/null)" ] || fail "something was told"
    }
    bad 'no column is a time' 'n,time_furlongs\n1024,3\n' --profile saxpy.yaml
    bad "bad.csv:3: time_us '-3': expected a number above 0" 'n,time_us\n1024,3\n1024,-3\n' --profile saxpy.yaml
    bad 'bad.csv:3: ' 'n,time_us\n1024,3\n10' --profile saxpy.yaml
    bad 'bad.csv:2: .*other.yaml' 'profile,n,time_us\nother.yaml,1024,3\n'
    bad 'bad.csv:3: no column .profile. says which' 'profile,n,time_us\nsaxpy.yaml,1,3\n,1,3\n'
    bad "bad.csv:2: .*'m'" 'n,m,time_us\n1024,3,3\n' --profile saxpy.yaml
    bad "bad.csv:2: no size 'height', which conv.yaml has" 'width,time_us\n1024,3\n' --profile conv.yaml
    bad 'bad.csv:2: .*FPGA' 'n,device,time_us\n1024,FPGA,3\n' --profile saxpy.yaml
    bad 'node far is not calibrated' 'n,time_us\n1024,3\n' --profile saxpy.yaml --node far
    bad 'launches without the kernel.s sizes' 'KernelName,BeginNs,EndNs\nsaxpy,10,20\n' --profile saxpy.yaml
    bad 'nowhere' 'n,time_us\n1024,3\n' --profile saxpy.yaml --store nowhere
}

# Sizes are found by trying; structures, which the interpreter runs, too.
case_structures() {
    unset GPUCAL_STORE
    learn own.cl -k drift -l 64 -g n -D UNUSED=7 --assume 'n >= 64' --store "$work/store"
    expect_status 0
    command=$(sed -n 's/^predict it: gpucal //p' out)
    expect_line 'p: 8\*n elements of float32, written'
    expect_line 'dt = 0.5 \(--set dt=VALUE\)'
    expect_line "results: two runs agree, and so does the host's interpreter"
    expect_line "learned 'drift' in"
    # The command that it prints has the macros, the conditions and the store.
    eval "run '$gpucal' $command"
    expect_status 0
    expect_line '\(model drift\)'
    # Integers in them are places, and numbers of iterations, as their types are.
    cat > cells.cl << 'KERNELS'
struct item { int cell; float x; float4 v; uchar kind; };
__kernel void cells(__global const struct item *p, __global const float *table, __global float *out)
{
    int i = get_global_id(0);
    float sum = p[i].v.w;
    for (int k = 0; k < p[i].kind; k++)
        sum += table[p[i].cell] * p[i].x;
    out[i] = sum;
}
KERNELS
    learn cells.cl -k cells -l 64 -g n --buffer table=1024 --trips 6:kinds --set kinds=64 --assume 'n >= 64' \
        --keep kept --store "$work/store"
    expect_status 0
    expect_line "results: two runs agree, and so does the host's interpreter"
    grep -qF 'members: int32 float32 pad*8 float32*4 uint8 pad*15' kept/cells.yaml || fail "members of p"
}

# Images, samplers, and structures and vectors by value.
case_images() {
    cat > images.cl << 'KERNELS'
__kernel void blur(__read_only image2d_t in, __write_only image2d_t out, sampler_t s, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int k = -1; k <= 1; k++)
        sum += read_imagef(in, s, (int2)(x + k, y));
    write_imagef(out, (int2)(x, y), sum / 3);
}
__kernel void rows(__read_only image2d_t in, __global int *sums)
{
    int y = get_global_id(0), sum = 0;
    for (int x = 0; x < get_image_width(in); x++)
        sum += read_imagei(in, (int2)(x, y)).x;
    sums[y] = sum;
}
__kernel void smooth(__read_only image2d_t in, __global float4 *out, sampler_t s, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * n + x] = read_imagef(in, s, (float2)(x / (float)n, y / (float)n));
}
__kernel void layers(__read_only image2d_array_t in, __read_only image3d_t volume,
                     __write_only image1d_t out, __global uint *sums, int n)
{
    uint sum = read_imageui(volume, (int4)(get_global_id(0), 1, 2, 0)).w;
    for (int z = 0; z < 5; z++)
        sum += read_imageui(in, (int4)(get_global_id(0), get_local_id(0), z, 0)).y;
    sums[get_global_id(0)] = sum;
    write_imagei(out, get_global_id(0), sum);
}
__kernel void twice(__read_write image2d_t in)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(in, p, read_imagef(in, p) * 2);
}
typedef struct { float scale; int rounds; int2 step; float w[3]; } part;
__kernel void by_value(__global float *a, part p, int4 size, __global float *given)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < p.rounds; k++)
        sum += a[i] * p.scale;
    a[i] = sum;
    if (i < size.y)
        given[i] = p.w[1] + size.w + p.scale + p.step.y;
}
KERNELS
    learn_and_measure() { # KERNEL SIZES OF-LEARN ARGUMENTS...
        local kernel=$1 sizes=$2 at=$3
        shift 3
        learn images.cl -k "$kernel" "$@" --sizes "$sizes"
        expect_status 0
        expect_line "learned '$kernel' in"
        cp out learned
        run "$gpucal" predict images.cl -k "$kernel" "$@" --at "$at" --model "$kernel" --measure
        expect_status 0
        expect_line 'measured .*s \(median of'
        cp learned out
    }
    learn_and_measure blur w=64:512,h=64:512 w=100,h=60 -l 4,4 -g w,h
    expect_line 'in: 4\*\(w\+1\)\*\(h\) elements of float32$'
    expect_line 'out: 4\*\(w\)\*\(h\) elements of float32, written'
    expect_line 's = nearest'
    learn_and_measure rows in_width=64:512,in_height=64:512 in_width=60,in_height=64 -l 16 -g in_height
    expect_line 'in: 4\*\(in_width\)\*\(in_height\) elements of int32$'
    learn_and_measure smooth n=64:512 n=64 -l 8,8 -g n,n --buffer in=n,n --set s=linear,normalized,repeat
    learn_and_measure layers n=128:1024 n=256 -l 64 -g n
    expect_line 'in: 4\*\(n\)\*\(64\)\*\(5\) elements of uint32$'
    expect_line 'volume: 4\*\(n\)\*\(2\)\*\(3\) elements of uint32$'
    expect_line 'out: 4\*\(n\) elements of int32, written'
    learn_and_measure twice n=64:512 n=64 -l 8,8 -g n,n --std=CL2.0
    learn_and_measure by_value n=20032:200000 n=64000,p_rounds=7,size_y=5 -l 64 -g n --set p_rounds=7 --set size_y=5 --set p_scale=0.25
    expect_line 'p: 32 bytes'
    expect_line 'p_w_1 = 0.5 \(--set p_w_1=VALUE\)'
    # The entry has all of it, and catalogues read it.
    learn images.cl -k by_value -l 64 -g n --set p_rounds=7 --set size_y=5 --set p_scale=0.25 --set p_step_y=3 \
        --set size_w=11 --sizes n=20032:200000 --keep kept
    expect_status 0
    grep -q '{name: p, struct: 32}' kept/by_value.yaml || fail "structure"
    grep -q '{name: p_step_y, scalar: int32, value: 3, member: 12}' kept/by_value.yaml || fail "member"
    grep -q '{name: size_y, scalar: int32, value: size_y, member: 4}' kept/by_value.yaml || fail "component"
    run "$gpucal" kernels -C kept by_value n:64000 --run
    expect_status 0
}

# Positions that data give: a sparse matrix.
case_sparse() {
    line=$(grep -n 'k < first\[row + 1\]' own.cl | cut -d: -f1)
    learn own.cl -k spmv_csr -l 64 -g rows --trips "$line:nnz" --set nnz=8 \
        --buffer columns=nnz*rows --buffer values=nnz*rows --buffer x=rows \
        --range first=0:nnz*rows:sorted --range columns=0:rows-1 --sizes rows=1024:65536
    expect_status 0
    expect_line "results: two runs agree, and so does the host's interpreter"
    expect_line "learned 'spmv_csr' in"
    # The ranges alone say how long the rows are, also in the buffers that are measured.
    run "$gpucal" predict own.cl -k spmv_csr -l 64 -g rows --at rows=2048,nnz=8 \
        --buffer first=rows+1 --buffer columns=nnz*rows --buffer values=nnz*rows --buffer x=rows \
        --range first=0:nnz*rows:sorted --range columns=0:rows-1 --measure
    expect_line 'measured .*s \(median of'
}

# A name that a built-in kernel has; two sizes that change together.
case_names() {
    # Its work-items are always 4096, its work is that of argument 3, n.
    export TEST_NS=0.001 TEST_COUNTED=3
    learn own.cl -k histogram -l 64 -g 4096 --buffer mine=256 --range data=0:255 \
        --sizes n=50000:800000 --keep kept
    export TEST_NS=1 TEST_COUNTED=none
    expect_status 0
    [ -e kept/own_histogram.yaml ] || fail "the entry has a built-in kernel's name"
    expect_line "learned 'histogram' in"
    learn own.cl -k matvec -l 64 -g rows --sizes rows=128:1024 --name mv
    expect_status 0
    expect_line "learned 'mv' in"
    expect_line '^  cols = 128 '
}

# The other own-style kernels, at few small sizes, then timed.
case_all() {
    ell='--buffer x=rows --range columns=0:rows-1 --set width=8'
    while read -r kernel local global sizes more; do
        # shellcheck disable=SC2086 # several options
        learn own.cl -k "$kernel" -l "$local" -g "$global" --sizes "$sizes" $more
        expect_status 0
        expect_line "learned '$kernel' in"
    done << END
conv5x5 16,16 width,height width=64:512
transpose 16,16 n,n n=64:512
nbody 64 n n=64:512
reduce 128 16384 n=20000:200000
heat_materials 16,16 nx,ny nx=64:512
triad4 64 4096 n4=10000:80000
grey 64 64*floor((pixels+63)/64) pixels=10000:90000
halves 64 n n=16384:131072
matmul 16,16 n,n n=32:128
matvec 64 rows rows=128:1024
dot_groups 128 n/2 n=32768:262144 --assume n%256=0
spmv_ell 64 rows rows=4096:65536 $ell
stencil7 8,8,4 nx,ny,nz nx=16:64
blur_rows 16,16 width,height width=64:512
smooth1d 64 n n=16384:131072
scan_step 64 n n=16384:131072 --set offset=64
lcg 64 n n=4096:65536,steps=4:16
black_scholes 64 n n=2048:16384
mandelbrot 16,16 width,height width=32:256 --trips $(grep -n 'while (x \* x' own.cl | cut -d: -f1):steps --set limit=30 --set steps=30
END
    run "$gpucal" predict own.cl -k matvec -l 64 -g rows --at rows=500,cols=300 --measure
    expect_status 1
    expect_line 'rows % 64 = 0'
    run "$gpucal" predict own.cl -k matvec -l 64 -g rows --at rows=512,cols=300 --measure --json
    expect_status 0
    expect_line '"measured_s": [0-9.e-]+'
}

# What is measured is predicted: places by integers that nothing is said of.
case_values() {
    cat > look.cl << 'END'
kernel void look(global const int *key, global const uchar *low, global const float *t, global float *out)
{
    int i = get_global_id(0);

    out[i] = t[key[i]] + t[low[i]];
}
END
    look=(look.cl -l 64 -g n --at n=65536 --buffer t=4194304 --model general --json)
    time_of() { sed -n 's/^ *"time_s": *\([0-9.e-]*\),*$/\1/p' out; }
    run "$gpucal" predict "${look[@]}" --measure
    expect_status 0
    expect_line "values of 'key' from 0 to 1023 .--range key=FIRST:LAST"
    expect_line "values of 'low' from 0 to 127 "
    measured=$(time_of)
    run "$gpucal" predict "${look[@]}" --range key=0:1023 --range low=0:127 --range t=0.5:1
    expect_status 0
    [ "$measured" = "$(time_of)" ] || fail "other places are predicted than are measured"
    run "$gpucal" predict "${look[@]}"
    [ "$measured" != "$(time_of)" ] || fail "the places make no difference"
    run "$gpucal" predict "${look[@]}" --range key=0:4194303 --range low=0:127 --range t=0.5:1
    all=$(time_of)
    run "$gpucal" predict "${look[@]}" --range key=0:4194303 --measure
    expect_status 0
    [ "$all" = "$(time_of)" ] || fail "--range does not hold for the prediction"
    ! grep -q "values of 'key'" err || fail "values are made up beside --range"
}

case_bad() {
    unset TEST_RUN_ITEMS
    refused 5 "writes after the .* elements of its buffer 'y'" -k beyond -l 64 -g n --buffer y=n
    refused 1 "bad.cl:18:[0-9]*: which elements of 'x' .*--buffer x=COUNT" -k gather -l 64 -g n
    refused 5 'reads outside of its buffers' -k gather -l 64 -g n --buffer x=100
    refused 5 'crash|signal|writes' -k scatter -l 64 -g n --buffer y=n \
        --range at=0:1000000000
    refused 5 'gives NaN in y\[0\].*--set' -k root -l 64 -g n
    refused 1 "bad.cl:45:[0-9]*: the subscript of 'y' may be negative" -k before -l 64 -g n
    refused 1 "'p' of type 'union pair' cannot be made up" -k by_value -l 64 -g n
    refused 1 "the size of the image is unknown: give it by --buffer picture=WIDTH,HEIGHT" -k image -l 64 -g n
    refused 1 "picture=n: expected the size of an image" -k image -l 64 -g n --buffer picture=n
    refused 1 'expected nearest or linear' -k image -l 64 -g n --buffer picture=n,n --set s=repeat
    refused 1 "picture=n,n: counts depend on the size .* write picture_width for 'n'" -k wide -l 64 -g n \
        --buffer picture=n,n
    refused 5 "image 'picture' has an extent of [0-9]*, the device takes" -k image -l 64 -g n \
        --buffer picture=1000000,1
    refused 5 'memory|buffer of .* GB' -k huge -l 64 -g n --sizes n=64:1024
    refused 1 'depends on a size: give --global' -k no_size -l 64 -g 256
    refused 1 'bad.cl:77:[0-9]*: how often this loop runs depends on data' -k data_loop -l 64 \
        -g n
    refused 1 "has no scalar argument 'b'" -k root -l 64 -g n --set b=1
    refused 1 "has no buffer argument 'a'" -k root -l 64 -g n --range a=0:1
    refused 1 "at n = 1000: 'n % 64 = 0' does not hold" -k root -l 64 -g n --set a=3 \
        --sizes n=1000:20000
    refused 1 "does not depend on 'm'" -k root -l 64 -g n --sizes m=1:20
    refused 1 'ends before it begins' -k root -l 64 -g n --sizes n=6400:64
    refused 1 "no kernel named 'rooot'" -k rooot -l 64 -g n
    refused 1 "has a model 'general' that is not a learned one" -k root -l 64 -g n --set a=3 --name general
    rm "$published"
    learn bad.cl -k root -l 64 -g n --set a=3
    expect_status 1
    expect_line "no good general model of .* calibrate it first \('gpucal calibrate --store "
    calibrated store
    touch run.h5
    refused 6 "run.h5 exists" -k root -l 64 -g n --record run.h5 --set a=3
}

# Two runs that differ, on all cores; a kernel that does not end.
case_bad_runs() {
    unset POCL_DEVICES TEST_RUN_ITEMS
    calibrated store
    cp "$published" calibrated.yaml
    refused 5 'gives other results in each run|compared with the host' -k tickets -l 64 -g n
    refused 5 'did not end within' -k spin -l 64 -g n --set spins=1 --range flag=0:0
}

declare -F "case_$name" > /dev/null || fail "no case $name"
"case_$name"
echo "$name: good"
