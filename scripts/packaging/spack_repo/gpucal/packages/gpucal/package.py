# A recipe for Spack 1.0 or later, which builds the checkout that it lies in:
#
#   spack repo add scripts/packaging/spack_repo/gpucal
#   spack install gpucal@main dev_path=$PWD
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Gpucal(CMakePackage):
    """gpucal measures the OpenCL devices of a cluster, fits performance models to the
    measurements, and predicts how long a kernel takes on each device."""

    license("Apache-2.0")

    version("main")

    variant("slurm", default=False, description="Build the plugin that Slurm loads for jobs")
    variant("pocl", default=False, description="Make CPUs devices, by PoCL")
    variant("python", default=False, description="Install the Python package")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")

    depends_on("gsl")
    depends_on("hdf5@1.10.2:")
    depends_on("isl")
    depends_on("jansson")
    depends_on("libsodium")
    depends_on("libyaml")
    depends_on("llvm@17:19 +clang")
    depends_on("mpi")
    depends_on("opencl@1.2:")
    depends_on("util-linux")  # libsmartcols
    depends_on("slurm", when="+slurm")
    depends_on("pocl+icd", type="run", when="+pocl")
    depends_on("cmocka", type="test")

    with when("+python"):
        extends("python@3.10:")
        depends_on("py-cffi@1.15:", type="run")
        depends_on("py-numpy@1.23:", type="run")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", self.run_tests),
            self.define("GPUCAL_CLANG_C", self.spec["llvm"].prefix.include),
            self.define_from_variant("GPUCAL_HAVE_SPANK", "slurm"),
        ]
        if self.spec.satisfies("+python"):
            args.append(self.define("GPUCAL_PYTHON_DIR", self.spec["python"].package.purelib))
        return args
