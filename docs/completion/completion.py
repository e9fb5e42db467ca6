#!/usr/bin/env python3
"""completion.py GPUCAL OUTPUT: writes OUTPUT/bash, OUTPUT/zsh and OUTPUT/fish, which complete
gpucal's commands, options and their values in these shells.

What is completed after an option follows from the name of its argument: the words of a closed
set ("text|yaml"), files, folders, nodes of the store, devices; else nothing.
"""
import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "man"))
from commands import read_commands  # noqa: E402

EVERY = [("help", "?", "Give this help list"), ("usage", None, "Give a short usage message"),
         ("version", "V", "Print program version")]
DEVICES = "gpu cpu accelerator"
# Shells call these; each prints a word per line.
NODES = 'for f in "${GPUCAL_STORE:-.}"/nodes/*.yaml; do [ -e "$f" ] && basename "$f" .yaml; done'
TAGS = r"gpucal kernels 2>/dev/null | sed -nE 's/^([a-z]\w+) \[(.*)\]$/\1 \2/p' | tr ' ' '\n'"


def kind_of(option):
    """What completes the value of an option: words, or the name of a kind."""
    argument, name = option["argument"], option["name"]
    if not argument:
        return "none"
    if option["values"]:
        return " ".join(option["values"])
    if name in ("device", "build"):
        return DEVICES
    if name in ("node", "beside"):
        return "nodes"
    if "FILE" in argument or argument == "PROFILE":
        return "files"
    if argument in ("DIR", "FOLDER"):
        return "folders"
    return "tags" if argument == "TAG" else "nothing"


def positional(command):
    """The same of arguments that are no options."""
    forms = command.table["usage"]
    actions = [form.split()[0] for form in forms if re.match(r"[a-z]+\b", form)]
    if actions:
        return " ".join(actions)
    if any("TAG" in form for form in forms):
        return "tags"
    return "files" if any(forms) else "nothing"


def summary(text):
    """The beginning of a text about a command or an option, for a place between apostrophes."""
    text = re.split(r"[;:(]|, e\.g\.", text)[0].strip()
    return re.sub(r"[][\"`$\\]", "", text).replace("'", "'\\''")


# ---- bash ----

BASH = """# Completion of gpucal for bash, made of the program's own tables.

_gpucal_nodes() { @NODES@; }
_gpucal_tags() { @TAGS@; }

# What completes the value of option $2 of command $1; nothing if it takes no value.
_gpucal_value() {
    case $1:$2 in
@VALUES@
    esac
}

# What completes the arguments of command $1.
_gpucal_argument() {
    case $1 in
@ARGUMENTS@
    esac
}

_gpucal_options() {
    case $1 in
@OPTIONS@
    esac
}

# Completes the word $2 by $1: a kind, or words.
_gpucal_complete() {
    case $1 in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
    folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    nodes) mapfile -t COMPREPLY < <(compgen -W "$(_gpucal_nodes)" -- "$2") ;;
    tags) mapfile -t COMPREPLY < <(compgen -W "$(_gpucal_tags)" -- "$2") ;;
    nothing) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2") ;;
    esac
}

# bash cuts --format=text into three words.
_gpucal() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command kind

    COMPREPLY=()
    command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" = 1 ] && [[ $word != -* ]] || [ "$COMP_CWORD:$command" = 2:help ]; then
        _gpucal_complete "@COMMANDS@ help" "$word"
        return
    fi
    [[ $command != -* ]] || command=calibrate
    if [ "$word" = = ]; then word=; before="=$before"; fi
    if [ "$before" = = ]; then before="=${COMP_WORDS[COMP_CWORD - 2]}"; fi
    kind=$(_gpucal_value "$command" "${before#=}")
    if [ -n "$kind" ]; then
        _gpucal_complete "$kind" "$word"
    elif [[ $word == -* ]]; then
        _gpucal_complete "$(_gpucal_options "$command")" "$word"
    else
        _gpucal_complete "$(_gpucal_argument "$command")" "$word"
    fi
}
complete -F _gpucal gpucal
"""


def bash_names(option):
    return [f"--{option['name']}"] + ([f"-{option['letter']}"] if option["letter"] else [])


def bash(commands):
    values, arguments, options = [], [], []
    for c in commands:
        for o in c.options:
            if o["argument"] and not o["optional"]:
                pattern = "|".join(f"{c.name}:{name}" for name in bash_names(o))
                values.append(f"    {pattern}) echo '{kind_of(o)}' ;;")
        names = [name for o in c.options for name in bash_names(o)[:1]]
        options.append(f"    {c.name}) echo '{' '.join(names + ['--' + n for n, _, _ in EVERY])}' ;;")
        arguments.append(f"    {c.name}) echo '{positional(c)}' ;;")
    return (BASH.replace("@NODES@", NODES).replace("@TAGS@", TAGS)
            .replace("@VALUES@", "\n".join(values)).replace("@ARGUMENTS@", "\n".join(arguments))
            .replace("@OPTIONS@", "\n".join(options))
            .replace("@COMMANDS@", " ".join(c.name for c in commands)))


