#!/usr/bin/env python3
"""examples.py GPUCAL SOURCE LIBRARY CC: runs every example command of the documents.

The commands are those of --help, of man pages (.nf and .EX), of README.md and
docs/tutorial.md ("$ gpucal ..", or indented), and docs/examples.  They run in a folder with
the files that they name and a store with the applications' calibration of a CPU, whose device
is made this machine's, and of an H200.  A command fails the test if it does not exit with 0,
unless EXCEPTIONS has it with the reason.
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
    (r"^gpucal (predict|explain) my.cl .* --copy-in ",
     "no model of transfers; replay.predict_step and replay.explain_step have one"),
    (r"^gpucal evaluate matmul_sq dtype:float32 n:160,320,448 ", "measures for minutes"),
        (r"^gpucal learn ", "measures for seconds; mpi.learn_* learn"),
    (r"^gpucal predict saxpy.cl .* --store DIR --measure", "needs the model that is learned"),
    (r"^gpucal calibrate --store DIR", "measures for a minute; mpi.* calibrate"),
    (r"^gpucal --config products.yaml ", "measures for a minute; mpi.* calibrate"),
]
LEAST_EXAMPLES = 30

gpucal, source, library, compiler = sys.argv[1:5]
help_commands = re.findall(r"^  ([a-z]+) {2,}[a-z]", subprocess.run(
    [gpucal, "--help"], capture_output=True, text=True, check=True).stdout, flags=re.M)


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
    return re.match(r"(gpucal|srun|sbatch)( |$)", line)


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
    for name in "README.md", "docs/tutorial.md":
        for line in of_markdown(f"{source}/{name}"):
            if is_command(line) and not re.match(r"gpucal \w+ the ", line):
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


def publish(name, file, uid=None):
    """The file as the node's, and with 'uid' as that of this machine's device."""
    text = open(f"{source}/tests/data/{file}").read()
    text = re.sub(r"^node: .*$", f"node: {name}", text, flags=re.M)
    if uid:
        text = text.replace(re.search(r"uid: (\S+)", text).group(1), uid)
    os.makedirs("store/nodes", mode=0o755, exist_ok=True)
    write(f"store/nodes/{name}.yaml", text)


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
SPMV = """__kernel void spmv(__global const int *start, __global const int *column,
                   __global const float *value, __global const float *x,
                   __global float *y, int rows)
{
    int row = get_global_id(0);
    float sum = 0;
    if (row >= rows)
        return;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * x[column[k]];
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


def set_up_kernels():
    for name in "own.h", "own.cl":
        shutil.copy(f"{source}/tests/own/{name}", name)
    os.rename("own.cl", "my.cl")
    readme = open(f"{source}/README.md").read()
    write("saxpy.cl", re.search(r"```c\n(.*?)```", readme, re.S).group(1))
    tutorial = open(f"{source}/docs/tutorial.md").read()
    write("products.yaml", re.search(r"```\n(version: 1\n.*?)```", tutorial, re.S).group(1))
    write("transpose.cl", re.search(r"```c\n(kernel void transpose.*?)```", tutorial, re.S).group(1))
    for name, text in (("matmul.cl", MATMUL), ("mm.cl", MATMUL), ("spmv.cl", SPMV),
                       ("tile.cl", TILE), ("blocked.cl", BLOCKED)):
        write(name, text)
    checked("gpucal count mm.cl -l 16,16 -g n,n -o mm.yaml; cp mm.yaml a.yaml")
    checked("gpucal count mm.cl -l 8,8 -g n,n -D T=8 -o b.yaml")
    checked("gpucal count blocked.cl -l 64 -g n -o blocked.yaml")


def set_up():
    os.makedirs("bin")
    os.symlink(f"{source}/tests", "tests")
    os.symlink(gpucal, "bin/gpucal")
    write("bin/flux", "#!/bin/sh\nexit 0\n")  # so that 'gpucal export --to flux | sh' ends
    os.chmod("bin/flux", 0o755)
    os.environ.update(PATH=f"{os.getcwd()}/bin:{os.environ['PATH']}", HOME=os.getcwd(),
                      GPUCAL_STORE=f"{os.getcwd()}/store", GPUCAL_NODE="n1",
                      OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    os.environ.pop("SLURMD_NODENAME", None)
    devices = json.loads(checked("gpucal devices --json"))
    uid = devices["devices"][0]["uid"] if isinstance(devices, dict) else devices[0]["uid"]
    for node in "n0", os.uname().nodename.split(".")[0]:
        publish(node, "applications-cpu/vm.yaml", uid)
    publish("n1", "applications/vm.yaml")
    os.makedirs("store/tracks", mode=0o755)
    shutil.copy(f"{source}/tests/data/h200-repeats/tracks/rates.tsv", "store/tracks/n1.tsv")
    shutil.copy("store/nodes/n1.yaml", "node17.yaml")
    shutil.copy(f"{source}/tests/data/h200/record.h5", "run.h5")
    os.makedirs("fitted")
    shutil.copy(f"{source}/tests/data/general/h200.yaml", "h200.yaml")
    for name in "product.cl", "product.yaml":
        shutil.copy(f"{source}/docs/examples/tune/{name}", name)
    shutil.copy(f"{source}/tests/data/applications/matmul.h5", "evaluation.h5")
    shutil.copy("store/nodes/n1.yaml", "n1.yaml")
    write("stream.csv", "generator,arguments,time_s\n"
          "gmem_copy,dtype:float32 lsize_0:256 pointer:restrict width:4 per_item:1 "
          "nelements:67108864,1.4e-4\n")
    set_up_kernels()


# ---- running ----

def exception(command, used):
    for pattern, reason in EXCEPTIONS:
        if re.search(pattern, command):
            used.add(pattern)
            return reason
    return None


def run_examples():
    failed, used, done = 0, set(), {}
    for where, command in all_examples():
        reason = exception(command, used)
        if reason or command in done:
            print(f"not run ({reason or 'the same again'}): {command}")
            continue
        done[command] = where
        result = run(f"set -o pipefail; {command}", timeout=100)
        if result.returncode:
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


def run_programs():
    """docs/examples/scheduler on the same store."""
    folder = os.path.dirname(library)
    examples = f"{source}/docs/examples"
    os.symlink(os.path.realpath(library), os.path.basename(library))
    os.environ["LD_LIBRARY_PATH"] = os.getcwd()
    checked(f"{compiler} -I {folder} -I {source}/store/lib {examples}/scheduler/scheduler.c "
            f"-o scheduler {library}")
    checked("gpucal count saxpy.cl -l 256 -g n -o saxpy.yaml")
    command = "./scheduler store saxpy.yaml 1048576 n0 n1"
    result = run(command)
    if result.returncode:
        print(f"FAILED: {command}\n{result.stdout}{result.stderr}")
    return bool(result.returncode)


work = tempfile.mkdtemp(prefix="gpucal-examples.")
try:
    os.chdir(work)
    set_up()
    sys.exit(1 if run_examples() + run_programs() else 0)
finally:
    os.chdir("/")
    shutil.rmtree(work)
