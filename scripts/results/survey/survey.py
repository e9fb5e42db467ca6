# survey.py - the work of survey.sh
"""Counts a folder's kernels with gpucal and sums up what happens."""
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile

LOCAL_SIZES = {1: (64,), 2: (16, 16), 3: (8, 8, 4)}
GROUPS = ("groups_x", "groups_y", "groups_z")
SUFFIXES = (".cl", ".ocl", ".opencl")
# Functions whose calls decide the dimensions of the NDRange.
ID_CALL = re.compile(r"\bget_(?:global|local|group|num)_?(?:id|size|groups)\s*\(\s*([0-2])")
KERNEL = re.compile(
    r"\b(?:__)?kernel\s+((?:__attribute__\s*\(\(.*?\)\)\s*)*)void\s+"
    r"((?:__attribute__\s*\(\(.*?\)\)\s*)*)(\w+)\s*\(", re.S)
WORK_GROUP = re.compile(r"reqd_work_group_size\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


# ---- kernels ----

def without_comments(text):
    return COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def matching_brace(text, start):
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0 and text[at] == "}":
            return at + 1
    return len(text)


def find_kernels(text):
    """(name, local size) of each kernel definition."""
    text = without_comments(text)
    for m in KERNEL.finditer(text):
        body_at = text.find("{", m.end())
        semicolon = text.find(";", m.end())
        if body_at < 0 or 0 <= semicolon < body_at:
            continue
        body = text[body_at:matching_brace(text, body_at)]
        ids = [int(i) for i in ID_CALL.findall(body)]
        fixed = WORK_GROUP.search(m.group())
        if fixed:
            sizes = tuple(int(g) for g in fixed.groups())
            dims = max([i + 1 for i, s in enumerate(sizes) if s > 1] + [i + 1 for i in ids] + [1])
            yield m.group(3), sizes[:dims]
        else:
            yield m.group(3), LOCAL_SIZES[max(ids + [0]) + 1]


def find_files(folder):
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(SUFFIXES):
                yield os.path.relpath(os.path.join(path, name), folder)


def read_options(folder):
    path = os.path.join(folder, "survey.opts")
    lines = []
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                words = shlex.split(line, comments=True)
                if words:
                    lines.append((words[0], words[1:]))
    return lines


def options_of(name, lines):
    return [word for pattern, words in lines if fnmatch.fnmatch(name, pattern)
            for word in words]


# ---- running ----

def run(command, longest):
    """(exit status, stdout, stderr, seconds of processor time, KiB); status None: stopped."""
    limit = (longest, longest + 1)
    with tempfile.TemporaryFile("w+", errors="replace") as out, \
            tempfile.TemporaryFile("w+", errors="replace") as err:
        process = subprocess.Popen(
            command, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        stopped = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        return (None if stopped else process.returncode, out.read(), err.read(),
                used.ru_utime + used.ru_stime, used.ru_maxrss)


def count(job, more, longest):
    """What one call of gpucal count says."""
    status, out, err, seconds, kib = run(
        [job["program"], "count", job["path"], "--kernel", job["kernel"], "--json",
         *job["options"], *more], longest)
    result = {"status": status, "seconds": seconds, "kib": kib, "message": err.strip()}
    if status == 0:
        try:
            result.update(summarise(json.loads(out)))
        except ValueError:
            result["status"], result["message"] = 1, "no JSON"
    return result


def summarise(profile):
    features = profile["features"]
    accesses = [f for f in features if f["feature"].startswith(("f_mem_access", "f_atomic"))
                and f.get("space") != "local"]
    return {
        "parameters": profile["parameters"],
        "marked": profile["estimated"],
        "n_marked": sum(bool(f.get("estimated")) for f in features),
        "longest": max((len(f["expression"]) for f in features
                        if "expression" in f), default=0),
        "longest_entry": max((len(f["expression"]) for f in features if "expression" in f and
                              not f["feature"].startswith(("f_memory", "f_onchip"))), default=0),
        "n_accesses": len(accesses),
        "n_afr": sum("afr" in f and f["afr"] is not None for f in accesses),
    }


# ---- one kernel ----

def global_sizes(local, groups):
    return ",".join(f"{size}*{group}" for size, group in zip(local, groups))


REQUIRED = re.compile(r"the kernel requires work-groups of (\d+)x(\d+)x(\d+)")


def required_size(message, dims):
    """The work-group that a message requires, or None."""
    found = REQUIRED.search(message)
    if not found:
        return None
    sizes = [int(size) for size in found.groups()]
    while len(sizes) > dims and sizes[-1] == 1:
        sizes.pop()
    return sizes


def survey_kernel(job):
    """Macros may require another work-group than the source shows."""
    survey_shape(job)
    sizes = required_size(job["any"]["message"], len(job["local"]))
    if sizes:
        job["local"] = sizes
        survey_shape(job)
    return job


def survey_shape(job):
    local = job["local"]
    shape = ["--local", ",".join(str(size) for size in local)]
    symbolic = shape + ["--global", global_sizes(local, GROUPS)]
    longest = job["longest"]
    job["any"] = count(job, symbolic, longest)
    job["any_32"] = count(job, symbolic + ["--sub-group", "32"], longest)
    if job["any"]["status"] == 1:
        job["numbers"] = count(job, shape + ["--global", global_sizes(local, (16, 16, 16))],
                               longest)
        job["estimates"] = count(job, symbolic + ["--allow-estimates"], longest)
        job["compiles"] = compiles(job)


def compiles(job):
    """Whether the kernel is there, and clang has no such error as gpucal's."""
    if re.search(r"no kernel (named|in this file)", job["any"]["message"]):
        return False
    said = re.sub(r"^gpucal: [^:]*:(\d+:\d+: )?", "", job["any"]["message"].split("\n")[0])
    options = [word for before, word in zip(["", *job["options"]], job["options"])
               if word.startswith(("-D", "-I")) or before in ("-D", "-I")]
    command = ["clang", "-x", "cl", "-cl-std=CL1.2", "-fsyntax-only", "-ferror-limit=0",
               "-Xclang", "-finclude-default-header", *options, job["path"]]
    err = run(command, 60)[2]
    core = re.sub(r" \(.*", "", said).strip()
    return not core or "error: " + core not in err


# ---- the summary ----

def cause(message):
    """A message's class: without its place, names and numbers."""
    text = message.split("\n")[0]
    text = re.sub(r"^gpucal: ", "", text)
    text = re.sub(r"^[^ ]*?:(\d+:\d+: |\d+: | )", "", text)
    text = re.sub(r"'[^']*'", "'..'", text)
    text = re.sub(r"\b\d+\b", "N", text)
    return text[:110]


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else 0


def is_crash(result):
    return result["status"] is None or result["status"] not in (0, 1)


def print_times(title, results):
    times = [1000 * r["seconds"] for r in results]
    print(f"{title}: median {quantile(times, .5):.0f} ms, 90 % below {quantile(times, .9):.0f}, "
          f"worst {max(times, default=0):.0f}; memory at most "
          f"{max((r['kib'] for r in results), default=0) / 1024:.0f} MB")


def print_causes(title, messages):
    print(title)
    for text, n in collections.Counter(cause(m) for m in messages).most_common():
        print(f"  {n:5d}  {text}")


def print_summary(kernels):
    broken = [k for k in kernels if not k.get("compiles", True)]
    kernels = [k for k in kernels if k.get("compiles", True)]
    results = [k["any"] for k in kernels]
    accepted = [r for r in results if r["status"] == 0]
    refused = [k for k in kernels if k["any"]["status"] == 1]
    numbers = [k for k in refused if k["numbers"]["status"] == 0]
    crashed = [k for k in kernels if is_crash(k["any"]) or is_crash(k["any_32"])]
    print(f"{len(kernels)} kernels compile, {len(broken)} do not")
    print(f"accepted with symbolic sizes: {len(accepted)} "
          f"({100 * len(accepted) / max(1, len(kernels)):.1f} %), "
          f"{sum(r['marked'] for r in accepted)} of these marked")
    print(f"accepted with a number of groups only: {len(numbers)}; with estimates only: "
          f"{sum(k['estimates']['status'] == 0 and k not in numbers for k in refused)}")
    accepted_32 = [k["any_32"] for k in kernels if k["any_32"]["status"] == 0]
    print(f"accepted for sub-groups of 32: {len(accepted_32)}, "
          f"{sum(r['marked'] for r in accepted_32)} of these marked")
    print(f"crashed or stopped: {len(crashed)}")
    for k in crashed:
        print(f"  {k['file']} {k['kernel']}: {k['any']['status']}, {k['any_32']['status']}")
    print_times("time", results)
    print_times("time for sub-groups of 32", [k["any_32"] for k in kernels])
    print(f"longest expression: {max((r['longest'] for r in accepted), default=0)}, of one "
          f"entry {max((r['longest_entry'] for r in accepted), default=0)}, "
          f"above 200: {sum(r['longest'] > 200 for r in accepted)} kernels")
    n_accesses = sum(r["n_accesses"] for r in accepted)
    n_afr = sum(r["n_afr"] for r in accepted)
    print(f"AFR known: {n_afr} of {n_accesses} entries "
          f"({100 * n_afr / max(1, n_accesses):.1f} %)")
    print_causes(f"refused: {len(refused)}", [k["any"]["message"] for k in refused])
    only_32 = [k["any_32"]["message"] for k in kernels
               if k["any"]["status"] == 0 and k["any_32"]["status"] == 1]
    print_causes(f"refused for sub-groups of 32 only: {len(only_32)}", only_32)


# ---- all ----

def read_kernels(path):
    """(file, kernel) of those that compile in an earlier survey; None: all."""
    if not path:
        return None
    with open(path) as file:
        return {(k["file"], k["kernel"]) for k in map(json.loads, file)
                if k.get("compiles", True)}


def find_jobs(program, folder, longest, only):
    lines = read_options(folder)
    for name in find_files(folder):
        path = os.path.join(folder, name)
        with open(path, errors="replace") as file:
            text = file.read()
        for kernel, local in dict(find_kernels(text)).items():
            if only is not None and (name, kernel) not in only:
                continue
            yield {"program": program, "path": path, "file": name, "kernel": kernel,
                   "local": local, "options": options_of(name, lines), "longest": longest}


def main():
    program, folder, lines, longest, earlier = sys.argv[1:]
    jobs = list(find_jobs(os.path.abspath(program), os.path.abspath(folder), int(longest),
                          read_kernels(earlier)))
    workers = int(os.environ.get("SURVEY_JOBS", os.cpu_count()))
    kernels = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool, open(lines, "w") as file:
        for k in pool.map(survey_kernel, jobs):
            file.write(json.dumps(k) + "\n")
            file.flush()
            kernels.append(k)
    print_summary(kernels)


main()
