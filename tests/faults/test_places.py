"""A system call that fails at any place: no wrong file under a final name, no success that is none, and a restart that
ends with the bits of a run without failures.

A run of every family is repeated with one call on its files failing (fail_at.c): the n-th open, write, fsync, close,
rename, claim of room or allocation of memory. HALOCLINE_FAULT_PLACES is how many places of each call are tried (default 2; 0: all of them),
HALOCLINE_FAULT_SEED where they lie.
"""

import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import PROGRAM, RunCase, command  # noqa: E402  pylint: disable=wrong-import-position

PLACES = int(os.environ.get("HALOCLINE_FAULT_PLACES", "2"))
SEED = int(os.environ.get("HALOCLINE_FAULT_SEED", "1"))
LIBRARY = os.environ["HALOCLINE_FAIL_AT"]
# Errno: 5 EIO, 13 EACCES, 28 ENOSPC, 30 EROFS.
CALLS = {"open": ("28", "13", "kill"), "write": ("5", "28", "half", "kill"), "fsync": ("5", "kill"),
         "close": ("5", "28", "kill"), "rename": ("5", "30", "kill"), "room": ("28", "kill"), "new": ("12",)}
# What differs between equal runs: times, and what was printed.
VARIES = {"report.json", "run.log", "run_1.log", "run.lock", "run.files"}


class Places:
    """One family's deck, which writes into the folder `out`."""

    def run_with(self, name, *arguments, ranks=1, **faults):
        """The finished process in a folder of this name; HALOCLINE_FAULT_* as given."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        settings = {f"HALOCLINE_FAULT_{key.upper()}": str(value) for key, value in faults.items()}
        line = command(PROGRAM, ["run", self.folder / "deck.yaml", *arguments], ranks)
        return subprocess.run(line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              check=False, env={**os.environ, "LD_PRELOAD": LIBRARY, "HALOCLINE_FAULT_UNDER":
                                                str((folder / "out").resolve()), **settings})

    def files(self, name):
        """Digests of the results of a run by name, but for what varies."""
        folder = self.folder / name / "out"
        return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
                for path in sorted(folder.glob("**/*"))
                if path.is_file() and path.name not in VARIES and not path.name.startswith("checkpoint_")}

    def count(self, call):
        """How often a run makes such a call."""
        counts = self.folder / f"count_{call}.txt"
        done = self.run_with(f"count_{call}", call=call, count=counts)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sum(map(int, counts.read_text(encoding="ascii").split()))

    def check_rest(self, done, kind, found, whole, told):
        """What a run that has ended early leaves: one message, and files that are whole."""
        if kind != "kill":
            lines = [line for line in done.stderr.splitlines() if line.startswith("halocline: ")]
            self.assertEqual(len(lines), 1, f"{told}: {done.stderr}")
            if "out of memory" not in lines[0]:  # behind which the forecast stands
                self.assertEqual(done.stderr.splitlines()[-1], lines[0], f"{told}: the message has one line")
            self.assertFalse([path for path in found if path.endswith(".tmp")], f"{told}: {lines[0]}")
        # Files that tell of several outputs are those of the outputs before the failure, and the last fields may be those of
        # its time.
        fields = sorted(path for path in found if path.startswith("fields_0"))
        apart = {*self.GROWS, *(fields[-1:] if kind != "kill" else ())}
        found = {path: digest for path, digest in found.items() if path not in apart and not path.endswith(".tmp")}
        self.assertEqual(found, {path: whole.get(path) for path in found}, told)

    def try_place(self, call, place, kind, whole):
        """One failing call: what holds afterwards."""
        told = f"{call} {place} ({kind})"
        name = f"{call}_{place}"
        done = self.run_with(name, call=call, at=place, kind=kind)
        codes = (-signal.SIGKILL,) if kind == "kill" else (0, 4)
        self.assertIn(done.returncode, codes, f"{told}: {done.stderr}")
        found = self.files(name)
        if "no more pictures" in done.stderr:  # which a run can do without, and says
            pictures = {path for path in whole if path.startswith("images/")}
            found = {**found, **{path: whole[path] for path in pictures}}
        if done.returncode == 0:
            self.assertEqual(found, whole, told)
        else:
            self.check_rest(done, kind, found, whole, told)
            again = self.run_with(name, "--restart", "auto")
            self.assertEqual(again.returncode, 0, f"after {told}: {again.stderr}")
            self.assertEqual(self.files(name), whole, f"after {told}")

    GROWS = ("fields.xdmf", "fields.hdf.series", "fields.vtkhdf.series", "images/c.csv", "tables.h5")

    def test_places(self):
        self.write("deck.yaml", self.deck)
        done = self.run_with("whole")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = self.files("whole")
        chance = random.Random(SEED)
        for call, kinds in CALLS.items():
            count = self.count(call)
            places = range(1, count + 1)
            if PLACES > 0:
                places = sorted(chance.sample(places, min(PLACES, count)))
            for place in places:
                with self.subTest(call=call, place=place):
                    self.try_place(call, place, chance.choice(kinds), whole)
        self.assertGreater(len(whole), 1)


class Diffusion(Places, RunCase):
    deck = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [32, 32], cells: [32, 32]}
  equation: {kind: diffusion, D: 1, initial: 0.01*x}
  walls:
    x_min: [{from: 0, to: 16, kind: dirichlet, value: 1 + sin(t)}]
    rest: {kind: no_flux}
  stencil: {mask: 9pt, co: 2/3}
  time: {end: 20}
output: {directory: out, every: 5, images: {every: 5, pixels: 48}, probes: {every: 5, points: [[10, 10]]}}
checkpoint: {interval: 0.001}
verify: {mass_balance: 1e-11}
"""


class Collocation(Places, RunCase):
    deck = """\
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


class Ensemble(Places, RunCase):
    deck = """\
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


class Fractional(Places, RunCase):
    deck = """\
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [6, 5, 8]}
  equation: {psi: t, order: 0.5, D: 1, initial: 0, source: 1}
  sides: {rest: {kind: dirichlet, value: 0}}
  time: {end: 1, steps: 8, mesh: uniform_t}
  history: {engine: direct, block: 4}
output: {directory: out, every: 0.5}
checkpoint: {every: 0.125}
"""


class Sparse(Places, RunCase):
    deck = """\
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


if __name__ == "__main__":
    unittest.main()
