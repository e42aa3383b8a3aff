"""What a machine does to runs: reads that fail inside HDF5, files that change while they are read, too little memory, and
a run before that was killed just now."""

import ctypes
import fcntl
import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import PROGRAM  # noqa: E402  pylint: disable=wrong-import-position
from test_hostile import ENSEMBLE, FAULTY_READS, FIELD, MATRIX, Hostile  # noqa: E402  pylint: disable=wrong-import-position

DAMAGED_RASTER = pathlib.Path(__file__).resolve().parent / "damaged_raster.h5"
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
PICTURES = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [8, 8], cells: [8, 8]}
  equation: {kind: diffusion, D: 1, initial: x}
  walls: {rest: {kind: no_flux}}
  stencil: {dt: 0.1}
  time: {end: 0.2}
output: {directory: out, every: 0.1, images: {every: 0.1}}
checkpoint: {every: 0.1}
"""


def children_of(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def state_of(pid):
    """The letter of a process; X: there is none."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return "X"


class Data(Hostile):
    def write_data(self):
        with h5py.File(self.folder / "data.h5", "w") as file:
            file["a"] = [[1.0] * 8] * 8
            group = file.create_group("A")
            group["indptr"], group["indices"], group["data"] = range(9), range(8), [2.0] * 8
            group.attrs["shape"] = [8, 8]

    def test_a_file_on_which_hdf5_crashes_is_refused(self):
        """Wherever it crashes, which some damaged files make it do."""
        self.write_data()
        faults = {**FAULTY_READS, "HALOCLINE_FAULT_UNDER": str((self.folder / "data.h5").resolve()),
                  "HALOCLINE_FAULT_KIND": "crash"}
        for deck, places, ranks in ((FIELD.format(file="data.h5", keys="dataset: a,"), (1, 5), 1),
                                    (MATRIX.format(file="data.h5, group: A"), (1, 8), 1),
                                    (MATRIX.format(file="data.h5, group: A"), (4,), 2)):
            self.write("deck.yaml", deck)
            for place in places:
                with self.subTest(deck=deck[9:15], place=place, ranks=ranks):
                    done = self.run_in("run", "deck.yaml", ranks=ranks,
                                       environment={**faults, "HALOCLINE_FAULT_AT": str(place)})
                    self.check_end(done, (2,), "data.h5 is damaged: HDF5 itself fails on it (signal 11")
                    self.assertNotIn("out", self.names("."))

    def test_a_file_that_nobody_comes_to_the_end_of_keeps_no_signal_waiting(self):
        """The process that tries the file is stopped, as by a disk that does not answer."""
        self.write_data()
        self.write("deck.yaml", FIELD.format(file="data.h5", keys="dataset: a,"))
        faults = {**FAULTY_READS, "HALOCLINE_FAULT_UNDER": str((self.folder / "data.h5").resolve()),
                  "HALOCLINE_FAULT_KIND": "stop", "HALOCLINE_FAULT_AT": "3"}
        with subprocess.Popen([PROGRAM, "run", "deck.yaml"], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                              env={**os.environ, **self.alone(), **faults}) as run:
            self.wait_for(lambda: "T" in map(state_of, children_of(run.pid)), 20)
            trial = children_of(run.pid)
            run.send_signal(signal.SIGTERM)
            _, errors = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 4, errors)
        self.assertEqual(errors, "halocline: ended by SIGTERM while data.h5 was tried; nothing was computed\n")
        self.assertEqual([pid for pid in trial if state_of(pid) not in "ZX"], [])

    def test_what_may_not_be_opened_is_no_fault_of_the_file(self):
        self.write_data()
        for deck in (FIELD.format(file="data.h5", keys="dataset: a,"), MATRIX.format(file="data.h5, group: A")):
            self.write("deck.yaml", deck)
            ends = set()
            for files in (9, 10, 12, 15):
                line = ["bash", "-c", f'ulimit -n {files}; exec "$@"', "-", PROGRAM, "run", "deck.yaml", "--overwrite"]
                done = subprocess.run(line, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=30, check=False, env={**os.environ, **self.alone()})
                with self.subTest(deck=deck[9:15], files=files):
                    self.check_end(done, (0, 4), "" if done.returncode == 0 else "halocline: ")
                ends.add(done.returncode)
            self.assertEqual(ends, {0, 4})

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "other users are root's to become")
    def test_what_the_user_may_not_read_is_no_fault_of_the_file(self):
        self.write_data()
        (self.folder / "data.h5").chmod(0o600)
        (self.folder / "table.csv").write_text("k\n1\n", encoding="ascii")
        (self.folder / "table.csv").chmod(0o600)
        folder = self.folder
        while folder != folder.parent and folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(folder.stat().st_mode | 0o005)
            folder = folder.parent

        def as_nobody(*words):
            line = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PROGRAM, *words]
            return subprocess.run(line, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=30, check=False, env={**os.environ, **self.alone(), "HOME": "/tmp"})

        if as_nobody("--version").returncode != 0:
            self.skipTest("others may not run the program")
        for deck, name in ((FIELD.format(file="data.h5", keys="dataset: a,"), "data.h5"),
                           (ENSEMBLE.format(table="table.csv", verify=""), "table.csv")):
            self.write("deck.yaml", deck)
            with self.subTest(name):
                done = as_nobody("run", "deck.yaml")
                self.check_end(done, (4,), name)
                self.assertIn("Permission denied", done.stderr)

    def test_a_file_on_which_hdf5_1_10_crashes(self):
        """Found by corrupt_files, four bytes changed; other versions may read it."""
        shutil.copy(DAMAGED_RASTER, self.folder / "data.h5")
        self.write("deck.yaml", FIELD.format(file="data.h5", keys="dataset: a,"))
        self.check_end(self.run_in("run", "deck.yaml"), (0, 2))

    def test_a_read_that_fails_in_hdf5_is_no_fault_of_the_file(self):
        self.write_data()
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
                if done.returncode == 127:
                    continue  # nothing of ours has begun
                self.check_end(done, (0, 4), "" if done.returncode == 0 else "halocline: ")
                ends.add(done.returncode)
        self.assertTrue(ends)


