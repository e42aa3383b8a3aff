"""Thousands of damaged versions of every kind of file that the program reads, by the program corrupt_files, which lies
beside the one under test. What is damaged is made once, by runs of all families and as campaigns write it."""

import os
import pathlib
import re
import shutil
import subprocess

from decks import DATA, SHORT
from trial import ENVIRONMENT, Fault, Trial

AT_ONCE = 1000  # versions by one call of corrupt_files
PATIENCE = 600  # seconds for them
# What runs leave: kind, name, what is read with it.
LEFT = (("manifest", "run.files", ()), ("report", "report.json", ()), ("xdmf", "fields.xdmf", ()),
        ("series", "fields.vtkhdf.series", ("fields_*",)))
OF_HDF5 = {"hdf5_raster": ("raster", "a"), "hdf5_matrix": ("matrix", "A"), "table": ("table", ""), "csv": ("raster", ""),
           "npy": ("raster", ""), "mtx": ("matrix", "")}


def write_petsc(path):
    """A matrix, 3 x 3 with 4 entries, and a vector."""
    import struct
    matrix = struct.pack(">4i3i4i4d", 1211216, 3, 3, 4, 2, 1, 1, 0, 1, 1, 2, 2.0, -1.0, 3.0, 4.0)
    path.write_bytes(matrix + struct.pack(">2i3d", 1211214, 3, 1.0, 2.0, 3.0))


def write_texts(checkpoint, folder):
    """What a checkpoint tells of its deck and its outputs."""
    import h5py
    with h5py.File(checkpoint) as file:
        for name in ("keys", "outputs"):
            text = file.attrs[name]
            (folder / name).write_bytes(bytes(text) if not isinstance(text, str) else text.encode())


def keep(trial, folder):
    """What a run of all families leaves, for readers of checkpoints and results."""
    family = trial.name.partition("_")[2]
    shutil.copy(sorted(trial.out.glob("checkpoint_*.h5"))[-1], new(folder / f"checkpoint of {family}") / "checkpoint.h5")
    fields = sorted(trial.out.glob("fields_0*.vtkhdf"))
    if family == "diffusion":
        for kind, name, more in LEFT:
            into = new(folder / kind)
            for path in [path for pattern in (name, *more) for path in trial.out.glob(pattern)]:
                shutil.copy(path, into)
        write_texts(folder / "checkpoint of diffusion/checkpoint.h5", new(folder / "texts"))
    if family in ("diffusion", "collocation"):
        into = new(folder / f"result of {family}")
        shutil.copy(fields[-1], into / "result.vtkhdf")
        for path in trial.out.glob("fields_grid.h5"):
            shutil.copy(path, into)


def new(folder):
    folder.mkdir(parents=True)
    return folder


def make(settings, folder):
    """Files to be damaged, with what is read beside them."""
    for kind, (_, name, write) in DATA.items():
        write(new(folder / kind) / name)
    write_petsc(new(folder / "petsc") / "data.petsc")
    for family, deck in SHORT.items():
        (new(folder / f"deck of {family}") / "deck.yaml").write_text(deck, encoding="utf-8")
        trial = Trial(settings, f"data_{family}", deck)
        code, errors = trial.run("--set", "checkpoint.interval=1e-9", told="to be damaged")
        trial.check(code == 0, errors)
        keep(trial, folder)
        trial.remove()


def subjects():
    """(Folder of files, the damaged one, what corrupt_files calls its kind and dataset, share of the versions)."""
    for kind, (_, name, _) in DATA.items():
        yield kind, name, *OF_HDF5[kind], 1
    yield "petsc", "data.petsc", "petsc", "", 1
    for kind, name, _ in LEFT:
        yield kind, name, kind, "", 1
    for name in ("keys", "outputs"):
        yield "texts", name, name, "", 1
    yield "result of diffusion", "result.vtkhdf", "result", "c", 2
    yield "result of collocation", "result.vtkhdf", "result", "u", 2
    yield "result of collocation", "fields_grid.h5", "grid", "result.vtkhdf", 1
    for family in SHORT:
        yield f"deck of {family}", "deck.yaml", "deck", "", len(SHORT)
        yield f"checkpoint of {family}", "checkpoint.h5", "checkpoint", "", len(SHORT)


def some(settings, subject, first, count):
    """So many versions, from a number on."""
    place, name, kind, dataset, _ = subject
    source = settings.folder / "data" / place
    folder = settings.folder / f"{place} {name} {first}"
    shutil.copytree(source, folder)
    program = pathlib.Path(settings.program).parent / "corrupt_files"
    line = [program, kind, source / name, count, first, PATIENCE, *([dataset] if dataset else [])]
    done = subprocess.run(list(map(str, line)), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False, timeout=2 * PATIENCE,
                          env={**os.environ, **ENVIRONMENT, "OMPI_MCA_ess_singleton_isolated": "1",
                               "OMPI_MCA_orte_create_session_dirs": "0", "OMPI_MCA_btl": "self"})
    shutil.rmtree(folder)
    told = place if place in DATA else kind
    figures = {what: int(number) for number, what in re.findall(r" (\d+) (refused|read|the same)", done.stdout)}
    counts = {f"{told}: {what}": number for what, number in figures.items() if number}
    counts[told] = sum(figures.values())
    if done.returncode != 0 or not figures:
        raise Fault(f"{place}: {done.stdout}{done.stderr}exit code {done.returncode}", counts)
    return counts


def trials(settings):
    data = settings.folder / "data"
    if not data.exists():
        make(settings, data)
    for subject in subjects():
        count = (settings.rounds or 30000) // subject[-1]
        for first in range(0, count, AT_ONCE):
            yield (f"{subject[0]} {first}",
                   lambda s=subject, f=first, n=min(AT_ONCE, count - first): some(settings, s, f, n))
