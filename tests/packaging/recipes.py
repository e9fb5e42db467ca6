#!/usr/bin/env python3
"""recipes.py SOURCE: the recipes of packages agree with CMakeLists.txt and with each other.

Without Spack, Apptainer or a container tool: the Spack recipe is run against stand-ins of the
directives that it uses, and what the others name must be there.  Every library that CMake looks for
must be a dependency in each recipe.
"""
import contextlib
import re
import sys
import types
from pathlib import Path

source = Path(sys.argv[1])
packaging = source / "scripts/packaging"
failures = []

# What CMake looks for: the package of Spack, and of Debian.
LIBRARIES = {
    "GSL": ("gsl", "libgsl-dev"),
    "HDF5": ("hdf5", "libhdf5-dev"),
    "isl": ("isl", "libisl-dev"),
    "jansson": ("jansson", "libjansson-dev"),
    "libsodium": ("libsodium", "libsodium-dev"),
    "yaml-0.1": ("libyaml", "libyaml-dev"),
    "clang": ("llvm", "libclang-19-dev"),
    "MPI": ("mpi", "libopenmpi-dev"),
    "OpenCL": ("opencl", "ocl-icd-opencl-dev"),
    "smartcols": ("util-linux", "libsmartcols-dev"),
    "PkgConfig": ("pkgconfig", "pkg-config"),
    "Python3": ("python", "python3"),
}
OF_C = {"Threads"}


def check(good, message):
    if not good:
        failures.append(message)


def cmake_files():
    """Those of what is installed: neither tests nor examples."""
    for path in [source / "CMakeLists.txt", *source.glob("[cdfkms]*/**/CMakeLists.txt")]:
        if not {"tests", "examples"} & set(path.relative_to(source).parts):
            yield path.read_text(encoding="utf-8")


def libraries_of_cmake():
    found = set()
    for text in cmake_files():
        found.update(re.findall(r"find_package\((\w+)", text))
        found.update(re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET (\S+)\)", text))
        found.update(re.findall(r"find_library\(\w+ (?:NAMES )?(\w+)", text))
    return found - OF_C


class Recipe:
    """What the directives of a Spack recipe say."""

    def __init__(self):
        self.dependencies, self.variants, self.versions = set(), set(), []

    def directives(self):
        def depends_on(spec, type=("build", "link"), when=""):
            self.dependencies.add(re.match(r"[a-z0-9-]+", spec).group())
            check(not when or when[1:] in self.variants, f"Spack: no variant for when={when}")

        def variant(name, default, description):
            check(isinstance(default, bool) and description, f"Spack: variant {name}")
            self.variants.add(name)

        def extends(spec):
            depends_on(spec)

        def when(spec):
            check(spec[1:] in self.variants, f"Spack: no variant {spec}")
            return contextlib.nullcontext()

        def version(name):
            self.versions.append(name)

        return {"depends_on": depends_on, "variant": variant, "extends": extends, "when": when,
                "version": version, "license": lambda name: check(name == "Apache-2.0", name)}


class Package:
    """A CMakePackage whose definitions are kept."""

    run_tests = False

    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        check(variant in self.recipe.variants, f"Spack: no variant {variant}")
        return f"-D{name}={variant}"


class Spec:
    """A spec with all variants, whose dependencies are those of the recipe."""

    def __init__(self, recipe):
        self.recipe = recipe

    def satisfies(self, spec):
        check(spec[1:] in self.recipe.variants, f"Spack: no variant {spec}")
        return True

    def __getitem__(self, name):
        check(name in self.recipe.dependencies, f"Spack: no dependency {name}")
        prefix = types.SimpleNamespace(include="/prefix/include")
        return types.SimpleNamespace(prefix=prefix,
                                     package=types.SimpleNamespace(purelib="lib/python"))


def check_spack(wanted):
    folder = packaging / "spack_repo/gpucal"
    recipe = Recipe()
    cmake = types.ModuleType("cmake")
    cmake.CMakePackage, cmake.generator = Package, lambda name: check(name == "ninja", name)
    package = types.ModuleType("spack.package")
    vars(package).update(recipe.directives(), __all__=list(recipe.directives()))
    sys.modules.update({"spack_repo.builtin.build_systems.cmake": cmake, "spack.package": package})
    names = {}
    exec(compile((folder / "packages/gpucal/package.py").read_text(), "package.py", "exec"), names)
    check(re.search(r"^  namespace: gpucal$", (folder / "repo.yaml").read_text(), re.M), "repo.yaml")
    check(recipe.versions, "Spack: no version")
    Package.recipe = recipe
    gpucal = names["Gpucal"]()
    gpucal.spec = Spec(recipe)
    known = "".join(cmake_files()) + "option(BUILD_TESTING)"  # which include(CTest) defines
    for argument in gpucal.cmake_args():
        name = re.match(r"-D(\w+)=", argument).group(1)
        check(re.search(rf"\b{name}\b", known), f"Spack: CMake has no {name}")
    for library in wanted:
        check(LIBRARIES[library][0] in recipe.dependencies, f"Spack: no dependency for {library}")


def debian_packages():
    return set(re.findall(r"^Package: (\S+)", (packaging / "debian/control").read_text(), re.M))


def check_debian(wanted):
    control = (packaging / "debian/control").read_text().split("\n\n")[0]
    deps = (source / "scripts/install-deps.sh").read_text()
    build = deps[deps.index("BUILD=("):deps.index("CLUSTER=(")]
    for library in wanted:
        package = re.escape(LIBRARIES[library][1])
        for name, text in ("debian/control", control), ("install-deps.sh", build):
            check(re.search(rf"(^|[\s(]){package}([\s:),]|$)", text), f"{name}: {library} needs {package}")


def check_images():
    """The two images are made of the same packages, by the same commands."""
    containerfile = (packaging / "Containerfile").read_text()
    definition = (packaging / "gpucal.def").read_text()
    allowed = {"FROM", "ARG", "ENV", "RUN", "COPY", "ENTRYPOINT"}
    used = set(re.findall(r"^([A-Z]+) ", containerfile, re.M))
    check(used <= allowed and "FROM" in used, f"Containerfile: {used - allowed}")
    sections = re.findall(r"^%(\w+)", definition, re.M)
    known = {"files", "post", "environment", "runscript", "test", "labels", "help"}
    check(set(sections) == known, f"gpucal.def: sections {set(sections) ^ known}")
    check(definition.count("\nBootstrap: ") == 2 == definition.count("\nStage: "), "gpucal.def: two stages")
    check("%files from build" in definition, "gpucal.def: nothing is taken from the first stage")
    for name, text in ("Containerfile", containerfile), ("gpucal.def", definition):
        named = set(re.findall(r"/deb/([a-z0-9-]+)_\*\.deb", text))
        check(named and named <= debian_packages(), f"{name}: no package {named - debian_packages()}")
        for script in re.findall(r"/source/(\S+\.sh)", text):
            check((source / script).exists(), f"{name}: {script} is not there")
        check("libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd" in text, f"{name}: no nvidia.icd")


wanted = libraries_of_cmake()
check(len(wanted) > 8, f"CMake looks for {wanted} only")
check(wanted <= set(LIBRARIES), f"add to LIBRARIES: {wanted - set(LIBRARIES)}")
wanted &= set(LIBRARIES)
check_spack(wanted)
check_debian(wanted)
check_images()
for message in failures:
    print(f"FAILED: {message}")
sys.exit(bool(failures))
