#!/bin/bash
# test_frontend.sh GPUCAL MODULE OTHER READER: commands without the modules, without libclang, and with
# modules that are not gpucal's or, as OTHER, of another version.
set -u
gpucal=$1 module=$2 other=$3 reader=$4 status=0
export XDG_CACHE_HOME=/dev/null # no counts of earlier runs
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{bin,empty,alone,bad,foreign,other}
cp "$reader" "$folder/alone"
cp "$gpucal" "$folder/bin/gpucal"
kernel='__kernel void k(__global float *a) { a[get_global_id(0)] = 0; }'
printf '%s\n' "$kernel" > "$folder/k.cl"

count() { # FOLDER of libraries that are found first
    LD_LIBRARY_PATH=$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        "$folder/bin/gpucal" count "$folder/k.cl" --local 64 --global n 2>&1
}

expect() { # WHAT, PATTERN, FOLDER
    local output
    output=$(count "$3")
    [ $? = 1 ] && grep -qE "$2" <<< "$output" && return
    printf '%s: expected "%s", got:\n%s\n' "$1" "$2" "$output"
    status=1
}

"$folder/bin/gpucal" --version > "$folder/version" 2>&1 && grep -q '^gpucal ' "$folder/version" ||
    { echo "gpucal --version without the module:" && cat "$folder/version"; status=1; }

expect "no module" 'front end.* is missing: install gpucal again.*gpucal-frontend\.so' "$folder/empty"
expect "the process alone" 'front end.* is missing: install gpucal again.*gpucal-frontend\.so' "$folder/alone"
cp "$reader" "$folder/bad"; cp "$reader" "$folder/foreign"; cp "$reader" "$other" "$folder/other"

# Records have a module of their own.
"$folder/bin/gpucal" fit --record "$folder/k.cl" --output "$folder/empty" > "$folder/record" 2>&1
[ $? = 1 ] && grep -q 'records need gpucal-record\.so and libhdf5: install gpucal again (gpucal-record' "$folder/record" ||
    { echo "no module for records:" && cat "$folder/record"; status=1; }

libclang=$(LC_ALL=C readelf -d "$module" | sed -n 's/.*NEEDED.*\[\(libclang.*\)\]/\1/p')
echo "not a library" > "$folder/bad/$libclang"
cp "$module" "$folder/bad"
expect "no libclang" 'needs libclang [0-9]+: install libclang1-[0-9]+ \(.*libclang' "$folder/bad"

ln -s "$(ldd "$gpucal" | awk '$1 ~ /^libm\.so/ { print $3 }')" "$folder/foreign/gpucal-frontend.so"
expect "a foreign module" 'gpucal-frontend\.so is of another program.*install gpucal again' "$folder/foreign"

expect "another version" 'gpucal-frontend\.so is of gpucal 0\.0\.1, not of gpucal .*install gpucal again' \
    "$folder/other"

# Without memory, it is not said to be missing.  (Sanitizers reserve more than any machine has.)
(ulimit -v 200000 && count "${module%/*}") > "$folder/short"
grep -q __asan_init "$gpucal" ||
    grep -q "needs more memory: raise .*ulimit -v.* (.*lib.*failed to map" "$folder/short" ||
    { echo "little memory:" && cat "$folder/short"; status=1; }

count "${module%/*}" | grep -q float32 || { echo "the module is not found at all"; status=1; }
exit $status
