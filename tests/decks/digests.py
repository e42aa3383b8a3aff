#!/usr/bin/env python3
"""Digests of what runs have written: of every dataset of fields, grids and tables, of every picture and of every finding.
Results keep their bits when only the source or the layout changes, and a table of digests shows it.

    digests.py of DIRECTORY               the digests of one run
    digests.py make [options] [DECK...]   runs decks, those of SMALL or the ones named, and prints their table
    digests.py differences BEFORE AFTER   what differs between two tables; exit code 1 if anything does

`make` starts the program that HALOCLINE names, and mpirun for the layout of several ranks. Digests hold for one compiler
and C library, which a table names (`made`). The one of test_digests.py is remade with

    HALOCLINE=build/cpu-release/bin/halocline tests/decks/digests.py make > tests/data/digests.json

and a change of the source before and after is compared on all layouts by

    digests.py make --layouts one ranks devices --compiled collocation/p2 ode_ensemble/lorenz > before.json
"""

import argparse
import hashlib
import json
import os
import pathlib
import platform
import shlex
import subprocess
import sys
import tempfile

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "inputs"
DIGITS = 16  # of a digest in hexadecimal

# Decks of seconds at most, together half a minute on all layouts. Not p6b: its coarsest mesh is solved by LAPACK, whose
# bits depend on the machine.
SMALL = [f"collocation/{name}" for name in ("graded", "groundwater", "manufactured", "p1", "p2", "p3", "p6", "rectangle",
                                           "robin", "thesis_256")]
SMALL += [f"diffusion/{name}" for name in ("box_3d", "eigenmode", "order")]
SMALL += [f"ode_ensemble/{name}" for name in ("duffing", "lorenz", "relief_valve", "riccati")]

# Ranks and settings. Host devices by name, since `auto` takes GPUs.
LAYOUTS = {
    "one": (1, ("run.devices=omp:2",)),
    "ranks": (3, ("run.devices=omp:1",)),
    "devices": (1, ("run.devices=omp:1", "run.per_rank=2")),
}


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.hexdigest()[:DIGITS]


def of_file(path):
    """Digests of the datasets of an HDF5 file: over shape, type and bytes."""
    import h5py  # here, so that tests without results do not need it

    found = {}

    def take(name, item):
        # Whose part a point of a mesh is depends on the layout, as nothing else does.
        if isinstance(item, h5py.Dataset) and not name.endswith("PointData/part"):
            found[f"{path.name}:{name}"] = digest(str(item.shape).encode(), str(item.dtype).encode(), item[()].tobytes())

    with h5py.File(path) as file:
        file.visititems(take)
    return found


def of_results(directory):
    """Digests of the fields, grids, tables and pictures in a run's directory, by file and name."""
    directory, found = pathlib.Path(directory), {}
    for path in sorted(directory.iterdir()):
        if path.name.startswith(("fields_", "tables")) and path.suffix in (".vtkhdf", ".h5"):
            found |= of_file(path)
    for path in sorted((directory / "images").glob("*")):
        found[f"images/{path.name}"] = digest(path.read_bytes())
    return found


def of_findings(directory):
    """The findings of a run's report, which are numbers with all their digits already."""
    report = json.loads((pathlib.Path(directory) / "report.json").read_text(encoding="utf-8"))
    return {f"findings:{finding['name']}": repr(finding["value"]) for finding in report["findings"]}


def of_run(directory):
    return of_results(directory) | of_findings(directory)


def settings_of(deck, layout, compiled=False):
    """Arguments of the program, behind the deck. Equations are interpreted unless `compiled`, since the compiler that is
    found for them may be another one on another machine. Steps of one deck end at its times of output, in the bits that
    all had when they always did."""
    settings = list(LAYOUTS[layout][1])
    if deck.startswith("ode_ensemble/") and not compiled:
        settings.append("ode_ensemble.evaluation=interpreted")
    if deck == "diffusion/box_3d":
        settings.append("diffusion.time.exact_times=true")
    return [word for setting in settings for word in ("--set", setting)]


def made_by(directory):
    """What the digests of a run hold for."""
    report = json.loads((pathlib.Path(directory) / "report.json").read_text(encoding="utf-8"))
    return {"compiler": report["compiler"], "build_type": report["build_type"], "libc": " ".join(platform.libc_ver())}


def make(options):
    decks = {}
    for deck in options.decks or SMALL:
        for layout in options.layouts:
            name = deck if layout == "one" else f"{deck} on {layout}"
            with tempfile.TemporaryDirectory(prefix="halocline-") as folder:
                ranks = LAYOUTS[layout][0]
                start = [] if ranks == 1 else [*shlex.split(os.environ.get("MPIEXEC", "mpirun -n")), str(ranks)]
                line = [*start, os.environ["HALOCLINE"], "run", str(INPUTS / f"{deck}.yaml"), "--set",
                        f"output.directory={folder}", *settings_of(deck, layout, options.compiled), *options.more]
                print(shlex.join(line), file=sys.stderr)
                done = subprocess.run(line, stdout=subprocess.DEVNULL, check=False)
                if done.returncode != 0:
                    sys.exit(f"{name}: exit code {done.returncode}")
                decks[name], made = of_run(folder), made_by(folder)
    json.dump({"by": "tests/decks/digests.py make", "made": made, "decks": decks}, sys.stdout, indent=1, sort_keys=True)
    print()


def differences(before, after):
    """Lines that say what differs between the digests of two runs."""
    lines = [f"{name}: only before" for name in sorted(before.keys() - after.keys())]
    lines += [f"{name}: only after" for name in sorted(after.keys() - before.keys())]
    lines += [f"{name}: {before[name]} before, {after[name]} after"
              for name in sorted(before.keys() & after.keys()) if before[name] != after[name]]
    return lines


def compare(options):
    before, after = (json.loads(pathlib.Path(file).read_text(encoding="utf-8")) for file in (options.before, options.after))
    lines = [f"made by {before['made']} before, {after['made']} after"] if before["made"] != after["made"] else []
    for deck in sorted(before["decks"].keys() | after["decks"].keys()):
        lines += [f"{deck}: {line}"
                  for line in differences(before["decks"].get(deck, {}), after["decks"].get(deck, {}))]
    print("\n".join(lines) or "no differences")
    return 1 if lines else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    of = commands.add_parser("of")
    of.add_argument("directory")
    making = commands.add_parser("make")
    making.add_argument("decks", nargs="*", metavar="DECK", help="collocation/p2, say")
    making.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=["one"])
    making.add_argument("--compiled", action="store_true", help="compile the equations of ode_ensemble")
    making.add_argument("--set", dest="more", action="append", default=[], help="a setting for the program")
    comparing = commands.add_parser("differences")
    comparing.add_argument("before")
    comparing.add_argument("after")
    options = parser.parse_args()
    if options.command == "of":
        json.dump(of_run(options.directory), sys.stdout, indent=1)
        print()
    elif options.command == "make":
        options.more = [word for setting in options.more for word in ("--set", setting)]
        make(options)
    else:
        return compare(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