# ---- zsh ----

ZSH = """#compdef gpucal
# Completion of gpucal for zsh, made of the program's own tables.

_gpucal_nodes() { compadd -- ${(f)"$(@NODES@)"} }
_gpucal_tags() { compadd -- ${(f)"$(@TAGS@)"} }

_gpucal() {
    local -a commands=(
@COMMANDS@
    )
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe command commands
        return
    fi
    if [[ $words[2] == help ]]; then
        (( CURRENT == 3 )) && _describe command commands
        return
    fi
    local command=calibrate
    if [[ $words[2] != -* ]]; then
        command=$words[2]
        shift words
        (( CURRENT-- ))
    fi
    case $command in
@CASES@
    esac
}

_gpucal "$@"
"""
ZSH_ACTIONS = {"files": "_files", "folders": "_files -/", "nodes": "_gpucal_nodes",
               "tags": "_gpucal_tags", "nothing": " "}


def zsh_action(kind):
    return ZSH_ACTIONS.get(kind, f"({kind})")


def zsh_option(option):
    argument, text = option["argument"], summary(option["text"])
    value = ""
    if argument:
        colons = "::" if option["optional"] else ":"
        label = re.sub(r"[][:'\"\\|]", " ", argument)
        value = f"{colons}{label}:{zsh_action(kind_of(option))}"
    sign = "=" if argument else ""
    specs = [f"'*--{option['name']}{'=-' if option['optional'] else sign}[{text}]{value}'"]
    if option["letter"]:
        plus = ("-" if option["optional"] else "+") if argument else ""
        specs.append(f"'*-{option['letter']}{plus}[{text}]{value}'")
    return specs


def zsh(commands):
    cases = []
    for c in commands:
        specs = [spec for o in c.options for spec in zsh_option(o)]
        specs += [f"'--{name}[{text}]'" for name, _, text in EVERY]
        specs.append(f"'*:argument:{zsh_action(positional(c))}'")
        lines = " \\\n".join(f"        {spec}" for spec in specs)
        cases.append(f"    {c.name}) _arguments -s \\\n{lines} ;;")
    rows = "\n".join(f"        '{c.name}:{summary(c.summary)}'" for c in commands)
    return (ZSH.replace("@NODES@", NODES).replace("@TAGS@", TAGS)
            .replace("@COMMANDS@", rows + "\n        'help:show the manual page of a command'")
            .replace("@CASES@", "\n".join(cases)))


# ---- fish ----

FISH = """# Completion of gpucal for fish, made of the program's own tables.

function __gpucal_nodes
    set -q GPUCAL_STORE; and path basename $GPUCAL_STORE/nodes/*.yaml | string replace .yaml ''
end
function __gpucal_tags
    gpucal kernels 2>/dev/null | string match -r '^[a-z]\\w+ \\[.*\\]$' | string replace -ra '[][]' '' | string split ' '
end

complete -c gpucal -f
"""
FISH_ACTIONS = {"files": "-rF", "folders": "-x -a '(__fish_complete_directories)'",
                "nodes": "-x -a '(__gpucal_nodes)'", "tags": "-x -a '(__gpucal_tags)'",
                "nothing": "-x"}


def fish_action(option):
    if not option["argument"] or option["optional"]:
        return ""
    kind = kind_of(option)
    return FISH_ACTIONS.get(kind, f"-x -a '{kind}'")


def fish(commands):
    lines = [FISH]
    for c in commands:
        lines.append(f"complete -c gpucal -n __fish_use_subcommand -a {c.name} -d '{summary(c.summary)}'")
    lines.append("complete -c gpucal -n __fish_use_subcommand -a help -d 'show a manual page'")
    every = " ".join(c.name for c in commands)
    lines.append(f"complete -c gpucal -n '__fish_seen_subcommand_from help' -a '{every}'")
    for c in commands:
        seen = f"complete -c gpucal -n '__fish_seen_subcommand_from {c.name}'"
        for o in c.options:
            letter = f" -s {o['letter']}" if o["letter"] else ""
            lines.append(f"{seen} -l {o['name']}{letter} {fish_action(o)} -d '{summary(o['text'])}'")
        kind = positional(c)
        if kind != "nothing":
            action = FISH_ACTIONS.get(kind, f"-a '{kind}'").replace("-rF", "-F").replace("-x ", "")
            lines.append(f"{seen} {action}")
    lines += [f"complete -c gpucal -l {name} -d '{text}'" for name, _, text in EVERY]
    return "\n".join(lines) + "\n"


def main():
    gpucal, output = sys.argv[1:]
    commands = read_commands(gpucal)
    os.makedirs(output, exist_ok=True)
    for name, text in (("bash", bash(commands)), ("zsh", zsh(commands)), ("fish", fish(commands))):
        with open(f"{output}/{name}", "w") as file:
            file.write(text)


main()
