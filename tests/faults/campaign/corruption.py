"""Corruption by byte of what the program reads, through the whole program: every kind of data file, decks, checkpoints. It
ends with a documented code and one message; a checkpoint that is damaged is never gone on from.

The program corrupt_files does this in-process, without most checks but ten thousands of times."""

import random

from decks import DATA, LONG, SHORT
from kills import whole_of
from trial import Trial, compare

WORDS = (b"nan", b"inf", b"-1", b"1e999", b"99999999999999999999", b"0", b"\x00", b"\xff\xfe", b"[", b"{", b":", b"\n", b"%")


def damaged(good, chance):
    """Some bytes flipped, cut, doubled, set to zero, or replaced by words."""
    made = bytearray(good)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(made)) if made else 0
        way = chance.randrange(6)
        if way == 0 and made:
            made[at] ^= 1 << chance.randrange(8)
        elif way == 1 and made:
            made[at] = chance.randrange(256)
        elif way == 2:
            del made[at:at + chance.choice((1, 4, 8, 100, len(made)))]
        elif way == 3:
            made[at:at] = made[at:at + chance.choice((1, 8, 64))]
        elif way == 4:
            size = chance.choice((1, 8, 512))
            made[at:at + size] = bytes(len(made[at:at + size]))
        else:
            word = chance.choice(WORDS)
            made[at:at + chance.choice((0, len(word)))] = word
    return bytes(made)


def check_end(trial, code, errors, told):
    trial.check(code in (0, 1, 2, 3, 4), f"{told}: exit code {code}: {errors[-800:]}")
    trial.check("defect" not in errors, f"{told}: {errors[-400:]}")
    trial.check(code == 0 or errors, f"{told}: exit code {code} without a message")
    trial.check_outside(told)


def corrupt_data(settings, kind, number):
    deck, name, write = DATA[kind]
    chance = random.Random(f"{settings.seed} {kind} {number}")
    trial = Trial(settings, f"{kind}_{number}", deck)
    path = trial.give(name, write)
    path.write_bytes(damaged(path.read_bytes(), chance))
    code, errors = trial.run(told=kind, patience=30)
    check_end(trial, code, errors, f"{kind} {number}")
    trial.remove()
    return {kind: 1, f"{kind}: exit code {code}": 1}


def corrupt_deck(settings, family, number):
    chance = random.Random(f"{settings.seed} deck {family} {number}")
    trial = Trial(settings, f"deck_{family}_{number}", SHORT[family])
    path = trial.folder / "deck.yaml"
    path.write_bytes(damaged(path.read_bytes(), chance))
    job = trial.start("check", "deck.yaml")
    _, errors = trial.end(job, "check", 30)
    check_end(trial, job.returncode, errors, f"deck of {family} {number}")
    trial.remove()
    return {"deck": 1, f"deck: exit code {job.returncode}": 1}


def corrupt_checkpoint(settings, family, number):
    """A run with two checkpoints, the newer one damaged, ends with the bits of an undisturbed run."""
    chance = random.Random(f"{settings.seed} checkpoint {family} {number}")
    whole = whole_of(settings, family)
    trial = Trial(settings, f"checkpoint_{family}_{number}", LONG[family])
    code, errors = trial.run(told="run")
    trial.check(code == 0, errors)
    (trial.out / "report.json").unlink()
    found = sorted(trial.out.glob("checkpoint_*.h5"))
    good = found[-1].read_bytes()
    bad = damaged(good, chance)
    if bad == good:
        trial.remove()
        return {"checkpoints that stayed the same": 1}
    found[-1].write_bytes(bad)
    trial.finish(told=f"damage of {found[-1].name}") if len(found) > 1 else trial.run("--overwrite")
    difference = compare(trial.bits(), whole)
    trial.check(not difference, f"after damage of {found[-1].name}: {difference} differ")
    trial.remove()
    return {"checkpoint": 1}


def trials(settings):
    for number in range(settings.rounds or 100):
        for kind in DATA:
            yield f"{kind}_{number}", lambda k=kind, n=number: corrupt_data(settings, k, n)
        for family in settings.families:
            yield f"deck_{family}_{number}", lambda f=family, n=number: corrupt_deck(settings, f, n)
            yield f"checkpoint_{family}_{number}", lambda f=family, n=number: corrupt_checkpoint(settings, f, n)
