"""What comes to an end: memory (ulimit -v), room in files (ulimit -f), descriptors (ulimit -n), and room on a disk (a
small tmpfs, where mounting is allowed). The run says so with exit code 4 and one message, or ends well; without the
limit its restart ends with the files of a run that had none."""

import os
import random
import resource
import subprocess

from calls import check_message, check_rest, whole_of
from decks import SHORT
from trial import Fault, Trial, compare

# Of ulimit: kB of addresses, kB of a file, descriptors; kB of the disk.
BOUNDS = {"memory": (50000, 160000), "file size": (1, 400), "descriptors": (8, 24), "disk": (8, 1200)}
FLAGS = {"memory": "-v", "file size": "-f", "descriptors": "-n"}


def before(kind, number):
    """Words in front of the program that limit it."""
    if kind == "disk":
        return ()
    return "bash", "-c", f'ulimit {FLAGS[kind]} {number}; exec "$@"', "-"


def mounted(trial, kilobytes):
    """Whether the results lie on a disk of their own now."""
    trial.out.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", trial.out], check=False,
                          capture_output=True)
    return done.returncode == 0


def unlimited(trial, kilobytes):
    """The disk with more room."""
    if os.path.ismount(trial.out):
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", trial.out], check=True)


def end_of_trial(trial):
    if os.path.ismount(trial.out):
        subprocess.run(["umount", "-l", trial.out], check=True)
    trial.remove()


def limited_run(settings, kind, number, family):
    """One run with one limit."""
    chance = random.Random(f"{settings.seed} {kind} {number} {family}")
    amount = chance.randint(*BOUNDS[kind])
    devices = chance.choice(("omp:1", "emulated", "omp:2")) if kind == "memory" else "omp:1"
    deck = SHORT[family] + f"run: {{devices: {devices}}}\n"
    whole = whole_of(settings, deck)
    trial = Trial(settings, f"{family}_{kind.replace(' ', '_')}_{number}", deck)
    told = f"{kind} {amount} on {devices}"
    try:
        if kind == "disk" and not mounted(trial, amount):
            trial.remove()
            return {"disks that cannot be mounted": 1}
        code, errors = trial.run(told=told, before=before(kind, amount), ranks=settings.ranks)
        if code == 127 or "error while loading shared libraries" in errors or "MPI_INIT" in errors.upper():
            end_of_trial(trial)
            return {"limits under which nothing starts": 1}
        trial.check(code in (0, 4), f"{told}: exit code {code}: {errors[-800:]}")
        trial.check_outside(told)
        found = trial.files() if trial.out.exists() else {}
        if "no more pictures" in errors:
            found |= {path: whole[path] for path in whole if path.startswith("images/")}
        if code == 0:
            difference = compare(found, whole)
            trial.check(not difference, f"{told}: {difference} differ, with exit code 0")
        else:
            check_message(trial, kind, errors, told)
            check_rest(trial, kind, found, whole, told)
            unlimited(trial, 8000)
            trial.finish(told=told)
            difference = compare(trial.files(), whole)
            trial.check(not difference, f"after {told}: {difference} differ")
    except Fault:
        if os.path.ismount(trial.out):
            subprocess.run(["umount", "-l", trial.out], check=True)
        raise
    end_of_trial(trial)
    return {kind: 1, f"{kind}: exit code {code}": 1}


def trials(settings):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in range(settings.rounds or 60):
        for family in settings.families:
            for kind in BOUNDS:
                yield (f"{family}_{kind}_{number}",
                       lambda f=family, k=kind, n=number: limited_run(settings, k, n, f))
