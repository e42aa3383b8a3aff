"""Draws errors on finer and finer meshes for sides in pieces and factors that vary: the picture of docs/collocation.md.

    draw_sides.py PROGRAM IMAGE.png      from the root of the repository; needs matplotlib
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ELEMENTS = (8, 16, 32, 64, 128)
CURVES = (
    ("pieces", "max_error.u", 1, (), "pieces, factors that vary (pieces.yaml)", "o-"),
    ("cooled_plate", "value_error", 1, (), "h(x), h(y) on two sides (cooled_plate.yaml)", "s-"),
    ("motz", "value_error", 500, ("collocation.constants.power=3",), "Motz, graded mesh (motz.yaml)", "^-"),
    ("motz", "value_error", 500, ("collocation.constants.power=1",), "Motz, equal elements", "v-"),
)


def error(program, deck, finding, elements, settings):
    along_x = 2 * elements if deck == "motz" else elements
    with tempfile.TemporaryDirectory() as folder:
        words = [f"output.directory={folder}/run", f"collocation.mesh.x.elements={along_x}",
                 f"collocation.mesh.y.elements={elements}", *settings]
        subprocess.run([program, "run", f"inputs/collocation/{deck}.yaml",
                        *(word for setting in words for word in ("--set", setting))], capture_output=True, check=False)
        report = json.loads(pathlib.Path(folder, "run/report.json").read_text(encoding="utf-8"))
    return next(entry["value"] for entry in report["findings"] if entry["name"] == finding)


def main(program, image):
    figure, axes = plt.subplots(figsize=(7, 4), constrained_layout=True)
    for deck, finding, size, settings, label, style in CURVES:
        errors = [error(program, deck, finding, n, settings) / size for n in ELEMENTS]
        print(deck, settings, errors)
        axes.loglog(ELEMENTS, errors, style, label=label, markersize=5, linewidth=1.2)
    axes.loglog(ELEMENTS, [2e-4 * (8 / n) ** 4 for n in ELEMENTS], "k:", linewidth=0.8, label="slopes 4 and 1")
    axes.loglog(ELEMENTS, [6e-2 * 8 / n for n in ELEMENTS], "k:", linewidth=0.8)
    axes.set(xlabel="elements along y", ylabel="error of u", xticks=ELEMENTS, xticklabels=ELEMENTS)
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
