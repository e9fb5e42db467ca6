#!/usr/bin/env python3
"""survey_cuda.py GPUCAL FOLDER [-n PROGRAMS] [-s SEED] [-o FILE]: how many kernels of other people are counted.

FOLDER has a folder for each program, such as src of HeCBench (github.com/zjin-lcf/HeCBench; '*-cuda' are those in
CUDA, '*-hip' in HIP), or the samples of a toolkit. Of its programs, -n are drawn at random. Each kernel is counted as the
host code of its file launches it, else in blocks of 256 (or 16x16) threads; a template for the arguments that
the host code gives it, else for float, int, 32 and true. Include folders and macros are those of the program's Makefile.

Prints the numbers of kernels counted, refused for data (a loop or an exit that depends on what is loaded), for a
header that is missing, for arguments of a template that nobody gives, for what the message says otherwise, and of
crashes and hangs; -o: a line of JSON for each kernel. Nothing of the programs is kept.
"""
import argparse
import collections
import glob
import json
import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

LIMIT_S = 90


def options_of(folder):
    """-I and -D as the program's Makefile has them, where these do not call for a shell."""
    path = os.path.join(folder, "Makefile")
    text = open(path, errors="replace").read().replace("\\\n", " ") if os.path.exists(path) else ""
    values = dict(re.findall(r"^(\w+)\s*[:?]?=\s*(\S*)", text, re.M))
    found = ["-I", folder]
    for kind, value in re.findall(r"(?<!\S)-([ID])\s*(\S+)", text):
        value = re.sub(r"\$\((\w+)\)", lambda m: values.get(m[1], ""), value).strip("\"'")
        if value:
            found += ["-" + kind, os.path.normpath(os.path.join(folder, value)) if kind == "I" else value]
    return found


def sources_of(folder):
    """Those that no other one includes."""
    files = sorted(glob.glob(folder + "/**/*.cu", recursive=True) + glob.glob(folder + "/**/*.hip", recursive=True))
    included = set()
    for file in files:
        for name in re.findall(r'#\s*include\s*"([^"]+\.cuh?)"', open(file, errors="replace").read()):
            included.add(os.path.realpath(os.path.join(os.path.dirname(file), name)))
    return [file for file in files if os.path.realpath(file) not in included]


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "hang", ""
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def guess(folder, kernel):
    """Arguments for a template whose instances cannot be seen."""
    for file in glob.glob(folder + "/**/*.*", recursive=True):
        if not file.endswith((".cu", ".cuh", ".h", ".hpp", ".hip")):
            continue
        text = open(file, errors="replace").read()
        match = re.search(r"template\s*<([^{};()]*?)>\s*__global__\s+void[^;{]*?\b" + re.escape(kernel) + r"\s*\(", text)
        if match:
            return ", ".join("float" if re.match(r"\s*(typename|class)\b", p) else
                             "true" if p.strip().startswith("bool") else "32" for p in match[1].split(","))
    return None


def count(gpucal, folder, file, kernel):
    base = [gpucal, "count", file, "--no-cache"] + options_of(folder)
    if folder.endswith("-hip"):
        base += ["--language", "hip"]
    name = kernel
    if kernel.endswith("<...>"):
        arguments = guess(folder, kernel[:-5].split("::")[-1])
        name = f"{kernel[:-5]}<{arguments}>" if arguments else kernel
    status, text = run(base + ["-k", name])
    launch = "host"
    if status == 1 and "missing:" in text:
        launch = "given"
        shape = ["16,16", "gx,gy"] if re.search(r"--block (16,16|8,8)", text) else ["256", "gx"]
        status, text = run(base + ["-k", name, "--block", shape[0], "--grid", shape[1]])
    message = ([""] + [line for line in text.split("\n") if line.startswith("gpucal: ")])[-1] if status else ""
    if status == 0:
        result = "counted with estimates" if "\n~" in text else "counted"
    elif status == "hang" or "crashed" in message or status != 1:
        result = "hang" if status == "hang" else "crash"
    elif re.search(r"depends? on data|exit of the loop|comes from other", message):
        result = "data"
    elif "not found: " in message or "is not in the source" in message:
        result = "missing header"
    elif "no kernel named" in message or (kernel.endswith("<...>") and not re.search(r"count|loop", message)):
        result = "template"
    else:
        result = "other"
    return {"file": file, "kernel": name, "launch": launch, "result": result, "message": message}


def split(names):
    """At commas outside of the arguments of templates and functions."""
    words, depth = [""], 0
    for c in names:
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            words.append("")
        else:
            words[-1] += c
    return dict.fromkeys(word.strip() for word in words)


def jobs_of(gpucal, folder):
    for file in sources_of(folder):
        language = ["--language", "hip"] if folder.endswith("-hip") else []
        text = run([gpucal, "count", file, "-k", "?", "--block", "1", "--grid", "1"] + language + options_of(folder))[1]
        names = re.search(r"there are: ([^;]*)", text)
        for name in split(names[1].strip()) if names else []:
            yield folder, file, name


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("gpucal")
    parser.add_argument("folder")
    parser.add_argument("-p", "--pattern", default="*-cuda", help="of the programs' folders")
    parser.add_argument("-n", "--programs", type=int, help="how many are drawn (default: all)")
    parser.add_argument("-s", "--seed", type=int, default=36)
    parser.add_argument("-o", "--output")
    given = parser.parse_args()
    folders = sorted(f for f in glob.glob(os.path.join(given.folder, given.pattern)) if os.path.isdir(f))
    if given.programs:
        folders = random.Random(given.seed).sample(folders, given.programs)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [job for found in pool.map(lambda f: list(jobs_of(given.gpucal, f)), folders) for job in found]
        results = list(pool.map(lambda job: count(given.gpucal, *job), jobs))
    if given.output:
        with open(given.output, "w") as out:
            out.writelines(json.dumps(r) + "\n" for r in results)
    print(f"{len(folders)} programs, {len(results)} kernels")
    for result, n in collections.Counter(r["result"] for r in results).most_common():
        print(f"{n:6} {100 * n / max(1, len(results)):5.1f} %  {result}")
    texts = collections.Counter(re.sub(r"'[^']*'|\d+", "..", re.sub(r"^gpucal: (\S+:\d+:\d+: )?", "", r["message"]))[:110]
                                for r in results if r["result"] == "other")
    for text, n in texts.most_common(20):
        print(f"{n:6}          {text}")


if __name__ == "__main__":
    main()
