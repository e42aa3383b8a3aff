"""Runs of the program, for the tests of whole runs: start it on some ranks, and read back what it has written.

The environment names the programs: HALOCLINE, HALOCLINE_TEST_FAMILIES and MPIEXEC (with the option for the number of
ranks at its end). HALOCLINE_INPUTS is the folder of decks.
"""

import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

from digests import of_results

PROGRAM = os.environ["HALOCLINE"]
TEST_FAMILIES = os.environ["HALOCLINE_TEST_FAMILIES"]
MPIEXEC = shlex.split(os.environ["MPIEXEC"])
INPUTS = pathlib.Path(os.environ["HALOCLINE_INPUTS"])

BOX = """\
problem: stepper
stepper: {cells: 12, diffusivity: [1, 0.5], end: 0.02}
output: {every: 0.01, directory: box}
verify: {max_error: 5e-3}
"""
ENSEMBLE = """\
problem: ensemble
ensemble: {systems: 999, steps: 200, start: 0.3}
output: {every_steps: 50, directory: ensemble}
verify: {longest: 178}
"""


def command(program, arguments, ranks=1):
    """On one rank without mpiexec, which a user may leave out too."""
    return ([] if ranks == 1 else [*MPIEXEC, str(ranks)]) + [program, *map(str, arguments)]


def limited(program, file_size):
    """The beginning of a command line that limits the size of the files its process may write, in kB."""
    return "bash", ["-c", f'ulimit -f {file_size}; exec "$@"', "-", program]


class RunCase(unittest.TestCase):
    """A test in a folder of its own that is removed afterwards."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="halocline-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "runs"
        self.folder.mkdir()
        self.numbers = itertools.count()

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def alone(self):
        """For a process without mpiexec, which otherwise starts a daemon that takes longer than most of these runs. It
        then needs a folder of its own, which such processes otherwise share."""
        folder = self.folder.with_name(f"mpi{next(self.numbers)}")
        return {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_tmpdir_base": str(folder)}

    def start(self, *arguments, ranks=1, program=TEST_FAMILIES):
        return subprocess.Popen(command(program, arguments, ranks), cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_program(self, *arguments, ranks=1, program=TEST_FAMILIES, expect=0, environment=None):
        """The finished process; its exit code is `expect`."""
        line = command(program, arguments, ranks)
        more = {**(self.alone() if ranks == 1 else {}), **(environment or {})}
        done = subprocess.run(line, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              check=False, env={**os.environ, **more})
        self.assertEqual(done.returncode, expect, f"{shlex.join(line)}\n{done.stdout}\n{done.stderr}")
        return done

    def forecast(self, deck, *settings):
        """Bytes of memory that `check` tells."""
        told = self.run_program("check", deck, *settings, program=PROGRAM).stdout
        return float(re.search(r"memory +([0-9.]+) MB", told).group(1)) * 1e6

    def peak(self, deck, *settings):
        """Bytes of memory that a run takes at most, the program and its libraries included."""
        script = 'import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; ' \
                 'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)'
        line = [sys.executable, "-c", script, PROGRAM, "run", deck, "--overwrite", *settings]
        done = subprocess.run(line, cwd=self.folder, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[-1]) * 1024

    def report(self, directory):
        return json.loads((self.folder / directory / "report.json").read_text(encoding="utf-8"))

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.02)

    def names(self, directory):
        return sorted(path.name for path in (self.folder / directory).iterdir())

    def bits(self, directory):
        """A digest of every dataset of the results in a run's directory, and of every picture, by file and name."""
        found = of_results(self.folder / directory)
        self.assertTrue(found, f"no results in {directory}")
        return found
