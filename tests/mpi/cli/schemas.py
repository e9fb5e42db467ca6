#!/usr/bin/env python3
"""schemas.py GPUCAL SOURCE MAKE_STORE MAKE_FITS STEADY [COMMANDS]: what gpucal writes and what is shipped agree with docs/schema.

Every --json output is validated against the schema that it names, and every YAML file against
that of its format.  Here a key that a schema does not have is an error, so that each is described;
the schemas themselves allow further keys.  No key of a schema may be data: the name of a device,
a size, a kernel.  With a regular expression of COMMANDS, only what they write is validated.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import jsonschema
import yaml

some = re.compile(sys.argv[6]) if len(sys.argv) > 6 else None
gpucal, source, make_store, make_fits, steady = (os.path.realpath(path) for path in sys.argv[1:6])
data = f"{source}/tests/data"
KERNEL = f"{source}/tests/wild/nbody.cl --local 64 --global n"
H200 = f"--params {data}/general/h200.yaml"
HERE = "--params here.yaml"  # a calibration of a CPU, as if it were this one
RATES = f"{HERE} --model rates"  # which is poor
TUNE = f"{source}/docs/examples/tune/product.cl --space {source}/docs/examples/tune/product.yaml"
COPIES = f"add.cl --local 256 --global n --at n=2^20 --copy-in auto:pinned --copy-out auto:pinned --params {data}/transfers-both.yaml"
SMALL = f"--config {data}/small.yaml --store store"

# Commands without "gpucal" and "--json", and the exit status; they run in this order.
COMMANDS = [
    ("help predict", 0),
    ("devices", 0),
    ("kernels", 0),
    ("kernels matmul_sq prefetch:True n:1024 --counts --source", 0),
    ("kernels flops_add_pattern dtype:float32 --run", 0),
    (f"count {KERNEL} --output nbody.yaml", 0),
    (f"count {KERNEL} --at n=1024,2048 --sub-group 32 --banks 32 --traffic --index-arithmetic --build", 0),
    ("count holes.cl --local 64 --global n --allow-estimates", 0),
    (f"predict {KERNEL} --at n=8192 {H200}", 0),
    (f"predict {KERNEL} --at n=2^10:2^20 --params {data}/rates/h200.yaml", 0),
    (f"predict {KERNEL} --at n=8192 {RATES} --build", 0),
    (f"predict {COPIES}", 0),
    (f"predict matmul_sq prefetch:True n:160 --measure {HERE}", 0),
    (f"explain {KERNEL} --at n=8192 {H200} --what-if n=4096 --what-if local=32", 0),
    (f"explain {KERNEL} --at n=8192,16384 {H200} --beside {data}/general/h200.yaml", 0),
    (f"explain {COPIES}", 0),
    (f"explain add.cl --local 256 --global n --at n=2^20 {RATES} --measure", 0),
    (f"tune matmul_sq n:4096 {H200}", 0),
    (f"tune --profile nbody.yaml --at n=1024,2048 {H200}", 0),
    (f"tune {TUNE} {H200}", 0),
    (f"tune {TUNE} {H200} --over n=1024,4096", 0),
    (f"tune {TUNE} --at n=256 {RATES} --measure 2 --t4 times.json", 0),
    (f"tune {TUNE} --at n=256 {RATES} --times times.json", 0),
    (f"evaluate --replay {data}/own-h200/own-saxpy.h5 {H200} --model general", 0),
    (f"calibrate {SMALL} --dry-run", 0),
    (f"calibrate {SMALL} --record a.h5", 0),
    (f"calibrate {SMALL} --if-changed", 0),
    ("fit --record a.h5 --output fitted", 0),
    ("show --store store", 0),
    ("diff a.h5 a.h5 --all", 0),
    (f"diff {data}/h200/vm.yaml {data}/general/h200.yaml --all", 0),
    ("diff before.yaml after.yaml", 3),
    ("audit --store store --all", 0),
    ("audit --store drifting --all --warn 4 --fail 15", 2),
    ("audit --store fits", 0),
    ("health --store drifting --node node00000", 0),
    ("show --store drifting --history", 0),
    ("show --store fits --history --type '*'", 0),
    ("health --store store --node vm", 0),
    ("health --store store --check", 0),
    ("export --store drifting --model matmul_sq", 0),
    ("share nbody.yaml --divide n=8192 --model general --store shared --nodes vm", 0),
    ("store export-reference $(cut -f 4 store/checks/*.tsv | tail -1) --store store", 0),
    ("store verify --store store", 0),
    ("store merge --store store", 0),
    ("store prune --keep 1 --store store", 0),
    ("store keygen key", 0),
    ("store forget --model flops --dry-run --store store", 0),
    ("store sign --key key --store store", 0),
    ("learn add.cl --local 256 --global n --sizes n=2^15:2^19 --budget 600 --store learned", 0),
    ("show --kernels --store learned", 0),
]

# Without "--json": commands that fail with status 1 and print no JSON.
FAILING = ["devices nosuch", "kernels nosuch", "count nosuch.cl -l 1 -g n", f"predict {KERNEL} --at n=8192 --params nosuch",
           f"explain {KERNEL} --at n=0 {H200}", "tune --profile nosuch", "tune nosuch.cl", "evaluate --replay nosuch",
           "fit --record nosuch", "learn nosuch.cl", "show --store nosuch", "diff nosuch nosuch", "audit --store nosuch",
           "export --store nosuch", "store verify --store nosuch", "calibrate --dry-run --config nosuch",
           "help nosuch", "nosuch"]

ADD = """__kernel void add(__global const float *a, __global float *b, int n)
{
    b[get_global_id(0)] += a[get_global_id(0)];
}
"""
HOLES = """__kernel void holes(__global const float *a, __global float *b, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        if (a[k] > 0)
            break;
        else
            b[i] += a[k * i];
}
"""


class Loader(yaml.SafeLoader):
    """YAML 1.2, as editors and gpucal read it: 1e-9 is a number, and a time is a text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, expression) for tag, expression in resolvers
            if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:float")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:float",
                             re.compile(r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$|^[-+]?\.inf$"),
                             list("-+0123456789."))


