# Recipe for Spack. From the root of the repository:
#   spack repo add packaging/spack
#   spack install halocline                                   with the sources of this folder: spack dev-build halocline@main
from spack.package import *


class Halocline(CMakePackage, CudaPackage):
    """Solver for clusters of problems that a YAML deck describes: elliptic equations, sparse systems, fractional and
    ordinary diffusion, ensembles of ordinary differential equations."""

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10: +mpi")
    depends_on("yaml-cpp")
    depends_on("lapack")
    depends_on("cli11@2:")
    depends_on("spdlog +fmt_external")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("libpng")
    depends_on("cairo +fc+ft+pdf+png+svg")
    depends_on("googletest +gmock", when="+tests")
    depends_on("boost", when="+tests")
    depends_on("cuda@13:", when="+cuda")

    requires("%gcc@12:", "%clang@16:", policy="one_of", msg="halocline needs C++20")
    generator("ninja")

    def cmake_args(self):
        arguments = [
            self.define_from_variant("HALOCLINE_CUDA", "cuda"),
            self.define_from_variant("HALOCLINE_TESTS", "tests"),
            self.define("HALOCLINE_WERROR", False),
            self.define("HALOCLINE_ARCH", ""),  # Spack's compiler wrappers give that of the target
        ]
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if "none" not in architectures:
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(architectures)))
        return arguments
