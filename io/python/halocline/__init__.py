"""Results of halocline as xarray objects, and runs of halocline from Python.

    import halocline

    run = halocline.open("out/x")                    # what a run has written
    run.fields["c"].sel(time=0.5, method="nearest")  # read when it is needed
    run.plot("c")
    run = halocline.run("deck.yaml", ranks=2)        # starts the program and opens what it writes
"""

from .results import Results, open_results
from .start import RunError, run

__version__ = "0.1.0"
__all__ = ["Results", "RunError", "open", "run"]

open = open_results  # noqa: A001, under this name for users alone
