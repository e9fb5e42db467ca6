"""commands.py - gpucal's commands with their options, as the program describes them."""
import json
import re
import subprocess


def of_what(match):
    return f"Of {match[1]}: " if match[1] else ""


class Command:
    """A command, as the program describes it."""

    def __init__(self, gpucal, name, summary):
        output = subprocess.run([gpucal, "help", name, "--json"], check=True,
                                capture_output=True, text=True).stdout
        self.name, self.summary = name, summary
        self.table = json.loads(output)
        self.options = sorted(self.table["options"],
                              key=lambda o: o["name"])
        self.descriptions = self.table["words"]
        self.read_notes(self.table["notes"])

    def read_notes(self, notes):
        """Sorts what --help has after the options into notes, examples and exit status."""
        self.examples, self.exit_status, self.notes = [], [], []
        for line in notes.splitlines():
            if line.startswith("  "):
                self.examples.append(line[2:])
            elif line.startswith("Exit status"):
                self.exit_status.append(re.sub(r"^Exit status(?: of (\S+))?: ", of_what, line))
            elif line and line != "Examples:":
                self.notes.append(line)


def read_commands(gpucal):
    text = subprocess.run([gpucal, "--help"], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^  ([a-z]+) {2,}([a-z].*)$", text, flags=re.M)
    return [Command(gpucal, name, summary) for name, summary in rows]
