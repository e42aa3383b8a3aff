"""Starting halocline from Python: a deck, given as a file or as nested dicts, is solved on some ranks."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .results import Results

LINES_SHOWN = 40  # in a notebook


class RunError(RuntimeError):
    """A run that did not end well. `code`: its exit code, 1 for a limit of `verify` that does not hold, 2 for faults of
    the deck, 3 for the method, 4 for the machine; `output`: what it printed; `results`: what it wrote, or None."""

    def __init__(self, code: int, output: str, results: Results | None) -> None:
        super().__init__(f"halocline ended with exit code {code}\n{output}")
        self.code, self.output, self.results = code, output, results


def find_program(program: str | os.PathLike[str] | None = None) -> str:
    """The executable: `program`, the environment variable HALOCLINE, or `halocline` in PATH."""
    wanted = os.fspath(program or os.environ.get("HALOCLINE") or "halocline")
    found = shutil.which(wanted)
    if found is None:
        raise FileNotFoundError(f"there is no program {wanted}; put halocline into PATH, or its path into HALOCLINE")
    return found


def _plain(value: Any) -> Any:
    """Arrays and numbers of numpy as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a deck cannot hold {value!r}")


@contextlib.contextmanager
def _deck_file(deck: str | os.PathLike[str] | Mapping[str, Any]) -> Iterator[str]:
    """The path of the deck. One that is given as a dict lies in the working directory for the time of the run, since
    paths in it are relative to the file; JSON is YAML too."""
    if not isinstance(deck, Mapping):
        yield os.fspath(deck)
        return
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix=".deck_", dir=".", encoding="utf-8") as file:
        json.dump(deck, file, default=_plain)
        file.flush()
        yield os.path.relpath(file.name)


def _setting(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


def _shower(quiet: bool) -> Callable[[list[str]], None]:
    """A function that shows the lines so far, of which the last is new."""
    if quiet:
        return lambda lines: None
    if not _in_notebook():
        return lambda lines: print(lines[-1], flush=True)
    from IPython.display import Pretty, display

    class Text(Pretty):
        def __repr__(self) -> str:
            return str(self.data)

    handle = display(Text("starting"), display_id=True)
    return lambda lines: handle.update(Text("\n".join(lines[-LINES_SHOWN:])))


def _follow(process: subprocess.Popen[str], show: Callable[[list[str]], None]) -> list[str]:
    """The lines that a process prints. An interrupt lets it save and end before it is passed on."""
    lines: list[str] = []
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            show(lines)
        process.wait()
    except BaseException:
        process.send_signal(signal.SIGUSR1)  # which launchers pass on to all ranks
        process.wait()
        raise
    finally:
        process.stdout.close()
    return lines


def _directory(lines: Sequence[str]) -> Path | None:
    """The directory that the log names, `files in DIR/`, or of a run that was finished already `DIR: the run is finished`."""
    for line in lines:
        match = re.search(r"files in (.*)/$", line) or re.match(r"(.*): the run is finished", line)
        if match:
            return Path(match[1])
    return None


def run(deck: str | os.PathLike[str] | Mapping[str, Any], ranks: int = 1, *,
        directory: str | os.PathLike[str] | None = None, set: Mapping[str, Any] | None = None, overwrite: bool = False,
        restart: str | None = None, quiet: bool = False, program: str | os.PathLike[str] | None = None,
        launcher: str | Sequence[str] | None = None) -> Results:
    """Solves a deck and opens what the run has written.

    `deck`: a YAML file, or nested dicts and lists, which need a `directory` unless they have output.directory.
    `set`: keys to replace, as {"mesh.x.elements": 64} with the whole path of each. `launcher`: the command that starts
    several ranks, before its option -n; by default that in HALOCLINE_LAUNCHER, else mpirun. What the program prints is
    shown unless `quiet`. An interrupt stops the run as a signal does, with its files whole.

    RunError when the exit code is not 0.
    """
    if ranks < 1:
        raise ValueError(f"a run needs one rank or more, not {ranks}")
    named = directory is not None or "output.directory" in (set or {})
    if isinstance(deck, Mapping) and not named and "directory" not in (deck.get("output") or {}):
        raise ValueError("a deck of dicts needs a directory for its output: run(deck, directory='out/name')")
    starter: list[str] = []
    if ranks > 1:
        chosen = launcher or os.environ.get("HALOCLINE_LAUNCHER") or "mpirun"
        starter = [*(shlex.split(chosen) if isinstance(chosen, str) else chosen), "-n", str(ranks)]
    options = ["--overwrite"] if overwrite else []
    options += ["--restart", restart] if restart else []
    settings = {**(set or {}), **({} if directory is None else {"output.directory": json.dumps(os.fspath(directory))})}
    for key, value in settings.items():
        options += ["--set", f"{key}={_setting(value)}"]
    with _deck_file(deck) as file:
        process = subprocess.Popen([*starter, find_program(program), "run", file, *options], text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        lines = _follow(process, _shower(quiet))
    where = _directory(lines)
    results = Results(where) if where is not None and (where / "deck.yaml").is_file() else None
    if process.returncode != 0 or results is None:
        raise RunError(process.returncode, "\n".join(lines), results)
    return results
