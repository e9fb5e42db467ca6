#!/bin/bash
# apply-calibration.sh: sets the speeds of Slurm's nodes from gpucal's published calibrations.
#
#   apply-calibration.sh [--dry-run] [EXPORT OPTION]...
#   apply-calibration.sh --conf SLURM.CONF [EXPORT OPTION]...
#
# Sets features, weight, comment and extra of each node in the store; the options are those of
# 'gpucal export' (--device, --profile, ...).  Other features are kept, and so are comments and
# extras that gpucal did not write.  Correct values are not set again.  --dry-run only prints
# the changes.
#
# 'scontrol reconfigure' resets weights and features to those of slurm.conf: run this again
# after it, or use --conf, which prints SLURM.CONF with its NodeName lines changed accordingly.
# Settings: /etc/gpucal/slurm.env (see slurm.env.example).
set -uf # no file patterns: names and features are words
export LC_ALL=C # numbers with points, words in English

settings=${GPUCAL_SETTINGS:-/etc/gpucal/slurm.env}
if [ -r "$settings" ]; then
    set -a
    # shellcheck source=slurm/slurm.env.example
    . "$settings"
    set +a
fi
gpucal=${GPUCAL:-gpucal}

say() { echo "apply-calibration.sh: $*" >&2; }

# ---- features ----

