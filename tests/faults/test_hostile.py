"""What others put in the way: data that cannot be read, files without end, decks that want to run programs.

Every run ends within seconds, with one message and a documented code, and leaves nothing that is wrong.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import MPIEXEC, PROGRAM, TEST_FAMILIES, RunCase, command  # noqa: E402  pylint: disable=wrong-import-position
from campaign.decks import FIELD as PLAIN_FIELD  # noqa: E402  pylint: disable=wrong-import-position

ENSEMBLE = """\
problem: ode_ensemble
ode_ensemble:
  evaluation: interpreted
  equations: ["x' = -k*x"]
  initial: {{x: 1}}
  sweep: [{{table: {{file: {table}, columns: [k]}}}}]
  solver: {{method: dopri5, rtol: 1e-6, atol: 1e-6}}
  phase: {{length: 1}}
  record: {{final: [x]}}
output: {{directory: out}}
verify: {{{verify}}}
"""
FIELD = PLAIN_FIELD + "verify: {{}}\n"
MATRIX = """\
problem: sparse
sparse: {{matrix: {{file: {{name: {file}}}}}, rhs: ones, preconditioner: jacobi}}
output: {{directory: out}}
"""
FAULTY_READS = {"LD_PRELOAD": os.environ["HALOCLINE_FAIL_AT"], "HALOCLINE_FAULT_CALL": "read",
                "HALOCLINE_FAULT_KIND": "5"}


class Hostile(RunCase):
    def run_in(self, *arguments, seconds=20, environment=None, ranks=1):
        """The finished process; never longer than so many seconds."""
        more = {**(self.alone() if ranks == 1 else {}), **(environment or {})}
        return subprocess.run(command(PROGRAM, arguments, ranks), cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=seconds, check=False,
                              env={**os.environ, **more})

    def check_end(self, done, codes, message=""):
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        self.assertIn(message, done.stderr)


class Reading(Hostile):
    def fail_reads(self, deck, name, number):
        """Runs of which one read of the file fails, the first to the `number`-th; what fewer reads do is no failure."""
        self.write("deck.yaml", deck)
        self.check_end(self.run_in("run", "deck.yaml", "--overwrite"), (0,))
        unknowns = self.report("out")["unknowns"]
        failed = 0
        for place in range(1, number + 1):
            faults = {**FAULTY_READS, "HALOCLINE_FAULT_UNDER": str((self.folder / name).resolve()),
                      "HALOCLINE_FAULT_AT": str(place)}
            done = self.run_in("run", "deck.yaml", "--overwrite", environment=faults)
            with self.subTest(file=name, place=place):
                if done.returncode != 0:
                    failed += 1
                    self.check_end(done, (2, 4), name)
                    self.check_end(done, (2, 4), "error")
                else:  # a read that is not made
                    self.assertEqual(self.report("out")["unknowns"], unknowns)
        self.assertGreaterEqual(failed, 1, name)

    def test_a_read_that_fails_is_not_the_end(self):
        (self.folder / "table.csv").write_text("k\n" + "1.25\n" * 20000, encoding="ascii")
        self.fail_reads(ENSEMBLE.format(table="table.csv", verify=""), "table.csv", 4)
        (self.folder / "field.csv").write_text(("1, " * 7 + "1\n") * 8, encoding="ascii")
        self.fail_reads(FIELD.format(file="field.csv", keys=""), "field.csv", 2)
        entries = "".join(f"{i} {i} 2.0\n" for i in range(1, 101))
        (self.folder / "A.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n100 100 100\n{entries}",
                                           encoding="ascii")
        self.fail_reads(MATRIX.format(file="A.mtx"), "A.mtx", 3)

    def test_a_deck_that_cannot_be_read(self):
        self.write("deck.yaml", ENSEMBLE.format(table="none.csv", verify=""))
        faults = {**FAULTY_READS, "HALOCLINE_FAULT_UNDER": str((self.folder / "deck.yaml").resolve()),
                  "HALOCLINE_FAULT_AT": "1"}
        self.check_end(self.run_in("check", "deck.yaml", environment=faults), (2,), "deck.yaml: Input/output error")

    def test_files_without_end(self):
        """Devices, pipes and directories in the place of files: refused, at once."""
        (self.folder / "good.csv").write_text("k\n1\n2\n", encoding="ascii")
        os.mkfifo(self.folder / "pipe")
        (self.folder / "folder").mkdir()
        for kind, source in (("zero", "/dev/zero"), ("pipe", "pipe"), ("folder", "folder"), ("tty", "/dev/null")):
            for ending in ("csv", "npy", "h5", "mtx", "petsc", "vtkhdf"):
                os.symlink(source, self.folder / f"{kind}.{ending}")
            match = "reference: {}, match: {{k: k}}, compare: {{x: k}}"
            decks = [ENSEMBLE.format(table=f"{kind}.csv", verify=""),
                     ENSEMBLE.format(table="good.csv", verify=match.format(f"{kind}.csv")),
                     FIELD.format(file=f"{kind}.csv", keys=""), FIELD.format(file=f"{kind}.npy", keys=""),
                     FIELD.format(file=f"{kind}.h5", keys="dataset: a,"),
                     FIELD.format(file=f"{kind}.vtkhdf", keys="field: a,"), MATRIX.format(file=f"{kind}.mtx"),
                     MATRIX.format(file=f"{kind}.petsc"), MATRIX.format(file=f"{kind}.h5, group: A")]
            for number, deck in enumerate(decks):
                with self.subTest(kind=kind, deck=number):
                    self.write("deck.yaml", deck)
                    self.check_end(self.run_in("check", "deck.yaml", seconds=5), (2,), f"{kind}.")
            with self.subTest(kind=kind):
                self.check_end(self.run_in("check", source, seconds=5), (2,), "cannot read")
                self.check_end(self.run_in("plot", f"{kind}.h5", seconds=5), (2, 4), f"{kind}.h5")


class Programs(Hostile):
    """A deck starts no program and names no code; the command line does."""

    def test_no_deck_names_a_compiler_or_a_cache(self):
        deck = ENSEMBLE.format(table="table.csv", verify="").replace("interpreted", "compiled")
        (self.folder / "table.csv").write_text("k\n1\n2\n", encoding="ascii")
        evil = self.folder / "evil"
        evil.write_text("#!/bin/sh\ntouch ran\nexit 1\n", encoding="ascii")
        evil.chmod(0o700)
        for key in ("compiler: ./evil", "cache: .", "cache: none"):
            self.write("deck.yaml", deck.replace("ode_ensemble:\n", f"ode_ensemble:\n  {key}\n"))
            for action in ("check", "run"):
                with self.subTest(key=key, action=action):
                    self.check_end(self.run_in(action, "deck.yaml"), (2,), f"{key.split(':')[0]}: unknown key")
        self.write("deck.yaml", deck)
        self.check_end(self.run_in("run", "deck.yaml", "--set", "ode_ensemble.compiler=./evil"), (2,), "unknown key")
        self.assertEqual(self.names("."), ["deck.yaml", "evil", "table.csv"])
        done = self.run_in("run", "deck.yaml", "--compiler", "./evil", "--cache", "none")
        self.check_end(done, (4,), "'./evil' does not run")
        self.assertIn("ran", self.names("."))
        self.assertNotIn("evil", (self.folder / "deck.yaml").read_text(encoding="utf-8"))


class Names(Hostile):
    """What a terminal would obey, and what is no text, goes nowhere."""

    def test_control_characters(self):
        deck = ENSEMBLE.format(table="table.csv", verify="")
        self.write("table.csv", "k\n1\n2\n")
        self.write("deck.yaml", deck)
        for word in ("a\x1b[2Jb.yaml", "a\udcff.yaml", "a\x9bb.yaml"):
            with self.subTest(word=repr(word)):
                done = self.run_in("check", word)
                self.check_end(done, (2,), "printable text")
                self.assertTrue(all(c.isprintable() or c == "\n" for c in done.stderr), repr(done.stderr))
        for value in ('"a\\e[2Jb"', '"a\\0b"', '"\\x9b"'):
            for line in (deck.replace("out}", f"{value}}}"), deck.replace("table.csv", value), deck + f"{value}: 1\n"):
                with self.subTest(value=value):
                    self.write("bad.yaml", line)
                    done = self.run_in("run", "bad.yaml")
                    self.check_end(done, (2,), "bad.yaml:")
                    self.assertTrue(all(c.isprintable() or c == "\n" for c in done.stderr), repr(done.stderr))
        # From a file of data: told, with its bytes spelled out.
        (self.folder / "table.csv").write_bytes(b"k\n\x1b[2J\xff\n")
        done = self.run_in("run", "deck.yaml")
        self.check_end(done, (2,), "\\x1b[2J\\xff")
        self.assertTrue(all(c.isprintable() or c == "\n" for c in done.stderr), repr(done.stderr))
        self.assertEqual(self.names("."), ["bad.yaml", "deck.yaml", "table.csv"])

    def test_a_deck_of_dots(self):
        self.write("table.csv", "k\n1\n2\n")
        self.write("...yaml", ENSEMBLE.format(table="table.csv", verify="").replace("output: {directory: out}\n", ""))
        self.check_end(self.run_in("run", "...yaml"), (2,), "output.directory")
        self.check_end(self.run_in("run", "...yaml", "--set", "output.directory=here"), (0,))
        self.assertEqual(self.names("."), ["...yaml", "here", "table.csv"])


class Machine(Hostile):
    def test_threads(self):
        self.write("deck.yaml", FIELD.format(file="f.csv", keys=""))
        (self.folder / "f.csv").write_text(("1, " * 7 + "1\n") * 8, encoding="ascii")
        self.check_end(self.run_in("run", "deck.yaml", environment={"OMP_NUM_THREADS": "99999"}), (4,),
                       "OMP_NUM_THREADS asks for 99999 threads")
        self.assertNotIn("out", self.names("."))

    def test_sizes_that_no_machine_has(self):
        """Forecast or refused within seconds and without memory of that size."""
        valued = "walls: {x_min: [{kind: dirichlet, value: y}], "
        for cells in ("1e9, 1e9", "16, 16e6", "16e6, 16"):
            deck = "".join(line for line in FIELD.splitlines(True) if "data:" not in line).format()
            deck = deck.replace("cells: [8, 8]", f"cells: [{cells}]").replace("initial: start", "initial: x")
            self.write("deck.yaml", deck.replace("walls: {", valued))
            limit = "ulimit -v 900000; exec \"$@\""
            done = subprocess.run(["bash", "-c", limit, "-", PROGRAM, "check", "deck.yaml"], cwd=self.folder,
                                  capture_output=True, text=True, timeout=30, check=False,
                                  env={**os.environ, **self.alone()})
            with self.subTest(cells=cells):
                self.check_end(done, (0, 2))

    def test_pieces_of_walls(self):
        pieces = ", ".join(f"{{from: {n / 1000}, to: {(n + 1) / 1000}, kind: no_flux}}" for n in range(5000))
        deck = FIELD.format(file="f.csv", keys="").replace("walls: {", f"walls: {{x_min: [{pieces}], ")
        (self.folder / "f.csv").write_text(("1, " * 7 + "1\n") * 8, encoding="ascii")
        self.write("deck.yaml", deck)
        self.check_end(self.run_in("check", "deck.yaml"), (2,), "has 5000 pieces; at most 4096 on a side")

    def test_many_definitions(self):
        names = ", ".join(f"d{n} = d{n - 1} + 1" if n > 0 else "d0 = 1" for n in range(9999))
        deck = FIELD.format(file="f.csv", keys="").replace("  grid:", f"  definitions: [{names}]\n  grid:")
        (self.folder / "f.csv").write_text(("1, " * 7 + "1\n") * 8, encoding="ascii")
        self.write("deck.yaml", deck)
        self.check_end(self.run_in("check", "deck.yaml", seconds=10), (0,))


class Locale(Hostile):
    """Where numbers have decimal commas, decks, tables and reports are the same to the byte."""

    def german(self):
        """An environment with such a locale, made for the test where the system lacks it."""
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(self.folder.parent / "de_DE.UTF-8")],
                              capture_output=True, check=False) if shutil.which("localedef") else None
        if made is None or not (self.folder.parent / "de_DE.UTF-8").exists():
            self.skipTest("no localedef with de_DE")
        environment = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LOCPATH": str(self.folder.parent)}
        ask = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
        point = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=False,
                               env={**os.environ, **environment}).stdout.strip()
        if point != ",":
            self.skipTest("the locale de_DE.UTF-8 is not to be had")
        return environment

    def texts(self, folder):
        """What was written, without what differs between runs: times, dates, names of directories."""
        report = self.report(folder)
        for key in ("seconds", "solve_seconds", "started", "timers", "command", "environment"):
            report.pop(key, None)
        rest = {path.name: path.read_bytes() for path in sorted((self.folder / folder).rglob("*"))
                if path.is_file() and path.suffix in (".yaml", ".csv", ".xdmf", ".series", ".vtkhdf", ".h5") and
                not path.name.startswith("checkpoint_")}
        return rest, report

    def test_the_same_bytes(self):
        german = self.german()
        self.write("table.csv", "k\n1.25\n2.5e-1\n")
        self.write("field.csv", ("1.5, 2.25, " * 4 + "\n") * 8)
        self.write("ode.yaml", ENSEMBLE.format(table="table.csv", verify=""))
        self.write("field.yaml", FIELD.format(file="field.csv", keys="").replace(
            "out}", "out, every: 0.05, probes: {every: 0.05, points: [[1.5, 2.5]]}}"))
        for deck in ("ode.yaml", "field.yaml"):
            found = []
            for name, environment in (("C", {"LC_ALL": "C"}), ("de", german)):
                told = self.run_in("check", deck, "--set", "run.wall_limit=1.5", environment=environment)
                done = self.run_in("run", deck, "--overwrite", environment=environment)
                self.check_end(done, (0,))
                found.append((told.stdout, *self.texts("out")))
                (self.folder / "out").rename(self.folder / f"{name}_{deck}")
            self.assertEqual(found[0][0], found[1][0])
            self.assertEqual(found[0][1], found[1][1])
            self.assertEqual(found[0][2].keys(), found[1][2].keys())
            for key in ("findings", "unknowns", "exit_code", "series", "converged"):
                self.assertEqual(found[0][2].get(key), found[1][2].get(key), key)


class Signals(Hostile):
    """Heard within seconds in set-up too, by one rank or several; nothing of a compiler that is at work survives."""

    def end(self, number, ranks):
        deck = ENSEMBLE.format(table="table.csv", verify="").replace("interpreted", "compiled")
        self.write("table.csv", "k\n1\n2\n")
        self.write("deck.yaml", deck)
        script = self.folder / "slow"
        script.write_text("#!/bin/sh\n[ \"$1\" = --version ] && { echo slow; exit 0; }\n"
                          f"echo $$ > {self.folder}/made\nmv {self.folder}/made {self.folder}/number\nsleep 600\n",
                          encoding="ascii")
        script.chmod(0o700)
        (self.folder / "tmp").mkdir()
        line = command(PROGRAM, ["run", "deck.yaml", "--compiler", "./slow", "--cache", "none"], ranks)
        alone = self.alone() if ranks == 1 else {}
        process = subprocess.Popen(line, cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **alone, "TMPDIR": str(self.folder / "tmp")})
        try:
            self.wait_for((self.folder / "number").exists)
            compiler = int((self.folder / "number").read_text(encoding="ascii"))
            begin = time.monotonic()
            process.send_signal(number)
            _, errors = process.communicate(timeout=20)
            self.assertLess(time.monotonic() - begin, 10)
        finally:
            process.kill()
            process.wait()
        self.assertEqual(process.returncode, 4, errors)
        self.assertIn(f"halocline: ended by {signal.Signals(number).name} ", errors)
        try:
            self.wait_for(lambda: not os.path.exists(f"/proc/{compiler}") or
                          "(zombie)" in pathlib.Path(f"/proc/{compiler}/status").read_text(encoding="ascii"), 5)
        except AssertionError:
            os.killpg(compiler, signal.SIGKILL)
            raise
        self.assertFalse(list((self.folder / "tmp").glob("halocline_*")))
        self.assertNotIn("out", self.names("."))

    def test_in_set_up(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                self.setUp()
                self.end(number, 1)

    def test_in_set_up_on_ranks(self):
        self.end(signal.SIGUSR1, 2)


class Unlike(Hostile):
    """Ranks that were started unlike each other: one message at once, and nothing is written."""

    def start_unlike(self, *lines, message, folders=("", "")):
        """Rank n starts with line n, in a folder of its own where one is named."""
        words = list(MPIEXEC[:-1])
        for number, (line, folder) in enumerate(zip(lines, folders)):
            there = ["-wdir", str(self.folder / folder)] if folder else []
            words += [*([":"] if number > 0 else []), "-n", "1", *there, *map(str, line)]
        done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=30, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        told = [line for line in done.stderr.splitlines() if line.startswith("halocline: ")]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn("rank 1 has another " + message, told[0])
        self.assertFalse(list(self.folder.glob("**/out")))

    def test_unlike_ranks(self):
        deck = ENSEMBLE.format(table="table.csv", verify="")
        for folder in ("a", "b"):
            (self.folder / folder).mkdir()
            self.write(f"{folder}/table.csv", "k\n1\n2\n")
            self.write(f"{folder}/deck.yaml", deck)
        self.write("table.csv", "k\n1\n2\n")
        for name in ("deck.yaml", "other.yaml"):
            self.write(name, deck)
        run = [PROGRAM, "run", "deck.yaml"]
        self.start_unlike(run, [PROGRAM, "run", "other.yaml"],
                          message="command line than rank 0: 'run other.yaml', not 'run deck.yaml'")
        self.start_unlike(run, [PROGRAM, "check", "deck.yaml"], message="command line")
        self.start_unlike(run, [*run, "--overwrite"], message="command line")
        self.start_unlike([*run, "--set", "a=b c"], [*run, "--set", "a=b", "c"], message="command line")
        self.start_unlike(run, [TEST_FAMILIES, "run", "deck.yaml"], message="program")
        self.start_unlike(run, run, message="working directory", folders=("a", "b"))


    def test_unlike_data(self):
        """Under one name, as on disks of several nodes."""
        for name, text in (("a.csv", "k\n1\n2\n"), ("b.csv", "k\n1\n3\n"), ("c.csv", "k\n1\n2\n")):
            self.write(name, text)
        self.write("deck.yaml", ENSEMBLE.format(table="/proc/self/fd/19", verify=""))
        run = [PROGRAM, "run", "deck.yaml"]
        for other, code in (("b.csv", 4), ("c.csv", 0)):
            line = list(MPIEXEC[:-1])
            for number, name in enumerate(("a.csv", other)):
                line += [*([":"] if number > 0 else []), "-n", "1", "bash", "-c", f'exec 19<{name}; exec "$@"', "-", *run]
            with self.subTest(other):
                done = subprocess.run(line, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=30, check=False)
                self.check_end(done, (code,), "rank 1 finds 6 bytes with digest" if code else "")


if __name__ == "__main__":
    unittest.main()
