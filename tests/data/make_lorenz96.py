"""Lorenz-96 with 40 unknowns at t = 1, before chaos has amplified anything by much: DOP853 of scipy, with tolerances of
1e-13 and, to tell what it is worth, 1e-12.

    x_i' = (x_(i+1) - x_(i-2)) x_(i-1) - x_i + F, from x_i = F but x_20 = F + 0.01

The result table is lorenz96.csv.
"""

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

SIZE = 40
SHOWN = (1, 18, 19, 20, 21, 22, 40)


def rates(force):
    return lambda t, x: (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + force


def end(force, tolerance):
    start = np.full(SIZE, force)
    start[19] += 0.01
    return solve_ivp(rates(force), (0, 1), start, method="DOP853", rtol=tolerance, atol=tolerance).y[:, -1]


lines = ["# made by make_lorenz96.py", ",".join(["F"] + [f"x{i}" for i in SHOWN])]
for force in (2.0, 4.0, 6.0, 8.0, 10.0):
    fine = end(force, 1e-13)
    print(force, "differs by", abs(fine - end(force, 1e-12)).max())
    lines.append(",".join([repr(force)] + [repr(float(fine[i - 1])) for i in SHOWN]))
(Path(__file__).parent / "lorenz96.csv").write_text("\n".join(lines) + "\n")
