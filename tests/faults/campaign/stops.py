"""A rank that stops (SIGSTOP): the others wait for it. Either it goes on, and the run ends with the same bits; or the job
is ended by SIGTERM, within seconds, and a restart ends with them."""

import random
import signal
import time

from decks import LONG
from kills import lengths, whole_of, words_of
from trial import Trial, compare, end_all, ranks_of, send, wait_until_gone

LAYOUTS = [(2, "omp:1", 1), (3, "omp:1", 1), (2, "emulated-lazy", 2)]


def round_of_stops(settings, number, family):
    chance = random.Random(f"{settings.seed} stops {number} {family}")
    whole = whole_of(settings, family)
    trial = Trial(settings, f"stop_{family}_{number}", LONG[family])
    layout, goes_on = chance.choice(LAYOUTS), chance.random() < 0.5
    job = trial.start("run", "deck.yaml", *words_of(layout), ranks=layout[0])
    time.sleep(chance.uniform(0.1, 1.0) * max(0.5, lengths.of((family, layout))))
    ranks = ranks_of(job)
    if job.poll() is not None or not ranks:
        trial.end(job, "run")
        trial.remove()
        return {"runs that had ended before": 1}
    send([chance.choice(ranks)], signal.SIGSTOP)
    time.sleep(chance.uniform(0.1, 1.0))
    told = f"stop on {layout}"
    if goes_on:
        send(ranks, signal.SIGCONT)
        _, errors = trial.end(job, told)
        trial.check(job.returncode == 0, f"{told}: exit code {job.returncode}: {errors[-600:]}")
    else:
        job.terminate()
        began = time.monotonic()
        trial.end(job, told)
        if not wait_until_gone(ranks, 10):
            end_all(job)
            trial.check(False, f"{told}: ranks stay")
        trial.check(time.monotonic() - began < 20, f"{told}: {time.monotonic() - began:.0f} s to end")
        trial.finish(*words_of(layout), ranks=layout[0], told=told)
    difference = compare(trial.bits(), whole)
    trial.check(not difference, f"after {told}: {difference} differ")
    trial.remove()
    return {"stops": 1, "stops that go on" if goes_on else "stops that are ended": 1}


def trials(settings):
    for number in range(settings.rounds or 20):
        for family in settings.families:
            yield f"stop_{family}_{number}", lambda n=number, f=family: round_of_stops(settings, n, f)
