"""Kills by time: of a rank, of all of them, or of what has started them, by -9 or SIGTERM, at any moment, again and
again; the restart ends with the bits of a run that nobody has disturbed."""

import random
import signal
import time

from decks import LONG
from trial import Trial, compare, end_all, ranks_of, send, wait_until_gone

# Ranks, devices, parts per rank; more often what starts quickly.
LAYOUTS = [(1, "omp:1", 1), (1, "omp:1", 3), (1, "emulated-lazy", 2), (2, "omp:1", 1), (2, "omp:1", 2), (3, "omp:1", 1)]
WAYS = ("rank -9", "all -9", "rank TERM", "all TERM", "mpiexec -9", "mpiexec TERM")


def words_of(layout):
    return ["--set", f"run.devices={layout[1]}", "--set", f"run.per_rank={layout[2]}"]


def whole_of(settings, family):
    """The bits of an undisturbed run."""
    def make():
        trial = Trial(settings, f"whole_{family}", LONG[family])
        code, errors = trial.run(told="undisturbed")
        trial.check(code == 0, errors)
        bits = trial.bits()
        trial.check(len(bits) > 1, "no results")
        trial.remove()
        return bits
    return settings.once(("whole", family), make)


class Lengths:
    """How long runs of a family on a layout take on this machine, at present."""

    def __init__(self):
        self.known = {}

    def note(self, key, seconds):
        self.known[key] = seconds if key not in self.known else 0.7 * self.known[key] + 0.3 * seconds

    def of(self, key):
        return self.known.get(key, 0.5)


lengths = Lengths()


def strike(job, way, chance):
    """(Whether the signal met somebody, all processes of the job)."""
    ranks = ranks_of(job) or [job.pid]
    number = signal.SIGTERM if way.endswith("TERM") else signal.SIGKILL
    aims = [job.pid] if way.startswith("mpiexec") else [chance.choice(ranks)] if way.startswith("rank") else ranks
    return job.poll() is None and send(aims, number) > 0, {*ranks, job.pid}


def disturb(trial, family, layout, way, chance):
    """A run that is struck at some moment: what happened."""
    key, told = (family, layout), f"{way} on {layout}"
    moment = chance.uniform(0.1, 1.0) * lengths.of(key)
    told += f" after {moment:.2f} s"
    began = time.monotonic()
    job = trial.start("run", "deck.yaml", "--restart", "auto", *words_of(layout), ranks=layout[0])
    while job.poll() is None and time.monotonic() - began < moment:
        time.sleep(0.002)
    met, processes = strike(job, way, chance)
    _, errors = trial.end(job, told)
    if not wait_until_gone(processes, trial.settings.patience):
        send(processes, signal.SIGKILL)
        end_all(job)
        trial.check(False, f"{told}: ranks stay at work: {errors[-300:]}")
    if not met:
        lengths.note(key, time.monotonic() - began)
        trial.check(job.returncode == 0, f"not disturbed, exit code {job.returncode}: {errors[-600:]}")
        return {"runs that had ended before": 1}
    trial.check_outside(told)
    crashed = job.returncode in (-signal.SIGSEGV, -signal.SIGABRT, 139, 134)
    trial.check(not crashed or way.endswith("-9"), f"{told}: exit code {job.returncode}: {errors[-600:]}")
    return {f"{way}": 1, "kills": 1}


def round_of_kills(settings, number, family):
    chance = random.Random(f"{settings.seed} kills {number} {family}")
    whole = whole_of(settings, family)
    trial = Trial(settings, f"kill_{family}_{number}", LONG[family])
    counts = {"rounds": 1, f"kills of {family}": 0}
    ways = []
    while True:
        layout = chance.choice(LAYOUTS)
        way = chance.choice(WAYS if layout[0] > 1 else WAYS[::2][:2])
        ways.append(way)
        for name, count in disturb(trial, family, layout, way, chance).items():
            counts[name] = counts.get(name, 0) + count
        if chance.random() < 0.35:  # a restart meets what a killed restart has left
            break
    counts[f"kills of {family}"] = counts.get("kills", 0)
    layout = chance.choice(LAYOUTS)
    told = " then ".join(ways)
    trial.finish(*words_of(layout), ranks=layout[0], told=told)
    difference = compare(trial.bits(), whole)
    trial.check(not difference, f"after {told}: {difference} differ")
    trial.remove()
    return counts


def trials(settings):
    for number in range(settings.rounds or 40):
        for family in settings.families:
            yield f"kill_{family}_{number}", lambda n=number, f=family: round_of_kills(settings, n, f)