def set_up():
    for name, text in (("add.cl", ADD), ("holes.cl", HOLES)):
        with open(name, "w") as file:
            file.write(text)
    os.makedirs("store")
    os.makedirs("fitted")
    os.makedirs("drifting")
    os.makedirs("shared/nodes")
    shutil.copy(f"{data}/general/h200.yaml", "shared/nodes/vm.yaml")
    os.makedirs("fits")
    if not some:
        subprocess.run([make_store, "drifting", f"{data}/h200/vm.yaml", "10", "12", "0.002", "5"], check=True,
                       capture_output=True)
        subprocess.run([make_fits, "fits", f"{data}/general/h200.yaml", "14", "1.1"], check=True)
    before = open(f"{data}/node17-names.yaml").read()
    for name, text in (("before.yaml", before),
                       ("after.yaml", before.replace("value: 2.385e-12", "value: 9e-12"))):
        with open(name, "w") as file:
            file.write(text)
    os.environ.pop("XDG_CACHE_HOME", None)  # counts are kept here, and so are programs when the drivers' folder is locked
    os.environ.update(POCL_DEVICES="basic", HOME=os.getcwd(),
                      OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    os.makedirs("learned")
    subprocess.run([f"{source}/tests/mpi/learn/calibrated.sh", gpucal, f"{data}/general/cpu.yaml", "learned"], check=True)
    here = json.loads(subprocess.run([gpucal, "devices", "--json"], capture_output=True, check=True).stdout)[0]
    text = open(f"{data}/rates/cpu.yaml").read()
    for key in "uid", "type":
        text = text.replace(re.search(rf"{key}: (\S+)", text)[1], here[key])
    with open("here.yaml", "w") as file:
        file.write(text)


# ---- schemas ----

def strict(schema):
    """The schema without keys that it does not describe."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: {name: strict(part) for name, part in value.items()}
            if key in ("properties", "$defs") else strict(value) for key, value in schema.items()}
    if "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


def load_schemas():
    """Name: schema."""
    schemas = {}
    for path in sorted(glob.glob(f"{source}/docs/schema/*.json")):
        schema = json.load(open(path))
        jsonschema.Draft202012Validator.check_schema(schema)
        name = os.path.basename(path)[:-len(".json")]
        if schema["$id"] != f"{name}.json" or not schema["title"]:
            sys.exit(f"{path}: $id or title")
        schemas[name] = schema
    return schemas


def parts_of(schema, path):
    """(path, part) of the schema and all that it is made of."""
    yield path, schema
    for key in ("properties", "$defs"):
        for name, part in schema.get(key, {}).items():
            yield from parts_of(part, f"{path}/{name}")
    for key in ("additionalProperties", "items", "then", "else"):
        if isinstance(schema.get(key), dict):
            yield from parts_of(schema[key], f"{path}/*" if key in ("additionalProperties", "items") else path)
    for key in ("oneOf", "anyOf"):
        for part in schema.get(key, []):
            yield from parts_of(part, path)


# ---- keys that are data ----

# Values of these keys are names that users or drivers give.
NAMES = {"node", "uid", "type", "name", "device", "kernel", "model", "array", "parameter", "limit", "size",
         "variant", "generator", "cost", "loop"}
FREE = {"gpucal-space-1/args/*", "gpucal-space-1/run", "gpucal-space-1/trips", "gpucal-space-1/unchecked"}


def literals():
    """What the program's source writes between quotation marks, columns of CSV and parts of JSON one by one."""
    found = set()
    for folder in ("calib", "fit", "kernels", "mpi", "store"):
        for path in glob.glob(f"{source}/{folder}/**/*.[ch]", recursive=True):
            for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', open(path).read()):
                found.add(text)
                if "," in text or '\\"' in text:
                    found.update(re.split(r'[,\\"\s]+', text))
    return found


def data_of(schema, document, definitions):
    """Names that are data: keys of maps, and values of NAMES."""
    schema = definitions.get(os.path.basename(schema.get("$ref", "")), schema)
    if isinstance(document, list):
        for item in document:
            yield from data_of(schema.get("items", {}), item, definitions)
    if not isinstance(document, dict):
        return
    if "if" in schema:  # of parameter files
        schema = schema["then" if "gpucal_params" in document else "else"]
    for key, value in document.items():
        part = schema.get("properties", {}).get(key)
        if part is None and isinstance(schema.get("additionalProperties"), dict):
            yield key
            part = schema["additionalProperties"]
        if key in NAMES and isinstance(value, str):
            yield value
        yield from data_of(part if isinstance(part, dict) else {}, value, definitions)


def check_keys(schemas, documents):
    """Keys are words that the program knows, few of an object are names elsewhere, and all is described."""
    written, data, failed = literals(), set(), 0
    for _, name, document in documents:
        if name in schemas and name != "gpucal-help-1":  # whose names are those of options
            data.update(data_of(schemas[name], document, schemas[name].get("$defs", {})))
    for name, schema in schemas.items():
        for path, part in parts_of(schema, name):
            keys = part.get("properties", {})
            alien = [key for key in keys if not re.fullmatch("[a-z][a-z0-9_]*", key) or key not in written]
            if alien:
                print(f"{path}: keys that gpucal does not write: they are data: {', '.join(alien)}")
            named = [key for key in keys if key in data]
            if 3 * len(named) >= 2 * len(keys) > 0:
                print(f"{path}: its keys are names: they are data: {', '.join(named)}")
            types = part.get("type", [])
            is_open = (not {"type", "const", "enum", "oneOf", "anyOf", "$ref", "if"} & part.keys() or
                       "array" in types and "items" not in part or
                       "object" in types and not {"properties", "additionalProperties", "if"} & part.keys())
            if is_open and path not in FREE:
                print(f"{path}: not described")
            failed += bool(alien) + (3 * len(named) >= 2 * len(keys) > 0) + (is_open and path not in FREE)
    return failed


def errors_of(validator, document):
    return [f"  {error.json_path}: {error.message[:200]}"
            for error in validator.iter_errors(document)][:5]


# ---- what is validated ----

def run_commands():
    """(what, the schema's name, the document) of each output."""
    for command, status in COMMANDS:
        if some and not some.match(command):
            continue
        environment = f'LD_PRELOAD="{steady}:$LD_PRELOAD"' if command.startswith(("calibrate", "learn")) else ""
        if "--check" in command:
            environment = f'LD_PRELOAD="{steady}:$LD_PRELOAD" TEST_NS=0.01 TEST_RUN_ITEMS=100000'
        if command.startswith("learn"):
            environment += " TEST_NS=1 TEST_COUNTED=none"  # as in learn.sh
        result = subprocess.run(f"{environment} {gpucal} {command} --json", shell=True,
                                capture_output=True, text=True, check=False)
        if result.returncode != status:
            print(f"gpucal {command}: exit status {result.returncode}\n{result.stderr}")
            yield command, None, None
            continue
        documents = json.loads(result.stdout)
        for document in documents if isinstance(documents, list) else [documents]:
            yield f"gpucal {command} --json", document.get("schema"), document


def check_failures():
    failed = 0
    for command in FAILING:
        result = subprocess.run(f"{gpucal} {command} --json", shell=True, capture_output=True, text=True, check=False)
        if result.returncode != 1 or result.stdout or not result.stderr:
            failed += 1
            print(f"gpucal {command} --json: exit status {result.returncode}, '{result.stdout}', '{result.stderr}'")
    return failed


def made_files():
    for path in (*glob.glob("store/nodes/*.yaml"), *glob.glob("store/types/*.yaml"), *glob.glob("fitted/*.yaml")):
        yield path, "gpucal-params-7"


def shipped_files():
    examples = f"{source}/docs/examples"
    for path in ([f"{source}/models.yaml", f"{data}/small.yaml"] +
                 [f"{examples}/{name}" for name in ("baselines.yaml", "stevens-kloeckner/models.yaml",
                                                   "balance/balance.yaml", "cluster/cluster.yaml", "splitter/models.yaml")]):
        yield path, "gpucal-models-1"
    yield f"{examples}/tune/product.yaml", "gpucal-space-1"
    yield f"{examples}/splitter/rows.profile.yaml", "gpucal-profile-2"
    for path in (f"{data}/general/h200.yaml", f"{data}/node17-names.yaml", f"{data}/node17-proportions.yaml"):
        yield path, "gpucal-params-7"
    subprocess.run(f"{gpucal} count {KERNEL} --build --output own.yaml",
                   shell=True, check=True, capture_output=True)
    yield "own.yaml", "gpucal-profile-2"


def main():
    schemas, seen, failed = load_schemas(), set(), 0 if some else check_failures()
    validators = {name: jsonschema.Draft202012Validator(strict(schema)) for name, schema in schemas.items()}
    documents = list(run_commands())
    documents += [(path, name, document) for path, name in (*made_files(), *(() if some else shipped_files()))
                  for document in yaml.load_all(open(path), Loader)]
    for what, name, document in documents:
        errors = errors_of(validators[name], document) if name in schemas else ["  no schema " + str(name)]
        seen.add(name)
        if errors:
            failed += 1
            print(f"{what} ({name}):", *errors, sep="\n")
    if some:
        return failed
    for name in sorted(set(schemas) - seen):
        failed += 1
        print(f"nothing is validated against {name}")
    return failed + check_keys(schemas, documents)


if __name__ == "__main__":
    work = tempfile.mkdtemp(prefix="gpucal-schemas.")
    try:
        os.chdir(work)
        set_up()
        sys.exit(1 if main() else 0)
    finally:
        os.chdir("/")
        shutil.rmtree(work)
