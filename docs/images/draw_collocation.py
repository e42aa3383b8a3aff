"""Draws field u, its mesh and the residual history of a collocation run: the picture of README.md.

    draw_collocation.py RUN_DIRECTORY IMAGE.png      needs h5py and matplotlib
"""

import pathlib
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import matplotlib.ticker  # noqa: E402


def read(directory):
    """Coordinates, u with one row per y, and the residual history."""
    last = sorted(directory.glob("fields_*.vtkhdf"))[-1]
    with h5py.File(directory / "fields_grid.h5") as grid:
        x, y = grid["nodes/x"][:], grid["nodes/y"][:]
    with h5py.File(last) as fields:
        u = fields["VTKHDF/PointData/u"][:].reshape(len(y), len(x))  # x runs fastest
    with h5py.File(directory / "tables.h5") as tables:
        return x, y, u, tables["series/residual_history"][:]


def draw_field(axes, x, y, u):
    filled = axes.contourf(x, y, u, levels=60, cmap="viridis")
    axes.contour(x, y, u, levels=12, colors="white", linewidths=0.6, alpha=0.8)
    for line in x[::8]:
        axes.axvline(line, color="white", linewidth=0.3, alpha=0.35)
    for line in y[::8]:
        axes.axhline(line, color="white", linewidth=0.3, alpha=0.35)
    axes.set(xlabel="x", ylabel="y", title="solution u (every 8th mesh line drawn)", aspect="equal")
    axes.figure.colorbar(filled, ax=axes, shrink=0.85, label="u", ticks=matplotlib.ticker.MaxNLocator(6))


def draw_history(axes, history):
    axes.semilogy(history, color="tab:blue", linewidth=1.2)
    axes.set(xlabel="iteration", ylabel="relative residual", title="convergence of BiCGSTAB", xlim=(0, len(history) - 1))
    axes.set_box_aspect(0.86)
    axes.grid(True, which="major", alpha=0.3)


def main():
    directory, image = pathlib.Path(sys.argv[1]), sys.argv[2]
    x, y, u, history = read(directory)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), width_ratios=[2.1, 1], constrained_layout=True)
    draw_field(left, x, y, u)
    draw_history(right, history)
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    main()
