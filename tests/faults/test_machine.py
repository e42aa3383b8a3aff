"""What a machine does to runs: reads that fail inside HDF5, files that change while they are read, too little memory, and
a run before that was killed just now."""

import fcntl
import itertools
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import PROGRAM  # noqa: E402  pylint: disable=wrong-import-position
from test_hostile import ENSEMBLE, FAULTY_READS, FIELD, MATRIX, Hostile  # noqa: E402  pylint: disable=wrong-import-position

BOX_OF_ROWS = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [16, 16, 16]}
      k: 1
      sides: {rest: {kind: dirichlet, value: 0}}
      source: 1
  preconditioner: jacobi
output: {directory: out}
"""


class Data(Hostile):
    def test_a_read_that_fails_in_hdf5_is_no_fault_of_the_file(self):
        with h5py.File(self.folder / "data.h5", "w") as file:
            file["a"] = [[1.0] * 8] * 8
            group = file.create_group("A")
            group["indptr"], group["indices"], group["data"] = range(9), range(8), [2.0] * 8
            group.attrs["shape"] = [8, 8]
        for deck in (FIELD.format(file="data.h5", keys="dataset: a,"), MATRIX.format(file="data.h5, group: A")):
            self.write("deck.yaml", deck)
            counts = self.folder / "count"
            self.check_end(self.run_in("run", "deck.yaml", "--overwrite", environment={
                **FAULTY_READS, "HALOCLINE_FAULT_UNDER": str((self.folder / "data.h5").resolve()),
                "HALOCLINE_FAULT_COUNT": str(counts)}), (0,))
            count = max(map(int, counts.read_text(encoding="ascii").split()))
            counts.unlink()
            for place in sorted({1, 3, count // 2, count}):
                with self.subTest(deck=deck[9:15], place=place):
                    done = self.run_in("run", "deck.yaml", "--overwrite", environment={
                        **FAULTY_READS, "HALOCLINE_FAULT_UNDER": str((self.folder / "data.h5").resolve()),
                        "HALOCLINE_FAULT_AT": str(place)})
                    self.check_end(done, (4,), "data.h5: Input/output error")

    def test_a_file_that_changes_while_it_is_read(self):
        self.write("deck.yaml", ENSEMBLE.format(table="table.csv", verify=""))
        tables = ["k\n" + "1.25\n" * 50, "k\n" + "2.5\n" * 60]
        self.write("table.csv", tables[0])
        ended = threading.Event()

        def change():
            for number in itertools.count():
                if ended.is_set():
                    return
                time.sleep(0.01)
                self.write("new.csv", tables[number % 2])
                os.replace(self.folder / "new.csv", self.folder / "table.csv")

        other = threading.Thread(target=change)
        other.start()
        try:
            faults = {**FAULTY_READS, "HALOCLINE_FAULT_UNDER": str((self.folder / "table.csv").resolve()),
                      "HALOCLINE_FAULT_AT": "1", "HALOCLINE_FAULT_KIND": "late"}
            done = self.run_in("run", "deck.yaml", environment=faults)
        finally:
            ended.set()
            other.join()
        self.check_end(done, (4,), "table.csv has changed while it was read; nothing was computed")
        self.assertNotIn("out", self.names("."))


class Memory(Hostile):
    """Short of memory at any point: a run says so, or ends well."""

    def run_within(self, kilobytes, *arguments):
        line = ["bash", "-c", f'ulimit -v {kilobytes}; exec "$@"', "-", PROGRAM, *arguments]
        # OpenBLAS is asked for threads, which would wait for their memory until the end of days.
        more = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "3"}
        return subprocess.run(line, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=30, check=False, env={**os.environ, **self.alone(), **more})

    def test_limits(self):
        self.write("deck.yaml", BOX_OF_ROWS)
        ends = set()
        least = 50000  # under which the program, which is larger with CUDA, begins at all
        while self.run_within(least, "--version").returncode not in (0, 4):
            least += 10000 + least // 10
        for kilobytes in range(least, least + 70000, 10000):
            done = self.run_within(kilobytes, "run", "deck.yaml", "--overwrite")
            with self.subTest(kilobytes):
                self.assertNotIn("defect", done.stderr)
                if done.returncode == 127 or "MPI_INIT" in done.stderr.upper():
                    continue  # nothing of ours has begun
                self.check_end(done, (0, 4), "" if done.returncode == 0 else "halocline: ")
                ends.add(done.returncode)
        self.assertTrue(ends)


class JustKilled(Hostile):
    def test_the_next_run_waits_for_the_lock_of_a_killed_one(self):
        """Threads of a killed process end one after the other, and its lock stays until the last."""
        self.write("deck.yaml", BOX_OF_ROWS)
        (self.folder / "out").mkdir()
        with open(self.folder / "out/run.lock", "w", encoding="ascii") as lock:
            lock.write("process 1 on some since then\n")
            lock.flush()
            fcntl.lockf(lock, fcntl.LOCK_EX)
            timer = threading.Timer(0.4, lambda: fcntl.lockf(lock, fcntl.LOCK_UN))
            timer.start()
            self.check_end(self.run_in("run", "deck.yaml"), (0,))
            timer.join()


del Hostile  # whose own tests are not these

if __name__ == "__main__":
    unittest.main()
