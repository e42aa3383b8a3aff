"""Campaigns of faults, by hand and before a release: many rounds of what the tests of this folder do a few times.

    python3 tests/faults/campaign KIND... --program build/cpu-release/bin/halocline \\
        --library build/cpu-release/tests/faults/libfail_at.so [--rounds N] [--jobs N] [--families NAME...] [--seed N]

needs besides the program only mpiexec and Python with h5py. Every trial works in a folder of its own, which stays when
something does not hold. Prints a line per fault and, at the end, figures; exit code 1 when there were faults.
"""

import argparse
import concurrent.futures
import importlib
import itertools
import pathlib
import random
import sys
import tempfile
import time
import traceback

from decks import LONG, SHORT
from trial import Fault, Settings

KINDS = ("kills", "calls", "limits", "corruption", "versions", "long", "stops")


def options():
    made = argparse.ArgumentParser(prog="campaign", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    made.add_argument("kinds", nargs="+", choices=KINDS)
    made.add_argument("--program", required=True)
    made.add_argument("--library", help="of the target fail_at, for kinds that let calls fail")
    made.add_argument("--mpiexec", default="mpiexec -n", help="up to the option for the number of ranks")
    made.add_argument("--rounds", type=int, default=0, help="of each family or kind of file; by default as the kind says")
    made.add_argument("--places", type=int, default=0, help="of each call and family, by chance; default: all")
    made.add_argument("--calls", nargs="+", default=[], help="which calls fail; default: all but malloc")
    made.add_argument("--ranks", type=int, default=1, help="of runs whose calls fail, on the last rank")
    made.add_argument("--families", nargs="+", choices=list(SHORT), default=list(LONG), help="or, for calls, further decks")
    made.add_argument("--scale", type=float, default=1, help="of the length of long runs")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--jobs", type=int, default=1, help="trials at a time")
    made.add_argument("--patience", type=float, default=60, help="seconds after which a run counts as hanging")
    made.add_argument("--seconds", type=float, help="takes trials of a kind by chance, and begins no more after so long")
    made.add_argument("--share", default="1/1", help="K/N: the K-th of N campaigns that share the trials")
    made.add_argument("--folder", help="for the trials; default: a new one")
    made.add_argument("--most-faults", type=int, default=50, help="ends the campaign")
    return made.parse_args()


class Tally:
    """Figures of a campaign."""

    def __init__(self, kind):
        self.kind, self.counts, self.faults, self.began, self.told = kind, {}, [], time.monotonic(), time.monotonic()

    def take(self, name, future):
        try:
            self.add(future.result())
        except Fault as fault:
            self.add(fault.counts)
            self.fault(name, str(fault))
        except Exception:  # pylint: disable=broad-except
            self.fault(name, traceback.format_exc())
        if time.monotonic() - self.told > 60:
            self.told = time.monotonic()
            self.tell()

    def add(self, counts):
        for what, count in counts.items():
            self.counts[what] = self.counts.get(what, 0) + count

    def fault(self, name, text):
        self.faults.append(text)
        print(f"FAULT {name}: {text}", flush=True)

    def tell(self):
        figures = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        print(f"{self.kind}: {figures}; {len(self.faults)} faults; {time.monotonic() - self.began:.0f} s", flush=True)


def trials_of(kind, settings, given):
    share, shares = map(int, given.share.split("/"))
    trials = itertools.islice(importlib.import_module(kind).trials(settings), share - 1, None, shares)
    if given.seconds is None:
        return trials
    trials = list(trials)
    random.Random(given.seed).shuffle(trials)
    end = time.monotonic() + given.seconds
    return itertools.takewhile(lambda _: time.monotonic() < end, trials)


def work(kind, settings, given):
    """All trials of a kind, so many at a time."""
    tally, jobs = Tally(kind), given.jobs
    trials = trials_of(kind, settings, given)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {}
        while True:
            for name, trial in itertools.islice(trials, max(0, jobs - len(running))):
                running[pool.submit(trial)] = name
            if not running or len(tally.faults) >= given.most_faults:
                break
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                tally.take(running.pop(future), future)
    tally.tell()
    return len(tally.faults)


def main():
    given = options()
    given.folder = given.folder or tempfile.mkdtemp(prefix="halocline-campaign-")
    pathlib.Path(given.folder).mkdir(parents=True, exist_ok=True)
    settings = Settings(given)
    faults = sum(work(kind, settings, given) for kind in given.kinds)
    print(f"{faults} faults; trials in {given.folder}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
