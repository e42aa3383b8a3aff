"""Failing calls: a run of every family once for each call of a kind that it makes, which fails, comes late, does half or
is the last."""

import hashlib
import random
import signal

from decks import SHORT
from trial import Trial, compare

# Errno: 4 EINTR, 5 EIO, 12 ENOMEM, 13 EACCES, 28 ENOSPC, 30 EROFS.
KINDS = {"open": ("28", "13", "kill"), "write": ("5", "28", "half", "late", "kill"), "fsync": ("5", "late", "kill"),
         "close": ("5", "28", "kill"), "rename": ("5", "30", "kill"), "room": ("28", "kill"), "read": ("5", "4", "half"),
         "mmap": ("12",), "new": ("12",), "malloc": ("12",)}
ON_REQUEST = ("malloc",)
OF_MEMORY = ("mmap", "new", "malloc")
GROWS = ("fields.xdmf", "fields.vtkhdf.series", "images/c.csv", "tables.h5")


def deck_of(family, call):
    """Emulated devices map memory of their own."""
    deck = SHORT[family]
    return deck + ("run: {devices: emulated}\n" if call in OF_MEMORY and "run: {" not in deck else "")


def run_of(trial, settings, told, **faults):
    if settings.ranks > 1:
        faults["rank"] = settings.ranks - 1
    return trial.run(told=told, ranks=settings.ranks, faults=faults)


def whole_of(settings, deck):
    def make():
        trial = Trial(settings, f"whole_{hashlib.sha256(deck.encode()).hexdigest()[:8]}", deck)
        code, errors = trial.run(told="undisturbed")
        trial.check(code == 0, errors)
        files = trial.files()
        trial.remove()
        return files
    return settings.once(("files", deck), make)


def count_of(settings, family, call):
    """How many such calls a run makes."""
    trial = Trial(settings, f"count_{family}_{call}", deck_of(family, call))
    counts = trial.folder / "count"
    code, errors = run_of(trial, settings, "undisturbed", call=call, count=counts)
    trial.check(code == 0, errors)
    count = max(map(int, counts.read_text(encoding="ascii").split()))
    trial.remove()
    return count


def check_rest(trial, kind, found, whole, told):
    """What an unfinished run leaves: whole files alone, of the time before."""
    if kind != "kill":
        left = [path for path in found if path.endswith(".tmp")]
        trial.check(not left, f"{told}: {left} stay")
    fields = sorted(path for path in found if path.startswith("fields_0"))
    apart = {*GROWS, *(fields[-1:] if kind != "kill" else ())}
    found = {path: digest for path, digest in found.items() if path not in apart and not path.endswith(".tmp")}
    wrong = compare(found, {path: whole.get(path) for path in found})
    trial.check(not wrong, f"{told}: {wrong} wrong")


def check_message(trial, kind, errors, told):
    """Who says what: one line, and none of a defect."""
    lines = [line for line in errors.splitlines() if line.startswith("halocline: ")]
    trial.check("defect" not in errors, f"{told}: {lines}")
    if kind not in ("kill",):
        trial.check(len(lines) == 1, f"{told}: {len(lines)} messages: {errors[-600:]}")


def place(settings, family, call, number, kind):
    deck = deck_of(family, call)
    whole = whole_of(settings, deck)
    trial = Trial(settings, f"{family}_{call}_{number}_{kind}", deck)
    told = f"{call} {number} ({kind})"
    code, errors = run_of(trial, settings, told, call=call, at=number, kind=kind)
    allowed = (0, 4) if kind != "kill" else (-signal.SIGKILL,) if settings.ranks == 1 else tuple(range(1, 256))
    crashed = "signal" if code < 0 or code >= 128 else f"exit code {code}"
    trial.check(code in allowed, f"{told}: {crashed} {code}: {errors[-800:]}")
    trial.check_outside(told)
    found = trial.files() if trial.out.exists() else {}
    if "no more pictures" in errors:  # which a run can do without, and says
        found |= {path: whole[path] for path in whole if path.startswith("images/")}
    if code == 0:
        difference = compare(found, whole)
        trial.check(not difference, f"{told}: {difference} differ, with exit code 0")
    else:
        if kind != "kill":
            check_message(trial, kind, errors, told)
        check_rest(trial, kind, found, whole, told)
        trial.finish(told=told)
        difference = compare(trial.files(), whole)
        trial.check(not difference, f"after {told}: {difference} differ")
    trial.remove()
    return {"places": 1, f"places of {call}": 1, f"exit code {0 if code == 0 else 4 if code == 4 else 'of a kill'}": 1}


def trials(settings):
    """All places of a call, or settings.places of them by chance."""
    for call in settings.calls or [call for call in KINDS if call not in ON_REQUEST]:
        for family in settings.families:
            count = count_of(settings, family, call)
            chance = random.Random(f"{settings.seed} {call} {family}")
            numbers = range(1, count + 1)
            most = settings.places or (100 if call in OF_MEMORY else 0)
            if 0 < most < count:
                numbers = sorted(chance.sample(numbers, most))
            for number in numbers:
                kind = chance.choice(KINDS[call])
                yield (f"{family}_{call}_{number}",
                       lambda f=family, c=call, n=number, k=kind: place(settings, f, c, n, k))
