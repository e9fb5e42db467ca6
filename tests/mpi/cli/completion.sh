#!/bin/bash
# completion.sh GPUCAL FOLDER - bash, zsh and fish complete what the program's tables have.
# shellcheck disable=SC2317 # offer_bash and offer_fish are called by "offer_$shell"
set -eu
program=$1 folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/store/nodes" "$work/folder"
ln -s "$(realpath "$program")" "$work/bin/gpucal"
touch "$work/store/nodes/n1.yaml" "$work/store/nodes/n17.yaml" "$work/kernel.cl"
export PATH=$work/bin:$PATH GPUCAL_STORE=$work/store HOME=$work
cd "$work"
status=0

# What each shell offers for the command line $1, sorted, on one line.
offer_bash() {
    # shellcheck source=/dev/null
    (
        compopt() { :; } # is for a completion that runs in a prompt
        . "$folder/bash"
        read -r -a COMP_WORDS <<< "${1//=/ = }"
        [[ $1 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _gpucal
        printf '%s\n' "${COMPREPLY[@]}"
    )
}
offer_fish() {
    fish --no-config -c "source $folder/fish; complete -C '$1'" | cut -f1 | sed 's/^--[a-z-]*=//'
}
expect() { # SHELL LINE WORD...: exactly these are offered
    local shell=$1 line=$2 got
    shift 2
    got=$("offer_$shell" "$line" | sort -u | xargs)
    if [ "$got" != "$*" ]; then
        echo "$shell: '$line' offers '$got', expected '$*'"
        status=1
    fi
}

for shell in bash fish; do
    expect $shell "gpucal pre" predict
    expect $shell "gpucal help ca" calibrate
    expect $shell "gpucal show --para" --parameters
    expect $shell "gpucal count -f " text yaml
    expect $shell "gpucal kernels --match=" identical intersect subset superset
    expect $shell "gpucal kernels --match su" subset superset
    expect $shell "gpucal show --node n1" n1 n17
    expect $shell "gpucal devices --device " accelerator cpu gpu
    expect $shell "gpucal count ker" kernel.cl
    expect $shell "gpucal tune matmul_s" matmul_sq
    expect $shell "gpucal store " export-reference forget init keygen merge prune sign verify
done
expect bash "gpucal fit --output fo" folder
expect bash "gpucal --if" --if-changed # of the default command

# zsh: the words that reach its own functions.
offer_zsh() { # WORD...
    zsh -f -c 'fpath=($1 $fpath); shift
        _arguments() { print -l -- "$@"; }; _describe() { print -l -- ${(P)2}; }; compadd() { print -l -- "$@"; }
        words=("$@") CURRENT=$#
        source "$ZSH_FILE"' zsh "$folder" "$@"
}
export ZSH_FILE=$folder/zsh
zsh -n "$ZSH_FILE"
zsh_has() { # PATTERN WORD...
    local pattern=$1
    shift
    offer_zsh "$@" | grep -qxE -- "$pattern" || { echo "zsh: '$*' lacks $pattern"; status=1; }
}
zsh_has 'predict:predict the run time of a kernel' gpucal pre
zsh_has '\*-f\+\[Print a table\]:text yaml:\(text yaml\)' gpucal count -f ''
zsh_has '\*--node=\[Only nodes whose name matches\]:PATTERN:_gpucal_nodes' gpucal show --node ''
exit $status
