#!/bin/bash
# install-deps.sh: installs the packages of Debian or Ubuntu that gpucal needs, by apt-get.
#
#   scripts/install-deps.sh            packages to build gpucal and to run it under Slurm
#   scripts/install-deps.sh --test     also those of scripts/test.sh and scripts/results/papers.sh
#
# Packages that are installed already are skipped.  Asks no questions; waits for another apt
# to finish.
set -u

BUILD=(build-essential cmake ninja-build pkg-config
    libopenmpi-dev openmpi-bin                          # MPI
    ocl-icd-opencl-dev opencl-headers pocl-opencl-icd   # OpenCL, and a device on any CPU
    libclang-19-dev libclang-common-19-dev libclang1-19 libisl-dev # kernels/
    libgsl-dev libhdf5-dev                              # fit/, store/
    libyaml-dev libsodium-dev libjansson-dev libsmartcols-dev # kernels/base/, mpi/
    python3)                                           # docs/: man pages, completion
CLUSTER=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libpmix-dev)
TEST=(git procps libcmocka-dev
    oclgrind mesa-opencl-icd             # two further OpenCL devices on any CPU
    gnuplot-nox clpeak                   # scripts/results/papers.sh, scripts/results/evaluate.sh
    clang clang-format clang-tidy lld
    libclang-rt-dev                      # libFuzzer and the sanitizers
    groff-base zsh fish                  # tests of man pages and completion
    chromium                             # test of the audit page, which is skipped without
    python3-cffi python3-numpy python3-pandas python3-h5py python3-pytest mypy # store/python
    prometheus                           # promtool
    python3-jsonschema python3-yaml      # tests of docs/schema
    libstarpu-dev starpu-tools libslurm-dev jq # tests/starpu, slurm/, docs/examples
    abigail-tools dpkg-dev)              # tests/packaging

die() {
    echo "install-deps.sh: $*" >&2
    exit 1
}

list_missing() { # PACKAGE...
    local package status
    for package; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)
        [ "$status" = installed ] || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# apt-get does not wait for the lock of the package lists, so update is retried.
update_lists() {
    local try
    for try in 1 2 3 4 5 6; do
        as_root apt-get -q update && return
        echo "install-deps.sh: apt-get update failed, retrying in $((try * 5)) s" >&2
        sleep $((try * 5))
    done
    return 1
}

install_packages() { # PACKAGE...
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=600 install "$@"
}

main() {
    local wanted=("${BUILD[@]}" "${CLUSTER[@]}") missing

    case ${1:-} in
    '') ;;
    --test) wanted+=("${TEST[@]}") ;;
    -h | --help) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) die "unknown option $1 (see --help)" ;;
    esac
    command -v apt-get > /dev/null ||
        die "apt-get not found; install the equivalents of: ${wanted[*]}"
    mapfile -t missing < <(list_missing "${wanted[@]}")
    if [ ${#missing[@]} = 0 ]; then
        echo "install-deps.sh: all ${#wanted[@]} packages are installed"
        exit 0
    fi
    [ "$(id -u)" = 0 ] || command -v sudo > /dev/null ||
        die "not root and no sudo; run as root: apt-get install ${missing[*]}"
    update_lists || die "apt-get update failed: check the network"
    install_packages "${missing[@]}" || die "apt-get install failed for: ${missing[*]}"
}

main "$@"
