#!/usr/bin/env python3
"""examples.py GPUCAL SOURCE LIBGPUCAL LIBGPUCAL_COUNT CC STEADY: runs every example command of
the documents.

The commands are those of --help, of man pages (.nf and .EX), and of README.md, docs/tutorial.md,
kernels/catalogue/README.md and those of docs/examples ("$ gpucal ..", or indented).  They run in a
folder with the files that they name and a store with calibrations by the default configuration: of
an H100, an H200, and a CPU, whose device is made this machine's.  Commands of docs/examples run in
a copy of their folder; there STORE is the store, with the nodes node1 and node2.  A command fails
the test if it does not exit with 0, unless EXCEPTIONS has it with the reason, or if README.md or the
tutorial show another output.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Commands that cannot run here: (regular expression, reason).  Each must match a command.
EXCEPTIONS = [
    (r"^srun .*", "needs Slurm"),
    (r"^sbatch .*", "needs Slurm"),
    (r"--device ('\*H200\*'|gpu).* --run|--run --device ('\*H200\*'|gpu)", "needs a GPU"),
    (r"^gpucal evaluate matmul_sq .*'\*H200\*'", "needs a GPU"),
    (r"^gpucal kernels --run --csv all.csv$", "measures every kernel, for many minutes"),
    (r"^gpucal kernels matmul_sq n:1024,2048 --run", "takes minutes without a GPU"),
    (r"^gpucal evaluate --config products.yaml ", "measures for minutes"),
    (r"^gpucal calibrate --store (DIR|STORE)", "measures for a minute; mpi.* calibrate"),
    (r"^gpucal --config (products|balance|cluster|starpu|models).yaml ",
     "measures for a minute; mpi.*, replay.* and tests of the examples calibrate"),
    (r"^gpucal (predict|explain) my.cl .* --copy-in ",
     "the CPU has no model of copies; replay.predict_step and replay.explain_step have one"),
    (r"^gpucal learn .*--times", "mpi.learn_times has such files"),
    (r"gpucal observe ", "mpi.learn_observe has such files"),
    (r"^gpucal kernels scale lsize_0:256 ", "gpucal is built again before it; unit.catalogue_made"),
    (r"^gpucal (tune|evaluate) matmul_sq .* --model sk_matmul", "needs the calibration before it"),
    (r"^gpucal export --json .*tables.py ", "mpi.export_fleets does it"),
    (r"^gpucal share .*scontrol", "slurm.job_side does it"),
    (r"^gpucal count min_plus.cl |^gpucal export --to starpu --store store --node ",
     "tests/starpu/paths.sh does it"),
]
LEAST_EXAMPLES = 90
PROGRAMS = r"\./(scheduler|counter) "  # of docs/examples; the others have tests of their own

gpucal, source, library, count_library, compiler, steady = sys.argv[1:7]
help_commands = re.findall(r"^  ([a-z]+) {2,}[a-z]", subprocess.run(
    [gpucal, "--help"], capture_output=True, text=True, check=True).stdout, flags=re.M)


readmes = [os.path.relpath(path, source) for path in sorted(glob.glob(f"{source}/docs/examples/*/README.md"))]


# ---- the commands ----

def join_lines(lines):
    """Commands that go on after a backslash, as one line each."""
    joined = []
    for line in lines:
        if joined and joined[-1].endswith("\\"):
            joined[-1] = joined[-1][:-1].rstrip() + " " + line.strip()
        else:
            joined.append(line.strip())
    return joined


def is_command(line):
    return re.match(r"(gpucal|srun|sbatch)( \S|$)", line)


def of_help():
    env = dict(os.environ, ARGP_HELP_FMT="rmargin=1000")
    for command in help_commands:
        text = subprocess.run([gpucal, command, "--help"], capture_output=True, text=True,
                              env=env, check=True).stdout
        if "Examples:" not in text:
            continue
        lines = text[text.index("Examples:"):].splitlines()
        for line in join_lines(line for line in lines if line.startswith("  ")):
            if is_command(line):
                yield f"gpucal {command} --help", line


def of_man_page(path):
    lines, inside = [], False
    for line in open(path):
        if re.match(r"\.(nf|EX|fi|EE)\b", line):
            inside = line[1:3] in ("nf", "EX")
        elif inside and not line.startswith("."):
            line = re.sub(r"\\f[BIRP]", "", line.rstrip())
            lines.append(line.replace("\\-", "-").replace("\\e", "\\"))
    return join_lines(lines)


def of_markdown(path):
    lines = [re.sub(r"^(\$|   ) ", "", line.rstrip()) if not line.startswith("      ") else line
             for line in open(path)]
    return join_lines(lines)


def all_examples():
    yield from of_help()
    for path in sorted(glob.glob(f"{source}/docs/*.[1-9]") + glob.glob(f"{source}/docs/man/*.in")):
        for line in of_man_page(path):
            if is_command(line) and not re.search(r"\[|NODE DEVICE|^gpucal record,", line):
                yield os.path.basename(path), line
    for name in ["README.md", "docs/tutorial.md", "kernels/catalogue/README.md", *readmes]:
        for line in of_markdown(f"{source}/{name}"):
            if (is_command(line) or re.match(PROGRAMS, line)) and not re.match(r"gpucal \w+ the ", line):
                yield name, line


# ---- what they need ----

def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def run(command, **options):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, **options)


def checked(command):
    result = run(command)
    if result.returncode:
        sys.exit(f"set-up: {command}\n{result.stdout}{result.stderr}")
    return result.stdout


def publish(name, file, device=None):
    """The file as the node's, and with 'device' as that of this machine's."""
    text = open(f"{source}/tests/data/{file}").read()
    text = re.sub(r"^node: .*$", f"node: {name}", text, flags=re.M)
    for key in ("uid", "type") if device else ():
        text = text.replace(re.search(rf"{key}: (\S+)", text)[1], device[key])
    os.makedirs("store/nodes", mode=0o755, exist_ok=True)
    write(f"store/nodes/{name}.yaml", text)


def publish_type(name, file):
    """The file as that of a device type, and the one fit in its history."""
    text = open(f"{source}/tests/data/{file}").read()
    for path in f"store/types/{name}.yaml", f"store/type-history/{name}/r1.yaml":
        os.makedirs(os.path.dirname(path), mode=0o755)
        write(path, re.sub(r"^node: .*$", f"node: {name}", text, flags=re.M))


MATMUL = """#ifdef T
#define NAME tiled
#else
#define NAME mm
#define T 16
#endif
__kernel void NAME(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float at[T][T], bt[T][T];
    int lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < n / T; t++) {
        at[ly][lx] = a[get_global_id(1) * n + t * T + lx];
        bt[ly][lx] = b[(t * T + ly) * n + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < T; k++)
            sum += at[ly][k] * bt[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(1) * n + get_global_id(0)] = sum;
}
"""
SPMV = """__kernel void spmv(__global const int *first, __global const int *columns,
                   __global const float *values, __global const float *x,
                   __global float *y, int rows)
{
    int row = get_global_id(0);
    float sum = 0;
    if (row >= rows)
        return;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}
