#!/bin/bash
# layers.sh: every include is one that its folder may have.
#   mpi -> calib -> kernels, fit, store -> calib/model -> calib/base
# and each outside library has one home.  Prints what breaks this.
cd "$(dirname "$0")/.." || exit 1

shared='calib/model|calib/base'
declare -A may_include=(
    [calib/base]='calib/base' [calib/model]="$shared"
    [kernels]="kernels|$shared" [fit]="fit|$shared" [store]="store|$shared"
    [calib]="calib|kernels|fit|store|$shared" [mpi]="mpi|calib|kernels|fit|store|$shared")
declare -A home=(
    ['mpi\.h']=mpi ['jansson\.h']=mpi ['CL/']=calib ['gsl/']=fit ['hdf5|H5']=store
    ['clang-c/']=kernels ['isl/']=kernels
    ['yaml\.h']=calib/base ['sodium\.h']=calib/base)
status=0

complain_if_any() { # REASON, lines on stdin
    sed "s|\$|  <-- $1|" | grep . && status=1
}

includes_in() { # FOLDER: FILE:LINE:#include ... of its own sources
    grep -nE '^ *# *include' "$1"/*.[ch] /dev/null
}

for folder in "${!may_include[@]}"; do
    complain_if_any "not for $folder" < <(includes_in "$folder" | grep '"' |
        grep -vE "\"(${may_include[$folder]})/[^/\"]+\"")
    complain_if_any "another folder's own" < <(includes_in "$folder" | grep '_private\.h"' |
        grep -v "\"$folder/[^/]*\"")
    for header in "${!home[@]}"; do
        [ "${home[$header]}" = "$folder" ] ||
            complain_if_any "only ${home[$header]} has this library" < <(
                includes_in "$folder" | grep -E "include *[<\"]($header)")
    done
done
exit $status
