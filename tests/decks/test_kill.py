"""A rank killed at any moment: the job ends, and the restart ends with the bits of a run that nobody killed.

HALOCLINE_KILLS is the number of kills (default 4; 20 is the full number), HALOCLINE_KILL_SEED the seed of their moments.
"""

import os
import random
import signal
import time
import unittest

from runs import BOX, PROGRAM, TEST_FAMILIES, RunCase

KILLS = int(os.environ.get("HALOCLINE_KILLS", "4"))
SEED = int(os.environ.get("HALOCLINE_KILL_SEED", "1"))
LAYOUTS = [(2, "omp", 1), (3, "omp", 1), (2, "emulated-lazy", 2), (4, "omp", 1), (1, "omp", 3)]


def ranks_of(job):
    """Process ids of the ranks that mpirun has started; the job itself where there is no mpirun."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == job.pid:
            found.append(int(entry))
    return sorted(found)


class Kill:
    """One family's deck; DIRECTORY is where it writes."""

    # A checkpoint after almost every slice: most kills meet a file under construction.
    SLOW = ("--set", "checkpoint.interval=0.02")

    def begin(self, layout):
        ranks, devices, per_rank = layout
        return self.start("run", "deck.yaml", "--restart", "auto", *self.SLOW, "--set", f"run.devices={devices}",
                          "--set", f"run.per_rank={per_rank}", ranks=ranks, program=self.program)

    def end(self, job, seconds=60):
        """The texts of a job that must end by itself."""
        try:
            return job.communicate(timeout=seconds)
        except Exception:
            job.kill()
            job.communicate()
            raise

    def kill_one(self, chance, layout, moment):
        """True when a rank was killed, false when the run had ended before."""
        job = self.begin(layout)
        began = time.monotonic()
        while job.poll() is None and time.monotonic() - began < moment:
            time.sleep(0.002)
        pids = [job.pid] if layout[0] == 1 else ranks_of(job)
        killed = False
        if job.poll() is None and pids:
            try:
                os.kill(chance.choice(pids), signal.SIGKILL)
                killed = True
            except ProcessLookupError:
                pass
        _, errors = self.end(job)
        if not killed:
            self.assertEqual(job.returncode, 0, errors)
        return killed

    def clear(self):
        for path in (self.folder / self.directory).glob("**/*"):
            if path.is_file():
                path.unlink()

    def test_kills(self):
        directory = self.directory
        self.write("deck.yaml", self.deck)
        self.run_program("run", "deck.yaml", "--set", "output.directory=whole", program=self.program)
        whole = self.bits("whole")
        began = time.monotonic()
        _, errors = self.end(job := self.begin(LAYOUTS[0]))
        self.assertEqual(job.returncode, 0, errors)
        length = time.monotonic() - began
        self.assertEqual(self.bits(directory), whole)
        chance = random.Random(SEED)
        kills = restarts = 0
        while kills < KILLS:
            self.clear()
            # Killed again with even chance, so that a restart meets what a killed restart has left.
            while True:
                moment = chance.uniform(0.05, 0.9) * length
                killed = self.kill_one(chance, chance.choice(LAYOUTS), moment)
                kills += killed
                restarts += 1
                if not killed:  # the machine has become faster: the first run was longer than this one
                    length *= 0.8
                if chance.random() < 0.5:
                    break
            ranks, devices, per_rank = chance.choice(LAYOUTS)
            self.run_program("run", "deck.yaml", "--restart", "auto", "--set", f"run.devices={devices}",
                             "--set", f"run.per_rank={per_rank}", ranks=ranks, program=self.program)
            self.assertTrue(self.report(directory)["finished"])
            self.assertEqual(self.bits(directory), whole, f"after {kills} kills")
            self.assertFalse([str(path) for path in (self.folder / directory).glob("**/*.tmp")])
            self.assertLess(restarts, 20 * KILLS, "hardly a kill meets a run")


class KillStepper(Kill, RunCase):
    program, directory = TEST_FAMILIES, "box"
    deck = BOX.replace("every: 0.01", "every: 0.004, images: {every: 0.002}, "
                       "probes: {every_steps: 3, points: [[0.1, 0.2, 0.3]]}")
    SLOW = (*Kill.SLOW, "--set", "stepper.pause=0.02")  # of every slice


class KillDiffusion(Kill, RunCase):
    program, directory = PROGRAM, "out"
    deck = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [96, 96], cells: [96, 96]}
  equation: {kind: diffusion, D: 1, initial: 0.01*x}
  walls:
    x_min: [{from: 0, to: 48, kind: dirichlet, value: 1 + sin(t)}]
    rest: {kind: no_flux}
  stencil: {mask: 9pt, co: 2/3}
  time: {end: 800}
output: {directory: out, every: 200, images: {every: 40, pixels: 48}, probes: {every: 40, points: [[10, 10]]}}
verify: {mass_balance: 1e-11}
"""
    # Checkpoints in several files, each of which may be the one under construction.
    SLOW = (*Kill.SLOW, "--set", "checkpoint.files=writers", "--set", "output.writers=2")


class Corrupted(RunCase):
    """Flipped bytes of a checkpoint are found, and the generation before takes its place."""

    def test_flipped_bytes(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml", "--set", "output.directory=whole")
        whole = self.bits("whole")
        self.run_program("run", "deck.yaml", "--set", "checkpoint.interval=0.02", "--set",
                         "run.wall_limit=2", "--set", "stepper.pause=0.1", ranks=2)
        names = [name for name in self.names("box") if name.startswith("checkpoint_")]
        self.assertEqual(len(names), 2)
        newest = self.folder / "box" / names[1]
        good = newest.read_bytes()
        chance = random.Random(SEED)
        warned = 0
        for _ in range(KILLS + 4):
            damaged = bytearray(good)
            for _ in range(8):
                damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
            newest.write_bytes(damaged)
            ranks = chance.choice((1, 2, 3))
            done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", "checkpoint.at_end=false", ranks=ranks)
            (self.folder / "box/report.json").unlink()  # or the run counts as finished
            warned += "damaged checkpoint passed over" in done.stderr
            self.assertEqual(self.bits("box"), whole)
        self.assertEqual(warned, KILLS + 4)


if __name__ == "__main__":
    assert PROGRAM
    unittest.main()
