"""Decks of inputs/collocation for general equations, sides and meshes: they verify themselves with the same bits on any
number of ranks, `auto` says what it takes and why, and faults are found at once, each with its line.
"""

import unittest

import numpy as np
from runs import INPUTS, PROGRAM, RunCase

DECKS = INPUTS / "collocation"

# Deck, and what `auto` takes for it.
AUTO = {
    "p1": "closed_form, since a, c and eta are constant",
    "p2": "mg, since closed_form: needs a that does not depend on x",
    "p3": "mg, since closed_form: needs",
    "p4": "closed_form, since",
    "p5": "mg, since closed_form: needs",
    "p6": "mg, since closed_form: needs d = 0",
    "p6b": "mg, since closed_form: needs d = 0",
    "p7": "mg, since closed_form: needs b = 0",
    "neumann": "mg, since",
    "robin": "mg, since",
    "rectangle": "mg, since",
    "graded": "mg, since",
    "groundwater": "mg, since",
    "pieces": "mg, since",
    "cooled_plate": "mg, since closed_form: needs one kind of condition",
    "motz": "mg, since closed_form: needs one kind of condition",
    "periodic": "mg, since closed_form: takes no periodic sides",
}

FAULTY = """\
problem: collocation
collocation:
  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: -1, f: 1}
  mesh:
    x: {from: 0, to: 1, elements: 8}
    y: {from: 0, to: 1, elements: 8}
  sides:
    x_min: {kind: robin, alpha: 1, beta: 1, value: 0}
    rest: {kind: dirichlet, value: 0}
  solver: {method: auto}
output: {directory: faulty}
"""


