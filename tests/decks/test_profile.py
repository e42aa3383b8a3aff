"""`halocline run --profile`: what report.json and the table tell of whole runs, against what is known of their work."""

import re
import unittest

from runs import BOX, INPUTS, PROGRAM, TEST_FAMILIES, RunCase

# Solved by BiCGSTAB: two products, an update, an axpy and a new direction per iteration.
SCHUR = """\
problem: collocation
collocation:
  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, f: manufactured}
  mesh:
    x: {from: 0, to: 1, elements: 64}
    y: {from: 0, to: 1, elements: 64}
  sides: {rest: {kind: dirichlet}}
  solver: {method: schur}
run: {devices: "omp:1"}
output: {directory: schur}
verify: {exact: exp(x*y)*sin(3*x + y)}
"""


class Profile(RunCase):
    def profile(self, deck, directory, *arguments, ranks=1, program=PROGRAM):
        done = self.run_program("run", deck, "--profile", "--set", f"output.directory={directory}", *arguments,
                                ranks=ranks, program=program)
        profile = self.report(directory)["profile"]
        self.check(profile)
        self.printed(profile, done.stdout)
        return profile

    def check(self, profile):
        """What holds for every profile."""
        seconds, kernels, scopes = profile["seconds"], profile["kernels"], profile["scopes"]
        self.assertGreater(seconds, 0)
        for kernel in kernels:
            self.assertAlmostEqual(kernel["share"], kernel["mean"] / seconds)
            self.assertAlmostEqual(sum(place["mean"] for place in kernel["scopes"]), kernel["mean"])
            self.assertLessEqual(kernel["mean"], kernel["max"] * (1 + 1e-9))
        self.assertLessEqual(sum(kernel["share"] for kernel in kernels), 1)
        self.assertEqual(kernels, sorted(kernels, key=lambda kernel: -kernel["mean"]))
        self.assertLessEqual(sum(scope["share"] for scope in scopes), 1 + 1e-6)
        self.assertEqual(scopes, sorted(scopes, key=lambda scope: -scope["itself"]))
        for scope in scopes:
            inside = [other for other in scopes if other["path"].startswith(scope["path"] + "/")]
            self.assertGreaterEqual(scope["itself"], -1e-9)
            self.assertLessEqual(sum(other["itself"] for other in inside), scope["mean"] + 1e-9)
            launched = [place["mean"] for kernel in kernels for place in kernel["scopes"]
                        if (place["path"] + "/").startswith(scope["path"] + "/")]
            self.assertAlmostEqual(scope["kernels"], sum(launched))
        for device in profile["devices"]:
            self.assertGreater(device["copy_rate"], 1e7)

    def printed(self, profile, text):
        """The ten most expensive stand in the table, in order."""
        rows = text[text.index("profile of "):].splitlines()
        names = [row.strip() for row in rows]
        for key, found in (("name", profile["kernels"][:10]), ("path", profile["scopes"][:10])):
            places = [next(n for n, row in enumerate(names) if re.match(re.escape(each[key]) + r" +\d", row))
                      for each in found]
            self.assertEqual(places, sorted(places))

    def calls(self, profile, name, scope):
        kernel = next(kernel for kernel in profile["kernels"] if kernel["name"] == name)
        return sum(place["calls"] for place in kernel["scopes"] if place["path"] == scope)

    def scope(self, profile, path):
        return next(scope for scope in profile["scopes"] if scope["path"] == path)

    def test_counts_the_kernels_of_an_iteration(self):
        profile = self.profile(self.write("schur.yaml", SCHUR), "schur")
        found = {finding["name"]: finding["value"] for finding in self.report("schur")["findings"]}
        iterations = int(found["iterations"])
        self.assertGreater(iterations, 30)
        self.assertEqual(profile["devices"][0]["kind"], "omp")
        self.assertEqual(self.calls(profile, "schur product", "solve/iterate"), 2 * iterations)
        self.assertEqual(self.calls(profile, "update", "solve/iterate"), iterations)
        self.assertEqual(self.calls(profile, "axpy", "solve/iterate"), iterations)
        self.assertEqual(self.calls(profile, "direction", "solve/iterate"), iterations - 1)
        # Three waits an iteration, and a last one to see that the solution did not overflow.
        self.assertEqual(self.scope(profile, "solve/iterate/sums")["calls"], 3 * iterations + 1)
        black_values = 8 * 64 * 64 / 2 * 4  # of half the unknowns
        kernels = {kernel["name"]: kernel for kernel in profile["kernels"]}
        moved = kernels["update"]["bytes"] / kernels["update"]["calls"] / (7 * black_values)
        self.assertTrue(1 <= moved <= 1.3, moved)  # lines come in groups of eight
        for name in ("update", "axpy", "direction", "schur product"):
            self.assertGreater(kernels[name]["of_copy_rate"], 0)

    def test_waits_for_neighbors_are_scopes(self):
        deck = self.write("schur.yaml", SCHUR)
        one = self.profile(deck, "one")
        two = self.profile(deck, "two", "--set", "run.per_rank=2", ranks=2)
        self.assertNotIn("solve/iterate/halo wait", {scope["path"] for scope in one["scopes"]
                                                     if scope["mean"] > 1e-3})
        products = (self.scope(two, "solve/iterate/sums")["calls"] - 1) / 3 * 2
        self.assertEqual(self.scope(two, "solve/iterate/halo wait")["calls"], products)
        self.assertEqual(sum(device["parts"] for device in two["devices"]), 4)
        # The work is the same, shared out.
        bytes_of = [next(kernel["bytes"] for kernel in profile["kernels"] if kernel["name"] == "update")
                    for profile in (one, two)]
        self.assertEqual(*bytes_of)
        self.assertEqual(self.bits("one"), self.bits("two"))

    def test_devices_with_queues(self):
        deck = self.write("box.yaml", BOX)
        found = {}
        for device in ("omp:1", "emulated:1", "emulated-lazy:1"):
            profile = self.profile(deck, device.split(":")[0], "--set", f"run.devices={device}", program=TEST_FAMILIES)
            found[device] = {kernel["name"]: kernel["calls"] for kernel in profile["kernels"]
                             if not kernel["name"].startswith("copy")}
        self.assertTrue(found["omp:1"])
        for calls in found.values():
            self.assertEqual(calls, found["omp:1"])

    def test_diffusion_states_what_a_sweep_moves(self):
        profile = self.profile(INPUTS / "diffusion" / "eigenmode.yaml", "eigenmode", "--set", "run.devices=omp:1")
        sweep = next(kernel for kernel in profile["kernels"] if kernel["name"].endswith("sweep"))
        self.assertGreater(sweep["of_copy_rate"], 0)
        self.assertEqual(sweep["bytes"] % sweep["calls"], 0)
        self.assertIn("solve/steps", {place["path"] for place in sweep["scopes"]})

    def test_nobody_is_asked_unless_told(self):
        done = self.run_program("run", self.write("schur.yaml", SCHUR), program=PROGRAM)
        self.assertNotIn("profile", self.report("schur"))
        self.assertNotIn("profile of", done.stdout)
        self.assertEqual([timer["path"] for timer in self.report("schur")["timers"] if "halo" in timer["path"]], [])


