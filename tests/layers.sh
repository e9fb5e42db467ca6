#!/bin/bash
# layers.sh [TREE]: which folder may include which, and where each outside library lives.
# private.h is for its own folder, internal.h for the folders below the same top folder.
#
# Prints what breaks the two tables below, and fails then.  TREE: the source tree (default:
# this one).
cd "${1:-$(dirname "$0")/..}" || exit 1

# FOLDER: the folders whose public headers it may include, besides its own and 'common' below.
# Lower layers first: a folder may only name rows above its own.
layers='
kernels/base                 :
kernels/model                : kernels/base
kernels/model/run            : kernels/base kernels/model
kernels/model/roofs          : kernels/base kernels/model
kernels                      :
kernels/includes             : kernels
kernels/source               : kernels kernels/includes
kernels/poly                 :
kernels/annotations          : kernels kernels/source kernels/poly
kernels/sets                 : kernels/poly
kernels/lanes                : kernels/poly kernels/sets
kernels/trips                : kernels/poly kernels/sets
kernels/walk                 : kernels kernels/source kernels/poly kernels/annotations kernels/sets kernels/trips
kernels/interpret            : kernels kernels/source
kernels/count                : kernels kernels/source kernels/poly kernels/sets kernels/lanes kernels/walk kernels/interpret
kernels/remove               : kernels kernels/source kernels/annotations
kernels/frontend             : kernels kernels/source kernels/count kernels/remove kernels/interpret
kernels/generate             : kernels kernels/includes kernels/count kernels/remove
kernels/lib                  : kernels kernels/includes kernels/count
fit                          :
fit/links                    : fit
store/params                 :
store/record                 :
store/files                  : store/params
store/facts                  : store/params
store/predict                : store/params
store/links                  : store/params store/files
store/ledger                 : store/params store/files
store/publish                : store/params store/files store/links store/ledger
store/medians                : store/files store/ledger store/record
store/checks                 : store/files
store/learned                : store/params store/files store/predict
store/observed               : store/params store/files
store/lib                    : store/params store/files store/links store/facts store/predict store/learned store/observed
calib/config                 :
calib/select                 : kernels/generate fit calib/config
calib/device/cuda            : kernels
calib/device                 : kernels/generate calib/device/cuda
calib/worker                 : kernels/generate calib/device
calib/plan                   : kernels/generate kernels/interpret fit calib/config calib/worker
calib/results                : fit fit/links store/links store/params store/files store/record store/ledger store/publish store/medians calib/config
calib/learn                  : fit store/params store/files store/predict store/learned store/observed store/publish
calib/audit                  : fit store/params store/files store/ledger calib/config
calib/health                 : kernels/generate fit store/checks calib/config calib/select calib/worker calib/plan
calib/compare                : kernels/generate fit store/record calib/results
mpi/cli                      : kernels kernels/includes kernels/count kernels/frontend kernels/generate fit store/params store/files store/record store/publish calib/config calib/worker calib/plan
mpi/commands/count           : kernels kernels/includes kernels/count kernels/remove kernels/generate mpi/cli
mpi/commands/own             : kernels kernels/count kernels/generate kernels/interpret calib/worker calib/plan mpi/cli mpi/commands/count
mpi/ranks                    : kernels/generate fit store/params store/files store/record calib/config calib/select calib/worker calib/plan calib/results calib/learn mpi/cli
mpi/commands/bench           : kernels/generate kernels/count fit calib/config calib/select calib/worker calib/plan mpi/cli mpi/commands/count
mpi/commands/predict/remarks : store/params store/predict mpi/cli
mpi/commands/predict/step    : kernels kernels/count kernels/generate store/params store/predict mpi/cli mpi/commands/count
mpi/commands/predict         : kernels/generate fit store/learned store/params store/files store/record store/predict calib/config calib/select calib/plan calib/learn mpi/cli mpi/commands/count mpi/commands/own mpi/commands/predict/remarks mpi/commands/predict/step
mpi/commands/explain         : kernels/generate store/params store/predict mpi/cli mpi/commands/count mpi/commands/own mpi/commands/predict/remarks mpi/commands/predict/step mpi/commands/predict
mpi/commands/learn           : kernels/generate fit store/learned store/params store/files store/record store/predict store/publish store/lib calib/config calib/select calib/worker calib/plan calib/results calib/learn mpi/cli mpi/commands/count mpi/commands/own mpi/commands/predict
mpi/commands/tune            : kernels/generate kernels/interpret fit store/params store/predict calib/config calib/select calib/worker calib/plan mpi/cli mpi/commands/count mpi/commands/own mpi/commands/predict
mpi/commands/store           : kernels/generate store/learned store/params store/files store/record store/ledger store/publish store/medians store/checks calib/config calib/select calib/results calib/learn calib/health calib/compare mpi/cli
mpi/commands/show            : store/links store/learned store/params store/files store/facts store/ledger calib/config calib/audit mpi/cli
mpi/commands/audit/output    : store/files store/params calib/audit calib/learn mpi/cli
mpi/commands/audit           : store/files calib/config calib/audit calib/learn mpi/cli mpi/commands/audit/output
mpi/commands/health          : kernels/generate store/files store/params store/checks calib/config calib/audit calib/worker calib/health mpi/cli
mpi/commands/export          : store/learned store/params store/files store/ledger store/facts store/predict mpi/cli mpi/commands/count
mpi/commands/share           : store/lib mpi/cli mpi/commands/count
mpi                          : calib/worker mpi/cli
'
# What every folder may include, as far as its row is above.
common='kernels/base kernels/model kernels/model/run kernels/model/roofs'

