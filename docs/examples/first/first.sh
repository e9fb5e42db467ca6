#!/bin/bash
# first.sh: from a bare machine to a kernel of one's own, predicted and measured, in four commands.
#
#   first.sh STORE [PACKAGE.deb]...
#
# The packages are gpucal's (none: gpucal is installed); as root.  STORE is a folder, made if it
# is not there, that the model is published to.  Each command is printed with its seconds.
set -eu

run() { # COMMAND...: prints and runs it
    local started=$SECONDS

    echo "\$ $*"
    "$@"
    echo "($((SECONDS - started)) s)"
}

[ $# -gt 0 ] || { sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 1; }
folder=$(cd "$(dirname "$0")" && pwd)
store=$(realpath -m "$1")
shift
mkdir -p "$store"
packages=()
for package; do packages+=("$(realpath -e "$package")"); done

# 1. Install; on a machine without a GPU, PoCL comes along, an OpenCL device on any CPU.
[ $# = 0 ] || run apt-get -q -y install "${packages[@]}"
command -v gpucal > /dev/null || { echo "first.sh: gpucal not found: give its packages" >&2 && exit 1; }
cd "$folder"
# 2. Calibrate this machine's device, once.
[ -e "$store/nodes/$(hostname -s).yaml" ] || run gpucal calibrate --store "$store"
# 3. Measure the kernel at several sizes, and correct the general model by that.
run gpucal learn saxpy.cl --local 256 --global n --store "$store"
# 4. Predict it at a size that was not measured, then time it.
run gpucal predict saxpy.cl --local 256 --global n --at n=16777216 --store "$store" --measure
