"""The style checks find what they are there to find: planted faults, and no others."""

import pathlib
import tempfile
import unittest

import check_docs
import check_families
import check_floors
import check_sources
import repository


class Tree(unittest.TestCase):
    """A small repository in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text=""):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")


class Floors(Tree):
    def faults(self, path, include):
        """Of one file that includes one header; the headers named in the tests exist."""
        for header in ("lib/base/view.hpp", "gpu/launch.hpp", "mpi/halo/halo.hpp", "lib/linalg/vector.hpp", "io/deck/deck.hpp",
                       "io/matrix_market.hpp", "lib/problems/problem.hpp", "app/cli.hpp", "tests/help.hpp"):
            self.write(header)
        self.write(path, f"#include {include}\n")
        return check_floors.check(self.root)

    def test_upward_includes_are_found(self):
        for path, include in [("lib/base/a.hpp", "mpi/halo/halo.hpp"), ("lib/expression/a.cpp", "gpu/launch.hpp"),
                              ("gpu/a.cpp", "mpi/halo/halo.hpp"), ("mpi/a.cpp", "io/deck/deck.hpp"),
                              ("io/a.cpp", "gpu/launch.hpp"),
                              ("lib/krylov/a.cpp", "lib/problems/problem.hpp"), ("lib/linalg/a.cpp", "io/deck/deck.hpp"),
                              ("lib/problems/a/a.cpp", "io/deck/deck.hpp"), ("lib/problems/a/a.cpp", "app/cli.hpp"),
                              ("app/a.cpp", "tests/help.hpp"), ("lib/base/b.hpp", "view.hpp"),
                              ("lib/problems/a/kernels.hpp", "mpi/halo/halo.hpp")]:
            with self.subTest(path=path, include=include):
                found = self.faults(path, f'"{include}"')
                self.assertEqual(len(found), 1)
                self.assertTrue(found[0].startswith(f"{path}:1: "))
                (self.root / path).unlink()

    def test_downward_includes_pass(self):
        for path, include in [("lib/base/a.hpp", "lib/base/view.hpp"), ("mpi/a.cpp", "gpu/launch.hpp"),
                              ("io/a.cpp", "mpi/halo/halo.hpp"), ("lib/krylov/a.cpp", "lib/linalg/vector.hpp"),
                              ("lib/problems/a/a.cpp", "lib/linalg/vector.hpp"), ("app/a.cpp", "io/deck/deck.hpp"),
                              ("lib/problems/a/a.cpp", "io/matrix_market.hpp"), ("tests/a.cpp", "app/cli.hpp"),
                              ("lib/problems/a/kernels.hpp", "lib/base/view.hpp")]:
            with self.subTest(path=path, include=include):
                self.assertEqual(self.faults(path, f'"{include}"'), [])

    def test_third_party_headers_stay_at_home(self):
        for home, abroad, header in [("mpi/a.cpp", "lib/krylov/a.cpp", "mpi.h"), ("io/a.cpp", "app/a.cpp", "hdf5.h"),
                                     ("io/a.cpp", "mpi/a.cpp", "yaml-cpp/yaml.h"),
                                     ("io/a.cpp", "app/b.cpp", "nlohmann/json.hpp"),
                                     ("lib/linalg/lapack.hpp", "lib/linalg/a.cpp", "lapacke.h"),
                                     ("app/cli.cpp", "app/main.cpp", "CLI/CLI.hpp"),
                                     ("io/h5/h5.cpp", "io/deck/deck.cpp", "mpi.h"),
                                     ("lib/base/log.cpp", "lib/base/log.hpp", "spdlog/spdlog.h"),
                                     ("gpu/a.cpp", "mpi/b.cpp", "cuda_runtime.h"),
                                     ("gpu/a.cu", "lib/base/a.hpp", "cub/cub.cuh"),
                                     ("tests/a.cpp", "lib/base/a.cpp", "gtest/gtest.h"),
                                     ("tests/a.cpp", "io/b.cpp", "boost/any.hpp")]:
            with self.subTest(header=header, abroad=abroad):
                self.assertEqual(self.faults(home, f"<{header}>"), [])
                self.assertEqual(len(self.faults(abroad, f"<{header}>")), 1)
                (self.root / abroad).unlink()

    def test_system_headers_pass_everywhere(self):
        for header in ("vector", "cstdint", "sys/stat.h", "unistd.h", "omp.h"):
            self.assertEqual(self.faults("lib/base/a.cpp", f"<{header}>"), [])

    def test_cuda_switch_and_new_library_are_found(self):
        self.write("io/a.cpp", "#ifdef HALOCLINE_CUDA\n#endif\n")
        self.write("gpu/a.cpp", "#if defined(HALOCLINE_CUDA)\n#endif\n")
        self.write("lib/misc/a.cpp")
        self.assertEqual(len(check_floors.check(self.root)), 2)


class Sources(Tree):
    def test_planted_faults_are_found(self):
        plants = {"a.cpp": "int x;\n" * 401, "b.cpp": "void f() {\n" + "  g();\n" * 59 + "}\n",
                  "c.cpp": "// TO" + "DO: more\n", "d.cpp": "const char* p = \"/wo" + "rk/main/x\";\n",
                  "e.cpp": "void f() { std::exit(1); }\n"}
        for name, text in plants.items():
            with self.subTest(name=name):
                self.write(name, text)
                self.assertEqual(len(check_sources.check(self.root)), 1)
                (self.root / name).unlink()

    def test_good_sources_pass(self):
        self.write("lib/a.cpp", "// exit(1) is never called: /usr/bin\nvoid f() {\n" + "  g();\n" * 58 + "}\n")
        self.write("app/main.cpp", "int main() { std::exit(0); }\n")
        self.write("lib/kernels.hpp", "struct K {\n  void operator()() {\n" + "    g();\n" * 100 + "  }\n};\n")
        self.assertEqual(check_sources.check(self.root), [])

    def test_functions_are_measured(self):
        text = ('namespace a {\nclass B : C {\n  int f() const {\n    if (x) { "}"; }\n  }\n};\nint g(int v = 1'
                ')\n{\n}\n}  // namespace\nenum class E { one };\nextern "C" {\nint h() { return 0; }\n}\n')
        self.assertEqual(check_sources.functions(text), [(3, 3), (7, 3), (13, 1)])


class Families(Tree):
    def test_unregistered_family_is_found(self):
        self.write("lib/problems/known/problem.cpp")
        self.write("lib/problems/registry.cpp", "known")
        self.write("lib/problems/CMakeLists.txt", "known")
        self.write("inputs/known/a.yaml")
        self.assertEqual(check_families.unregistered(self.root), [])
        self.write("lib/problems/hidden/problem.cpp")
        self.assertEqual(len(check_families.unregistered(self.root)), 3)

    def test_rejected_deck_is_reported(self):
        self.write("inputs/known/a.yaml")
        self.assertEqual(check_families.rejected("/bin/true", self.root), [])
        self.assertEqual(len(check_families.rejected("/bin/false", self.root)), 1)


class Docs(Tree):
    def faults(self, text):
        self.write("lib/a.cpp", "int f() {\n  return 1;\n}\n")
        self.write("docs/other.md", "# One `word`, two\n")
        self.write("docs/page.md", text)
        return check_docs.check(self.root)

    def test_good_pages_pass(self):
        self.assertEqual(self.faults("[a](other.md) [b](other.md#one-word-two) [c](https://a.b/c) `lib/a.cpp` `lib/` `lib/*`\n"
                                     "`lib/NAME/a.cpp` `n/a` `out/run/deck.yaml`\n```\n[a](none.md) `lib/none.cpp`\n```\n"
                                     "<!-- lib/a.cpp -->\n```cpp\nint f() {\n  return 1;\n```\n"), [])

    def test_planted_faults_are_found(self):
        for text in ("[a](none.md)\n", "[a](other.md#two)\n", "[a](#none)\n", "`lib/none.cpp`\n", "`lib/b*`\n",
                     "<!-- lib/a.cpp -->\n```cpp\n  return 2;\n```\n", "<!-- lib/none.cpp -->\n```\n```\n"):
            with self.subTest(text=text):
                self.assertEqual(len(self.faults(text)), 1)


class Repository(Tree):
    def test_build_output_is_no_source(self):
        self.write("build/a.cpp")
        self.write("lib/a.cpp")
        self.assertEqual([str(path) for path in repository.files(self.root)], ["lib/a.cpp"])


if __name__ == "__main__":
    unittest.main()