class Opened:
    """Of a file by other processes, from now on; inotify of the system."""

    def __init__(self, path):
        opening = 0x20
        system = ctypes.CDLL(None)
        self.events = system.inotify_init()
        system.inotify_add_watch(self.events, os.fsencode(path), opening)

    def wait(self):
        os.read(self.events, 4096)
        os.close(self.events)


class JustKilled(Hostile):
    def test_the_next_run_waits_for_the_lock_of_a_killed_one(self):
        """Threads of a killed process end one after the other, and its lock stays until the last."""
        self.write("deck.yaml", BOX_OF_ROWS)
        (self.folder / "out").mkdir()
        with open(self.folder / "out/run.lock", "w", encoding="ascii") as lock:
            lock.write("process 1 on some since then\n")
            lock.flush()
            fcntl.lockf(lock, fcntl.LOCK_EX)
            opened = Opened(self.folder / "out/run.lock")
            holder = threading.Thread(target=lambda: (opened.wait(), time.sleep(0.25), fcntl.lockf(lock, fcntl.LOCK_UN)))
            holder.start()
            self.check_end(self.run_in("run", "deck.yaml"), (0,))
            holder.join()

    def test_the_next_run_removes_what_is_unfinished(self):
        """Of its own: another one's file beside it stays."""
        self.write("deck.yaml", PICTURES)
        faults = {**FAULTY_READS, "HALOCLINE_FAULT_UNDER": str(self.folder.resolve() / "out"),
                  "HALOCLINE_FAULT_CALL": "rename", "HALOCLINE_FAULT_KIND": "kill"}
        count = self.folder / "count"
        self.check_end(self.run_in("run", "deck.yaml", environment={**faults, "HALOCLINE_FAULT_COUNT": str(count)}), (0,))
        renames = int(count.read_text(encoding="ascii"))
        for place in (2, renames // 2 + 1, renames - 2):
            with self.subTest(place=place):
                shutil.rmtree(self.folder / "out")
                done = self.run_in("run", "deck.yaml", environment={**faults, "HALOCLINE_FAULT_AT": str(place)})
                self.check_end(done, (-signal.SIGKILL,))
                self.assertTrue(list((self.folder / "out").glob("**/*.tmp")))
                self.write("out/mine.tmp", "mine")
                self.check_end(self.run_in("run", "deck.yaml", "--restart", "auto"), (0,))
                self.assertEqual([path.name for path in (self.folder / "out").glob("**/*.tmp")], ["mine.tmp"])


del Hostile  # whose own tests are not these

if __name__ == "__main__":
    unittest.main()