"""
TILE = """__kernel void tile(__global const float *in, __global float *out, int n)
{
    __local float t[32][33];
    int x = get_local_id(0), y = get_local_id(1);
    int from = get_group_id(0) * 32 + x, row = get_group_id(1) * 32 + y;
    for (int k = 0; k < 32; k += 8)
        t[y + k][x] = in[(row + k) * n + from];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 32; k += 8)
        out[(get_group_id(0) * 32 + y + k) * n + get_group_id(1) * 32 + x] = t[x][y + k];
}
"""
BLOCKED = """__kernel void blocked(__global float *x, int n, int b)
{
    for (int k = 0; k < b; k++)
        x[k * n + get_global_id(0)] = 2 * x[k * n + get_global_id(0)] + 1;
}
"""


def set_up_kernels(device):
    for name in "own.h", "own.cl":
        shutil.copy(f"{source}/tests/own/{name}", name)
    shutil.copy("own.cl", "my.cl")
    shutil.copy(f"{source}/docs/examples/stevens-kloeckner/models.yaml", "products.yaml")
    tutorial = open(f"{source}/docs/tutorial.md").read()
    write("saxpy.cl", re.search(r"```c\n(__kernel void saxpy.*?)```", tutorial, re.S).group(1))
    write("product.cu", re.search(r"```cuda\n(.*?)```", tutorial, re.S).group(1))
    write("tiled.cl", re.search(r"```c\n(#define T 16\n.*?)```", tutorial, re.S).group(1))
    write("transpose.cl", re.search(r"```c\n(kernel void transpose.*?)```", tutorial, re.S).group(1))
    for name, text in (("matmul.cl", MATMUL), ("mm.cl", MATMUL), ("spmv.cl", SPMV),
                       ("tile.cl", TILE), ("blocked.cl", BLOCKED)):
        write(name, text)
    checked("gpucal count mm.cl -l 16,16 -g n,n -o mm.yaml")
    checked("gpucal count mm.cl -l 16,16 -g n,n -o a.yaml")
    checked("gpucal count mm.cl -l 8,8 -g n,n -D T=8 -o b.yaml")
    checked("gpucal count blocked.cl -l 64 -g n -o blocked.yaml")
    readme = open(f"{source}/kernels/catalogue/README.md").read()
    for language, name in ("c", "scale.cl"), ("yaml", "scale.yaml"):
        write(f"DIR/{name}", re.search(rf"```{language}\n(.*?)```", readme, re.S)[1])


def set_up():
    os.makedirs("bin")
    for name in "tests", "docs":
        os.symlink(f"{source}/{name}", name)
    os.symlink(gpucal, "bin/gpucal")
    write("bin/flux", "#!/bin/sh\nexit 0\n")  # so that 'gpucal export --to flux | sh' ends
    os.chmod("bin/flux", 0o755)
    os.environ.update(PATH=f"{os.getcwd()}/bin:{os.environ['PATH']}", HOME=os.getcwd(),
                      GPUCAL_STORE=f"{os.getcwd()}/store", GPUCAL_NODE="n1",
                      OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    os.environ.pop("SLURMD_NODENAME", None)
    device = json.loads(checked("gpucal devices --json"))[0]
    publish(os.uname().nodename.split(".")[0], "general/cpu.yaml", device)
    for node in "n0", "node2":
        publish(node, "general/h100.yaml")
    for node in "n1", "node1":
        publish(node, "general/h200.yaml")
    for store in "DIR", "store":  # this machine is in both
        checked(f"{source}/tests/mpi/learn/calibrated.sh {gpucal} {source}/tests/data/general/cpu.yaml {store}")
    publish_type("nvidia-h100", "general/h100.yaml")
    os.makedirs("store/links", mode=0o755)
    shutil.copy(f"{source}/tests/data/links.yaml", "store/links/vm.yaml")
    os.makedirs("store/checks", mode=0o755)
    shutil.copy(f"{source}/tests/data/checks-h200.tsv", "store/checks/n2.tsv")
    os.makedirs("store/tracks", mode=0o755)
    shutil.copy(f"{source}/tests/data/h200-repeats/tracks/rates.tsv", "store/tracks/n1.tsv")
    for name in "n1.yaml", "node17.yaml":
        shutil.copy(f"{source}/tests/data/rates/h200.yaml", name)
    shutil.copy(f"{source}/tests/data/h200/record.h5", "run.h5")
    os.makedirs("fitted")
    shutil.copy(f"{source}/tests/data/general/h200.yaml", "h200.yaml")
    for name in "product.cl", "product.yaml":
        shutil.copy(f"{source}/docs/examples/tune/{name}", name)
    shutil.copy(f"{source}/tests/data/own-h200/own-matmul.h5", "evaluation.h5")
    write("stream.csv", "generator,arguments,time_s\n"
          "gmem_copy,dtype:float32 lsize_0:256 pointer:restrict width:4 per_item:1 "
          "nelements:67108864,1.4e-4\n")
    os.makedirs("shared/node-exporter")
    os.symlink("../store", "shared/gpucal")
    folders = {os.path.dirname(path) for path in (library, count_library)}
    os.environ["LD_LIBRARY_PATH"] = ":".join(folders)
    set_up_kernels(device)


# ---- running ----

def exception(command, used):
    for pattern, reason in EXCEPTIONS:
        if re.search(pattern, command):
            used.add(pattern)
            return reason
    return None


def folder_of(where):
    """Where its commands run: a copy of the example with what its steps need, or here."""
    folder = where.split("/")[-2] if where in readmes else "."
    if not os.path.isdir(folder):
        shutil.copytree(f"{source}/{os.path.dirname(where)}", folder)
        os.symlink("../store", f"{folder}/STORE")
        for path in "saxpy.cl", f"{source}/kernels/catalogue/matmul_rows.cl":
            shutil.copy(path, folder)
        if re.match(PROGRAMS, f"./{folder} "):
            includes = f"-I {source}/store/lib -I {source}/kernels/lib"
            checked(f"{compiler} {includes} {folder}/{folder}.c -o {folder}/{folder} {count_library} {library}")
    return folder


def run_one(where, command):
    """As it is, but learning with times that do not depend on the machine; what a calibration finds on a busy
    one is published in a store of its own.
    """
    learns = command.startswith("gpucal learn ")
    env = dict(os.environ, LD_PRELOAD=steady, TEST_NS="1", TEST_COUNTED="none",
               TEST_RUN_ITEMS="100000") if learns else None
    if re.match("gpucal (calibrate |)--record ", command):
        os.makedirs("calibrated", exist_ok=True)
        env = dict(os.environ, GPUCAL_STORE=f"{work}/calibrated")
    command = command.replace("gpucal learn ", "gpucal learn --budget 600 ")  # on busy machines
    command = command.replace("/shared/", f"{work}/shared/").replace("/var/lib/prometheus/", f"{work}/shared/")
    return run(f"set -o pipefail; {command}", cwd=folder_of(where), env=env)


def shown_outputs():
    """What README.md and the tutorial print below a command, by command: lists of lines."""
    shown = {}
    for name in "README.md", "docs/tutorial.md":
        text = re.sub(r"\\\n\s*", "", open(f"{source}/{name}").read())
        for block in re.findall(r"^```\n(\$ gpucal .*?)^```", text, re.S | re.M):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, *lines = part.splitlines()
                shown[" ".join(command.split())] = lines
    return shown


def lacking(lines, output):
    """The first line that is shown and was not printed; "...": some are left out.  Blanks do not count."""
    printed = {" ".join(line.split()) for line in output.splitlines()}
    for line in lines:
        if line != "..." and " ".join(line.split()) not in printed:
            return line
    return None


def run_examples():
    failed, used, done, shown = 0, set(), set(), shown_outputs()
    for where, command in all_examples():
        reason = exception(command, used)
        place = folder_of(where), command
        if reason or place in done:
            print(f"not run ({reason or 'the same again'}): {command}")
            continue
        done.add(place)
        result = run_one(where, command)
        # Others depend on when and where they are run.
        fixed = re.match("gpucal (count|remove) ", command) or "--params tests/data/" in command
        wrong = lacking(shown.get(" ".join(command.split()), []), result.stdout) if fixed else None
        if wrong:
            failed += 1
            print(f"FAILED ({where} shows another output): {command}\n{wrong}\n{result.stdout}")
        elif result.returncode:
            failed += 1
            print(f"FAILED ({where}, exit status {result.returncode}): {command}\n"
                  f"{result.stdout[-500:]}{result.stderr}")
        else:
            print(f"good: {command}")
    for pattern, _ in EXCEPTIONS:
        if pattern not in used:
            failed += 1
            print(f"FAILED: no example is the exception '{pattern}'")
    if len(done) < LEAST_EXAMPLES:
        failed += 1
        print(f"FAILED: only {len(done)} examples found")
    return failed


work = tempfile.mkdtemp(prefix="gpucal-examples.")
try:
    os.chdir(work)
    set_up()
    sys.exit(1 if run_examples() else 0)
finally:
    os.chdir("/")
    shutil.rmtree(work)
