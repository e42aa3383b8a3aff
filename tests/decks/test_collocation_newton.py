"""Decks of inputs/collocation whose equations are not linear in u, or whose data jump: they verify themselves with the
same bits on ranks, and end with exit code 3 and advice where there is no solution.
"""

import unittest

from runs import INPUTS, PROGRAM, RunCase

DECKS = INPUTS / "collocation"


class Newton(RunCase):
    def solve(self, deck, directory, *settings, ranks=1, expect=0):
        words = [word for setting in settings for word in ("--set", setting)]
        return self.run_program("run", DECKS / f"{deck}.yaml", "--set", f"output.directory={directory}", *words,
                                ranks=ranks, program=PROGRAM, expect=expect)

    def test_decks_verify_themselves_with_the_same_bits_on_ranks(self):
        for deck in ("bratu", "scherk", "hot_lid"):
            with self.subTest(deck):
                self.solve(deck, f"{deck}_1")
                self.solve(deck, f"{deck}_3", "run.per_rank=2", ranks=3)
                self.assertEqual(self.bits(f"{deck}_3"), self.bits(f"{deck}_1"))

    def test_beyond_the_turning_point(self):
        done = self.solve("bratu", "beyond", "collocation.constants={lambda: 6.9}", "collocation.mesh.x.elements=16",
                          "collocation.mesh.y.elements=16", "verify={}", expect=3)
        self.assertIn("there may be none, where a parameter is beyond a turning point", done.stderr + done.stdout)

    def test_linearized_equations_that_are_singular(self):
        small = ["collocation.mesh.x.elements=8", "collocation.mesh.y.elements=8", "verify={}"]
        done = self.solve("bratu", "afar", *small, "collocation.constants={lambda: 8}",
                          "collocation.newton.damping=none", expect=3)
        # Steps without damping wander: where they end is a matter of rounding.
        self.assertRegex(done.stderr + done.stdout, r"try (a|another) collocation\.newton\.start")
        done = self.solve("bratu", "neumann", *small, "collocation.sides={rest: {kind: neumann, value: 1}}",
                          "collocation.equation.source=u^3", expect=3)
        self.assertIn("linearized at collocation.newton.start", done.stderr + done.stdout)

    def test_a_start_at_which_the_source_is_not_finite(self):
        done = self.solve("bratu", "start", "collocation.equation.source=log(u/lambda)", expect=2)
        self.assertIn("collocation.equation.source: is not finite, at u = collocation.newton.start",
                      done.stderr + done.stdout)

    def test_order_of_a_study(self):
        self.run_program("study", DECKS / "scherk.yaml", "--refine", "3", "--set", "verify.max_error={}",
                         "--set", "output.directory=study", program=PROGRAM)
        rows = [line.split(",") for line in
                next(self.folder.glob("study*/study.csv")).read_text(encoding="utf-8").splitlines()]
        column = rows[0].index("order of max_error.u")
        for row in rows[2:]:
            self.assertAlmostEqual(float(row[column]), 4, delta=0.2)


if __name__ == "__main__":
    unittest.main()
