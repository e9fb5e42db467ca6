#!/bin/bash
# make.sh: the files of all formats, as the gpucal of some commit writes them.
#
#   tests/data/formats/make.sh NAME SOURCE GPUCAL STEADY_DEVICE.SO
#
# Runs GPUCAL, built from the folder SOURCE, on PoCL with SOURCE's tests/data/small.yaml and the
# times of tests/mpi/ranks/steady_device.c; a second run is killed, so that its journal stays.
# The files are put into the folder NAME beside this script (see README.md).
set -eu

[ $# = 4 ] || { sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
source=$(realpath -e "$2") gpucal=$(realpath -e "$3") steady=$(realpath -e "$4")
rm -rf "${here:?}/$1"
mkdir "$here/$1"
cd "$here/$1"
umask 022
export POCL_DEVICES=basic OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset GPUCAL_STORE GPUCAL_NODE SLURMD_NODENAME

calibrate() { # STORE RECORD
    mkdir "$1"
    LD_PRELOAD=$steady exec "$gpucal" --config "$source/tests/data/small.yaml" --store "$1" \
        --record "$2" > "$2.log" 2>&1
}

size() { stat -c %s "$1" 2> /dev/null || echo 0; }

# A run that is killed once its journal has more than its head; its workers end by themselves.
leave_journal() {
    local run head=0

    calibrate killed killed.h5 &
    run=$!
    while [ "$(size killed.h5.journal)" = 0 ]; do sleep 0.01; done
    sleep 0.05
    head=$(size killed.h5.journal)
    while [ "$(size killed.h5.journal)" = "$head" ]; do sleep 0.01; done
    kill -KILL "$run"
    wait "$run" 2> /dev/null || true
    mv killed.h5.journal journal
}

count_profiles() {
    "$gpucal" count "$here/adds.cl" --local 64 --global n -o adds.profile.yaml
    # The first versions cannot count it.
    "$gpucal" count "$here/smooth.cl" --local 16,16 \
        --global '((n+15)/16)*16,((m+15)/16)*16' -o smooth.profile.yaml ||
        rm -f smooth.profile.yaml
    ! "$gpucal" count --help | grep -q -e --build ||
        "$gpucal" count "$here/adds.cl" --local 64 --global n --build -o built.profile.yaml
}

# Formats and their versions; the record's and the journal's, which are binary, by the source.
list_versions() {
    local file

    for name in record journal; do
        echo "$name $(grep -rhoE "(GCAL_${name^^}|^#define ${name^^})_VERSION *=? *[0-9]+" \
            "$source/store" | grep -oE '[0-9]+$')"
    done
    find store ./*.profile.yaml -type f | while read -r file; do
        head -n 1 "$file" | sed -nE 's/^gpucal_([a-z]+):? ([0-9]+)( .*)?$/\1 \2/p'
    done | sort -u
}

(calibrate store record.h5)
count_profiles > /dev/null
"$gpucal" predict --params store/nodes/*.yaml --profile adds.profile.yaml --at n=65536 \
    > predicted.txt
leave_journal
find store -path '*/locks/*' -delete
find store -type d -empty -delete
rm -rf killed ./*.log
list_versions > versions
