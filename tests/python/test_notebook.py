"""The notebook in docs/ is executed as it stands."""

import os
import pathlib
import unittest

from needed import need

need("numpy", "h5py", "xarray", "matplotlib", "nbclient", "nbformat", "ipykernel")

# pylint: disable=wrong-import-position
import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

from runs import INPUTS, MPIEXEC, RunCase  # noqa: E402

NOTEBOOK = pathlib.Path(INPUTS).parent / "docs/first_results.ipynb"


class Notebook(RunCase):
    def test_cells(self):
        os.environ["HALOCLINE_LAUNCHER"] = " ".join(MPIEXEC[:-1])
        os.environ.pop("MPLBACKEND", None)  # the notebook's own
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        for cell in notebook.cells:
            self.assertFalse(cell.get("outputs"), "the notebook is kept without its outputs")
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(self.folder)}}).execute()
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        pictures = [output for output in outputs if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), 3)
        shown = "".join(output["data"]["text/plain"] for output in outputs if "text/plain" in output.get("data", {}))
        self.assertIn("family diffusion", shown)
        self.assertIn("unknowns                 8192", shown)  # what the program printed
        self.assertGreater((self.folder / "out/coral/v.gif").stat().st_size, 1000)


if __name__ == "__main__":
    unittest.main()
