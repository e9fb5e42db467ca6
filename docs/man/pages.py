#!/usr/bin/env python3
"""pages.py GPUCAL VERSION OUTPUT: writes gpucal.1, and gpucal-COMMAND.1 of each command.

What --help prints comes from the program ("gpucal help COMMAND --json"): purpose, synopsis,
options, examples and exit status.  gpucal-COMMAND.1.in beside this file has the rest, in man(7):
sections, and in OPTIONS, after ".OPTION NAME", what there is to say of an option beyond the line
in --help.  gpucal.1.in has @COMMANDS@ and @LETTERS@ where the tables go.
"""
import os
import re
import sys

from commands import read_commands

HERE = os.path.dirname(os.path.abspath(__file__))


def roff(text):
    """Text as roff prints it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def bold(text):
    return rf"\fB{roff(text)}\fR"


def italic(text):
    return rf"\fI{roff(text)}\fR"


def sentence(text):
    return text if text.endswith(".") else text + "."


def usage(text):
    """Arguments, with the names of values in italics."""
    return re.sub(r"\b[A-Z]+(?:\\?\.[a-z0-9]+)?\b", lambda m: rf"\fI{m[0]}\fR", roff(text))


def values(argument, closed):
    return "|".join(bold(word) for word in argument.split("|")) if closed else italic(argument)


def head(option):
    """\\fB-o\\fR, \\fB--output\\fR \\fIFILE\\fR"""
    names = [bold("-" + option["letter"])] if option["letter"] else []
    text = ", ".join(names + [bold("--" + option["name"])])
    if not option["argument"]:
        return text
    argument = values(option["argument"], option["values"])
    return text + (f"[={argument}]" if option["optional"] else f" {argument}")


# ---- a page ----

def read_fragment(name):
    """The sections of a fragment, in order, as {heading: lines}."""
    sections, lines = {}, None
    path = f"{HERE}/gpucal-{name}.1.in"
    for line in open(path) if os.path.exists(path) else []:
        match = re.match(r'\.SH "?([^"\n]*)', line)
        if match:
            lines = sections.setdefault(match[1], [])
        else:
            lines.append(line.rstrip("\n"))
    return sections


def read_supplements(name, lines):
    """What the fragment says of options, as {name: lines}; None has what precedes the first."""
    supplements, current = {None: []}, None
    for line in lines:
        if line.startswith(".OPTION "):
            current = line.split()[1]
            if current in supplements:
                sys.exit(f"pages.py: gpucal-{name}.1.in: --{current} twice")
            supplements[current] = []
        else:
            supplements[current].append(line)
    return supplements


def write_option(option, supplement):
    return [".TP", head(option), roff(sentence(option["text"]))] + supplement


def options_section(command, lines):
    supplements = read_supplements(command.name, lines)
    out = supplements.pop(None)
    for option in command.options:
        out += write_option(option, supplements.pop(option["name"], []))
    for description in command.descriptions:
        out += [".TP", bold(description["name"]), roff(sentence(description["text"]))]
    if supplements:
        sys.exit(f"pages.py: gpucal-{command.name}.1.in: no option --{', --'.join(supplements)}")
    return out


def paragraphs(texts):
    return [line for text in texts for line in (".PP", roff(text))]


def see_also(text):
    """Every page that the text refers to, gpucal(1) first."""
    found = set(re.findall(r"^\.[BR]{2}.*?\b((?:lib)?gpucal[a-z\\-]*) \"?\(?\(?([1357])\)", text, flags=re.M))
    others = sorted(found - {("gpucal", "1")}, key=lambda page: (page[1], page[0]))
    return ",\n".join(f".BR {name} ({section})" for name, section in [("gpucal", "1")] + others)


def write_page(command, title):
    sections = read_fragment(command.name)
    out = [r"'\" t", title, ".SH NAME",
           rf"gpucal\-{command.name} \- {roff(command.summary)}", ".SH SYNOPSIS"]
    for form in command.table["usage"]:
        out += [f".B gpucal {command.name}", rf"[\fIOPTION\fR...] {usage(form)}".rstrip(), ".br"]
    out[-1:] = [".SH DESCRIPTION", roff(command.table["purpose"].replace("\n\n", "\n.PP\n"))
                .replace("\\&.PP", ".PP")]
    out += sections.pop("DESCRIPTION", []) + paragraphs(command.notes)
    out += [".SH OPTIONS"] + options_section(command, sections.pop("OPTIONS", []))
    for heading, lines in sections.items():
        out += [f'.SH "{heading}"'] + lines
    if command.exit_status:
        out += ['.SH "EXIT STATUS"'] + [roff(line) for line in command.exit_status]
    if command.examples:
        out += [".SH EXAMPLES", ".nf"] + [roff(line) for line in command.examples] + [".fi"]
    text = "\n".join(out)
    return text + '\n.SH "SEE ALSO"\n' + see_also(text).replace(",\n", " ,\n") + "\n"


# ---- gpucal.1 ----

def commands_table(commands):
    rows = [rf"\fB{c.name}\fR{chr(9)}{roff(c.summary)}" for c in commands]
    return "\n".join([".TS", "l lx."] + rows + [".TE"])


def letters_table(commands):
    """A row for each letter, with the commands that have it."""
    letters = {}
    for command in commands:
        for option in command.options:
            if option["letter"]:
                letters.setdefault(option["letter"], (option, []))[1].append(command.name)
    rows = [rf"\-{roff(letter)}{chr(9)}\-\-{roff(option['name'])}{chr(9)}T{{{chr(10)}{', '.join(names)}{chr(10)}T}}"
            for letter, (option, names) in sorted(letters.items(), key=lambda item: item[0].lower())]
    return "\n".join([".TS", "l l lx."] + rows + [".TE"])


def main():
    gpucal, version, output = sys.argv[1:]
    commands = read_commands(gpucal)
    main_page = open(f"{HERE}/gpucal.1.in").read().replace("@VERSION@", version)
    title = re.search(r"^\.TH .*$", main_page, flags=re.M)[0]
    os.makedirs(output, exist_ok=True)
    for command in commands:
        own_title = title.replace("GPUCAL ", f"GPUCAL\\-{command.name.upper()} ", 1)
        with open(f"{output}/gpucal-{command.name}.1", "w") as file:
            file.write(write_page(command, own_title))
    main_page = main_page.replace("@COMMANDS@", commands_table(commands))
    with open(f"{output}/gpucal.1", "w") as file:
        file.write(main_page.replace("@LETTERS@", letters_table(commands)))


main()
