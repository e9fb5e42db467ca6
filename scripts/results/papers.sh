#!/bin/bash
# papers.sh: tables and figures of the papers that gpucal's catalogue follows (references in
# DESIGN.md), with the results of this machine's device beside the printed ones.
#
#   scripts/results/papers.sh measure OUT [GROUP]...   times the kernels; writes CSV files to OUT
#   scripts/results/papers.sh draw OUT                 writes OUT/tables.md and OUT/plots/*.svg
#   scripts/results/papers.sh OUT                      does both
#
# Measuring needs bash and awk; drawing also needs gnuplot.  clpeak is run if it is in PATH or
# named by CLPEAK.  DEVICE selects the device by name (with * and ?) or by kind (default: the
# first GPU, else the first device); BUILD is the build folder (default: build).
# GROUP is a group of kernels below or a paper: haigh_mccreath, saremi, wang or ppc (default:
# everything, about 10 minutes on a large GPU).  Each group has a time limit, which PATIENCE
# multiplies for a busy machine (default: 1); a group that fails is reported and the others
# continue.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
plots=$top/scripts/results/plots
gpucal=${BUILD:-$top/build}/mpi/gpucal

die() {
    echo "papers.sh: $*" >&2
    exit 1
}

# shellcheck source=scripts/results/device.sh
. "$top/scripts/results/device.sh"
# shellcheck source=scripts/results/measure-draw.sh
. "$top/scripts/results/measure-draw.sh"

# ---- measuring ----