foreign_features() { # a,gpucal,b,gpucal_fast: a,b
    local kept='' feature
    for feature in ${1//,/ }; do
        [[ $feature = gpucal || $feature = gpucal_* || $feature = '(null)' ]] ||
            kept+=,$feature
    done
    echo "${kept#,}"
}

merge_features() { # OLD NEW
    local kept
    kept=$(foreign_features "$1")
    echo "${kept:+$kept,}$2"
}

# ---- a running cluster ----

# scontrol's output for each node, by name; fetched once, as a cluster may be large.
declare -A SHOWN=()
load_nodes() {
    local line node='' newline=$'\n'

    while IFS= read -r line; do
        if [[ $line = NodeName=* ]]; then
            node=${line#NodeName=}
            node=${node%% *}
        fi
        [ -z "$node" ] || SHOWN[$node]+=$line$newline
    done < <(scontrol show node)
}

# Sets VALUE to a field of a node's output.
find_value() { # SHOWN NAME
    local newline=$'\n' pattern

    pattern="$newline *$2=([^$newline]*)"
    [ "$2" != Weight ] || pattern=' Weight=([0-9]+) '
    VALUE=''
    [[ ! $1 =~ $pattern ]] || VALUE=${BASH_REMATCH[1]}
}

ours_or_empty() { # TEXT PATTERN
    # shellcheck disable=SC2053
    [[ -z $1 || $1 = '(null)' || $1 = $2 ]]
}

# Sets CHANGES to the arguments for scontrol.
find_changes() { # SHOWN FEATURES WEIGHT COMMENT EXTRA
    local available active both=()

    CHANGES=()
    find_value "$1" AvailableFeatures
    available=$VALUE
    find_value "$1" ActiveFeatures
    active=$VALUE
    both=("AvailableFeatures=$(merge_features "$available" "$2")"
        "ActiveFeatures=$(merge_features "$active" "$2")")
    [ "${both[*]}" = "AvailableFeatures=$available ActiveFeatures=$active" ] ||
        CHANGES+=("${both[@]}")
    find_value "$1" Weight
    [ "$3" = - ] || [ "$VALUE" = "$3" ] || CHANGES+=("Weight=$3")
    find_value "$1" Comment
    if [ "$VALUE" != "$4" ] && ours_or_empty "$VALUE" 'gpucal:*'; then
        CHANGES+=("Comment=$4")
    fi
    find_value "$1" Extra
    if [ "$VALUE" != "$5" ] && ours_or_empty "$VALUE" '{"gpucal*'; then
        CHANGES+=("Extra=$5")
    fi
}

apply_to_node() { # NODE FEATURES WEIGHT COMMENT EXTRA
    if [ -z "${SHOWN[$1]-}" ]; then
        say "$1 is not a node of this cluster"
        return 0
    fi
    find_changes "${SHOWN[$1]}" "${@:2}"
    if ((${#CHANGES[@]} == 0)); then
        echo "$1: unchanged"
        return 0
    fi
    echo "$1:$(printf " '%s'" "${CHANGES[@]}")"
    ((DRY_RUN)) || scontrol update NodeName="$1" "${CHANGES[@]}"
}

apply() {
    local node features weight comment extra status=0

    load_nodes
    if ((${#SHOWN[@]} == 0)); then
        say "scontrol shows no nodes"
        return 1
    fi
    while IFS=$'\t' read -r node features weight _ _ comment extra; do
        apply_to_node "$node" "$features" "$weight" "$comment" "$extra" || status=1
    done < <(grep -v '^#' <<< "$TABLE")
    return $status
}

# ---- slurm.conf ----

# The words of a NodeName line by key; case does not matter in keys.
parse_line() { # LINE: sets KEYS and VALUES
    local word
    KEYS=() VALUES=()
    # shellcheck disable=SC2086
    for word in ${1%%#*}; do
        if [[ $word != *=* ]] && ((${#KEYS[@]})); then # continues the value: Reason="a b"
            VALUES[-1]+=" $word"
            continue
        fi
        KEYS+=("${word%%=*}")
        VALUES+=("${word#*=}")
    done
}

is_key() { # KEY NAME...
    local key=${1,,} name
    shift
    for name; do [ "$key" = "$name" ] && return; done
    return 1
}

# The I-th item of a list such as n[0-3]; the list itself if it does not have COUNT items.
item() { # LIST I COUNT
    local items
    mapfile -t items < <(scontrol show hostnames "$1")
    if ((${#items[@]} == $3)); then echo "${items[$2]}"; else echo "$1"; fi
}

print_node_line() { # NODE I COUNT
    local i key value features='' row out=''

    row=$(awk -F '\t' -v node="$1" '$1 == node' <<< "$TABLE")
    for i in "${!KEYS[@]}"; do
        key=${KEYS[i]} value=${VALUES[i]}
        if is_key "$key" feature features; then
            features=$value
            continue
        fi
        ! is_key "$key" weight || [ -z "$row" ] || [ "$(cut -f3 <<< "$row")" = - ] ||
            continue
        ! is_key "$key" nodename nodehostname nodeaddr bcastaddr port ||
            value=$(item "$value" "$2" "$3")
        out+=" $key=$value"
    done
    if [ -n "$row" ]; then
        features=$(merge_features "$features" "$(cut -f2 <<< "$row")")
        row=$(cut -f3 <<< "$row")
        [ "$row" = - ] || out+=" Weight=$row"
    fi
    echo "${out# }${features:+ Feature=$features}"
}

print_line() { # LINE
    local names i known=0

    parse_line "$1"
    if ! is_key "${KEYS[0]-}" nodename || is_key "${VALUES[0]}" default; then
        echo "$1"
        return
    fi
    mapfile -t names < <(scontrol show hostnames "${VALUES[0]}")
    for i in "${names[@]}"; do
        ! grep -q "^$i"$'\t' <<< "$TABLE" || known=1
    done
    if ((!known)); then
        echo "$1"
        return
    fi
    for i in "${!names[@]}"; do
        print_node_line "${names[i]}" "$i" "${#names[@]}"
    done
}

print_conf() { # FILE
    local line next

    while IFS= read -r line || [ -n "$line" ]; do
        while [[ $line = *\\ ]]; do # continued on the next line
            line=${line%\\}
            IFS= read -r next || break
            line+=$next
        done
        print_line "$line"
    done < "$1"
}

# ---- the command ----

save_speeds() { # atomically
    local temporary
    temporary=$(mktemp "$GPUCAL_SPEEDS.XXXXXX") && echo "$TABLE" > "$temporary" &&
        chmod 644 "$temporary" && mv "$temporary" "$GPUCAL_SPEEDS"
}

main() {
    local conf='' options=()

    DRY_RUN=0
    while (($#)); do
        case $1 in
        --dry-run) DRY_RUN=1 ;;
        --conf) conf=${2:?--conf needs a file} && shift ;;
        -h | --help) sed -n '2,/^set -uf/s/^# \{0,1\}//p' "$0" && exit 0 ;;
        *) options+=("$1") ;;
        esac
        shift
    done
    if [ -n "$conf" ] && [ ! -r "$conf" ]; then
        say "cannot read $conf"
        exit 1
    fi
    TABLE=$("$gpucal" export --to slurm ${options[@]+"${options[@]}"}) || exit
    if [ -n "$conf" ]; then
        print_conf "$conf"
        exit
    fi
    apply || exit
    if [ -n "${GPUCAL_SPEEDS-}" ] && ((!DRY_RUN)); then
        save_speeds
    fi
}

main "$@"
