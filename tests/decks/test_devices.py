"""Runs on unlike devices: shares that are measured, messages that are staged or direct, what is refused."""

import re
import unittest

from runs import BOX, PROGRAM, RunCase


class Devices(RunCase):
    def run_box(self, directory, *settings, ranks=1, expect=0):
        self.write("deck.yaml", BOX)
        more = [argument for setting in settings for argument in ("--set", setting)]
        return self.run_program("run", "deck.yaml", "--set", f"output.directory={directory}", *more, ranks=ranks, expect=expect)

    def test_measured_shares(self):
        """Bits do not depend on the shares, and the log tells what was measured."""
        self.run_box("box")
        for number, (ranks, devices) in enumerate([(1, "[omp:1, omp:2]"), (2, "[emulated:1, omp:2]")]):
            directory = f"measured{number}"
            done = self.run_box(directory, f"run.devices={devices}", "run.balance=measured", ranks=ranks)
            self.assertEqual(self.bits(directory), self.bits("box"), devices)
            lines = [line for line in done.stderr.splitlines() if "work by measured bandwidth" in line]
            self.assertEqual(len(lines), ranks, done.stderr)
            self.assertRegex(lines[-1], rf"rank {ranks - 1}: \w+:1 [0-9.e+]+ GB/s, weight [01].\d\d; omp:2 ")

    def test_memory_is_that_of_the_plan(self):
        """What devices that are not the host hold, and what lies beside on the host while fields are written that are cut
        in boxes, which are dealt out anew."""
        self.write("box.yaml", """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [1, 1], cells: [2600, 2600], parts: [2, 2]}
  equation: {kind: diffusion, D: 1, initial: x*y}
  walls: {rest: {kind: no_flux}}
  stencil: {mask: 5pt, co: 1/5}
  time: {end: 6e-8}
output: {directory: box}
checkpoint: {at_end: false}
""")
        more = ["--set", "run.devices=emulated:1", "--set", "run.per_rank=4"]
        small = self.peak("box.yaml", *more, "--set", "diffusion.grid.cells=[40, 40]")
        told = self.run_program("check", "box.yaml", *more, program=PROGRAM).stdout
        parts, beside = (float(re.search(rf"{name} +([0-9.]+) MB", told).group(1)) * 1e6 for name in ("memory", "on the host"))
        field = 8 * 2600**2
        self.assertAlmostEqual(4 * parts, 2 * field, delta=0.1 * field)  # ghosts of 8 steps
        self.assertAlmostEqual(beside, field + 24 * 2**20, delta=0.01 * field)  # and three pieces of 8 MB
        taken = self.peak("box.yaml", *more) - small
        self.assertLess(taken, 1.15 * (4 * parts + beside))  # pages of 2 MB among it
        self.assertGreater(taken, 0.9 * (4 * parts + beside))

    def test_report_tells_shares(self):
        self.run_box("box", "run.devices=[omp:1, emulated:2]", "run.weights=[1, 3]")
        self.assertRegex(self.report("box")["devices"][0], r"part 0 on omp:1 \(25%\), part 1 on emulated:2 \(75%\)$")

    def test_direct_messages(self):
        """The same messages and bits as staged ones."""
        traffic = []
        for transfer in ("staged", "direct", "auto"):
            self.run_box(transfer, "run.devices=omp", f"run.transfer={transfer}", "run.per_rank=2", ranks=2)
            self.assertEqual(self.bits(transfer), self.bits("staged"))
            traffic.append(self.report(transfer)["sent"])
        self.assertEqual(traffic[1:], traffic[:1] * 2)

    def test_direct_from_closed_memory(self):
        done = self.run_box("box", "run.devices=[omp, emulated:1]", "run.transfer=direct", ranks=2, expect=4)
        self.assertEqual(done.stderr.splitlines()[:1],
                         ["halocline: run.transfer: direct: MPI cannot read the memory of emulated:1; use auto or staged"])
        self.assertFalse((self.folder / "box").exists())

    def test_past_mpi(self):
        """The same bits and traffic as by messages, on devices that hold their work back too."""
        self.run_box("staged", "run.devices=emulated:1", "run.per_rank=2", "run.transfer=staged", ranks=2)
        for number, devices in enumerate(("emulated:1", "emulated-lazy:1", "[emulated:1, emulated-lazy:1]")):
            directory = f"ipc{number}"
            parts = 1 if "," in devices else 2
            self.run_box(directory, f"run.devices={devices}", f"run.per_rank={parts}", "run.transfer=ipc", ranks=2)
            self.assertEqual(self.bits(directory), self.bits("staged"), devices)
            self.assertEqual(self.report(directory)["sent"], self.report("staged")["sent"], devices)

    def test_past_mpi_where_it_cannot_be(self):
        done = self.run_box("box", "run.devices=[emulated:1, omp:2]", "run.transfer=ipc", ranks=2, expect=4)
        self.assertEqual(done.stderr.splitlines()[:1],
                         ["halocline: run.transfer: ipc: omp:2 has no memory that other processes can open; use auto or "
                          "staged"])
        self.assertFalse((self.folder / "box").exists())


if __name__ == "__main__":
    unittest.main()