# True if the group or its paper was asked for.
is_wanted() { # GROUP
    local all=" ${wanted[*]} "
    [ ${#wanted[@]} = 0 ] || [[ $all == *" $1 "* || $all == *" $paper "* ]]
}

# Times the kernels that the tags select, within SECONDS; generating and counting them takes
# additional time.
group() { # NAME SECONDS TAG...
    local name=$1 limit_s=$(($2 * ${PATIENCE:-1})) began=$SECONDS good=
    shift 2
    is_wanted "$name" || return 0
    timeout $((2 * limit_s + 60)) "$gpucal" kernels "$@" --run --device "$device" \
        --budget "$limit_s" --csv "$out/$name.csv" > "$out/$name.txt" 2>&1 ||
        { failed+=("$name") && good="incomplete: "; }
    printf '%-16s %4d s  %s%s\n' "$name" $((SECONDS - began)) "$good" \
        "$(tail -n 1 "$out/$name.txt")"
}

counts() { # NAME TAG...
    local name=$1
    shift
    is_wanted "$name" || return 0
    timeout 300 "$gpucal" kernels "$@" --counts > "$out/$name.counts" 2>&1 ||
        failed+=("counts of $name")
}

# Peak rates, the baseline of the other tables, and clpeak's.
measure_peak() {
    ! is_wanted clpeak || measure_clpeak
    group peak 25 --match intersect flops_madd_pattern flops_add_pattern gmem_copy_pattern \
        gmem_triad_pattern dtype:float32 unroll:1,2,4 width:1,4,16 per_item:1,4
}

# Sizes large enough for one work-group per multiprocessor at the largest work-group size.
measure_haigh_mccreath() {
    local n f
    n=$(size "$(seq -s, 64 64 1024)" 64,256,1024)
    f=$(size 1,2,4,8,16,32 1,4,32)
    group increment 15 increment "N:$n" "F:$f" "M:$(size 268435456 1048576)"
    group dense 40 dense "N:$n" "F:$f" "M:$(size 4194304 16384)"
    group dense2 40 dense2 "N:$n" "F:$f" "M:$(size 4194304 16384)"
    group blur 70 blur "N:$n" "F:$f" out_local:0,1 "M:$(size 805306368 1572864)"
    group kmeans 110 kmeans "N:$n" "F:$f" centres_local:0,1 distances_local:0,1 \
        "M:$(size 4194304 16384)"
}

# Counts of a benchmark's configurations at the measured size.
count_benchmark() { # NAME TAG...
    local size
    size=$(sed -n '2s/^[^,]*,[^,]* \(M:[0-9]*\),.*/\1/p' "$out/$1.csv")
    counts "$1" "$1" "N:$(seq -s, 64 64 1024)" F:1,2,4,8,16,32 "${@:2}" "$size"
}

# Counts for the paper's heuristic; no device is needed.
count_haigh_mccreath() {
    local paper=haigh_mccreath wanted=()
    [ ! -s "$out/kmeans.counts" ] || return 0 # counted by an earlier call
    count_benchmark increment
    count_benchmark dense
    count_benchmark dense2
    count_benchmark blur out_local:0,1
    count_benchmark kmeans centres_local:0,1 distances_local:0,1
}

measure_saremi() {
    local few=1,2,4,8,16,32,64
    # 128 and 256 vectors, of 64 and 128 bits, are more than a work-item has registers for.
    local many=1,2,3,4,5,6,7,8,10,12,14,16,20,24,28,32,40,48,56,64,96,128,192,256
    group items 60 items_pattern bits:32,64,128 "items:$(size $many $few)" \
        "n:$(size 134217728 4194304)"
    group banks 20 lmem_banks_pattern "banks:$(size "$(seq -s, 1 32)" 1,2,4,8,16,32)"
    group atomics 20 atomics segments:1,2,4,8,16,32,64,128,256
    # No single bin: a compiler would then not read the input.
    group histogram 50 histogram "bins:$(size 2,4,16,64,256,1024 2,16,256)" \
        "items:$(size 1,2,4,8,16,32 1,4,16)" "n:$(size 33554432 1048576)"
}

measure_wang() {
    group transactions 15 gmem_transaction_pattern
    group products 15 --match intersect matmul_naive matmul_blocked "n:$(size 4096 256)"
    group transfers 40 --match intersect transfer_to_device transfer_from_device \
        memory:pageable,pinned,mapped
    group pieces 15 transfer_pieces
    group overlap 15 transfer_overlap "work:$(size 16384,65536,262144 64,256,1024)"
    measure_wang_limits
}

# What hides latency, and what costs time beside the memory's.
measure_wang_limits() {
    group occupancy 25 --match intersect occupancy_local_pattern occupancy_registers_pattern \
        local_bytes:2048,4096,6144,8192,12288,16384,24576,32768,40960,49152 \
        live:8,16,32,64,96,128
    group divergence 15 branch_lanes_pattern dtype:float32 \
        "granularity:$(size 1,2,4,8,16,32,64,128,256 1,64)" "paths:$(size 2,8,32 2)"
    group launch 10 --match intersect launch_latency launch_queue
    group native 20 --match intersect flops_native_pattern flops_function_pattern dtype:float32
    group readonly 15 gmem_strided_pattern dtype:float32 n_arrays:1,2,4,8
    group footprint 20 gmem_footprint_pattern dtype:float32
}

measure_ppc() {
    local n
    # The chapter does not print n.  V4 writes 153 MiB, that is rows of 6336 numbers, and 6300
    # is padded to 6336.
    n=$(size 6300 256)
    group minplus 30 min_plus "n:$n"
    counts minplus min_plus "n:$n"
}

measure_all() {
    local paper
    paper=peak && measure_peak
    paper=ppc && measure_ppc
    paper=wang && measure_wang
    paper=saremi && measure_saremi
    paper=haigh_mccreath && measure_haigh_mccreath
}

measure() {
    [ -x "$gpucal" ] || die "$gpucal not found: run scripts/build.sh, or set BUILD to the build folder"
    find_device
    echo "$device" > "$out/device"
    echo "$kind" > "$out/kind"
    echo "measuring $device, a $kind, in $out"
    measure_all
    echo "measured in $SECONDS s"
    [ ${#failed[@]} = 0 ] || echo "failed or incomplete: ${failed[*]}"
}

# ---- drawing ----

table() { # TITLE PROGRAM FILE...
    local program=$plots/$2.awk files=() file
    echo "### $1" && echo
    shift 2
    for file; do
        [ -s "$out/$file" ] || continue
        case $file in *.csv) files+=("FS=,") ;; *) files+=("FS= ") ;; esac
        files+=("$out/$file")
    done
    if [ ${#files[@]} = 0 ]; then
        echo "Not measured." && echo
    else
        awk "${facts[@]}" -f "$plots/columns.awk" -f "$plots/csv.awk" -f "$program" "${files[@]}"
    fi
    echo
}

# Draws one .svg of a group's kernels; further arguments are passed to series.awk.
figure() { # NAME TITLE XLABEL LOG GROUP VARIABLE=VALUE...
    local name=$1 file=$out/$5.csv variables=() variable data
    [ -s "$file" ] || { echo "$name: no $file" && return; }
    for variable in "${@:6}"; do
        variables+=(-v "$variable")
    done
    data=$out/plots/$name.dat
    awk "${variables[@]}" -f "$plots/columns.awk" -f "$plots/csv.awk" -f "$plots/series.awk" \
        FS=, "$file" > "$data"
    [ -s "$data" ] || { echo "$name: no data to draw" && rm "$data" && return; }
    if [ -n "${MORE:-}" ]; then # "name: y y y", for x of 1, 2, 3
        printf '\n\n"%s"\n' "${MORE%%: *}" >> "$data"
        tr ' ' '\n' <<< "${MORE#*: }" | awk '{ print NR, $1 }' >> "$data"
    fi
    DATA=$data FIGURE=$out/plots/$name.svg TITLE="$2" XLABEL=$3 YLABEL=${YLABEL:-GB/s} \
        LOG=$4 gnuplot "$plots/lines.gp" || failed+=("$name")
    rm "$data"
}

# Facts of an NVIDIA H200 multiprocessor: work-groups, work-items and shared memory from
# NVIDIA's Hopper tuning guide, cores from its H100 whitepaper; memory latency as measured on
# an H100 in arXiv:2402.13499; sectors of 32 bytes and 4 cycles per addition, as since Volta.
device_facts() {
    case $(cat "$out/device") in
    *H200*) echo sms=132 clock_hz=1.98e9 cores=128 blocks=32 threads=2048 \
        local_bytes=233472 latency=479 sector=32 depth=4 ;;
    esac
}

draw_tables() {
    local facts=() fact
    for fact in $(device_facts); do
        facts+=(-v "$fact")
    done
    [ ${#facts[@]} = 0 ] || count_haigh_mccreath
    echo "## $(cat "$out/device")"
    echo
    table "Configurations of five kernels (Haigh and McCreath 2015, table 2)" haigh_mccreath \
        peak.csv {increment,dense,dense2,kmeans,blur}.csv {increment,dense,dense2,kmeans,blur}.counts
    facts=()
    table "Highest rates" peak clpeak.txt peak.csv
    table "Transactions, products, transfers (Wang 2013)" wang \
        {transactions,products,transfers,pieces,overlap}.csv
    table "Occupancy, divergence, launches, functions, footprints (Wang 2013)" limits \
        {occupancy,divergence,launch,native,readonly,footprint}.csv
    table "Min-plus product (Programming Parallel Computers, chapter 4)" ppc \
        {peak,minplus}.csv minplus.counts
}

# Direct reads and writes of a GTX 1080 (Saremi 2018, figure 5.3).
GTX_1080="110.696 110.226 106.33 109.859 80.1591 71.1674 62.0664 68.3808 56.223 55.7024 \
54.6475 55.1145 52.5941 51.4011 50.3878 57.5653"

draw_items() {
    MORE="GTX 1080, direct: $GTX_1080" figure saremi_6_2 \
        "Items per work-item, 32 bits (fig. 6.2 to 6.5)" items y items "${rate[@]}" \
        "by=read write" match_all=bits:32
    figure saremi_6_6 "Direct read and write (fig. 6.6)" items "" items "${rate[@]}" \
        by=bits "match_all=read:direct write:direct"
    figure saremi_6_7 "Direct read, striped write (fig. 6.7)" items "" items \
        "${rate[@]}" by=bits "match_all=read:direct write:striped"
    figure saremi_6_8 "Striped read, direct write (fig. 6.8)" items "" items \
        "${rate[@]}" by=bits "match_all=read:striped write:direct"
    figure saremi_6_12 "Spilled registers: striped read and write (fig. 6.12)" items "" \
        items "${rate[@]}" by=bits "match_all=read:striped write:striped"
}

draw_wang() {
    figure wang_occupancy_local "Latency hidden by work-groups, by their local memory" \
        "bytes of local memory" "" occupancy x=local_bytes y=gbytes_per_s by=lsize_0 \
        match_all=generator:occupancy_local
    figure wang_occupancy_registers "Latency hidden by work-items, by their variables" \
        "variables of a work-item" "" occupancy x=live y=gbytes_per_s by=dtype \
        match_all=generator:occupancy_registers
    YLABEL=GFLOP/s figure wang_divergence "Divergence by runs of work-items" \
        "work-items that branch together" x divergence x=granularity y=gflops_per_s by=paths
    figure wang_footprint "Bandwidth by the size of the data" "elements of 4 bytes" x \
        footprint x=n y=gbytes_per_s by=width
}

draw_figures() {
    local version figure rate=(x=items y=gbytes_per_s)
    draw_items
    draw_wang
    figure saremi_6_14 "Local memory by active banks (fig. 6.14)" "active banks" "" \
        banks x=banks y=local_gbytes_per_s by=access
    YLABEL="10^9 operations/s" figure saremi_6_15 \
        "Atomics by active segments (fig. 6.15 to 6.17)" "active segments" xy atomics \
        x=segments "y=gbytes_per_s local_gbytes_per_s" scale=0.125 by=generator
    figure=1
    for version in naive striped padded local local_padded; do
        figure "saremi_7_$figure" "Histogram, $version (fig. 7.$figure)" bins x \
            histogram x=bins per=n scale=4e-9 by=items "match_all=version:$version"
        figure=$((figure + 1))
    done
}

main "$@"
