"""The decks of inputs/ode_ensemble through the program: they verify themselves, with the same bits on any number of ranks
and threads; restarts, failures and bad decks of the family.
"""

import time
import unittest

import h5py
import numpy as np
from runs import INPUTS, PROGRAM, RunCase

DECKS = INPUTS / "ode_ensemble"

# Without a compiler, so that nothing but the program is timed.
INTERPRETED = ("--set", "ode_ensemble.evaluation=interpreted")
BLOW_UP = """\
problem: ode_ensemble
ode_ensemble:
  equations: ["x' = x^2"]
  initial: {x: p}
  evaluation: interpreted
  sweep: [{name: p, values: [0.1, 2, 0.2]}]
  solver: {rtol: 1e-10, atol: 1e-10, max_steps: 100000}
  phase: {length: 1}
  record: {final: [x]}
output: {directory: run}
"""


class OdeEnsemble(RunCase):
    def solve(self, deck, directory, *arguments, ranks=1, expect=0, environment=None):
        return self.run_program("run", DECKS / deck, "--set", f"output.directory={directory}", *arguments, ranks=ranks,
                                program=PROGRAM, expect=expect, environment=environment)

    def test_compiled_decks_verify_themselves(self):
        self.solve("relief_valve.yaml", "valve", "--set", "ode_ensemble.evaluation=compiled", ranks=2)
        with h5py.File(self.folder / "valve/tables.h5") as file:
            self.assertEqual(file["result/time"].shape, (15, 4))
            self.assertEqual(file["sweep/q"].attrs["spacing"], b"values")
            self.assertLess(-1e-11, np.nanmin(file["result/lowest"][:]))
            self.assertEqual(file["status"][:].tolist(), [0] * 15)
            trials = sum(file[f"cost/{kind}"][:] for kind in ("accepted", "rejected", "retaken"))
            self.assertEqual((6 * trials).tolist(), file["cost/rhs"][:].tolist())

    def test_interpreted_decks_verify_themselves(self):
        for deck in ("riccati.yaml", "lorenz.yaml", "relief_valve_cycles.yaml", "keller_miksis.yaml", "duffing.yaml", "stiff.yaml"):
            self.solve(deck, deck, *INTERPRETED)

    def test_bits_on_ranks_and_threads(self):
        self.solve("relief_valve.yaml", "one", *INTERPRETED)
        for ranks in (2, 3, 4):
            self.solve("relief_valve.yaml", f"ranks{ranks}", *INTERPRETED, ranks=ranks)
            self.assertEqual(self.bits(f"ranks{ranks}"), self.bits("one"))
        self.solve("relief_valve.yaml", "threads", *INTERPRETED, "--set", "run.threads=3", "--set", "run.per_rank=2")
        self.assertEqual(self.bits("threads"), self.bits("one"))

    def test_times_of_output_exponents_and_noise_on_ranks_and_devices(self):
        for deck in ("house.yaml", "lyapunov.yaml", "noise.yaml"):
            self.solve(deck, deck, *INTERPRETED)
            self.solve(deck, f"{deck}_3", *INTERPRETED, ranks=3)
            self.solve(deck, f"{deck}_4", *INTERPRETED, "--set", "run.devices=emulated-lazy", "--set", "run.per_rank=2",
                       ranks=2)
            for other in (f"{deck}_3", f"{deck}_4"):
                self.assertEqual(self.bits(other), self.bits(deck), other)

    def test_vectors_on_ranks_and_devices(self):
        self.solve("lorenz96.yaml", "compiled")
        self.solve("lorenz96.yaml", "one", *INTERPRETED)
        for ranks in (2, 3, 4):
            self.solve("lorenz96.yaml", f"ranks{ranks}", *INTERPRETED, ranks=ranks)
            self.assertEqual(self.bits(f"ranks{ranks}"), self.bits("one"))
        for devices in ("omp:2", "emulated", "emulated-lazy"):
            self.solve("lorenz96.yaml", devices, *INTERPRETED, "--set", f"run.devices={devices}", "--set", "run.per_rank=2")
            self.assertEqual(self.bits(devices), self.bits("one"))

    def test_interrupted_by_the_wall_limit(self):
        more = (*INTERPRETED, "--set", "ode_ensemble.repeat.transient=2000")
        more += ("--set", "verify.max_error=1e-6")
        self.solve("relief_valve_cycles.yaml", "whole", *more)
        self.solve("relief_valve_cycles.yaml", "parts", *more, "--set", "run.wall_limit=0.05")
        self.assertFalse(self.report("parts")["finished"])
        self.solve("relief_valve_cycles.yaml", "parts", *more, "--restart", "auto", ranks=2)
        self.assertEqual(self.bits("parts"), self.bits("whole"))
        done = self.solve("relief_valve_cycles.yaml", "parts", *more, "--set", "ode_ensemble.constants.r=0.7",
                          "--restart", "auto", expect=2)
        self.assertIn("belongs to another problem", done.stderr)

    def test_trajectories_hear_the_wall_limit(self):
        # The system itself takes a moment, its million points take long.
        deck = BLOW_UP.replace("x' = x^2", "x' = -x").replace("length: 1", "length: 20")
        self.write("deck.yaml", deck.replace("final: [x]", "final: [x], trajectory: {systems: [1, 0], every: 1e-5}"))
        begin = time.monotonic()
        done = self.run_program("run", "deck.yaml", "--set", "run.wall_limit=0.5", program=PROGRAM)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("stopped by the wall limit", done.stdout)
        self.run_program("run", "deck.yaml", "--restart", "auto", "--set",
                         "ode_ensemble.record.trajectory={systems: [1, 0], every: 1}", program=PROGRAM)
        with h5py.File(self.folder / "run/tables.h5") as file:
            self.assertEqual(file["trajectory/offset"][:].tolist(), [0, 21, 42])
            exact = np.concatenate([p * np.exp(-np.arange(21)) for p in (2, 0.1)])
            self.assertLess(abs(file["trajectory/x"][:] - exact).max(), 1e-8)

    def test_systems_that_fail(self):
        self.write("deck.yaml", BLOW_UP)
        done = self.run_program("run", "deck.yaml", program=PROGRAM, expect=3)
        self.assertIn("1 system did not end well", done.stdout + done.stderr)
        self.assertIn("(think of: a pole of the solution, ", done.stdout)
        self.assertRegex(done.stdout, r"ended.minimum_step +1\n")  # a pole: no step is small enough
        self.assertEqual({f["name"]: f["value"] for f in self.report("run")["findings"]}["failed_systems"], 1)
        with h5py.File(self.folder / "run/tables.h5") as file:
            self.assertEqual(np.isnan(file["result/x"][:]).tolist(), [False, True, False])
        for word, code in (("stop", 3), ("report", 0)):
            self.run_program("run", "deck.yaml", "--overwrite", "--set", f"ode_ensemble.on_failure={word}",
                             program=PROGRAM, expect=code)
        done = self.run_program("run", "deck.yaml", "--overwrite", "--set", "ode_ensemble.initial.x=1/(p-2)",
                                program=PROGRAM, expect=2)
        self.assertIn("system 1: p = 2", done.stderr)

    def test_compiled_code_is_kept_for_the_user(self):
        cache = self.folder / "caches"
        kept = {"environment": {"XDG_CACHE_HOME": str(cache)}}
        compiled = ("--set", "ode_ensemble.evaluation=compiled", "--overwrite")
        self.assertRegex(self.solve("riccati.yaml", "run", *compiled, **kept).stderr, "equations: .*, compiled in [0-9.]+ s")
        entries = list((cache / "halocline").iterdir())
        self.assertEqual([oct(path.stat().st_mode)[-3:] for path in [cache, cache / "halocline", *entries]],
                         ["700", "700", "600"])
        done = self.solve("riccati.yaml", "run", *compiled, ranks=2, **kept)
        self.assertIn("from the cache in", done.stderr)
        data = entries[0].read_bytes()
        entries[0].write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        self.assertIn("compiled in", self.solve("riccati.yaml", "run", *compiled, **kept).stderr)
        (cache / "halocline").chmod(0o777)
        self.assertIn("no folder that only you can write to", self.solve("riccati.yaml", "run", *compiled, **kept).stderr)
        done = self.solve("riccati.yaml", "run", *compiled, "--cache", "none", **kept)
        self.assertNotIn("is not kept", done.stderr)

    def test_small_ensembles_are_not_compiled(self):
        done = self.solve("house.yaml", "small")
        self.assertRegex(done.stderr, "the equations are interpreted: compiling takes about [0-9.]+ s and would save")
        self.assertRegex(done.stdout, r"unknowns +[0-9]+: [0-9]+ systems of [0-9]+ equations")
        self.solve("house.yaml", "ranks", ranks=2)
        self.assertEqual(self.bits("small"), self.bits("ranks"))
        many = "problem: ode_ensemble\node_ensemble:\n  equations: [\"x' = v\", \"v' = -x - 0.1*v + sin(t)\"]\n" \
               "  initial: {x: p, v: 0}\n  sweep: [{name: p, from: 0, to: 1, points: 200000}]\n" \
               "  phase: {length: 10}\n  repeat: {record: 40}\n  record: {final: [x]}\noutput: {directory: many}\n" \
               "run: {wall_limit: 0.1}\n"
        self.write("many.yaml", many)
        self.assertIn(", compiled in", self.run_program("run", "many.yaml", "--cache", "none",
                                                        program=PROGRAM).stderr)

    def test_compiled_needs_a_compiler(self):
        nowhere = ("--compiler", "/nowhere/c++")
        done = self.solve("lorenz.yaml", "none", "--set", "ode_ensemble.evaluation=compiled", *nowhere, ranks=2, expect=4)
        self.assertIn("the formulas cannot be compiled", done.stderr)
        self.solve("duffing.yaml", "any", *nowhere)

    def test_a_wrong_result_is_told(self):
        self.solve("lorenz.yaml", "run", *INTERPRETED, "--set", "ode_ensemble.constants.b=8/3", expect=1)

    def test_bad_decks(self):
        done = self.run_program("check", DECKS / "lorenz.yaml", "--set", "ode_ensemble.equations=[\"x1' = 2*y\"]",
                                program=PROGRAM, expect=2)
        self.assertIn("unknown name 'y'", done.stderr)
        self.assertIn("^", done.stderr)
        more = [word for key in ("output.every=1", "output.at=[1]", "output.images={every: 1}", "output.probes={every: 1}",
                                 "output.geometry=index", "checkpoint.every=1") for word in ("--set", key)]
        done = self.run_program("check", DECKS / "lorenz.yaml", *more, program=PROGRAM, expect=2)
        self.assertEqual(done.stderr.count("means nothing for family ode_ensemble"), 6, done.stderr)
        for key, words in (("output.max_size=1e-9", "is 1e-09 GiB, and the results take 3.58e-07 GiB"),
                           ("ode_ensemble.record.max_size=1", "unknown key; it belongs to 'output'")):
            done = self.run_program("check", DECKS / "lorenz.yaml", "--set", key, program=PROGRAM, expect=2)
            self.assertIn(words, done.stderr)
        done = self.run_program("check", DECKS / "lorenz.yaml", "--set", "output.every_steps=1", program=PROGRAM, expect=2)
        self.assertIn("output.every_steps: means nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