# HEADER, a regular expression : the one folder that may include it
libraries='
yaml\.h       : kernels/base
sodium\.h     : kernels/base
clang-c/      : kernels/source
isl/          : kernels/sets
gsl/          : fit
hdf5|H5       : store/record
CL/           : calib/device
mpi\.h        : mpi/ranks
argp\.h       : mpi
jansson\.h    : mpi
libsmartcols\.h : mpi/cli
'

# What libgpucal and libgpucal-count are made of: an error where memory runs out, no end of the
# program, so no arena.
embedded='kernels/(base|model|includes|frontend|lib)|store/(params|files|links|facts|predict|learned|observed|lib)'

status=0
declare -A may_include=() row_of=()

complain() { # TEXT
    echo "$1"
    status=1
}

read_layers() {
    local folder colon others other row=0
    while read -r folder colon others; do
        [ -n "$folder" ] || continue
        [ "$colon" = : ] || complain "layers.sh: no ':' after $folder"
        row_of[$folder]=$((row += 1))
        may_include[$folder]=" $folder"
        for other in $common $others; do
            if [ -n "${row_of[$other]:-}" ]; then
                may_include[$folder]+=" $other"
            elif [[ " $common " != *" $other "* ]]; then
                complain "layers.sh: $folder may not use $other, which has no row above it"
            fi
        done
    done <<< "$layers"
}

# FILE:LINE:HEADER of every include with quotes, or with angle brackets.  gpucal_opencl.h is for
# programs that use libgpucal, and included nowhere here.
includes() { # QUOTE
    grep -nE "^ *# *include *$1" -r calib kernels fit store mpi --include='*.[ch]' \
        --exclude=gpucal_opencl.h |
        sed -E "s/: *# *include *$1([^\">]+).*/:\1/"
}

check_folders() {
    local file line header folder other
    while IFS=: read -r file line header; do
        folder=${file%/*} other=${header%/*}
        if [ -z "${may_include[$folder]:-}" ]; then
            complain "$file: $folder has no row in layers.sh"
        elif [ "$other" = "$header" ]; then
            complain "$file:$line: \"$header\" needs its folder's name"
        elif [[ " ${may_include[$folder]} " != *" $other "* ]]; then
            complain "$file:$line: $folder may not include $header"
        elif [ "$folder" != "$other" ] && [[ $header =~ (/|_)private\.h$ ]]; then
            complain "$file:$line: $header is private to $other"
        elif [[ $header = */internal.h && ${folder%%/*} != "${other%%/*}" ]]; then
            complain "$file:$line: $header is internal to ${other%%/*}"
        fi
    done < <(includes '"')
}

check_libraries() {
    local file line header pattern colon home
    while IFS=: read -r file line header; do
        while read -r pattern colon home; do
            [[ -n $pattern && $header =~ ^($pattern) && $file != "$home"/* ]] &&
                complain "$file:$line: <$header> is for $home alone"
        done <<< "$libraries"
    done < <(includes '<')
}

check_arenas() {
    local file line header
    while IFS=: read -r file line header; do
        [[ $header = */arena.h && $file =~ ^($embedded)/ && $file != kernels/base/arena.c ]] &&
            complain "$file:$line: libgpucal must not end a program: no $header here"
    done < <(includes '"')
}

read_layers
check_folders
check_arenas
check_libraries
exit $status
