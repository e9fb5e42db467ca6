#!/bin/bash
# sets.sh [--write] [FOLDER]: the applications of this folder in two sets (README.md).
#
# Without --write: fails unless SETS has each application in the set that its name gives, with
# the hash of its files.  --write: adds new applications, and new hashes of those in 'develop';
# those of 'frozen' stay.
set -u
export LC_ALL=C
write=
[ "${1:-}" = --write ] && write=yes && shift
cd "${1:-$(dirname "$0")}" || exit 1
status=0

complain() { # TEXT
    echo "$1"
    status=1
}

applications() {
    local file
    for file in *.yaml; do
        echo "${file%%_*}"
    done | sort -u
}

hash_of() { # APPLICATION
    cat "$1"_*.cl "$1"_*.yaml | sha256sum | cut -c 1-64
}

set_of() { # APPLICATION
    case $(printf %s "$1" | sha256sum | cut -c 64) in
    [02468ace]) echo develop ;;
    *) echo frozen ;;
    esac
}

# The hash in SETS, empty for an application that it lacks.
hash_in_sets() { # APPLICATION
    [ -f SETS ] && awk -v name="$1" '$1 == name { print $3 }' SETS
}

write_sets() {
    local name hash
    echo "# APPLICATION SET HASH: by sets.sh --write"
    for name in $(applications); do
        hash=$(hash_in_sets "$name")
        [ -n "$hash" ] && [ "$(set_of "$name")" = frozen ] || hash=$(hash_of "$name")
        echo "$name $(set_of "$name") $hash"
    done
}

check_sets() {
    local name set hash seen=
    while read -r name set hash; do
        [ "$name" = '#' ] && continue
        seen+=" $name "
        [ "$set" = "$(set_of "$name")" ] || complain "SETS: $name belongs to $(set_of "$name")"
        [ "$hash" = "$(hash_of "$name" 2> /dev/null)" ] ||
            complain "SETS: the files of $name ($set) have changed"
    done < SETS
    for name in $(applications); do
        [[ $seen == *" $name "* ]] || complain "SETS lacks $name"
    done
}

if [ -n "$write" ]; then
    sets=$(write_sets)
    echo "$sets" > SETS
fi
check_sets
exit $status
