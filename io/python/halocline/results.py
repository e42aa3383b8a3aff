"""What a run has written, opened from its directory."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

import xarray as xr

from . import pictures, tables
from .fields import fields_over_time
from .xdmf import Output, outputs


class Results:
    """The results of a run. Values are read from its files when they are needed, and no file stays open.

    A run may still be under way: what was complete when a property was first used is there; `open` again for more.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        if not (self.directory / "deck.yaml").is_file():
            raise FileNotFoundError(f"{self.directory} holds no run of halocline: there is no deck.yaml in it")

    @cached_property
    def deck(self) -> str:
        """The resolved deck, a YAML text."""
        return (self.directory / "deck.yaml").read_text(encoding="utf-8")

    @cached_property
    def report(self) -> dict[str, Any]:
        """What `report.json` says: versions, layout, findings, times, timers. Empty while the run goes on."""
        file = self.directory / "report.json"
        try:
            return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        except ValueError as error:
            raise ValueError(f"{file} is damaged: {error}") from error

    @cached_property
    def problem(self) -> str:
        """The family."""
        line = next((line for line in self.deck.splitlines() if line.startswith("problem:")), ":")
        return line.partition(":")[2].strip()

    @property
    def findings(self) -> dict[str, float]:
        """Values of the result table by name, as max_error.u."""
        return {finding["name"]: float(finding["value"]) for finding in self.report.get("findings", [])}

    @cached_property
    def outputs(self) -> list[Output]:
        """Times, grids and places of the fields, one entry per output."""
        return outputs(self.directory / "fields.xdmf")

    @cached_property
    def fields(self) -> xr.Dataset:
        """Fields over (time, z, y, x) or, on a mesh, over (time, point) and (time, cell)."""
        return fields_over_time(self.outputs, self.problem)

    def output(self, number: int) -> xr.Dataset:
        """The fields of one output, counted from 0; -1 is the last."""
        return fields_over_time([self.outputs[number]], self.problem).isel(time=0)

    @property
    def _tables(self) -> Path | None:
        file = self.directory / "tables.h5"
        return file if file.is_file() else None

    @cached_property
    def probes(self) -> xr.Dataset:
        """Extremes, integrals and values at points and along lines, over time."""
        return tables.probes(self._tables) if self._tables else xr.Dataset()

    @cached_property
    def series(self) -> xr.Dataset:
        """Residual histories and what else a family records."""
        return tables.series(self._tables) if self._tables else xr.Dataset()

    @cached_property
    def sweep(self) -> xr.Dataset:
        """Results of an ensemble over its swept values, or of a directory of `halocline sweep` over the swept keys."""
        several = self.directory / "sweep.h5"
        file = several if several.is_file() else self._tables
        return tables.Sweep(file).results() if file else xr.Dataset()

    @cached_property
    def cases(self) -> list[Results]:
        """The runs of a directory of `halocline sweep` that have begun, in the order of their numbers."""
        folders = sorted(self.directory.glob("case_*"), key=lambda folder: (len(folder.name), folder.name))
        return [Results(folder) for folder in folders if (folder / "deck.yaml").is_file()]

    @cached_property
    def times(self) -> xr.Dataset:
        """Values of an ensemble at given times, over its swept values and time."""
        return tables.Sweep(self._tables).times() if self._tables else xr.Dataset()

    @cached_property
    def trajectories(self) -> list[xr.Dataset]:
        """The followed systems of an ensemble, over time."""
        return tables.trajectories(self._tables) if self._tables else []

    @cached_property
    def failed(self) -> xr.Dataset:
        """Systems of an ensemble that failed, when and why."""
        return tables.failed(self._tables) if self._tables else xr.Dataset()

    @cached_property
    def columns(self) -> xr.Dataset:
        """Columns with a value per row, of family sparse."""
        return tables.columns(self._tables) if self._tables else xr.Dataset()

    def __getitem__(self, name: str) -> xr.DataArray:
        """The first of fields, sweep, times, probes, series and columns that has this name."""
        known: list[str] = []
        for data in (self.fields, self.sweep, self.times, self.probes, self.series, self.columns):
            if name in data:
                return data[name]
            known += [str(one) for one in data.data_vars if str(one) not in known]
        raise KeyError(f"{self.directory} has no {name}; it has {', '.join(known)}")

    def plot(self, name: str | None = None, **options: Any) -> Any:
        """Draws a field, result, probe or series with matplotlib; see `halocline.pictures.plot`."""
        return pictures.plot(self, name, **options)

    def movie(self, file: str | os.PathLike[str] | None = None, name: str | None = None, **options: Any) -> Any:
        """Draws a field over time as GIF, MP4 or for a notebook; see `halocline.pictures.movie`."""
        return pictures.movie(self, file, name, **options)

    def __repr__(self) -> str:
        lines = [f"<halocline run of family {self.problem} in {self.directory}>"]
        for name in ("fields", "probes", "series", "sweep", "times", "columns"):
            data: xr.Dataset = getattr(self, name)
            if data.data_vars:
                sizes = ", ".join(f"{dim}: {size}" for dim, size in data.sizes.items())
                lines.append(f"  {name:<8} {', '.join(map(str, data.data_vars))}  ({sizes})")
        if self.cases:
            lines.append(f"  cases    {len(self.cases)} runs")
        if self.report:
            lines.append(f"  exit code {self.report['exit_code']}, {self.report['seconds']:.3g} s")
        return "\n".join(lines)


def open_results(directory: str | os.PathLike[str]) -> Results:
    """Opens the results in the output directory of a run.

    FileNotFoundError where there is no run.
    """
    return Results(directory)
