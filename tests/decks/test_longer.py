"""Finished runs that are made longer, one run at a time in a directory, and what a run tells that has stopped."""

import os
import re
import shutil
import signal
import unittest

import h5py
import numpy
from runs import BOX, PROGRAM, TEST_FAMILIES, RunCase

WATCHED = BOX.replace("every: 0.01", "every: 0.01, images: {every: 0.002}, "
                      "probes: {every_steps: 3, points: [[0.1, 0.2, 0.3]]}").replace("end: 0.02", "end: 0.0171")
DIFFUSION = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [32, 32], cells: [32, 32]}
  equation: {kind: cahn_hilliard, mobility: 1, kappa: 1, rho: 1, wells: [-1, 1], initial: 0.1*sin(x)}
  walls: {rest: {kind: no_flux}}
  stencil: {mask: 9pt, dt: 0.003}
  time: {end: 0.3}
output: {directory: out, every: 0.1, probes: {every: 0.04, points: [[10, 10]]}}
"""
CONTROLLED = DIFFUSION.replace("cahn_hilliard, mobility: 1, kappa: 1, rho: 1, wells: [-1, 1]", "diffusion, D: 1").replace(
    "end: 0.3", "end: 0.31, method: rkc, tolerance: 1e-6").replace("dt: 0.003", "co: 1")
FRACTIONAL = """\
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [8, 8, 8]}
  equation: {order: 0.6, D: 0.1, initial: sin(pi*x)*sin(pi*y)*sin(pi*z)}
  sides: {rest: {kind: dirichlet, value: 0}}
  time: {end: 0.5, horizon: 1, steps: 32}
output: {directory: out, every: 0.1}
"""
COLLOCATION = """\
problem: collocation
collocation:
  equation: {a: 1 + x*y, b: 0, c: 1, d: y, e: x, eta: 0, f: 1}
  mesh: {x: {from: 0, to: 1, elements: 16}, y: {from: 0, to: 1, elements: 16}}
  sides: {rest: {kind: dirichlet, value: 0}}
  solver: {method: schur, tol: 1e-9, maxit: 6}
output: {directory: out, every: 3}
"""
NEWTON = COLLOCATION.replace("a: 1 + x*y, b: 0, c: 1, d: y, e: x, eta: 0, f: 1",
                             "a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, f: 0, source: 3*exp(u)").replace(
                                 "method: schur, tol: 1e-9, maxit: 6", "tol: 1e-3")
SPARSE = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [12, 12, 12]}
      k: 1 + x*y + t
      source: 1 + t
      sides: {rest: {kind: dirichlet, value: 0}}
  solver: {method: auto, tol: 1e-6}
  preconditioner: amg
  sequence: {solves: 2, step: 0.5}
output: {directory: out}
"""
# With an event that ends phases, noise of none, means that go on, and times of output.
BOUNCES = """\
problem: ode_ensemble
ode_ensemble:
  sweep: [{name: gamma, from: 0.1, to: 0.65, points: 12}]
  equations: ["x' = v", "v' = -0.3*v + x - x^3 + gamma*cos(1.2*t)"]
  initial: {x: 1, v: 0}
  evaluation: interpreted
  events: [{name: top, crossing: v, direction: falling, ends_phase: true}]
  phase: {ends: top, at_most: 20}
  repeat: {transient: 3, record: 4}
  accumulators: {farthest: {maximum: x}, way: {mean: x}, all: {integral: v^2, keep: true}}
  record: {final: [x], each_phase: [x, way], all_phases: {farthest: maximum, way: mean},
           at_times: {values: [x], from: 0, to: 90, points: 10}}
output: {directory: out}
"""
STIFF = """\
problem: ode_ensemble
ode_ensemble:
  sweep: [{name: mu, values: [1, 100, 1000]}]
  equations: ["x' = v", "v' = mu*(1 - x^2)*v - x + cos(t)/10"]
  initial: {x: 2, v: 0}
  evaluation: interpreted
  solver: {method: auto, rtol: 1e-6, atol: 1e-6}
  phase: {length: 0.11, restart_time: true}
  repeat: {transient: 0, record: 5}
  record: {each_phase: [x, v]}
output: {directory: out}
"""
PATHS = STIFF.replace("  solver: {method: auto, rtol: 1e-6, atol: 1e-6}", "  noise: ['v = 0.1']\n  solver: {method: milstein, step: 0.01}") \
             .replace("[1, 100, 1000]", "[1, 2, 3]").replace(", restart_time: true", "")


