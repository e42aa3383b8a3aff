"""`cmake --install` into a folder that is then moved: the program, and what lies beside it, work from there."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from runs import RunCase

BUILD = os.environ["HALOCLINE_BUILD"]
VERSION = re.search(r"project\(halocline VERSION (\S+)",
                    (pathlib.Path(__file__).parents[2] / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)

# The commands of modulefiles, printed.
MODULE_STUBS = """
foreach name {module-whatis conflict prepend-path setenv module} {
  proc $name {args} "puts \\"$name \\$args\\""
}
source [lindex $argv 0]
"""
COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
compopt() { :; }
_halocline; printf '%s\\n' "${COMPREPLY[@]}"
"""


class Install(RunCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="halocline-install-")
        cls.addClassCleanup(folder.cleanup)
        first = pathlib.Path(folder.name) / "first"
        done = subprocess.run([os.environ["CMAKE"], "--install", BUILD, "--prefix", str(first)], capture_output=True,
                              text=True, check=True)
        assert "Warning" not in done.stderr, done.stderr
        cls.root = pathlib.Path(folder.name) / "moved"
        cls.module = (first / "share/halocline/modulefile").read_text(encoding="utf-8")
        cls.first = first
        first.rename(cls.root)
        cls.program = str(cls.root / "bin/halocline")

    def test_program(self):
        told = self.run_program("--version", program=self.program).stdout
        self.assertRegex(told, rf"^halocline {re.escape(VERSION)} \([0-9a-f]{{7,}}\+?\)$|^halocline {re.escape(VERSION)}$")
        info = self.run_program("info", program=self.program).stdout
        for library in ("HDF5", "yaml-cpp", "CLI11", "fmt", "spdlog", "nlohmann-json", "libpng"):
            self.assertRegex(info, rf"{library} \d+\.\d+")
        self.assertRegex(info, r"LAPACK from \w+")
        if shutil.which("readelf"):
            dynamic = subprocess.run(["readelf", "-d", self.program], capture_output=True, text=True, check=True).stdout
            self.assertRegex(dynamic, r"R(UN)?PATH.*\[\$ORIGIN/\.\./lib")
            self.assertNotIn(BUILD, dynamic)

    def test_decks(self):
        inputs = self.root / "share/halocline/inputs"
        for deck in ("diffusion/from_file.yaml", "ode_ensemble/noise.yaml", "sparse/from_file.yaml"):  # with their data
            self.run_program("check", inputs / deck, program=self.program)
        done = self.run_program("reproduce", "no_such_table", program=self.program, expect=2)
        self.assertIn("psi_caputo", done.stderr)

    def test_manual(self):
        page = self.root / "share/man/man1/halocline.1"
        text = page.read_text(encoding="utf-8")
        for words in ("HALOCLINE study", "\\-\\-refine", "EXIT STATUS"):
            self.assertIn(words, text)
        self.assertNotIn("HALOCLINE texts", text)
        if shutil.which("man"):
            shown = subprocess.run(["man", "--warnings", "-l", str(page)], capture_output=True, text=True, check=True,
                                   env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
            self.assertEqual(shown.stderr, "")
            self.assertIn("--restart auto|FILE", shown.stdout)

    def complete(self, *words):
        script = self.root / "share/bash-completion/completions/halocline"
        done = subprocess.run(["bash", "-c", COMPLETE, "-", str(script), "halocline", *words], cwd=self.folder,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_bash_completion(self):
        self.write("small.yaml", "")
        self.write("notes.txt", "")
        self.assertLessEqual({"run", "check", "study", "info", "--version"}, self.complete(""))
        self.assertNotIn("texts", self.complete(""))
        self.assertEqual(self.complete("st"), {"study"})
        self.assertEqual(self.complete("run", ""), {"small.yaml"})
        self.assertEqual(self.complete("run", "--over"), {"--overwrite"})
        self.assertEqual(self.complete("run", "--restart", "a"), {"auto"})
        self.assertEqual(self.complete("explain", "coll"), {"collocation"})

    def test_zsh_completion(self):
        script = self.root / "share/zsh/site-functions/_halocline"
        self.assertTrue(script.read_text(encoding="utf-8").startswith("#compdef halocline"))
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", str(script)], check=True)

    def test_modulefile(self):
        self.assertNotIn("@", self.module.replace("@version@", "@"))
        if shutil.which("tclsh") is None:
            self.skipTest("no tclsh")
        self.write("modulefile", self.module)
        self.write("stubs.tcl", MODULE_STUBS)
        plain = {name: value for name, value in os.environ.items() if name != "MANPATH"}
        for environment in (plain, {**plain, "MANPATH": "/usr/share/man"}):
            said = subprocess.run(["tclsh", "stubs.tcl", "modulefile"], cwd=self.folder, env=environment, capture_output=True,
                                  text=True, check=True).stdout
            self.assertIn(f"prepend-path PATH {self.first}/bin\n", said)
            self.assertIn(f"setenv HALOCLINE_ROOT {self.first}/share/halocline\n", said)
            # Alone there it would hide all other pages.
            self.assertEqual("prepend-path MANPATH" in said, "MANPATH" in environment)

    def test_rest(self):
        for name in ("share/halocline/jobscripts/slurm_cpu.sh", "share/halocline/python/halocline/__init__.py",
                     "share/doc/halocline/docs/index.md", "share/doc/halocline/LICENSE"):
            self.assertTrue((self.root / name).is_file(), name)
        self.assertTrue(os.access(self.root / "share/halocline/jobscripts/local.sh", os.X_OK))


if __name__ == "__main__":
    unittest.main()
