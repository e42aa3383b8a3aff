"""A trial of a campaign: runs of the program in a folder of its own, and what must hold after each of them."""

import hashlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "decks"))
from digests import of_results  # noqa: E402  pylint: disable=wrong-import-position

# What differs between equal runs: times, and what was printed.
VARIES = {"report.json", "run.log", "run_1.log", "run.lock", "run.files"}
# What MPI needs on few cores, as root, and without networks.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_WAIT_POLICY": "passive",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader", "OMP_NUM_THREADS": "1"}


class Fault(Exception):
    """A promise that does not hold; with the figures of what did."""

    def __init__(self, text, counts=None):
        super().__init__(text)
        self.counts = counts or {}


class Settings:
    """What trials share: the programs, where they run, and the results of undisturbed runs."""

    def __init__(self, options):
        self.program = str(pathlib.Path(options.program).resolve())
        self.mpiexec = shlex.split(options.mpiexec)
        self.library = str(pathlib.Path(options.library).resolve()) if options.library else ""
        self.folder = pathlib.Path(options.folder)
        self.patience = options.patience
        self.rounds, self.families, self.seed = options.rounds, options.families, options.seed
        self.scale = options.scale
        self.places, self.calls, self.ranks = options.places, options.calls, options.ranks
        self.lock = threading.Lock()
        self.known = {}

    def once(self, key, make):
        """What `make` has made for this key, by whoever came first."""
        with self.lock:
            own = self.known.setdefault(key, [threading.Lock(), None])
        with own[0]:
            if own[1] is None:
                own[1] = make()
            return own[1]


class Trial:
    """A folder with a deck, in which runs write to `out`."""

    def __init__(self, settings, name, deck):
        self.settings, self.name = settings, name
        self.folder = settings.folder / name
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "mpi").mkdir(parents=True)
        self.out = self.folder / "out"
        (self.folder / "deck.yaml").write_text(deck, encoding="utf-8")
        self.given = {"deck.yaml", "mpi", "out", "errors.txt"}

    def give(self, name, write):
        write(self.folder / name)
        self.given.add(name)
        return self.folder / name

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *words, ranks=1, faults=None, before=()):
        """A job of its own process group. `faults`: HALOCLINE_FAULT_*; `before`: words in front of the program."""
        line = [] if ranks == 1 else [*self.settings.mpiexec, str(ranks)]
        line += [*before, self.settings.program, *map(str, words)]
        more = {**ENVIRONMENT, "HALOCLINE_CACHE": "none", "OMPI_MCA_orte_tmpdir_base": str(self.folder / "mpi")}
        if ranks == 1:  # without a daemon beside it
            more["OMPI_MCA_ess_singleton_isolated"] = "1"
        if faults is not None:
            more.update({f"HALOCLINE_FAULT_{key.upper()}": str(value) for key, value in faults.items()})
            more["HALOCLINE_FAULT_UNDER"] = str(self.out.resolve())
            if ranks == 1:
                more["LD_PRELOAD"] = self.settings.library
            else:
                line[line.index(self.settings.program):0] = ["env", "LD_PRELOAD=" + self.settings.library]
        return subprocess.Popen(line, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                                env={**os.environ, **more})

    def end(self, job, told, patience=None):
        """Output and messages of a job that has to end by itself."""
        try:
            return job.communicate(timeout=patience or self.settings.patience)
        except subprocess.TimeoutExpired:
            ranks = ranks_of(job)
            hanging = ", ".join(state_of(pid) for pid in [job.pid, *ranks])
            ended = bool(ranks) and not any(map(is_at_work, ranks))
            end_all(job)
            if ended:  # all have ended, and mpiexec has not noticed
                print(f"mpiexec stays behind its ranks: {hanging}", flush=True)
                return "", "mpiexec stays behind its ranks"
            raise Fault(f"{told}: hangs: {hanging}") from None

    def run(self, *words, told="run", patience=None, **more):
        """(exit code, messages) of a run."""
        job = self.start("run", "deck.yaml", *words, **more)
        _, errors = self.end(job, told, patience)
        (self.folder / "errors.txt").write_text(errors, encoding="utf-8")
        return job.returncode, errors

    def bits(self):
        return of_results(self.out)

    def files(self):
        """Digests of the files of results, but for what varies."""
        return {str(path.relative_to(self.out)): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
                for path in sorted(self.out.glob("**/*"))
                if path.is_file() and path.name not in VARIES and not path.name.startswith("checkpoint_")}

    def check(self, holds, told):
        if not holds:
            raise Fault(f"{self.name}: {told}")

    def check_outside(self, told):
        """Nothing but the results was written."""
        found = {path.name for path in self.folder.iterdir()}
        self.check(found <= self.given, f"{told}: {found - self.given} beside the results")

    def finish(self, *words, told, **more):
        """Goes on to the end of the run, which must be reached."""
        code, errors = self.run("--restart", "auto", *words, told="restart after " + told, **more)
        self.check(code == 0, f"restart after {told}: exit code {code}: {errors[-600:]}")
        self.check_outside(told)
        left = [path.name for path in self.out.glob("**/*.tmp")]
        self.check(not left, f"restart after {told}: {left} stay")


def compare(found, whole):
    """What differs, in words."""
    names = sorted(set(found) | set(whole))
    return ", ".join(name for name in names if found.get(name) != whole.get(name))


def ranks_of(job):
    """Processes that the job has started; itself where there is no mpiexec."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = pathlib.Path(f"/proc/{entry}/stat").read_text(encoding="ascii", errors="replace")
                parents[int(entry)] = int(text.rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    return sorted(pid for pid, parent in parents.items() if parent == job.pid)


def send(pids, number):
    """How many got the signal."""
    count = 0
    for pid in pids:
        try:
            os.kill(pid, number)
            count += 1
        except ProcessLookupError:
            pass
    return count


def end_all(job):
    send([*ranks_of(job), job.pid], signal.SIGKILL)
    try:
        os.killpg(job.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    job.communicate()


def wait_until_gone(pids, seconds):
    """False when one of the processes is still at work after so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(is_at_work(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def state_of(pid):
    """A process with its state, threads, and what it waits for in the kernel."""
    try:
        folder = pathlib.Path(f"/proc/{pid}")
        found = [(task / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] + " " +
                 (task / "wchan").read_text(encoding="ascii") for task in (folder / "task").iterdir()]
        return f"{pid} ({'; '.join(found)})"
    except OSError:
        return f"{pid} (gone)"


def is_at_work(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        return text.rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