class Methods(RunCase):
    def solve(self, deck, directory, *settings, ranks=1, expect=0):
        words = [word for setting in settings for word in ("--set", setting)]
        return self.run_program("run", DECKS / f"{deck}.yaml", "--set", f"output.directory={directory}", *words,
                                ranks=ranks, program=PROGRAM, expect=expect)

    def test_decks_verify_themselves_and_auto_says_why(self):
        for deck, reason in AUTO.items():
            with self.subTest(deck):
                done = self.solve(deck, deck)
                self.assertIn("auto: " + reason, done.stderr + done.stdout)

    def test_check_and_run_share_out_the_same_lines(self):
        # Lines along x that no part may cut, by the deck's word or because of the mesh. Beyond 16 parts both refuse.
        for smoother, mesh in (("hline", ""), ("alt", ", map: t^3"), ("auto", ", map: t^3")):
            axis = f"{{from: 0, to: 1, elements: 32{mesh}}}"
            self.write("whole.yaml", f"""problem: collocation
collocation:
  equation: {{a: 1 + x*y, b: 0, c: 1, d: 0, e: 0, eta: -1, f: 1}}
  mesh: {{x: {axis}, y: {axis}}}
  sides: {{rest: {{kind: dirichlet, value: 0}}}}
  solver: {{method: mg, smoother: {smoother}}}
run: {{devices: "omp:1"}}
""")
            for ranks, each in ((1, 1), (3, 2), (1, 17)) if smoother == "hline" else ((1, 3),):
                with self.subTest(smoother, ranks=ranks, each=each):
                    checked, run = self.check_and_run("whole.yaml", f"run.per_rank={each}", ranks, 2 if each == 17 else 0)
                    if each == 17:
                        self.assertIn("cannot split 33 items into 17 parts of at least 2: at most 16", checked)
                        self.assertEqual(checked, run)
                    for text in (checked, run):
                        self.assertEqual("every part repeats the whole cycle" in text, 1 < ranks * each < 17, text)

    def check_and_run(self, deck, setting, ranks, expect):
        """What both have said."""
        texts = []
        for action in (("check",), ("run", "--overwrite")):
            done = self.run_program(*action, deck, "--set", setting, ranks=ranks, program=PROGRAM, expect=expect)
            texts.append(done.stdout + done.stderr)
        return texts

    def test_narrow_meshes(self):
        # Strong convection, which the fitted operator of fd leaves out, on a mesh too narrow for multigrid.
        self.write("narrow.yaml", """problem: collocation
collocation:
  equation: {a: 0.02, b: 0.04*sin(x), c: 1, d: 20*x, e: 0, eta: -0.001, f: manufactured}
  mesh: {x: {from: -1, to: 1, elements: 6, map: 0.7*t^1.5 + 0.3*t}, y: {from: -1, to: 1, elements: 3}}
  sides: {x_max: {kind: neumann}, rest: {kind: dirichlet}}
verify: {exact: sin(2*x + 1)*cos(3*y) + exp(x*y/2), max_error: {u: 0.01}}
""")
        done = self.run_program("run", "narrow.yaml", ranks=2, program=PROGRAM)
        self.assertIn("auto: schur, since closed_form: needs b = 0; mg: multigrid needs at least 4 elements",
                      done.stderr + done.stdout)

    def test_direct_solutions_report_no_iterations(self):
        self.solve("p1", "p1")
        names = [finding["name"] for finding in self.report("p1")["findings"]]
        self.assertNotIn("iterations", names)
        self.assertNotIn("relative_residual", names)
        self.assertIn("residual", names)

    def test_decks_have_the_same_bits_on_ranks(self):
        for deck in ("p1", "p2", "rectangle"):
            with self.subTest(deck):
                self.solve(deck, f"{deck}_1")
                for ranks in (2, 3):
                    self.solve(deck, f"{deck}_{ranks}", ranks=ranks)
                    self.assertEqual(self.bits(f"{deck}_{ranks}"), self.bits(f"{deck}_1"))

    def test_the_other_decks_on_ranks(self):
        for ranks, deck in ((2, "p3"), (3, "p7"), (2, "graded"), (3, "groundwater"), (4, "pieces"), (2, "periodic")):
            with self.subTest(deck):
                self.solve(deck, deck, ranks=ranks)

    def test_every_method_gives_the_same_solution(self):
        for deck, methods in (("p1", ("closed_form", "pencil", "separable", "mg", "fd", "schur", "schur-mixed")),
                              ("p2", ("mg", "fd", "schur"))):
            for method in methods:
                with self.subTest(f"{deck} by {method}"):
                    tol = "1e-10" if method == "schur-mixed" else "1e-12"
                    self.solve(deck, f"{deck}_{method}", f"collocation.solver.method={method}",
                               f"collocation.solver.tol={tol}", "verify.iterations=[]")

    def test_order_of_a_study(self):
        self.run_program("study", DECKS / "p2.yaml", "--refine", "3", "--set", "collocation.mesh.x.elements=16", "--set",
                         "collocation.mesh.y.elements=16", "--set", "verify.max_error={}", "--set",
                         "output.directory=study", program=PROGRAM)
        rows = [line.split(",") for line in
                next(self.folder.glob("study*/study.csv")).read_text(encoding="utf-8").splitlines()]
        for field in ("u", "u_x", "u_y"):
            column = rows[0].index(f"order of max_error.{field}")
            for row in rows[2:]:
                self.assertAlmostEqual(float(row[column]), 4, delta=0.15, msg=field)

    def test_probes_evaluate_the_bicubic(self):
        import h5py

        probes = "output.probes={points: [[0.1234, 0.9], [1, 0]], lines: [[0, 0, 1, 1]], samples: 11}"
        for ranks in (1, 3):
            self.solve("p2", f"probes{ranks}", probes, ranks=ranks)
        with h5py.File(self.folder / "probes1" / "tables.h5") as file:
            found = {name: file[f"series/probes/{name}"][-1] for name in ("u_points", "u_x_points", "u_line_1")}
        x, y = np.array([0.1234, 1]), np.array([0.9, 0])
        t = np.linspace(0, 1, 11)
        u = lambda x, y: np.sin(2 * x + 1) * np.cos(3 * y) + np.exp(x * y / 2)
        np.testing.assert_allclose(found["u_points"], u(x, y), atol=5e-8)
        np.testing.assert_allclose(found["u_line_1"], u(t, t), atol=5e-8)
        u_x = 2 * np.cos(2 * x + 1) * np.cos(3 * y) + y / 2 * np.exp(x * y / 2)
        np.testing.assert_allclose(found["u_x_points"], u_x, atol=5e-6)
        self.assertEqual(self.bits("probes3"), self.bits("probes1"))

    def test_a_limit_that_is_too_low_gives_history_and_advice(self):
        done = self.solve("p7", "short", "collocation.solver.maxit=2", "verify.iterations=[]", "verify.max_error={}",
                          expect=3)
        self.assertIn("did not converge after 2 iterations", done.stderr + done.stdout)
        self.assertIn("the way there: ", done.stderr + done.stdout)
        self.assertIn("try solver.smoother: alt", done.stderr + done.stdout)
        for deck, methods in (("p7", "mg or fd"), ("periodic", "mg")):  # fd takes no periodic sides
            done = self.solve(deck, f"short_{deck}", "collocation.solver.maxit=2", "collocation.solver.method=schur",
                              "collocation.mesh.x.elements=16", "verify.iterations=[]", "verify.max_error={}", expect=3)
            self.assertIn(f"try method {methods}\n", done.stderr + done.stdout)

    def test_runs_go_on_after_a_stop_with_the_same_bits(self):
        for method in ("mg", "fd", "schur"):
            with self.subTest(method):
                settings = (f"collocation.solver.method={method}", "verify.iterations=[]", "verify.max_error={}")
                self.solve("p7", f"{method}_whole", *settings)
                self.solve("p7", method, "run.wall_limit=0.001", *settings)
                self.assertFalse(self.report(method)["finished"])
                words = [word for setting in settings for word in ("--set", setting)]
                self.run_program("run", DECKS / "p7.yaml", "--set", f"output.directory={method}", *words, "--restart",
                                 "auto", ranks=2, program=PROGRAM)
                for name in ("findings", "converged"):
                    self.assertEqual(self.report(method)[name], self.report(f"{method}_whole")[name])
        done = self.run_program("run", DECKS / "p7.yaml", "--set", "output.directory=mg", "--set",
                                "collocation.solver.method=fd", "--restart", "auto", program=PROGRAM, expect=2)
        self.assertIn("belongs to another problem", done.stderr)

    def faults(self, *changes):
        text = FAULTY
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write("faulty.yaml", text)
        return self.run_program("check", "faulty.yaml", program=PROGRAM, expect=2 if changes else 0).stderr

    def test_faults_name_key_and_line(self):
        self.faults()
        for line, message, *changes in (
                (3, "equation.c: a c - b^2 must be positive", ("c: 1", "c: -1")),
                (3, "equation.b: a c - b^2 must be positive", ("b: 0", "b: 2*x")),
                (3, "equation.a: a c - b^2 must be positive", ("{a: 1,", "{a: x - 0.5,")),
                (3, "equation.d: is not finite", ("d: 0", "d: 1/(x-y)")),
                (3, "equation.f: is not finite", ("f: 1", "f: log(x-0.5)")),
                (3, "equation.eta: must not have the sign", ("eta: -1", "eta: y - 0.5")),
                (8, "x_min.alpha: must not have the opposite sign", ("alpha: 1", "alpha: -1")),
                (8, "x_min.alpha: and beta must not both be 0", ("alpha: 1, beta: 1", "alpha: 0, beta: 0")),
                (8, "x_min.beta: is not finite at 0 along the side", ("beta: 1", "beta: log(y)")),
                (8, "x_min[0].to: lies between the mesh lines at 0.25 and 0.375; pieces",
                 ("{kind: robin, alpha: 1, beta: 1, value: 0}",
                  "[{to: 0.3, kind: neumann, value: 0}, {kind: dirichlet, value: 0}]")),
                (8, "x_min: is a list without pieces", ("{kind: robin, alpha: 1, beta: 1, value: 0}", "[]")),
                (10, "solver.method: fd: needs one kind of condition", ("auto", "fd"), ("beta: 1", "beta: 1 + y")),
                (9, "rest.value: is not finite at", ("dirichlet, value: 0", "dirichlet, value: 1/(x-1)")),
                (10, "solver.method: closed_form: axis x has a Robin", ("auto", "closed_form")),
                (10, "solver.method: pencil: needs", ("auto", "pencil"), ("b: 0", "b: 0.1")),
                (10, "solver.tol", ("auto", "mg, tol: 1e-16")),
                (10, "solver.maxit", ("auto", "mg, maxit: 0")),
        ):
            with self.subTest(message):
                errors = self.faults(*changes)
                self.assertIn(f"faulty.yaml:{line}:", errors)
                self.assertIn(message, errors)

    def test_faults_are_found_in_one_pass(self):
        errors = self.faults(("beta: 1", "beta: -1"), ("c: 1", "c: -1"),
                             ("to: 1, elements: 8}\n    y", "to: 0, elements: 8}\n    y"))
        self.assertIn("mesh.x.to", errors)
        self.assertIn("opposite sign", errors)

    def test_large_meshes_are_checked_when_the_run_begins(self):
        settings = ("collocation.mesh.x.elements=300", "collocation.mesh.y.elements=300")
        done = self.solve("p2", "large", *settings, "collocation.equation.b=2*x", ranks=2, expect=2)
        self.assertEqual(done.stderr.count("a c - b^2 must be positive"), 1)


if __name__ == "__main__":
    unittest.main()
