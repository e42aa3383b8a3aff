"""A restart under a changed deck: refused with the name of the key, unless it is one that may change."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import PROGRAM, RunCase  # noqa: E402  pylint: disable=wrong-import-position
from test_longer import COLLOCATION, DIFFUSION, FRACTIONAL, SPARSE  # noqa: E402

WALLS = DIFFUSION.replace("walls: {rest: {kind: no_flux}}",
                          "walls: {x_min: [{from: 3, to: 9, kind: dirichlet, value: 1}], rest: {kind: no_flux}}").replace(
                              "kind: cahn_hilliard, mobility: 1, kappa: 1, rho: 1, wells: [-1, 1]", "kind: diffusion, D: 1")
ENSEMBLE = """\
problem: ode_ensemble
ode_ensemble:
  evaluation: interpreted
  constants: {r: 0.5}
  definitions: ["g = 9.8"]
  equations: ["x' = v", "v' = -g*k*x - 0.01*v + s"]
  initial: {x: 1, v: 0}
  sweep: [{name: k, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}]
  forcing: [{name: s, file: s.csv, time: t, value: s, outside: hold}]
  events:
    - {name: hit, crossing: x, direction: falling, then: "v = r*v", rest: {speed: v, below: 1e-5, hold: [x, v], until: s - 100}}
  solver: {method: dopri5, rtol: 1e-8, atol: 1e-10}
  phase: {length: 1}
  repeat: {transient: 3000, record: 2}
  record: {final: [x]}
output: {directory: out}
"""


class Changed(RunCase):
    """`deck`, and by key another value: what is refused with the name of the key, and what is not."""

    def begin(self, deck):
        self.write("deck.yaml", deck)
        self.run_program("run", "deck.yaml", "--set", "run.wall_limit=1e-9", program=PROGRAM)
        self.assertIn("checkpoint_0001.h5", self.names("out"))

    def refused(self, key, value, name=None, deck="deck.yaml"):
        with self.subTest(key):
            done = self.run_program("run", deck, "--restart", "auto", "--set", f"{key}={value}", program=PROGRAM, expect=2)
            self.assertRegex(done.stderr, rf"belongs to another problem[^:]*: (.* now, )?{name or re.escape(key)}\S* was .* now")

    def accepted(self, *settings):
        self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM,
                         *(word for setting in settings for word in ("--set", setting)))
        self.assertTrue(self.report("out")["finished"])

    def all(self, deck, refused, accepted):
        self.begin(deck)
        for key, value in refused.items():
            self.refused(key, value)
        self.accepted(*accepted)

    def test_collocation(self):
        family = "collocation."
        self.all(COLLOCATION.replace("maxit: 6", "maxit: 1000"),
                 {family + "equation.f": "2", family + "mesh.x.elements": "18", family + "sides.rest.value": "1",
                  family + "solver.method": "mg"},
                 (family + "solver.tol=1e-10", family + "solver.maxit=900", family + "solver.allow_indefinite=true",
                  "verify={iterations: [1, 1000]}", "output.every=5", "run.per_rank=2", "checkpoint.keep=1"))

    def test_what_a_manufactured_side_is_made_of(self):
        self.begin(COLLOCATION.replace("eta: 0, f: 1", "eta: 0, f: manufactured").replace(
            "dirichlet, value: 0", "dirichlet") + "verify: {exact: sin(x + y)}\n")
        self.refused("verify.exact", "cos(x)")

    def test_diffusion(self):
        family = "diffusion."
        self.all(WALLS,
                 {family + "stencil.dt": "0.0015", family + "equation.D": "2", family + "equation.initial": "0.2*sin(x)",
                  family + "walls.x_min[0].to": "10", family + "walls.x_min[0].value": "2", family + "grid.size": "[32, 64]",
                  family + "stencil.mask": "5pt", family + "precision": "fp32"},
                 (family + "time.end=0.33", family + "time.kernel=fused", family + "time.steps_per_sweep=1",
                  family + "time.on_limit=stop", "verify={mass: [-1e9, 1e9]}", "output.every=0.11"))

    def test_a_wall_on_another_side(self):
        self.begin(WALLS)
        for side in ("x_max", "y_min"):
            self.write("moved.yaml", WALLS.replace("x_min", side))
            self.refused("output.every", "0.1", r"diffusion\.walls\.x_m(in|ax)\[0\]\.\w+", "moved.yaml")

    def test_fractional(self):
        family = "fractional."
        self.all(FRACTIONAL,
                 {family + "equation.D": "0.2", family + "equation.order": "0.7", family + "sides.rest.value": "1",
                  family + "time.steps": "33", family + "history.eps": "1e-8", family + "solver.predictor": "zero"},
                 (family + "time.end=1", family + "time.steps=64", "verify={mass: [-1e9, 1e9]}"))

    def test_ode_ensemble(self):
        family = "ode_ensemble."
        self.write("s.csv", "t,s,other\n0,1,5\n1,2,6\n")
        self.begin(ENSEMBLE)
        for key, value in {"constants.r": "0.6", "sweep[0].values": "[1,2,3,4,5.5,6,7,8,9,10,11,12,13,14,15,16]",
                           "events[0].rest.hold": "[v]", "events[0].rest.below": "2e-5", "initial.x": "2",
                           "phase.length": "2", "repeat.transient": "3001", "solver.rtol": "1e-7",
                           "record.final": "[v]", "solver.max_steps": "5000"}.items():
            self.refused(family + key, value, re.escape((family + key).replace("sweep.", "sweep[0].")))
        self.write("s.csv", "t,s,other\n0,1,5\n1,2,7\n")
        self.refused("output.max_size", "1", r"ode_ensemble\.forcing\[0\]\.file")
        self.write("s.csv", "t,s,other\n0,1,5\n1,2,6\n")
        self.accepted(family + "on_failure=report")

    def test_sparse(self):
        family = "sparse."
        box = family + "matrix.box."
        self.all(SPARSE.replace("solves: 2", "solves: 3"),
                 {box + "k": "2", box + "source": "1", box + "grid.cells": "[12, 12, 13]", family + "preconditioner": "jacobi",
                  family + "sequence.step": "0.4", family + "solver.method": "gmres"},
                 (family + "solver.maxit=900", family + "sequence.solves=4", family + "solver.atol=1e-300",
                  family + "measure.kernels=1", "verify={residual: 1}"))


if __name__ == "__main__":
    unittest.main()
