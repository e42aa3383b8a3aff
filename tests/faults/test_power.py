"""A power failure at any moment: what is not synced is lost, and a restart ends with the bits and all the files of a run
without one.

The log of a run (fail_at.c) tells in which order it has made, renamed and synced its files and folders. Of every
beginning of it two disks are made. The poor one has names as of the last sync of their folder and, under these, what
was synced of the files. The vain one has all names at once, and what was synced of the files, or nothing. The restart
works on what the disk has. HALOCLINE_FAULT_PLACES is half of the number of moments that are tried for each deck and kind
of disk (default 2; 0: all of them), HALOCLINE_FAULT_SEED where they lie.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "decks"),
                str(pathlib.Path(__file__).resolve().parent / "campaign")]
from decks import LONG  # noqa: E402  pylint: disable=wrong-import-position
from runs import PROGRAM, RunCase, command  # noqa: E402  pylint: disable=wrong-import-position
from test_places import (LIBRARY, PLACES, SEED, Collocation, Diffusion, Ensemble, Fractional,  # noqa: E402
                         Places, Sparse)  # pylint: disable=wrong-import-position


class Disk:
    """What a disk may have after the first calls of a log."""

    def __init__(self, lines, log, root):
        self.names, self.durable, self.content = {}, {}, {}  # by path a number of a file; by that what was synced of it
        for number, line in enumerate(lines):
            what, path, other = line.split("\t")
            if what == "create":
                self.names[path] = number
            elif what in ("rename", "link"):
                self.names[other] = self.names.pop(path) if what == "rename" else self.names[path]
            elif what == "remove":
                self.names.pop(path, None)
            elif what == "sync":
                if path in self.names:
                    self.content[self.names[path]] = log / str(number)
            elif what == "folder":
                self.durable = {name: file for name, file in self.durable.items() if not self.is_in(name, path)}
                self.durable.update({name: file for name, file in self.names.items() if self.is_in(name, path)})
        self.root = root

    @staticmethod
    def is_in(name, folder):
        return os.path.dirname(name) == folder

    def make(self, folder, poor):
        for name, file in (self.durable if poor else self.names).items():
            path = folder / os.path.relpath(name, self.root)
            path.parent.mkdir(parents=True, exist_ok=True)
            if file in self.content:
                shutil.copyfile(self.content[file], path)
            else:
                path.write_bytes(b"")


class Power(Places):
    def test_places(self):
        self.write("deck.yaml", self.deck)
        log = self.folder / "log"
        log.mkdir()
        done = self.run_with("whole", log=log)
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = self.files("whole")
        lines = (log / "log").read_text(encoding="utf-8").splitlines()
        moments = range(len(lines) + 1)
        self.assertGreater(len(lines), 20)
        chance = random.Random(SEED)
        for poor in (True, False):
            for moment in moments if PLACES == 0 else sorted(chance.sample(moments, min(2 * PLACES, len(lines)))):
                with self.subTest(poor=poor, moment=moment):
                    name = f"{'poor' if poor else 'vain'}_{moment}"
                    out = self.folder / name / "out"
                    out.mkdir(parents=True)
                    Disk(lines[:moment], log, self.folder / "whole/out").make(out, poor)
                    self.restart(name, whole)
                    shutil.rmtree(out)

    def restart(self, name, whole):
        line = command(PROGRAM, ["run", self.folder / "deck.yaml", "--restart", "auto"])
        done = subprocess.run(line, cwd=self.folder / name, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, check=False, env={**os.environ, **self.alone()})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(name), whole, done.stderr)


class PowerCollocation(Power, RunCase):
    deck = Collocation.deck


class PowerEnsemble(Power, RunCase):
    deck = Ensemble.deck


class PowerDiffusion(Power, RunCase):
    deck = Diffusion.deck


class PowerFractional(Power, RunCase):
    deck = Fractional.deck.replace("every: 0.125", "every: 0.125, files: writers")


class PowerSparse(Power, RunCase):
    deck = Sparse.deck


by_hand = unittest.skipUnless(PLACES == 0, "by hand, with HALOCLINE_FAULT_PLACES=0")


@by_hand
class PowerBoxes(Power, RunCase):
    deck = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [1, 1, 1], cells: [12, 10, 8], parts: [2, 2]}
  equation: {kind: diffusion, D: 1, initial: "sin(pi*x/2)*cos(pi*y)*cos(2*pi*z)"}
  walls: {x_min: {kind: dirichlet, value: sin(t)}, rest: {kind: no_flux}}
  stencil: {mask: 19pt, co: 1/2}
  time: {end: 0.02}
run: {per_rank: 4}
output:
  directory: out
  every: 0.005
  images: {every: 0.005, pixels: 32, axis: y}
  probes: {every: 0.005, points: [[0.5, 0.5, 0.5]]}
checkpoint: {every: 0.004, files: writers}
verify: {mass_balance: 1e-11}
"""


@by_hand
class PowerFractionalBoxes(Power, RunCase):
    deck = """\
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [4, 32, 64], parts: [2, 2]}
  equation: {order: 0.5, D: 1, initial: 0, source: 1}
  sides: {rest: {kind: dirichlet, value: 0}}
  time: {end: 1, steps: 16}
  solver: {split: adi}
run: {per_rank: 4}
output:
  directory: out
  every: 0.25
  images: {every: 0.25, axis: x, pixels: 32}
  probes: {every: 0.25, points: [[0.5, 0.5, 0.5]]}
checkpoint: {every: 0.125, files: writers, keep: 1}
"""


@by_hand
class PowerSequence(Power, RunCase):
    deck = """\
problem: sparse
sparse:
  matrix: {box: {grid: {size: [1, 1, 1], cells: [5, 6, 7]}, k: 1 + x, sides: {rest: {kind: dirichlet, value: 0}}}}
  rhs: ones
  sequence: {solves: 6, step: 0.25}
  preconditioner: amg
output: {directory: out, every: 1}
checkpoint: {every: 1, files: writers}
"""


@by_hand
class PowerDiffusionWriters(Power, RunCase):
    deck = Diffusion.deck.replace("interval: 0.001", "every: 4, files: writers")


@by_hand
class PowerCheckpointsOfCollocation(Power, RunCase):
    deck = LONG["collocation"]


@by_hand
class PowerCheckpointsOfEnsemble(Power, RunCase):
    deck = LONG["ode_ensemble"]


@by_hand
class PowerCheckpointsOfSparse(Power, RunCase):
    deck = LONG["sparse"].replace("interval: 0.001", "interval: 0.001, files: writers")


del Collocation, Diffusion, Ensemble, Fractional, Sparse  # whose own tests are not these

if __name__ == "__main__":
    assert LIBRARY
    unittest.main()
