#!/bin/bash
# layers_broken.sh: layers.sh finds an upward include, an outside library away from home, a
# private header of another folder, and a folder without a row.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$top"
find calib kernels fit store mpi -name '*.[ch]' -print0 | tar c --null -T - | tar x -C "$tree"

expect() { # PATTERN: it complains of this, and of nothing else
    local said status=0
    said=$(tests/layers.sh "$tree") || status=$?
    if [ $status != 1 ] || ! grep -qE "$1" <<< "$said" || [ "$(wc -l <<< "$said")" != 1 ]; then
        echo "layers.sh should have said only '$1', with status 1; status $status, and it said:"
        echo "$said"
        exit 1
    fi
}

if ! tests/layers.sh "$tree"; then
    echo "the tree as it is breaks the layers"
    exit 1
fi

add() { # FILE LINE: for one check
    cp "$tree/$1" "$tree/saved"
    echo "$2" >> "$tree/$1"
    expect "$3"
    mv "$tree/saved" "$tree/$1"
}
add kernels/poly/poly.c '#include "kernels/walk/walk.h"' 'kernels/poly may not include'
add fit/solve.c '#include "store/params/params.h"' 'fit may not include store/params/params.h'
add kernels/base/buf.c '#include "kernels/model/expr.h"' 'kernels/base may not include'
add kernels/walk/walk.c '#include "kernels/poly/private.h"' 'private.h is private to kernels/poly'
add kernels/model/assume.c '#include "kernels/base/arena.h"' 'libgpucal must not end a program'
add mpi/cli/csv.c '#include <mpi.h>' '<mpi.h> is for mpi/ranks alone'
mkdir "$tree/fit/new"
echo '#include "fit/fit.h"' > "$tree/fit/new/new.c"
expect 'fit/new has no row'
