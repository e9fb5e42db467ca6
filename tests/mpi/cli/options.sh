# options.sh - the options of all commands, from their --help.  To be sourced; needs $gpucal.
# shellcheck shell=bash
# shellcheck disable=SC2154 # gpucal is set where this is sourced

commands() { "$gpucal" --help | sed -nE 's/^  ([a-z]+) {2,}[a-z].*/\1/p'; }

# "COMMAND LETTER LONG" per option; LETTER is - for an option without a letter.
options() {
    local command
    for command in $(commands); do
        "$gpucal" "$command" --help | sed -nE -e '/^Examples?:/,$ d' \
            -e "s/^ +-(.), --([a-z0-9-]+).*/$command \1 \2/p" \
            -e "s/^ +--([a-z0-9-]+).*/$command - \1/p"
    done
}
