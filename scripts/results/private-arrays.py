#!/usr/bin/env python3
"""private-arrays.py GPUCAL - where private arrays are by gpucal, and by NVIDIA's compiler.

Kernels with nests of loops around a private array, made here, are counted, and compiled by nvcc (in $PATH) for
an H100, without a GPU: the arrays that its PTX has in local memory should be those that gpucal counts accesses of.
The limit of unrolled code in kernels/walk was chosen by the first set, and not by the second.  Takes two minutes."""

import os
import re
import subprocess
import sys
import tempfile

HEAD = ('extern "C" __global__ void k(const T *in, T *out, int n)\n'
        "{ int g = blockIdx.x*blockDim.x + threadIdx.x; T d = 1; ")


def fill(n, more=""):
    return f"T m[{n}]; for (int i = 0; i < {n}; i++) m[i] = in[i*n + g]{more};\n"


def total(n):
    return f"\nfor (int i = 0; i < {n}; i++) d += m[i]; out[g] = d; }}"


def loops(*bounds):
    """Nested loops over i, j, k from 0 or START.. to bounds."""
    text = ""
    for name, bound in zip("ijk", bounds):
        start, end = bound if isinstance(bound, tuple) else (0, bound)
        text += f"for (int {name} = {start}; {name} < {end}; {name}++) "
    return text


def repeated(text, times):
    return "{ " + " ".join(text.replace("#", f"{b}.5f") for b in range(times)) + " "


def nests():
    """(name, source) of the set that the limit was chosen by."""
    rounds = "for (int r = 0; r < n; r++) "
    three = "d = d*m[i] + m[j]*m[k];"
    for b in 1, 2, 4, 8:
        for n in 16, 32, 64, 128, 192, 256, 320, 384, 512, 1024:
            yield f"one loop {n}, {b}", (fill(n) + rounds + loops(n) + repeated("d = d*m[i] + #;", b) +
                                         "m[i] = d; } out[g] = d; }")
        for n in 4, 6, 8, 10, 12, 14, 16, 20, 24, 32:
            yield f"square {n}, {b}", (fill(n*n) + rounds + loops(n, n) + repeated(f"d = d*m[i*{n} + j] + #;", b) +
                                       f"m[i*{n} + j] = d; }} out[g] = d; }}")
            yield f"triangle {n}, {b}", (fill(n) + rounds + loops(n, "i") + repeated("d = d*m[i] + m[j];", b) +
                                         "m[j] = d; } out[g] = d; }")
        for n in 3, 4, 5, 6, 7, 8, 9, 10, 12:
            for name, bounds in (("cube", (n, n, n)), ("pyramid", (n, "i", "j")),
                                 ("corner", (n, ("i + 1", n), ("i + 1", n)))):
                yield f"{name} {n}, {b}", (fill(n) + rounds + loops(*bounds) + repeated(three, b) +
                                           "m[j] = d; } out[g] = d; }")
    for n in range(3, 11):
        yield f"factors {n}", (fill(n*n) + f"for (int k = 0; k < {n}; k++) for (int i = k + 1; i < {n}; i++) "
                               f"{{ T f = m[i*{n} + k]/m[k*{n} + k]; m[i*{n} + k] = f; "
                               f"for (int j = k + 1; j < {n}; j++) m[i*{n} + j] -= f*m[k*{n} + j]; }}" + total(n*n))
    for n in 4, 8, 12, 16, 20, 24, 28, 32, 40, 48:
        yield f"bubbles {n}", (fill(n) + f"for (int i = 0; i < {n}; i++) for (int j = 0; j < {n} - 1 - i; j++) "
                               "{ T a = min(m[j], m[j + 1]), b = max(m[j], m[j + 1]); m[j] = a; m[j + 1] = b; }" +
                               total(n))


