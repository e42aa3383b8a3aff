"""Whole runs of the test families: equal bits on any layout, restart, signals, limits, exit codes, files."""

import math
import os
import re
import signal
import subprocess
import unittest

from runs import BOX, ENSEMBLE, TEST_FAMILIES, RunCase, limited

SLOW = ["--set", "stepper.pause=0.05"]


class EqualBits(RunCase):
    """Results do not depend on ranks, devices and threads."""

    LAYOUTS = ([(ranks, "omp", 1) for ranks in (1, 2, 3, 4)] +
               [(1, device, 4) for device in ("omp", "emulated", "emulated-lazy")] +
               [(2, device, 2) for device in ("omp", "emulated", "emulated-lazy")] +
               [(4, "emulated", 1), (4, "emulated-lazy", 1), (2, "[omp, omp:2, emulated]", 1)])

    def compare(self, deck, *more):
        self.write("deck.yaml", deck)
        reference = None
        for number, (ranks, devices, per_rank) in enumerate(self.LAYOUTS):
            directory = f"run{number}"
            self.run_program("run", "deck.yaml", "--set", f"run.devices={devices}", "--set", f"run.per_rank={per_rank}",
                             "--set", f"output.directory={directory}", *more, ranks=ranks)
            bits = self.bits(directory)
            reference = reference or bits
            self.assertEqual(bits, reference, f"{ranks} ranks, {per_rank} times {devices}")

    def test_stepper(self):
        self.compare(BOX)

    def test_ensemble(self):
        self.compare(ENSEMBLE)

    def test_weights_and_threads(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml")
        for weights in ("[1, 3]", "[1, 2, 3, 4]"):
            self.run_program("run", "deck.yaml", "--overwrite", "--set", "output.directory=weighted", "--set", "run.threads=3",
                             "--set", "run.per_rank=2", "--set", f"run.weights={weights}", ranks=2)
            self.assertEqual(self.bits("weighted"), self.bits("box"))


class Results(RunCase):
    def test_lines_end_without_blanks(self):
        self.write("deck.yaml", BOX[:BOX.index("verify")])
        done = self.run_program("run", "deck.yaml")
        self.assertIn("\n  max_error.a ", done.stdout)
        self.assertEqual([line for line in done.stdout.splitlines() if line != line.rstrip()], [])

    def test_files_and_report(self):
        self.write("deck.yaml", BOX)
        done = self.run_program("run", "deck.yaml", ranks=2)
        self.assertEqual(self.names("box"),
                         ["checkpoint_0001.h5", "deck.yaml", "fields.vtkhdf.series", "fields.xdmf", "fields_0001.vtkhdf",
                          "fields_0002.vtkhdf", "fields_0003.vtkhdf", "report.json", "run.files", "run.log"])
        report = self.report("box")
        self.assertEqual((report["finished"], report["converged"], report["exit_code"]), (True, True, 0))
        self.assertEqual((report["ranks"], report["parts"], report["time"]), (2, 2, 0.02))
        self.assertEqual([finding["ok"] for finding in report["findings"]], [True, True])
        timers = {timer["path"]: timer["max"] for timer in report["timers"]}
        self.assertGreaterEqual(timers["set-up"], timers["set-up/devices"])
        self.assertAlmostEqual(report["seconds_of_solve"], timers["solve"], delta=0.2)
        self.assertGreater(report["seconds_of_setup"], 0)
        self.assertGreater(report["seconds"], report["seconds_of_setup"] + report["seconds_of_solve"])
        for name in ("time", "  set-up", "  solve"):
            self.assertRegex(done.stdout, rf"(?m)^  {name} +[0-9.e-]+ s$")
        # To the neighbor, on both sides, go two planes of 12 * 12 doubles in one message per field and step; the step is
        # h^2 / 12, rounded so that 0.01 and 0.02 are met.
        steps = 2 * math.ceil(0.01 * 12 * 12**2)
        for sent in report["sent"]:
            self.assertEqual(sent, {"messages": 2 * steps, "bytes": 2 * steps * 2 * 12 * 12 * 8})
        self.assertIn("paraview box/fields.xdmf", done.stdout)
        self.assertRegex(done.stdout, r"max_error.a .*<= 0.005 +ok")

    def test_the_resolved_deck_gives_the_same_result(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml")
        self.run_program("run", "box/deck.yaml", "--set", "output.directory=again")
        self.assertEqual(self.bits("again"), self.bits("box"))

    def test_default_directory_times_and_fields(self):
        self.write("deck.yaml", BOX.replace("every: 0.01, directory: box", "at: [0, 0.003], fields: [b]"))
        self.run_program("run", "deck.yaml")
        names = [name.split(":")[1] for name in self.bits("out/deck")]
        self.assertEqual(len([name for name in names if name.endswith("CellData/b")]), 3)
        self.assertFalse([name for name in names if name.endswith("CellData/a")])
        text = (self.folder / "out/deck/fields.xdmf").read_text(encoding="utf-8")
        self.assertEqual([float(time) for time in re.findall(r'<Time Value="([^"]*)"', text)], [0, 0.003, 0.02])

    def test_times_of_output_after_the_end(self):
        self.write("deck.yaml", BOX.replace("every: 0.01, directory: box", "at: [0.01, 0.02, 0.021]"))
        done = self.run_program("check", "deck.yaml", expect=2)
        self.assertRegex(done.stderr, r"output\.at\[2\]: 0\.021 is after the end of the run, 0\.02\n")

    def test_verification_failed(self):
        self.write("deck.yaml", BOX)
        done = self.run_program("run", "deck.yaml", "--set", "verify.max_error={b: 1e-9}", ranks=2, expect=1)
        self.assertRegex(done.stdout, r"max_error.b .*FAILED")
        self.assertEqual(self.report("box")["exit_code"], 1)
        self.assertTrue(self.report("box")["finished"])

    def test_unconverged_is_written_and_marked(self):
        import h5py

        self.write("deck.yaml", ENSEMBLE)
        done = self.run_program("run", "deck.yaml", "--set", "ensemble.steps=100", ranks=2, expect=3)
        self.assertIn("NOT CONVERGED: not every system has reached 1", done.stdout)
        report = self.report("ensemble")
        self.assertEqual((report["finished"], report["converged"], report["exit_code"]), (True, False, 3))
        with h5py.File(self.folder / "ensemble/tables.h5") as file:
            self.assertIn(file.attrs["converged"], ("false", b"false"))
            self.assertEqual(file["columns/count"][26], 100)  # 27 needs 111 steps

    def test_study(self):
        self.write("deck.yaml", BOX)
        done = self.run_program("study", "deck.yaml", "--refine", "2", "--set", "stepper.cells=8", ranks=2)
        self.assertIn("max_error.b", done.stdout)
        rows = [line.split(",") for line in (self.folder / "box_study/study.csv").read_text(encoding="utf-8").splitlines()]
        self.assertEqual(rows[0][:2] + rows[0][-2:], ["refined", "unknowns", "max_error.b", "order of max_error.b"])
        self.assertEqual([row[1] for row in rows[1:]], ["1024", "8192"])
        self.assertEqual(rows[1][-1], "")
        self.assertAlmostEqual(float(rows[2][-1]), 2, delta=0.1)  # second-order differences
        self.write("ensemble.yaml", ENSEMBLE)
        done = self.run_program("study", "ensemble.yaml", "--refine", "2", expect=2)
        self.assertIn("cannot be refined", done.stderr)
        self.assertFalse((self.folder / "ensemble").exists())

    def test_reproduce(self):
        (self.folder / "decks").mkdir()
        self.write("decks/deck.yaml", BOX)
        self.write("decks/paper.table", """title: some paper
tables:
  - title: errors
    deck: deck.yaml
    quantities: [max_error.b, seconds]
    cases:
      - {label: 8 cells, set: [stepper.cells=8], published: [1.0]}
      - {label: 12 cells, set: [stepper.cells=12]}
    variants: [{label: one device}, {label: two, set: [run.per_rank=2]}]
""")
        done = self.run_program("reproduce", "decks/paper.table", "--match", "8 cells, ", ranks=2)
        rows = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines() if "8 cells" in line]
        self.assertEqual([row[2] for row in rows], ["one device on each of 2 ranks", "two on each of 2 ranks"])
        self.assertEqual(rows[0][3:6], rows[1][3:6])
        self.assertEqual((rows[0][3], rows[0][4]), ("1", rows[0][5]))
        self.assertGreater(float(rows[0][4]), 1e-9)
        self.assertNotIn("12 cells", done.stdout)
        self.assertFalse((self.folder / "box").exists())
        done = self.run_program("reproduce", "no_paper", ranks=2, expect=2)
        self.assertIn("no table 'no_paper'", done.stderr)


class Directories(RunCase):
    def setUp(self):
        super().setUp()
        self.write("deck.yaml", BOX)

    def test_an_earlier_run_is_refused(self):
        self.run_program("run", "deck.yaml")
        before = {name: (self.folder / "box" / name).stat().st_mtime_ns for name in self.names("box")}
        done = self.run_program("run", "deck.yaml", ranks=2, expect=2)
        self.assertEqual(done.stderr.count("box holds a run already; nothing was computed"), 1)
        self.assertEqual({name: (self.folder / "box" / name).stat().st_mtime_ns for name in self.names("box")}, before)

    def test_overwrite_removes_what_halocline_wrote_and_nothing_else(self):
        self.run_program("run", "deck.yaml", "--set", "output.every=0.002")
        (self.folder / "box/notes.txt").write_text("mine", encoding="utf-8")
        self.run_program("run", "deck.yaml", "--overwrite")
        self.assertEqual(len([name for name in self.names("box") if name.startswith("fields_")]), 3)
        self.assertIn("notes.txt", self.names("box"))

    def test_a_directory_that_cannot_be_made(self):
        self.write("file", "")
        done = self.run_program("run", "deck.yaml", "--set", "output.directory=file/box", ranks=2, expect=4)
        self.assertEqual(done.stderr.count("cannot make the output directory file/box"), 1)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_directory_that_cannot_be_written(self):
        (self.folder / "box").mkdir(mode=0o500)
        self.run_program("run", "deck.yaml", ranks=2, expect=4)

    def test_a_full_disk(self):
        """The file-size limit stands for it: 1 MB is enough for the deck and the log, not for 2 fields of 48^3 cells."""
        program, first = limited(TEST_FAMILIES, 1000)
        for ranks in (1, 2):
            # Open MPI's segments of shared memory would meet the limit too.
            arguments = [*first, "run", "deck.yaml", "--overwrite", "--set", "stepper={cells: 48, diffusivity: [1, 1], end: 1}"]
            done = self.run_program(*arguments, program=program, ranks=ranks, expect=4,
                                    environment={"OMPI_MCA_btl": "self,tcp", "PMIX_MCA_gds": "hash"})
            self.assertEqual(len(re.findall(r"(?m)^halocline: .*fields_0001.*File too large", done.stderr)), 1, done.stderr)
            self.assertFalse([name for name in self.names("box") if name.startswith("fields")], self.names("box"))
            self.assertFalse(self.report("box")["finished"])


class Faults(RunCase):
    def test_an_exception_on_one_rank_ends_the_job(self):
        self.write("deck.yaml", BOX)
        done = self.run_program("run", "deck.yaml", "--set", "stepper.fail_rank=1", ranks=3, expect=4)
        self.assertEqual(done.stderr.count("told to fail (on rank 1)"), 1, done.stderr)

    def test_command_lines(self):
        for line in ([], ["run"], ["solve", "x"], ["run", "none.yaml"], ["explain", "none"], ["study", "x", "--refine", "0"],
                     ["run", "x", "--restart", "auto", "--overwrite"], ["run", "x", "--set"], ["list", "x"]):
            done = self.run_program(*line, expect=2)
            self.assertEqual(done.stdout, "", line)
            self.assertNotEqual(done.stderr, "", line)

    def test_words_of_the_program(self):
        self.assertIn("stepper: ", self.run_program("list", ranks=2).stdout)
        self.assertEqual(self.run_program("info", ranks=2).stdout.count("version"), 1)
        self.assertIn("stepper.diffusivity", self.run_program("explain", "stepper").stdout)
        self.assertIn('"diffusivity"', self.run_program("schema", "stepper").stdout)
        for line in (["--help"], ["run", "--help"]):
            self.assertIn("DECK", self.run_program(*line).stdout)


class Restart(RunCase):
    """A run that was interrupted and continued on another layout ends with the bits of one that was not."""

    def interrupt(self, deck, pause, ranks, *more):
        self.write("deck.yaml", deck)
        self.run_program("run", "deck.yaml", *more, "--set", pause, "--set", "run.wall_limit=0.3", ranks=ranks)
        report = self.report(self.directory)
        self.assertEqual((report["finished"], report["exit_code"]), (False, 0))
        self.assertTrue([name for name in self.names(self.directory) if name.startswith("checkpoint_")])

    def check(self, deck, directory, pause, layouts):
        self.directory = directory
        self.write("deck.yaml", deck)
        self.run_program("run", "deck.yaml", "--set", "output.directory=whole")
        for first, second, devices in layouts:
            self.interrupt(deck, pause, first, "--overwrite")
            self.run_program("run", "deck.yaml", "--restart", "auto", "--set", f"run.devices={devices}", ranks=second)
            self.assertTrue(self.report(directory)["finished"])
            self.assertGreater(self.report(directory)["seconds_of_earlier_runs"], 0)
            self.assertEqual(self.bits(directory), self.bits("whole"))
            self.assertIn("run_1.log", self.names(directory))

    LAYOUTS = [(1, 3, "omp"), (3, 2, "emulated-lazy"), (4, 1, "[omp, emulated, omp:2]")]

    def test_stepper(self):
        self.check(BOX, "box", "stepper.pause=0.05", self.LAYOUTS)

    def test_ensemble(self):
        self.check(ENSEMBLE, "ensemble", "ensemble.pause=0.05", self.LAYOUTS)

    def test_a_file_and_periodic_checkpoints(self):
        self.write("deck.yaml", BOX + "checkpoint: {every: 0.004, keep: 3}\n")
        self.run_program("run", "deck.yaml")
        saved = [name for name in self.names("box") if name.startswith("checkpoint_")]
        self.assertEqual(len(saved), 3)
        self.run_program("run", "deck.yaml", "--set", "output.directory=whole")
        self.run_program("run", "deck.yaml", "--restart", f"box/{saved[0]}", ranks=2)
        self.assertEqual(self.bits("box"), self.bits("whole"))
        done = self.run_program("run", "deck.yaml", "--restart", f"whole/{saved[0]}", "--set", "stepper.cells=10", expect=2)
        self.assertIn("belongs to another problem: stepper.cells was 12 and is 10 now", done.stderr)
        self.run_program("run", "deck.yaml", "--restart", "box/none.h5", expect=2)
        self.run_program("run", "deck.yaml", "--restart", f"whole/{saved[0]}", "--set", "output.directory=new", ranks=3)
        self.assertEqual(self.names("new").count("fields_0001.vtkhdf"), 1)

    def test_auto_without_checkpoint_starts_afresh(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml", "--restart", "auto", ranks=2)
        first = self.bits("box")
        self.run_program("run", "deck.yaml", "--restart", "auto", ranks=2)
        self.assertEqual(self.bits("box"), first)


class Signals(RunCase):
    def stop(self, number, ranks, expect):
        self.write("deck.yaml", BOX)
        process = self.start("run", "deck.yaml", *SLOW, "--set", "stepper.end=10", "--set", "output.every=0.001", ranks=ranks)
        try:
            self.wait_for((self.folder / "box/fields_0002.vtkhdf").exists)
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
        if expect is not None:
            self.assertEqual(process.returncode, expect, errors)
        report = self.report("box")
        self.assertFalse(report["finished"])
        self.assertEqual(report["stopped_by"], signal.Signals(number).name)
        self.bits("box")  # every file can be read
        self.assertFalse([name for name in self.names("box") if name.endswith(".tmp")])
        self.assertIn("checkpoint_0001.h5", self.names("box"))

    def test_one_process(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(number):
                self.setUp()
                self.stop(number, 1, 0)

    def test_ranks(self):
        self.stop(signal.SIGUSR1, 3, 0)

    def test_the_end_by_mpirun(self):
        """mpirun's exit code is its own then, and it leaves the ranks a short time only."""
        self.stop(signal.SIGTERM, 2, None)

    def test_a_second_interrupt_ends_at_once(self):
        """Where no slice ends for long, as in a direct solver or a read that hangs."""
        self.write("deck.yaml", BOX)
        process = self.start("run", "deck.yaml", "--set", "stepper.pause=100")
        try:
            self.wait_for((self.folder / "box/run.log").exists)
            process.send_signal(signal.SIGINT)
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(timeout=1)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=20), -signal.SIGINT)
        finally:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    assert TEST_FAMILIES
    unittest.main()