class Longer(RunCase):
    def longer(self, deck, *more, program=PROGRAM, directory="out", ranks=1, expect=0):
        """The finished run of a deck that goes on has the bits of one that was so long from the beginning."""
        self.write("deck.yaml", deck)
        self.run_program("run", "deck.yaml", program=program, ranks=ranks, expect=expect)
        done = self.run_program("run", "deck.yaml", "--restart", "auto", *more, program=program)
        self.assertIn("continues from", done.stderr)
        self.run_program("run", "deck.yaml", "--set", "output.directory=whole", *more, program=program)
        self.assertEqual(self.bits(directory), self.bits("whole"))

    def test_a_step_that_the_end_has_cut(self):
        self.longer(WATCHED, "--set", "stepper.end=0.03", program=TEST_FAMILIES, directory="box", ranks=3)

    def test_an_end_that_is_a_time_of_output(self):
        self.longer(BOX, "--set", "stepper.end=0.03", program=TEST_FAMILIES, directory="box")

    def test_diffusion(self):
        self.longer(DIFFUSION, "--set", "diffusion.time.end=0.9", ranks=2)

    def test_diffusion_by_errors(self):
        self.longer(CONTROLLED, "--set", "diffusion.time.end=1")

    def test_fractional(self):
        more = ("--set", "fractional.time.end=1", "--set", "fractional.time.steps=64")
        self.longer(FRACTIONAL, *more)
        # At its horizon, and without one, there is no later end.
        told = self.run_program("run", "deck.yaml", "--restart", "auto", *more, program=PROGRAM).stdout
        self.assertIn("Its history is made for its horizon, which it has reached", told)
        self.assertNotIn("raise", told)
        self.write("deck.yaml", FRACTIONAL.replace(", horizon: 1", "").replace("directory: out", "directory: without"))
        for words in ("", "Its history is made for its end"):
            told = self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM).stdout
            self.assertIn(words, told)
        done = self.run_program("run", "deck.yaml", "--restart", "auto", *more, program=PROGRAM, expect=2)
        self.assertIn("another problem", done.stderr)

    def test_more_iterations(self):
        self.longer(COLLOCATION, "--set", "collocation.solver.maxit=1000", expect=3)

    def test_newtons_tolerance(self):
        self.longer(NEWTON, "--set", "collocation.solver.tol=1e-10")

    def test_more_solves(self):
        self.longer(SPARSE, "--set", "sparse.sequence.solves=4")

    def test_more_phases(self):
        fixed = PATHS.replace("method: milstein", "method: rk4").replace("  noise: ['v = 0.1']\n", "")
        for deck in (STIFF, PATHS, fixed, BOUNCES):
            with self.subTest(deck):
                self.longer(deck, "--set", "ode_ensemble.repeat.record=11", ranks=2)
                with h5py.File(self.folder / "out/tables.h5") as tables:
                    results = {name: values[()] for name, values in tables["result"].items()}
                for path in ("out", "whole"):
                    shutil.rmtree(self.folder / path)
        numpy.testing.assert_allclose(results["way_mean"], results["way"].mean(axis=1), rtol=1e-13)

    def test_systems_that_turn_out_to_be_stiff_at_the_end(self):
        """Some of 200 change over to another method at the very end of the first run."""
        deck = STIFF.replace("values: [1, 100, 1000]", "from: 300, to: 3000, points: 200").replace("length: 0.11", "length: 0.003")
        self.longer(deck.replace("record: 5", "record: 7"), "--set", "ode_ensemble.repeat.record=14")

    def test_other_phases(self):
        self.write("deck.yaml", STIFF)
        self.run_program("run", "deck.yaml", program=PROGRAM)
        told = self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM).stdout
        self.assertIn("To go on, raise ode_ensemble.repeat.record with --set", told)
        before = self.bits("out"), (self.folder / "out/deck.yaml").read_bytes()
        for setting, words in (("phase.length=0.2", "a finished run with other phases; nothing was computed"),
                               ("repeat.transient=1", "a finished run with other phases; nothing was computed"),
                               ("repeat.record=4", "a finished run of more phases; nothing was computed")):
            done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", f"ode_ensemble.{setting}",
                                    program=PROGRAM, expect=2)
            self.assertIn(words, done.stderr)
            self.assertIn("with further phases alone (ode_ensemble.repeat.record above 5)", done.stderr)
        self.assertEqual((self.bits("out"), (self.folder / "out/deck.yaml").read_bytes()), before)

    def test_a_linear_tolerance(self):
        """Methods end in the middle of an iteration: on to the tolerance, with other bits."""
        self.write("deck.yaml", COLLOCATION.replace("maxit: 6", "maxit: 1000"))
        self.run_program("run", "deck.yaml", "--set", "collocation.solver.tol=1e-3", program=PROGRAM)
        self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM)
        found = {finding["name"]: finding["value"] for finding in self.report("out")["findings"]}
        self.assertLess(found["relative_residual"], 1e-9)
        self.assertLess(found["residual"], 1e-7)

    def test_a_finished_run_says_so(self):
        self.write("deck.yaml", BOX)
        for settings, code in (([], 0), (["--set", "verify.max_error={b: 1e-9}"], 1)):
            self.run_program("run", "deck.yaml", "--overwrite", *settings, expect=code)
            before = {name: (self.folder / "box" / name).stat().st_mtime_ns for name in self.names("box")}
            done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", "run.per_rank=2", *settings, ranks=2,
                                    expect=code)
            self.assertEqual(done.stdout.count("box: the run is finished"), 1)
            self.assertIn("To go on, raise its end with --set", done.stdout)
            self.assertEqual({name: (self.folder / "box" / name).stat().st_mtime_ns for name in self.names("box")}, before)

    def test_no_checkpoint_at_the_end(self):
        self.write("deck.yaml", BOX + "checkpoint: {at_end: false}\n")
        self.run_program("run", "deck.yaml")
        self.assertFalse([name for name in self.names("box") if name.startswith("checkpoint")])
        before = self.bits("box")
        self.assertIn("nothing of it to go on with", self.run_program("run", "deck.yaml", "--restart", "auto").stdout)
        done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", "stepper.end=0.03", expect=2)
        self.assertIn("no checkpoint to go on from; nothing was computed", done.stderr)
        self.assertEqual(self.bits("box"), before)

    def test_an_earlier_end(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml")
        done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", "stepper.end=0.01", expect=2)
        self.assertRegex(done.stderr, r"the checkpoint is of time 0\.0\d+, after the end of the run, 0\.01")

    def test_the_wall_limit_tells_how_to_go_on(self):
        self.write("deck.yaml", BOX)
        done = self.run_program("run", "deck.yaml", "--overwrite", "--set", "run.wall_limit=0.01", "--set", "stepper.pause=0.01")
        self.assertRegex(done.stdout, r"result +stopped by the wall limit at t = 0\.0\d+, before the end")
        line = re.search(r"(?m)^  go on with +(.*)$", done.stdout).group(1)
        self.assertEqual(line, f"{TEST_FAMILIES} run deck.yaml --set run.wall_limit=0.01 --set stepper.pause=0.01 --restart auto")

    def test_the_log_has_what_the_screen_shows(self):
        self.write("deck.yaml", COLLOCATION.replace("maxit: 6", "maxit: 1000"))
        done = self.run_program("run", "deck.yaml", "--verbose", program=PROGRAM)
        log = (self.folder / "out/run.log").read_text(encoding="utf-8")
        self.assertRegex(log.splitlines()[0], r"halocline \d.*, command line: .*halocline run deck.yaml --verbose$")
        for line in done.stderr.splitlines() + done.stdout.splitlines():
            self.assertIn(line, log)
        self.assertEqual((done.stdout + done.stderr).count("relative_residual"), 1)
        self.assertEqual(log.count("relative_residual"), 1)


class Alone(RunCase):
    """One run at a time in a directory."""

    def hold(self):
        self.write("deck.yaml", BOX)
        process = self.start("run", "deck.yaml", "--set", "stepper.end=100", "--set", "stepper.pause=0.05")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for((self.folder / "box/fields_0001.vtkhdf").exists)
        return process

    def test_a_second_run(self):
        process = self.hold()
        for more in ([], ["--overwrite"], ["--restart", "auto"]):
            done = self.run_program("run", "deck.yaml", *more, ranks=2 if "--overwrite" in more else 1, expect=4)
            self.assertRegex(done.stderr, rf"another run is at work in box: process {process.pid} on \S+ since 20\S+;")
        self.run_program("study", "deck.yaml", "--refine", "1", "--overwrite", "--set", "output.directory=box", expect=4)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 0)
        self.assertNotIn("run.lock", self.names("box"))

    def test_after_a_kill(self):
        process = self.hold()
        process.kill()
        process.wait(timeout=30)
        self.assertIn("run.lock", self.names("box"))
        self.run_program("run", "deck.yaml", "--overwrite")
        self.assertNotIn("run.lock", self.names("box"))

    def test_copies_of_a_launcher_that_mpi_does_not_know(self):
        self.write("deck.yaml", BOX)
        step = {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_NTASKS": "2"}
        for copies in ({}, {"HALOCLINE_COPIES": ""}, {"HALOCLINE_COPIES": "0"}):
            done = self.run_program("run", "deck.yaml", environment={**step, **copies}, expect=4)
            self.assertIn("2 processes were started (SLURM_STEP_NUM_TASKS)", done.stderr)
        self.assertFalse((self.folder / "box").exists())
        self.run_program("run", "deck.yaml", environment={"SLURM_NTASKS": "2"})  # in a batch script
        self.run_program("run", "deck.yaml", "--overwrite", environment=step, ranks=2)  # mpirun in a step
        self.run_program("run", "deck.yaml", "--overwrite", environment={**step, "HALOCLINE_COPIES": "1"})


class Hangup(RunCase):
    """The end of a session, and texts that nobody reads, end a run in order."""

    def begin(self, *more, **popen):
        self.write("deck.yaml", BOX)
        process = self.start("run", "deck.yaml", "--set", "stepper.end=100", "--set", "stepper.pause=0.05", *more)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for((self.folder / "box/fields_0001.vtkhdf").exists)
        return process

    def test_hangup(self):
        process = self.begin()
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=30), 0)
        self.assertEqual(self.report("box")["stopped_by"], "SIGHUP")
        self.assertIn("checkpoint_0001.h5", self.names("box"))

    def test_nohup(self):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGHUP, signal.SIG_DFL)
        process = self.begin()
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 0)
        self.assertEqual(self.report("box")["stopped_by"], "SIGTERM")

    def test_a_closed_pipe(self):
        process = self.begin()
        process.stdout.close()
        process.stderr.close()
        self.wait_for(lambda: process.poll() is not None)
        process.stdout, process.stderr = open(os.devnull, encoding="utf-8"), open(os.devnull, encoding="utf-8")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.report("box")["stopped_by"], "SIGPIPE")
        self.assertIn("checkpoint_0001.h5", self.names("box"))


if __name__ == "__main__":
    unittest.main()