def others():
    """The set that was compared afterwards."""
    for n in range(2, 11):
        yield f"Jordan {n}", (fill(n*n) + f"for (int k = 0; k < {n}; k++) {{ T p = 1/m[k*{n} + k]; "
                              f"for (int j = 0; j < {n}; j++) m[k*{n} + j] *= p; for (int i = 0; i < {n}; i++) "
                              f"{{ T f = m[i*{n} + k]; for (int j = 0; j < {n}; j++) "
                              f"m[i*{n} + j] -= (i == k ? 0 : f)*m[k*{n} + j]; }} }}" + total(n*n))
        yield f"paths {n}", (fill(n*n) + f"for (int k = 0; k < {n}; k++) " + loops(n, n) +
                             f"m[i*{n} + j] = min(m[i*{n} + j], m[i*{n} + k] + m[k*{n} + j]);" + total(n*n))
    for n in 4, 6, 8, 10, 12, 16, 20, 24:
        yield f"substitution {n}", (fill(n) + f"for (int i = {n} - 1; i >= 0; i--) {{ T s = m[i]; for (int j = i + 1; "
                                    f"j < {n}; j++) s -= in[i*{n} + j]*m[j]; m[i] = s/in[i*{n} + i]; }}" + total(n))
        yield f"transform {n}", (fill(n) + f"T q[{n}]; for (int k = 0; k < {n}; k++) {{ T s = 0; for (int i = 0; "
                                 f"i < {n}; i++) s += m[i]*((i*k)%7 + 0.5f); q[k] = s; }}\n"
                                 f"for (int i = 0; i < {n}; i++) m[i] = q[i];" + total(n))
    for n in 8, 16, 32, 64, 100, 128, 200, 256, 320, 400:
        yield f"window {n}", (fill(n) + f"for (int r = 0; r < n; r++) {{ for (int i = {n} - 1; i > 0; i--) m[i] = m[i - 1]; "
                              f"m[0] = in[r*n + g]; for (int i = 0; i < {n}; i++) d += m[i]*1.5f; }} out[g] = d; }}")
        yield f"sums {n}", fill(n) + f"for (int r = 0; r < n; r++) for (int i = 1; i < {n}; i++) m[i] += m[i - 1]*0.5f;" + total(n)
    for n in 4, 8, 12, 16, 20, 24, 28, 32:
        yield f"selection {n}", (fill(n) + f"for (int i = 0; i < {n}; i++) for (int j = i + 1; j < {n}; j++) "
                                 "{ T a = m[i], b = m[j]; m[i] = min(a, b); m[j] = max(a, b); }" + total(n))
        yield f"binomials {n}", (fill(n) + f"for (int i = 1; i < {n}; i++) for (int j = i; j > 0; j--) "
                                 "m[j] = m[j]*0.5f + m[j - 1];" + total(n))
    for n in 4, 8, 16, 32, 64:
        yield f"network {n}", (fill(n) + f"for (int k = 2; k <= {n}; k *= 2) for (int j = k/2; j > 0; j /= 2) "
                               f"for (int i = 0; i < {n}; i++) {{ int l = i ^ j; if (l > i) {{ T p = m[i], q = m[l]; "
                               "bool up = (i & k) == 0; m[i] = (p < q) == up ? p : q; m[l] = (p < q) == up ? q : p; } }" +
                               total(n))
    for n in 8, 32:
        yield f"argument {n}", fill(n) + f"d = m[n & {n - 1}]; out[g] = d; }}"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"private-arrays.py: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def compare(gpucal, folder, sources):
    n = memory = 0
    elsewhere = []
    for name, source in sources:
        path = os.path.join(folder, "k.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write("typedef float T;\n" + HEAD + source + "\n")
        run("nvcc", "-arch=sm_90", "-ptx", "-o", path + ".ptx", path)
        with open(path + ".ptx", encoding="utf-8") as file:
            is_local = re.search(r"__local_depot", file.read()) is not None
        counted = "f_mem_access_private" in run(gpucal, "count", path, "--block", "128", "--grid", "n", "-E", "-f", "yaml")
        n, memory = n + 1, memory + is_local
        if counted != is_local:
            elsewhere.append(f"{name} ({'memory' if is_local else 'registers'})")
    print(f"{n} kernels, {memory} with arrays in memory; gpucal has {len(elsewhere)} elsewhere: {'; '.join(elsewhere)}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as made:
        compare(os.path.realpath(sys.argv[1]), made, nests())
        compare(os.path.realpath(sys.argv[1]), made, others())
