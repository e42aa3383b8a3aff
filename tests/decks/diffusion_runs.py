"""What the tests of decks of family diffusion share."""

from runs import PROGRAM, RunCase


class DiffusionCase(RunCase):
    def run_deck(self, text, *more, ranks=1, expect=0):
        self.write("deck.yaml", text)
        return self.run_program("run", "deck.yaml", "--overwrite", *more, program=PROGRAM, ranks=ranks, expect=expect)

    def findings(self, directory="out"):
        return {one["name"]: one["value"] for one in self.report(directory)["findings"]}

    def field(self, number=2, directory="out"):
        import h5py

        with h5py.File(self.folder / directory / f"fields_{number:04d}.hdf") as file:
            return file["VTKHDF/CellData/c"][()].ravel()
