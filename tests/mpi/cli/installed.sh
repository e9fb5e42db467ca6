#!/bin/bash
# installed.sh BUILD SOURCE - what an installation has, whole and of the program alone.
set -eu
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

install_to() { # FOLDER [OPTION...]
    cmake --install "$build" --prefix "$work/$1" "${@:2}" > "$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
}
expect() { # FOLDER FILE...
    local folder=$1 file
    for file in "${@:2}"; do
        [ -s "$work/$folder/$file" ] || { echo "$folder lacks $file"; status=1; }
    done
}

install_to program --component program
expect program bin/gpucal share/man/man1/gpucal.1 share/man/man1/gpucal-predict.1 share/man/man5/gpucal-models.5 \
    share/bash-completion/completions/gpucal share/gpucal/{models,baselines}.yaml \
    share/gpucal/schema/gpucal-{models,predict}-1.json share/doc/gpucal/LICENSE
gpucal=$work/program/bin/gpucal
"$gpucal" config | cmp - "$source/models.yaml" || status=1
cmp "$work/program/share/gpucal/models.yaml" "$source/models.yaml" || status=1
# Counting loads a module, which it finds beside itself.
"$gpucal" count "$source/tests/wild/nbody.cl" --local 64 --global n --no-cache > /dev/null || status=1
found=$(find "$work/program" -name 'libgpucal*' -o -name '*.h' -o -path '*slurm/*')
[ -z "$found" ] || { echo "the program alone has $found"; status=1; }

install_to whole
expect whole bin/gpucal share/doc/gpucal/{README,DESIGN,CHANGELOG,results,tutorial}.md \
    share/doc/gpucal/examples/balance/matmul_rows.cl share/gpucal/slurm/calibrate.sbatch
for example in "$work"/whole/share/doc/gpucal/examples/*/; do
    [ -s "$example/README.md" ] || { echo "$example has no README.md"; status=1; }
done
exit $status
