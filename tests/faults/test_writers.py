"""Results of all families are the same whichever ranks write them (output.writers)."""

import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import PROGRAM, RunCase  # noqa: E402  pylint: disable=wrong-import-position

FIELDS = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [32, 24], cells: [32, 24]}
  equation: {kind: diffusion, D: 1, initial: 0.01*x}
  walls: {rest: {kind: dirichlet, value: 1 + sin(t)}}
  stencil: {mask: 9pt, co: 2/3}
  time: {end: 20}
output: {directory: out, every: 5}
checkpoint: {every: 5, keep: 9}
"""
LEVELS = """\
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [6, 5, 8]}
  equation: {psi: t, order: 0.5, D: 1, initial: 0, source: 1}
  sides: {rest: {kind: dirichlet, value: 0}}
  time: {end: 1, steps: 8, mesh: uniform_t}
  history: {engine: direct, block: 4}
output: {directory: out, every: 0.5}
checkpoint: {every: 0.25, keep: 9}
"""
ELEMENTS = """\
problem: collocation
collocation:
  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: -1, f: manufactured}
  mesh:
    x: {from: 0, to: 1, elements: 8}
    y: {from: 0, to: 1, elements: 8}
  sides: {rest: {kind: dirichlet}}
output: {directory: out}
verify: {exact: sin(x + y), max_error: {u: 1e-5}}
"""
TABLES = """\
problem: ode_ensemble
ode_ensemble:
  evaluation: interpreted
  equations: ["x' = -k*x"]
  initial: {x: 1}
  sweep: [{name: k, from: 1, to: 2, points: 9}]
  solver: {method: dopri5, rtol: 1e-8, atol: 1e-10}
  phase: {length: 1}
  record: {final: [x]}
output: {directory: out}
"""
MESH = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [7, 8, 9]}
      k: 1
      sides: {rest: {kind: dirichlet, value: 0}}
      source: 1
  preconditioner: jacobi
output: {directory: out}
"""


class Writers(RunCase):
    def run_on(self, ranks, directory, *settings, devices="omp:1"):
        self.run_program("run", "deck.yaml", *(word for setting in (f"output.directory={directory}", *settings,
                                                                    f"run.devices={devices}")
                                               for word in ("--set", setting)), ranks=ranks, program=PROGRAM)
        return self.bits(directory)

    def expect_same(self, deck, layouts):
        self.write("deck.yaml", deck)
        wanted = self.run_on(1, "one")
        for ranks, writers, devices in layouts:
            directory = f"{ranks}_{writers}_{devices}"
            with self.subTest(directory):
                found = self.run_on(ranks, directory, f"output.writers={writers}", devices=devices)
                self.assertEqual(found, wanted)
                log = (self.folder / directory / "run.log").read_text(encoding="utf-8")
                count = min(writers, ranks) if isinstance(writers, int) else 1
                self.assertIn(f"files are written by {count} of {ranks} ranks", log)

    def test_diffusion(self):
        self.expect_same(FIELDS, [(3, 1, "emulated-lazy"), (4, 2, "omp:1"), (2, "node", "omp:1")])

    def test_fractional(self):
        self.expect_same(LEVELS, [(3, 2, "emulated")])

    def test_collocation(self):
        self.expect_same(ELEMENTS, [(3, 1, "omp:1")])

    def test_ode_ensemble(self):
        self.expect_same(TABLES, [(3, 2, "omp:1")])

    def test_sparse(self):
        self.expect_same(MESH, [(3, 1, "omp:1")])

    def expect_restart(self, deck, saved):
        """From a checkpoint with values in files of writers, on two ranks, to the bits of a run without a break."""
        self.write("deck.yaml", deck)
        wanted = self.run_on(1, "one")
        self.run_on(3, "whole", "output.writers=2", "checkpoint.files=writers")
        names = self.names("whole")
        self.assertIn("checkpoint_0002.0002.values", names)
        self.assertNotIn("checkpoint_0002.0003.values", names)
        for name in names:
            if name > saved and name.startswith("checkpoint_"):
                (self.folder / "whole" / name).unlink()
        (self.folder / "whole" / "report.json").unlink()
        done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", "output.directory=whole", "--set",
                                "run.devices=emulated", ranks=2, program=PROGRAM)
        self.assertNotIn("passed over", done.stderr)
        self.assertIn(f"continues from whole/{saved}",
                      (self.folder / "whole" / "run.log").read_text(encoding="utf-8"))
        self.assertEqual(self.bits("whole"), wanted)

    def test_diffusion_goes_on(self):
        self.expect_restart(FIELDS, "checkpoint_0002.h5")

    def test_fractional_goes_on(self):
        self.expect_restart(LEVELS, "checkpoint_0003.h5")

    def test_tools_read_values_beside(self):
        self.write("deck.yaml", FIELDS)
        found = []
        for files in ("one", "writers"):
            self.run_on(3, files, "output.writers=2", f"checkpoint.files={files}")
            script = ("import h5py, sys; f = h5py.File(sys.argv[1]); "
                      "print([(n, f['blocks'][n][()].tobytes().hex()) for n in f['blocks']])")
            done = subprocess.run([sys.executable, "-c", script, self.folder / files / "checkpoint_0002.h5"],
                                  cwd=self.folder / files, capture_output=True, text=True, check=True)
            found.append(done.stdout)
        self.assertEqual(*found)
        self.assertGreater(len(found[0]), 32 * 24 * 16)

    def test_no_writer_is_a_fault(self):
        self.write("deck.yaml", FIELDS)
        done = self.run_program("check", "deck.yaml", "--set", "output.writers=0", program=PROGRAM, expect=2)
        self.assertIn("expected auto, all, node or a number of ranks from 1 on, found 0", done.stderr)


if __name__ == "__main__":
    unittest.main()
