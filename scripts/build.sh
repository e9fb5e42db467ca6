#!/bin/bash
# build.sh: configures and builds gpucal, from any folder.
#
#   scripts/build.sh [-t TARGET] [FOLDER [CMAKE OPTION]...]
#
# FOLDER is build in the source tree by default.  Without -t, everything is built.
set -eu

source_dir=$(cd "$(dirname "$0")/.." && pwd)
targets=()

while getopts :t:h option; do
    case $option in
    t) targets+=(--target "$OPTARG") ;;
    h) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) echo "build.sh: unknown option -$OPTARG (see -h)" >&2 && exit 1 ;;
    esac
done
shift $((OPTIND - 1))
folder=${1:-$source_dir/build}
shift $(($# > 0))

mkdir -p "$folder"
cmake -S "$source_dir" -B "$folder" -G Ninja "$@" > "$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    exit 1
}
cmake --build "$folder" ${targets[@]+"${targets[@]}"}
