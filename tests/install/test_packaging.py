"""Files for package managers: as far as can be known without their tools, they name what the build needs."""

import ast
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import build_container

ROOT = pathlib.Path(__file__).parents[2]
# What Spack calls the packages that CMake finds.
SPACK = {"MPI": "mpi", "HDF5": "hdf5", "yaml-cpp": "yaml-cpp", "CLI11": "cli11", "fmt": "fmt", "spdlog": "spdlog",
         "nlohmann_json": "nlohmann-json", "LAPACK": "lapack", "PNG": "libpng", "OpenMP": None, "Threads": None,
         "CUDAToolkit": "cuda", "PkgConfig": "pkgconfig", "CAIRO": "cairo"}


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version():
    return re.search(r"project\(halocline VERSION (\S+)", text("CMakeLists.txt")).group(1)


class Packaging(unittest.TestCase):
    def stages(self):
        """Packages that the two stages of the Dockerfile install."""
        lists = re.findall(r"apt-get install -y --no-install-recommends ((?:\\\n|[^\n&])*)", text("packaging/Dockerfile"))
        return [set(one.replace("\\\n", " ").split()) for one in lists]

    def test_container_builds_with_the_packages_of_bootstrap(self):
        packages = re.search(r"build_packages=\(([^)]*)\)", text("bootstrap")).group(1).split()
        self.assertEqual(self.stages()[0], set(packages))

    def test_container_has_the_libraries_of_the_program(self):
        if not all(map(shutil.which, ("readelf", "ldconfig", "dpkg-query"))) or "debian" not in text("/etc/os-release"):
            self.skipTest("no Debian")
        program = os.environ["HALOCLINE"]
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", program], capture_output=True, text=True,
                                                                    check=True).stdout))
        where = dict(re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", program], capture_output=True, text=True,
                                                                   check=True).stdout))
        installed = self.stages()[1]
        # Those bring these along.
        brought = {"libc6", "libstdc++6", "libgcc-s1", "libgomp1", "libopenmpi3", "libgfortran5"}
        names = {os.path.basename(os.path.realpath(where[library])) for library in needed & where.keys()}
        told = subprocess.run(["dpkg-query", "-S", *(f"*/{name}" for name in names)], capture_output=True, text=True,
                              check=False).stdout
        owners = dict(reversed(re.match(r"([^:]+).*: .*/(\S+)$", line).groups()) for line in told.splitlines()
                      if line.split(":")[0] in installed | brought)
        self.assertEqual(names - owners.keys(), set())

    def test_steps_of_the_container(self):
        for line in re.findall(r"^RUN (.*(?:\\\n.*)*)", text("packaging/Dockerfile"), re.MULTILINE):
            subprocess.run(["sh", "-n", "-c", line.replace("\\\n", " ")], check=True)
        preset = re.search(r"--preset (\S+)", text("packaging/Dockerfile")).group(1)
        self.assertIn(f'"name": "{preset}"', text("CMakePresets.json"))
        sections = re.findall(r"^%(\w+)", text("packaging/halocline.def"), re.MULTILINE)
        self.assertLessEqual({"runscript", "test", "help"}, set(sections))

    def test_steps_can_be_tried_without_docker(self):
        steps = build_container.instructions(text("packaging/Dockerfile"))
        self.assertLessEqual({"FROM", "RUN", "COPY"}, {word for word, _ in steps})
        for word, rest in steps:
            self.assertTrue(hasattr(build_container.Builder, f"do_{word.lower()}"), word)
            if word == "FROM":
                self.assertIn(rest.split()[0], build_container.SUITES)
        self.assertIn("problem: collocation", build_container.first_deck())

    def test_spack_recipe(self):
        recipe = text("packaging/spack/packages/halocline/package.py")
        tree = ast.parse(recipe)
        self.assertEqual([node.name for node in tree.body if isinstance(node, ast.ClassDef)], ["Halocline"])
        specs = {shlex.split(spec)[0].split("@")[0] for spec in re.findall(r'depends_on\("([^"]*)"', recipe)}
        for name in re.findall(r"(?:find_package|pkg_check_modules)\((\S+)", text("CMakeLists.txt")):
            self.assertIn(name, SPACK, "a package that the recipe does not know")
            if SPACK[name]:
                self.assertIn(SPACK[name], specs)
        for option in re.findall(r'"(HALOCLINE_\w+)"', recipe):
            self.assertIn(option, text("CMakeLists.txt"))

    def test_build_folder_with_a_space(self):
        with tempfile.TemporaryDirectory(prefix="my code ") as folder:
            done = subprocess.run([os.environ.get("CMAKE", "cmake"), "-S", str(ROOT), "-B", folder], capture_output=True, text=True,
                                  check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has a space in its path", " ".join(done.stderr.split()))

    def test_citation(self):
        citation = text("CITATION.cff")
        for key in ("cff-version: 1.2.0", "title: halocline", f"version: {version()}", "license: BSD-3-Clause"):
            self.assertIn(key + "\n", citation)
        try:
            import yaml
        except ImportError:
            return
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(yaml.safe_load(citation)))

    def test_versions(self):
        self.assertIn(f'version = "{version()}"', text("io/python/pyproject.toml"))
        self.assertIn(f'__version__ = "{version()}"', text("io/python/halocline/__init__.py"))


if __name__ == "__main__":
    unittest.main()
