"""Faulty decks: `halocline check` names the place and the reason of every fault, in one pass, on any number of ranks.

Every case is an edit of a sound deck. The sign § in it stands where the fault must be reported and is taken out before
the deck is written.
"""

import concurrent.futures
import unittest

from runs import PROGRAM, RunCase

DECK = """\
problem: collocation
collocation:
  constants: {k: 2}
  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: -k, f: manufactured}
  mesh:
    x: {from: 0, to: 1, elements: 16}
    y: {from: 0, to: 1, elements: 16}
  sides: {rest: {kind: dirichlet}}
  solver: {method: schur, tol: 1e-9}
run: {devices: auto}
output: {directory: out, fields: [u, u_x]}
verify:
  exact: sin(x)*y
  max_error: {u: 1e-4}
"""

# Name, text of the deck, what replaces it, part of the message.
CASES = [
    # keys
    ("unknown key", "tol: 1e-9", "§tolerance: 1e-9", "unknown key"),
    ("key of another block", "run: {devices: auto}", "run: {devices: auto, §directory: x}", "it belongs to 'output'"),
    ("unknown block", "run: {", "§rum: {", "did you mean 'run'?"),
    ("misspelled block", "solver: {", "§slover: {", "did you mean 'solver'?"),
    ("missing key", "eta: -k, ", "", "eta: missing"),
    ("missing block", "  mesh:\n    x: {from: 0, to: 1, elements: 16}\n    y: {from: 0, to: 1, elements: 16}\n", "",
     "collocation.mesh: missing"),
    ("key given twice", "tol: 1e-9", "tol: 1e-9, §tol: 1e-8", "given twice"),
    ("key without a value", "exact: sin(x)*y", "§exact:", "has no value"),
    # values
    ("text for a number", "elements: 16}\n    y", "elements: §many}\n    y", "'many' is no number"),
    ("fraction for an integer", "elements: 16}\n    y", "elements: §16.5}\n    y", "no integer"),
    ("list for a number", "tol: 1e-9", "§tol: [1e-9]", "expected a number"),
    ("map for a list", "fields: [u, u_x]", "§fields: {u: 1}", "expected a list"),
    ("number for a block", "sides: {rest: {kind: dirichlet}}", "sides: §3", "expected a block"),
    ("ns below 2", "elements: 16}\n    y", "elements: §1}\n    y", "out of bounds"),
    ("tolerance out of range", "tol: 1e-9", "tol: §2", "out of bounds"),
    ("zero elements", "elements: 16}\n  sides", "elements: §0}\n  sides", "out of bounds"),
    ("not finite", "to: 1, elements: 16}\n    y", "to: §1/0, elements: 16}\n    y", "division by zero"),
    ("unknown word", "kind: dirichlet", "kind: §dirichlett", "did you mean 'dirichlet'?"),
    ("unknown field", "[u, u_x]", "[u, §v]", "expected one of"),
    ("unknown field of a limit", "{u: 1e-4}", "{§w: 1e-4}", "unknown name"),
    ("negative limit", "{u: 1e-4}", "{u: §-1e-4}", "out of bounds"),
    ("unknown family", "problem: collocation", "problem: §colocation", "did you mean 'collocation'?"),
    ("missing family", "problem: collocation\n", "", "problem: missing"),
    # formulas
    ("unknown variable", "eta: -k", "eta: -§q", "'q'"),
    ("unknown function", "sin(x)*y", "§sine(x)*y", "sin"),
    ("unfinished formula", "sin(x)*y", "sin(x)*§", "a value is missing"),
    ("open parenthesis", "sin(x)*y", "sin(x*y§", "')' is missing"),
    ("wrong number of arguments", "sin(x)*y", '"§sin(x, y)"', "argument"),
    ("constant of variables", "{k: 2}", "{k: 2*§x}", "'x'"),
    ("reserved name of a constant", "{k: 2}", "{k: 2, x: §3}", "already a variable"),
    # rules across keys
    ("contradictory mesh", "from: 0, to: 1, elements: 16}\n    y", "from: 0, to: 1, elements: 16, §nodes: [0, 1, 2]}\n    y",
     "together"),
    ("empty interval", "to: 1, elements: 16}\n    y", "to: §0, elements: 16}\n    y", "greater"),
    ("manufactured without exact solution", "  exact: sin(x)*y\n", "", "exact"),
    ("too many parts", "devices: auto", "devices: auto, per_rank: 200", "part"),
    ("two schedules", "fields: [u, u_x]", "every: 1, §at: [1, 2]", "give one of every, every_steps and at"),
    ("unordered times", "fields: [u, u_x]", "§at: [2, 1]", "must increase"),
    # keys that mean nothing for this family
    ("steps without time", "fields: [u, u_x]", "every_steps: §5", "use `every`, which counts iterations"),
    ("pictures by steps", "fields: [u, u_x]", "images: {every_steps: §5}", "output.images.every_steps: means nothing"),
    ("records by steps", "fields: [u, u_x]", "probes: {every_steps: §5}", "output.probes.every_steps: means nothing"),
    ("size of tables", "fields: [u, u_x]", "max_size: §5", "whose results are no tables"),
    ("form of the grid", "fields: [u, u_x]", "geometry: §image", "auto"),
    ("files of HiPerC", "fields: [u, u_x]", "compat: §hiperc", "for the benchmark of family diffusion"),
    # places on the grid
    ("point beside the grid", "fields: [u, u_x]", "probes: {points: [[0.5, 1], §[0.5, 1.5]]}",
     "output.probes.points[1]: 1.5 lies outside the grid, whose axis y goes from 0 to 1"),
    ("line that leaves the grid", "fields: [u, u_x]", "probes: {lines: [§[0, 0, 2, 1]]}", "2 lies outside the grid"),
    ("plane beside the grid", "fields: [u, u_x]", "images: {§at: [0.5]}", "the grid has no plane there; its axis z"),
    ("picture across a plane", "fields: [u, u_x]", "images: {axis: §y}", "the fields lie on a plane normal to z"),
    ("iteration after the last", "fields: [u, u_x]", "at: [5, §30000]", "is after the end of the run, 20000"),
    # run
    ("unknown device", "devices: auto", "devices: §opm", "unknown device 'opm'"),
    ("device without threads", "devices: auto", "devices: [omp, §omp:x]", "a number is expected behind the colon"),
    ("auto in a list", "devices: auto", "devices: [omp, §auto]", "auto stands alone"),
    ("wrong number of weights", "devices: auto", "devices: auto, §weights: [1, 2, 3]", "has 3 numbers; expected 1"),
    ("weight of zero", "devices: auto", "devices: auto, weights: [§0]", "out of bounds"),
    ("two kinds of shares", "devices: auto", "devices: auto, weights: [1], balance: §measured", "give one of them"),
    ("negative wall limit", "devices: auto", "devices: auto, wall_limit: §-3", "out of bounds"),
    ("no checkpoint kept", "verify:", "checkpoint: {keep: §0}\nverify:", "out of bounds"),
    # the text itself
    ("open bracket", "{devices: auto}", "§{devices: auto", "never closed"),
    ("open quote", "exact: sin(x)*y", "exact: §'sin(x)*y", "never closed"),
    ("tab", "  mesh:", "§\tmesh:", "tab"),
    ("anchor", "rest: {kind", "rest: §&r {kind", "anchors"),
    ("second document", "verify:", "---\n§verify:", "second document"),
]


