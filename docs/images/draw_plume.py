"""Draws plumes at two times and their breakthrough curves, with memory and without: the picture of docs/fractional.md.

    draw_plume.py MEMORY PLAIN IMAGE.png      directories of two runs of plume.yaml; needs h5py and matplotlib
"""

import pathlib
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def plane(directory, number):
    """c at y = 1, one row per z, of an output."""
    with h5py.File(directory / f"fields_{number:04d}.vtkhdf") as file:
        c = file["VTKHDF/PointData/c"]
        return c[:, c.shape[1] // 2, :]


def curve(directory, point):
    with h5py.File(directory / "tables.h5") as file:
        probes = file["series/probes"]
        return probes["time"][:], probes["c_points"][:, point]


def main(memory, plain, image):
    figure = plt.figure(figsize=(10, 3.6), constrained_layout=True)
    parts = figure.add_gridspec(2, 2, width_ratios=[1.25, 1])
    for row, (directory, title) in enumerate([(memory, "orders 1 and 0.5"), (plain, "order 1")]):
        axes = figure.add_subplot(parts[row, 0])
        c = plane(directory, 4)
        shown = axes.imshow(c, origin="lower", extent=(0, 8, 0, 2), vmin=0, vmax=0.06, cmap="viridis")
        axes.set_title(f"{title}, t = 12", fontsize=10)
        axes.set_ylabel("z")
        figure.colorbar(shown, ax=axes, label="c")
    axes.set_xlabel("x")
    axes = figure.add_subplot(parts[:, 1])
    for directory, title, color in [(memory, "orders 1 and 0.5", "C0"), (plain, "order 1", "C1")]:
        t, c = curve(directory, 1)
        axes.loglog(t[t > 1], c[t > 1], color, label=title)
    axes.set_ylim(1e-7, 0.3)
    axes.set_title("c(4, 1, 1) after an inflow of 2 s", fontsize=10)
    axes.set_xlabel("t")
    axes.legend(loc="lower left")
    figure.savefig(image, dpi=80)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
