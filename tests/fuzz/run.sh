#!/bin/bash
# run.sh: fuzzes one of the readers of input texts.
#
#   tests/fuzz/run.sh FUZZER FOLDER SECONDS
#
# FUZZER ends in fuzz_grammar (kernels that OpenCL's grammar makes of bytes), fuzz_count (counting and work removal, beginning from the kernels of the tree
# and tests/fuzz/corpus), fuzz_params, fuzz_profile, fuzz_csv or fuzz_reference (parameter files, profiles, CSV
# files and references of device types, beginning from those that tests/fuzz/corpus and tests/data keep).  Seeds and findings go to FOLDER,
# nothing to the source tree.  A crash, a leak, or an input that takes more than 300 s prints that
# input and ends with 1.  fuzz_count checks the time and memory of counts, too.  The same program
# makes the same inputs in the same order: only their number depends on the machine.
set -u

tree=$(cd "$(dirname "$0")/../.." && pwd)

# The first line that fuzz_count.c reads, from a kernel's description.
print_first_line() { # YAML
    awk '
        function list(text) {
            sub(/^[a-z_]*: *[\[{]/, "", text); sub(/[\]}] *(#.*)?$/, "", text)
            return text
        }
        /^kernel:/ { kernel = $2 }
        /^assume:/ { assume = substr($0, 9) }
        /^local_size:/ {
            local = list($0); gsub(/ /, "", local)
            gsub(/[a-z_][a-z_0-9]*/, local ~ /,/ ? "16" : "256", local)
        }
        /^global_size:/ { global = list($0); gsub(/["]|floor/, "", global) }
        /^defines:/ {
            n = split(list($0), pairs, /, */)
            for (i = 1; i <= n; i++) {
                split(pairs[i], pair, /: */)
                if (pair[2] ~ /type/) pair[2] = "float"
                else if (pair[2] ~ /^[a-z_]/) pair[2] = "16"
                defines = defines " -D" pair[1] "=" pair[2]
            }
        }
        END {
            printf "// local=%s; global=%s; kernel=%s;", local, global, kernel
            if (assume) printf " assume=%s;", assume
            if (defines) printf " options=%s;", defines
            printf "\n"
        }' "$1"
}

write_kernels() { # FOLDER
    local kernel description source
    for description in "$tree"/kernels/catalogue/*.yaml "$tree"/tests/wild/*.yaml; do
        grep -qs "^source:" "$description" || continue # transfers have none
        source=$(sed -n 's/^source: *//p' "$description")
        { print_first_line "$description" && cat "${description%/*}/$source"; } \
            > "$1/$(basename "$description" .yaml).cl"
    done
    for source in "$tree"/tests/kernels/count/kernels/*.cl; do
        for kernel in $(sed -n 's/.*__kernel void \([a-z_0-9]*\)(.*/\1/p' "$source"); do
            { echo "// local=16,16; global=n,n; kernel=$kernel;" && cat "$source"; } \
                > "$1/counted_$kernel.cl"
        done
    done
    cp "$tree"/tests/fuzz/corpus/count/*.cl "$1"
}

write_seeds() { # WHAT FOLDER
    case $1 in
    count) write_kernels "$2" ;;
    params)
        cp "$tree"/tests/fuzz/corpus/params/* "$tree"/tests/data/node17*.yaml \
            "$tree"/tests/data/two-gpus/vm.yaml "$2"
        ;;
    profile)
        cp "$tree"/tests/fuzz/corpus/profile/* "$tree"/tests/data/*.profile.yaml \
            "$tree"/docs/examples/*/*.profile.yaml "$2"
        ;;
    grammar) head -c 400 "$tree/tests/fuzz/run.sh" > "$2/text" ;;
    csv | reference) cp "$tree/tests/fuzz/corpus/$1"/* "$2" ;;
    *) false ;;
    esac
}

main() { # FUZZER FOLDER SECONDS
    local fuzzer=$1 folder=$2 seconds=$3 what=${1##*fuzz_} length=6000 input
    local dictionary=()
    rm -rf "$folder/seeds" "$folder/found" "$folder/broken"
    mkdir -p "$folder/seeds" "$folder/found" "$folder/broken" || exit 1
    write_seeds "$what" "$folder/seeds" || exit 1
    [ "$what" = count ] || length=20000
    [ ! -e "$tree/tests/fuzz/$what.dict" ] || dictionary=(-dict="$tree/tests/fuzz/$what.dict")
    # See tests/CMakeLists.txt for the option.
    ASAN_OPTIONS=intercept_tls_get_addr=0 "$fuzzer" "$folder/found" "$folder/seeds" \
        -artifact_prefix="$folder/broken/" -seed=1 -max_total_time="$seconds" -timeout=300 \
        -rss_limit_mb=2048 -max_len=$length "${dictionary[@]}" \
        > "$folder/log" 2>&1 && {
        grep '^Done ' "$folder/log"
        exit 0
    }
    grep -a '^BROKEN' "$folder/log"
    tail -n 60 "$folder/log"
    for input in "$folder/broken/"*; do
        [ -e "$input" ] && echo "==> ${input##*/}:" && cat "$input"
    done
    exit 1
}

[ $# = 3 ] || { sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" >&2 && exit 1; }
main "$@"