def edit(old, new):
    """The deck with `old` replaced, and where § stood: "line:column" or None."""
    text = DECK.replace(old, new, 1)
    if "§" not in text:
        return text, None
    before = text[:text.index("§")]
    return text.replace("§", ""), f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


class FaultyDecks(RunCase):
    def check(self, text, ranks=1, expect=2, command="check", *more):
        self.write("deck.yaml", text)
        done = self.run_program(command, "deck.yaml", *more, program=PROGRAM, ranks=ranks, expect=expect)
        self.assertFalse((self.folder / "out").exists(), "a faulty deck left files")
        return done

    def test_the_sound_deck(self):
        done = self.check(DECK, expect=0)
        self.assertIn("no faults", done.stdout)
        self.assertRegex(done.stdout, r"unknowns +1024")

    def test_each_fault(self):
        self.assertGreaterEqual(len(CASES), 30)
        decks = []
        for name, old, new, message in CASES:
            self.assertIn(old, DECK, name)
            decks.append((name, *edit(old, new), message))
            self.write(f"{len(decks)}.yaml", decks[-1][1])
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = pool.map(lambda n: self.run_program("check", f"{n}.yaml", program=PROGRAM, expect=2),
                            range(1, len(decks) + 1))
            for number, (done, (name, text, place, message)) in enumerate(zip(runs, decks), 1):
                with self.subTest(name):
                    lines = [line for line in done.stderr.splitlines() if line.startswith(f"{number}.yaml:")]
                    start = f"{number}.yaml:{place}:" if place else f"{number}.yaml:"
                    self.assertTrue([line for line in lines if line.startswith(start) and message in line],
                                    f"expected {start} ... {message}\n{text}\n{done.stderr}")
                    self.assertIn("nothing was computed", done.stderr)
        self.assertFalse((self.folder / "out").exists(), "a faulty deck left files")

    def test_all_faults_in_one_pass_and_in_order(self):
        text = DECK
        for old, new in (("eta: -k", "eta: -q"), ("elements: 16}\n    y", "elements: 1}\n    y"), ("tol:", "toll:"),
                         ("devices: auto", "devices: [opm]"), ("{u: 1e-4}", "{w: 1e-4}")):
            text = text.replace(old, new)
        lines = [line for line in self.check(text).stderr.splitlines() if line.startswith("deck.yaml:")]
        self.assertEqual([line.split(":")[1] for line in lines], ["4", "6", "9", "10", "14"], lines)

    def test_several_ranks_speak_once_and_end_in_order(self):
        for name in ("unknown key", "open parenthesis", "open bracket", "empty interval"):
            case = next(case for case in CASES if case[0] == name)
            text, place = edit(case[1], case[2])
            for command in ("check", "run"):
                errors = self.check(text, 2, 2, command).stderr
                self.assertEqual(errors.count(f"deck.yaml:{place}:"), 1, errors)
                self.assertNotIn("MPI_ABORT", errors)

    def test_too_few_lines_per_part(self):
        """17 lines along x make 8 pairs, one per part at least."""
        text = DECK.replace("auto", "auto, per_rank: 3")
        self.check(text, 3, 2)
        self.check(text, 2, 0)

    def test_overrides_are_named(self):
        errors = self.check(DECK, 1, 2, "check", "--set", "collocation.solver.tol=3").stderr
        self.assertIn("--set collocation.solver.tol: ", errors)

    def test_a_file_that_cannot_be_read(self):
        done = self.run_program("run", "none.yaml", program=PROGRAM, ranks=2, expect=2)
        self.assertEqual(done.stderr.count("none.yaml"), 1)


if __name__ == "__main__":
    unittest.main()
