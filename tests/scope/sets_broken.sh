#!/bin/bash
# sets_broken.sh: sets.sh fails for each way in which SETS and the files can differ.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

first() { # SET
    awk -v set="$1" '$2 == set { print $1; exit }' "$here/SETS"
}

frozen=$(first frozen) develop=$(first develop)

fresh() { # a copy with one application of each set
    rm -rf "$folder/scope"
    mkdir "$folder/scope"
    cp "$here/$frozen"_* "$here/$develop"_* "$folder/scope"
    grep -E "^($frozen|$develop) " "$here/SETS" > "$folder/scope/SETS"
}

fails() { # WORDS [--write]
    local out words=$1
    shift
    if out=$("$here/sets.sh" "$@" "$folder/scope") || [[ $out != *"$words"* ]]; then
        echo "sets_broken.sh: not '$words' but: $out" >&2
        exit 1
    fi
}

fresh
"$here/sets.sh" "$folder/scope"

echo '/* changed */' | tee -a "$folder/scope/$frozen"_*.cl > /dev/null
fails "the files of $frozen (frozen) have changed"
fails "the files of $frozen (frozen) have changed" --write

fresh
echo '/* changed */' | tee -a "$folder/scope/$develop"_*.cl > /dev/null
fails "the files of $develop (develop) have changed"
"$here/sets.sh" --write "$folder/scope"

fresh
rm "$folder/scope/$frozen"_*.yaml
fails "the files of $frozen (frozen) have changed"

fresh
sed -i "s/^$frozen frozen/$frozen develop/" "$folder/scope/SETS"
fails "$frozen belongs to frozen"

fresh
sed -i "/^$develop /d" "$folder/scope/SETS"
fails "SETS lacks $develop"
"$here/sets.sh" --write "$folder/scope"
