#!/bin/bash
# test.sh: all checks and tests that a change must pass; run by people and by CI.
#
#   scripts/test.sh [--no-install]
#
# Formatting, layers, each header alone, clang-tidy, and each test of CTest once, including those
# of Slurm and StarPU: unit tests in C except the longest on a build with clang, AddressSanitizer
# and UndefinedBehaviorSanitizer, all others on a build with gcc.  With the sanitizers, also 30 s
# of fuzzing for each reader of foreign texts.  Missing packages are installed by apt-get unless
# --no-install is given.  Warnings are errors.
# Everything is built in build-test/, which may be removed.  The last line is CTest's summary of
# both builds.
set -u
export LC_ALL=C # numbers with points, words in English
cd "$(dirname "$0")/.." || exit 1

out=$PWD/build-test
failed=()
export HOME=${HOME:-/root} # PoCL and Open MPI need one
export CTEST_OUTPUT_ON_FAILURE=1
! command -v ccache > /dev/null || export CMAKE_C_COMPILER_LAUNCHER=ccache # where it is

# The steps.

install_packages() {
    scripts/install-deps.sh --test
}

check_format() {
    git_here ls-files '*.c' '*.h' |
        xargs -P "$(nproc)" -n 100 clang-format --dry-run -Werror
}

check_layers() {
    tests/layers.sh
}

# How many times longer than on an idle machine of today a little work takes, on all cores at
# once: time limits of tests grow by that, so that they catch what hangs on a busy machine, too.
measure_slowness() {
    local began=$EPOCHREALTIME i pids=()
    for ((i = 0; i < $(nproc); i++)); do
        awk 'BEGIN { for (i = 0; i < 8000000; i++) s += i % 7 }' &
        pids+=($!)
    done
    wait "${pids[@]}"
    awk -v from="$began" -v to="$EPOCHREALTIME" 'BEGIN { print 2 + int(to - from) }'
}

# Links 150 programs, each in a tenth of the usual linker's time.
linker() {
    command -v ld.lld > /dev/null && echo -fuse-ld=lld
}

# The sanitizers and the fuzzers share a build.  Not optimized, it takes a quarter of the time,
# and its tests little more: they compute in isl and libclang.
build_with_clang() {
    CC=clang LDFLAGS=$(linker) scripts/build.sh "$out/clang" -DGPUCAL_WERROR=ON \
        -DGPUCAL_SANITIZE=ON -DGPUCAL_FUZZ=ON -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG=-gline-tables-only -DGPUCAL_TEST_SLOWNESS="$(measure_slowness)"
}

run_ctest() { # BUILD OPTION...
    ctest --test-dir "$out/$1" "${@:2}" --no-tests=error --no-label-summary 2>&1 |
        tee "$out/ctest-$1.log"
    return "${PIPESTATUS[0]}"
}

test_sanitized() {
    run_ctest clang -j3 -L sanitized
}

# All fuzzers at once.  An input that crashes is printed, and kept in the fuzzer's folder.
fuzz() {
    local name pid status=0 pids=()
    for name in count params profile csv reference; do
        tests/fuzz/run.sh "$out/clang/tests/fuzz/fuzz_$name" "$out/fuzz-$name" 30 &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || status=1
    done
    return $status
}

build_with_gcc() {
    CC=gcc LDFLAGS=$(linker) scripts/build.sh "$out/gcc" -DGPUCAL_WERROR=ON \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON \
        -DGPUCAL_TEST_SLOWNESS="$(measure_slowness)"
}

# Its checks are in .clang-tidy.
run_clang_tidy() {
    git_here ls-files 'calib/*.c' 'kernels/*.c' 'fit/*.c' 'store/*.c' 'mpi/*.c' |
        xargs -P "$(nproc)" -n 20 clang-tidy -p "$out/gcc" --quiet 2> "$out/clang-tidy.log" ||
        { cat "$out/clang-tidy.log" && return 1; }
}

check_headers() {
    cmake --build "$out/gcc" --target all_verify_interface_header_sets
}

# Many tests wait more than they compute.
test_others() {
    run_ctest gcc -j4 -LE sanitized
}

check_tree() {
    [ "$(list_changes)" = "$changes_before" ] || {
        echo "the tests changed the source tree:"
        git_here status --short
        return 1
    }
}

# Running them.

# In CI, the tree may belong to another user.
git_here() {
    git -c safe.directory="$PWD" "$@"
}

list_changes() {
    git_here status --porcelain
    git_here diff
}

# As CTest does for one build.
print_summary() {
    sed -nE 's/.* ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$out"/ctest-*.log |
        awk '{ failed += $1; all += $2 }
            END { printf "%d%% tests passed, %d tests failed out of %d\n",
                      all ? 100 * (all - failed) / all : 0, failed, all }'
}

step() { # NAME FUNCTION
    local began=$SECONDS
    echo "==> $1"
    "$2" || {
        echo "==> FAILED: $1"
        failed+=("$1")
        return 1
    }
    echo "    $((SECONDS - began)) s"
}

main() {
    case ${1:-} in
    '') step "packages" install_packages || exit 1 ;;
    --no-install) ;;
    -h | --help) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) echo "test.sh: unknown option $1 (see --help)" >&2 && exit 1 ;;
    esac
    mkdir -p "$out" && rm -f "$out"/ctest*.log || exit 1
    changes_before=$(list_changes)

    step "formatting" check_format
    step "layers" check_layers
    if step "build with clang and sanitizers" build_with_clang; then
        step "unit tests with sanitizers" test_sanitized
        step "30 s of fuzzing" fuzz
    fi
    if step "build with gcc" build_with_gcc; then
        step "each header alone" check_headers
        step "clang-tidy" run_clang_tidy
        step "other tests" test_others
    fi
    step "clean source tree" check_tree

    if ((${#failed[@]})); then
        printf '==> failed after %d s: %s\n' "$SECONDS" "$(printf '%s; ' "${failed[@]}")"
    else
        echo "==> all steps passed in $SECONDS s"
    fi
    print_summary
    ((${#failed[@]} == 0))
}

main "$@"
