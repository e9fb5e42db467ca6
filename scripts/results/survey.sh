#!/bin/bash
# survey.sh: how gpucal counts a collection of other people's kernels.
#
#   scripts/results/survey.sh [-p GPUCAL] [-o FILE] [-k FILE] [-m SECONDS] FOLDER
#
# Counts every kernel of every .cl, .ocl and .opencl file below FOLDER, with a work-group of 64,
# 16 x 16 or 8 x 8 x 4 work-items, as the kernel asks for ids, or its reqd_work_group_size, and a
# symbolic number of groups; with sub-groups of any size and of 32; and, where that is refused,
# with a number of groups, and with estimates.  Prints how many are accepted, why the others
# are refused, time and memory, the longest expression, and how many accesses have a known AFR.
#
#   -p GPUCAL    the program (default: build/mpi/gpucal)
#   -o FILE      one line for each kernel as JSON: what survey.sh summarises
#   -k FILE      only the kernels that compile in such a file of an earlier survey
#   -m SECONDS   a count that takes longer is stopped (default: 20)
#   -h           this text
#
# Options for files are in FOLDER/survey.opts, one line each: a pattern of paths below FOLDER
# and options of `gpucal count` ("clblast/*.cl -D WGS=64").  All matching lines are used.
# Needs python3 and clang, which decides whether a kernel that is refused compiles.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
program=$top/build/mpi/gpucal
lines=/dev/null
longest=20
earlier=''

while getopts :p:o:k:m:h option; do
    case $option in
    p) program=$OPTARG ;;
    o) lines=$OPTARG ;;
    k) earlier=$OPTARG ;;
    m) longest=$OPTARG ;;
    h) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) echo "survey.sh: unknown option -$OPTARG (see -h)" >&2 && exit 1 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# != 1 ] || [ ! -d "$1" ]; then
    echo "survey.sh: expected a folder (see -h)" >&2
    exit 1
fi
[ -x "$program" ] || {
    echo "survey.sh: $program is missing: build it, or give -p" >&2
    exit 1
}
export XDG_CACHE_HOME=/dev/null # no folder: counts are measured, not kept ones read
exec python3 "$top/scripts/results/survey/survey.py" "$program" "$1" "$lines" "$longest" "$earlier"
