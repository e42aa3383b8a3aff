"""What the tests of decks of family diffusion share."""

from runs import PROGRAM, RunCase


class DiffusionCase(RunCase):
    def run_deck(self, text, *more, ranks=1, expect=0):
        self.write("deck.yaml", text)
        return self.run_program("run", "deck.yaml", "--overwrite", *more, program=PROGRAM, ranks=ranks, expect=expect)

    def findings(self, directory="out"):
        return {one["name"]: one["value"] for one in self.report(directory)["findings"]}

    def same_on_any_layout_and_after_a_restart(self, text):
        """Bits and findings of a deck on one part are those on others, and of a run in two pieces; the findings."""
        self.run_deck(text)
        alone, findings = self.bits("out"), self.findings()
        for ranks, devices, per_rank in ((2, "omp:2", 1), (3, "omp", 1), (2, "emulated-lazy", 2)):
            self.run_deck(text, "--set", f"run.devices={devices}", "--set", f"run.per_rank={per_rank}", ranks=ranks)
            self.assertEqual(self.bits("out"), alone, f"{ranks} ranks, {per_rank} times {devices}")
        # Ends with its first slice, saved by four parts.
        self.run_deck(text, "--set", "run.wall_limit=1e-9", "--set", "run.per_rank=2", ranks=2)
        self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM)
        self.assertEqual(self.bits("out"), alone)
        self.assertEqual(self.findings(), findings)
        return findings

    def field(self, number=2, directory="out"):
        import h5py

        with h5py.File(self.folder / directory / f"fields_{number:04d}.vtkhdf") as file:
            return file["VTKHDF/CellData/c"][()].ravel()