class SlowRank(RunCase):
    """A rank that the others wait for is named, whether they wait in every step or not at all until the end."""

    def test_that_it_is_named(self):
        self.write("deck.yaml", BOX)
        slow = ("--set", "stepper.slow_rank=2", "--set", "stepper.slow_step=0.05", "--set", "stepper.end=0.02")
        done = self.run_program("run", "deck.yaml", *slow, ranks=3)
        self.assertRegex(done.stdout, r"slow rank +rank 2 \(host \S+\) took [0-9.]+ x the time of the others in `solve`")
        report = self.report("box")
        self.assertEqual((report["slow_rank"]["rank"], report["slow_rank"]["phase"]), (2, "solve"))
        solve = next(timer for timer in report["timers"] if timer["path"] == "solve")
        self.assertEqual(solve["own"]["rank"], 2)
        self.assertGreater(solve["own"]["max"], 1.5 * solve["own"]["mean"])
        # All of them take as long, as they wait for each other.
        self.assertLess(solve["max"], 1.2 * solve["mean"])

    def test_that_equal_ranks_are_not(self):
        self.write("deck.yaml", BOX)
        for ranks in (1, 3):
            done = self.run_program("run", "deck.yaml", "--overwrite", ranks=ranks)
            self.assertNotIn("slow rank", done.stdout)
            self.assertNotIn("slow_rank", self.report("box"))
        self.assertIn("own", self.report("box")["timers"][0])


if __name__ == "__main__":
    unittest.main()
