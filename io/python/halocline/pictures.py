"""Drawing results with matplotlib, which is needed here alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

if TYPE_CHECKING:
    from .results import Results

SPACE = {"x", "y", "z", "x_cell", "y_cell", "z_cell"}


def _first_name(run: Results) -> str:
    """What is drawn when nobody says: a field, a result of an ensemble, a series."""
    for data in (run.fields, run.sweep, run.series, run.probes, run.columns):
        if data.data_vars:
            return str(next(iter(data.data_vars)))
    raise ValueError(f"{run.directory} has no results to draw")


def _plane(data: xr.DataArray, plane: dict[str, float] | None) -> xr.DataArray:
    """A field in space without its third axis: at `plane`, as {"z": 0.5}, else in the middle of the slowest."""
    axes = [dim for dim in data.dims if dim in SPACE]
    if plane:
        data = data.sel(plane, method="nearest")
    elif len(axes) == 3:
        data = data.isel({axes[0]: data.sizes[axes[0]] // 2})
    return data


def _at_time(data: xr.DataArray, time: float | None) -> xr.DataArray:
    if "time" not in data.dims:
        return data
    return data.isel(time=-1) if time is None else data.sel(time=time, method="nearest")


def _draw_mesh(data: xr.DataArray, ax: Any, options: dict[str, Any]) -> Any:
    """Points of a mesh, colored by their values; of vectors by their lengths."""
    values = np.asarray(data)
    if values.ndim > 1:
        values = np.linalg.norm(values, axis=-1)
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure().add_subplot(projection="3d")
    dots = ax.scatter(data["x"], data["y"], data["z"], c=values, s=4, **options)
    ax.figure.colorbar(dots, ax=ax, label=str(data.name))
    return ax


def _axes_of(drawn: Any) -> Any:
    """The axes of what xarray has drawn: an artist, or lists of them."""
    while isinstance(drawn, (list, tuple)):
        drawn = drawn[0]
    return drawn.axes


def _without_ones(data: xr.DataArray) -> xr.DataArray:
    """The same for pictures, whose labels need not say that the unit is 1."""
    data = data.copy(deep=False)
    for part in (data, *(data.coords[name] for name in data.coords)):
        part.attrs = {key: value for key, value in part.attrs.items() if (key, value) != ("units", "1")}
    return data


def _bar_options(data: xr.DataArray) -> dict[str, float]:
    """A color bar about as high as a plane that is wider than the picture."""
    high, wide = (float(np.ptp(data.coords[dim].values)) if dim in data.coords else 1.0 for dim in data.dims)
    return {"shrink": min(1.0, 1.2 * high / wide)} if high > 0 and wide > 0 else {}


def _with_numbers(data: xr.DataArray) -> tuple[xr.DataArray, dict[str, list[str]]]:
    """Data whose swept words are their numbers, which every version of xarray draws, and the words by the label of their
    axis."""
    words: dict[str, list[str]] = {}
    for dim in data.dims:
        if dim in data.coords and data.coords[dim].dtype.kind == "U":
            words[str(dim)] = list(data.coords[dim].values)
            data = data.assign_coords({dim: np.arange(data.sizes[dim])})
    return data, words


def plot(run: Results, name: str | None = None, *, time: float | None = None, plane: dict[str, float] | None = None,
         ax: Any = None, **options: Any) -> Any:
    """Draws one quantity and returns the matplotlib axes.

    `name`: of a field, result, probe or series; by default the first there is. Of fields the output nearest to `time`
    (by default the last) is drawn, of three axes a plane: {"z": 0.5} names it, by default it is the middle one. Results
    over one swept value are points or lines, over two a map. `options` go to xarray's plot, or to `scatter` for meshes.
    """
    import matplotlib.pyplot as plt

    name = name or _first_name(run)
    data = _without_ones(run[name])
    if name in run.fields:
        data = _plane(_at_time(data, time), plane)
        if "point" in data.dims:
            return _draw_mesh(data, ax, options)
        if "cell" in data.dims:
            raise ValueError(f"{name} lies in the cells of a mesh; fields at points can be drawn here, all in ParaView")
    if ax is None:
        ax = plt.figure(layout="constrained").gca()
    if name in run.fields and data.ndim == 2:
        options.setdefault("cmap", "viridis")
        if options.get("add_colorbar", True):
            options.setdefault("cbar_kwargs", _bar_options(data))
        data.plot(ax=ax, **options)
        ax.set_aspect("equal")
        return ax
    if data.ndim == 2 and "phase" in data.dims:  # several values per system: points above each other
        swept = next(dim for dim in data.dims if dim != "phase")
        data.plot.line(ax=ax, x=swept, add_legend=False, linestyle="", marker=".", **options)
        return ax
    if data.ndim == 1:
        dim = data.dims[0]
        if dim in data.coords and data.coords[dim].attrs.get("spacing") == "log":
            options.setdefault("xscale", "log")
        if "residual" in name:
            options.setdefault("yscale", "log")
    if data.ndim == 2 and name in run.sweep and not {"x", "y", "hue"} & options.keys():
        options["x"] = data.dims[0]  # the first swept value to the right, as `halocline plot` has it
    data, words = _with_numbers(data)
    axes = _axes_of(data.plot(ax=ax, **options))
    for axis in (axes.xaxis, axes.yaxis):
        texts = words.get(axis.get_label_text(), [])
        if texts:
            axis.set_ticks(range(len(texts)), texts)
    return axes


def movie(run: Results, file: str | os.PathLike[str] | None = None, name: str | None = None, *,
          plane: dict[str, float] | None = None, seconds_per_output: float = 0.2, dpi: int = 100, **options: Any) -> Any:
    """Draws a field at every output. `file` ends in .gif, or in .mp4 where ffmpeg is installed; its path is returned.

    Without a file the movie for a notebook is returned, an object that IPython shows. The range of colors is that of
    all times unless `options` has vmin and vmax.
    """
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    name = name or _first_name(run)
    if name not in run.fields or "time" not in run.fields[name].dims:
        raise ValueError(f"{name} is no field over time")
    data = _plane(_without_ones(run.fields[name]), plane)
    if data.ndim != 3:
        raise ValueError(f"{name} has no plane to draw")
    frames = [data.isel(time=n) for n in range(data.sizes["time"])]
    if "vmin" not in options or "vmax" not in options:  # one output at a time, since all may not fit into memory
        ends = [(float(frame.min()), float(frame.max())) for frame in frames]
        options.setdefault("vmin", min(low for low, _ in ends))
        options.setdefault("vmax", max(high for _, high in ends))
    figure = plt.figure(layout="constrained")
    ax = figure.gca()
    shown = frames[0].plot(ax=ax, **{"cmap": "viridis", **options})
    ax.set_aspect("equal")

    def show(number: int) -> list[Any]:
        shown.set_array(np.asarray(frames[number]))
        ax.set_title(f"time = {float(frames[number]['time']):g}")
        return [shown]

    animation = FuncAnimation(figure, show, frames=len(frames), interval=1000 * seconds_per_output)
    try:
        if file is None:
            from IPython.display import HTML

            return HTML(animation.to_jshtml())
        writer = "pillow" if os.fspath(file).lower().endswith(".gif") else "ffmpeg"
        animation.save(os.fspath(file), writer=writer, dpi=dpi)
        return file
    finally:
        plt.close(figure)
