"""Long runs: very many steps, outputs and checkpoints on a small grid. Memory and descriptors are sampled; the first
tenth of a run, which fills caches, does not count."""

import os
import pathlib
import time

from trial import Trial

DECK = """\
problem: diffusion
diffusion:
  grid: {{layout: fv, size: [8, 8], cells: [8, 8]}}
  equation: {{kind: diffusion, D: 1, initial: 0.01*x}}
  walls: {{rest: {{kind: no_flux}}}}
  stencil: {{dt: 0.1}}
  time: {{end: {end}}}
output: {{directory: out{output}}}
checkpoint: {{at_end: false{checkpoint}}}
"""


# A run remembers the names of its outputs, and at the end lists them: kB for each of them, besides those of any run.
KB_PER_OUTPUT, KB_OF_ANY = 0.25, 1000


def decks(scale):
    """By name: a deck, and what there is much of."""
    return {"steps": DECK.format(end=100000 * scale, output="", checkpoint=""),
            "outputs": DECK.format(end=10000 * scale, output=f", every: {0.1}", checkpoint=""),
            "checkpoints": DECK.format(end=1000 * scale, output="", checkpoint=f", every: {0.1}"),
            "records": DECK.format(end=10000 * scale, output=", probes: {every: 1, points: [[1, 1]]}", checkpoint="")}


def sample(pid):
    """(Resident kB, descriptors, threads) of a process."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    values = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return int(values["VmRSS"].split()[0]), len(os.listdir(f"/proc/{pid}/fd")), int(values["Threads"])


def long_run(settings, name, scale):
    trial = Trial(settings, f"long_{name}", decks(scale)[name])
    job = trial.start("run", "deck.yaml")
    samples = []
    began = time.monotonic()
    with open(trial.folder / "samples.csv", "w", encoding="ascii") as file:
        trial.given.add("samples.csv")
        while job.poll() is None:
            try:
                samples.append((time.monotonic() - began, *sample(job.pid)))
                print(*samples[-1], sep=",", file=file, flush=True)
            except (OSError, KeyError):
                pass
            time.sleep(0.02 if len(samples) < 100 else 0.25)
    _, errors = trial.end(job, name)
    trial.check(job.returncode == 0, errors[-600:])
    trial.check_outside(name)
    last = samples[-1][0]
    later = [one for one in samples if one[0] >= 0.1 * last]
    early = later[:1 + len(later) // 5]
    figures = {f"{name}: kB early": max(one[1] for one in early), f"{name}: kB at most": max(one[1] for one in later),
               f"{name}: descriptors early": max(one[2] for one in early),
               f"{name}: descriptors at most": max(one[2] for one in later), f"{name}: seconds": round(last)}
    trial.check(figures[f"{name}: descriptors at most"] <= figures[f"{name}: descriptors early"] + 2, str(figures))
    trial.check(figures[f"{name}: kB at most"] <= 1.25 * figures[f"{name}: kB early"] + 30000, str(figures))
    if name == "outputs":
        grown = figures["outputs: kB at most"] - figures["outputs: kB early"]
        trial.check(grown <= KB_OF_ANY + KB_PER_OUTPUT * 1e5 * scale, f"{grown} kB for {1e5 * scale:g} outputs: {figures}")
    trial.remove()
    return figures


def trials(settings):
    """Of settings.scale times the full length: 1 is the full length, of 1e6 steps, 1e5 outputs, 1e4 checkpoints."""
    for name in decks(1):
        yield f"long_{name}", lambda n=name: long_run(settings, n, settings.scale)
