#!/usr/bin/env python3
"""How fast fields reach the disk, and what that costs a run: against `dd conv=fsync` of the same size, in turns.

    measure_output.py PROGRAM DIRECTORY [--cells 11264] [--steps 400] [--outputs 5] [--set KEY=VALUE...]

DIRECTORY lies on the disk to measure. A run of STEPS steps on CELLS x CELLS cells writes OUTPUTS fields: waiting for
each (output.buffers: 0), beside the steps (2), and, for comparison, the last one alone. Rates count until all is on the
disk. A field of 11264 x 11264 cells has 1.015 GB. The disk follows where a field takes it less time than the steps
between two.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import time

DECK = """problem: diffusion
diffusion:
  grid: {{layout: fv, size: [1, 1], cells: [{cells}, {cells}]}}
  equation: {{kind: diffusion, D: 1, initial: x + y}}
  walls: {{rest: {{kind: no_flux}}}}
  stencil: {{mask: 5pt, co: 0.1}}
  time: {{end: {steps}*0.1/(4*{cells}^2)}}
"""


def synced(work, folder):
    """Seconds of `work` until its files are on the disk."""
    os.sync()
    start = time.monotonic()
    result = work()
    for path in folder.glob("**/*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.fsync(file.fileno())
    return time.monotonic() - start, result


def dd(folder, size, count):
    """Seconds in which dd writes `count` files of `size` bytes, each with fsync."""
    block = 4 << 20
    start = time.monotonic()
    for number in range(count):
        subprocess.run(["dd", "if=/dev/zero", f"of={folder}/dd_{number}", f"bs={block}", f"count={size // block}",
                        "conv=fsync"], check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def run(options, folder, every, buffers):
    """Seconds until all is on the disk, those of the timer `output` until then, and of the steps."""
    deck, out = folder / "deck.yaml", folder / "out"
    deck.write_text(DECK.format(cells=options.cells, steps=options.steps), encoding="utf-8")
    line = [options.program, "run", str(deck), "--overwrite", "--set", f"output.directory={out}", "--set",
            "checkpoint.interval=0"]
    if every:
        line += ["--set", f"output.every_steps={every}", "--set", f"output.buffers={buffers}"]
    for more in options.more:
        line += ["--set", more]
    seconds, _ = synced(lambda: subprocess.run(line, check=True, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL), out)
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    timers = {timer["path"]: timer["max"] for timer in report["timers"]}
    flush = seconds - report["seconds"]
    return seconds, timers["output"] + flush, timers["solve"]


def clear(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--cells", type=int, default=11264)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--outputs", type=int, default=5, help="the beginning and the end included")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--set", dest="more", action="append", default=[])
    options = parser.parse_args()
    folder = options.directory / "measure_output"
    size, every = 8 * options.cells**2, options.steps // (options.outputs - 1)
    for _ in range(options.rounds):
        clear(folder)
        disk = dd(folder, size, options.outputs)
        clear(folder)
        waited, output, _ = run(options, folder, every, 0)
        clear(folder)
        beside, _, _ = run(options, folder, every, 2)
        clear(folder)
        alone, _, steps = run(options, folder, 0, 0)
        disk_again = dd(folder, size, options.outputs)
        rate = size * options.outputs / 1e9
        print(f"dd {rate / disk:.2f} and {rate / disk_again:.2f} GB/s, waited for {rate / output:.2f} GB/s: "
              f"{output / disk:.2f} and {output / disk_again:.2f} times dd")
        print(f"steps between outputs {steps / (options.outputs - 1):.1f} s, the disk {disk / options.outputs:.1f} s a field")
        print(f"run with the last output alone {alone:.1f} s, waiting {waited:.1f} s (+{100 * (waited / alone - 1):.0f} %), "
              f"beside the steps {beside:.1f} s (+{100 * (beside / alone - 1):.0f} %)", flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
