"""Solutions with conditions that jump or vary along sides, as decks of inputs/collocation have them:

motz.yaml: u_xx + u_yy = 0 on [-1, 1] x [0, 1]; below u = 0 for x < 0 and u_y = 0 for x > 0, u = 500 at x = 1, no flux on
the other sides. u is the sum of d_k r^(k + 1/2) cos((k + 1/2) theta), r and theta about the origin; d_k by least squares
on the other sides (Li, Mathon, Sermer, SIAM J. Numer. Anal. 24 (1987) 487-498: d_0 = 401.1624537).
hot_lid.yaml: u_xx + u_yy = 0 on the unit square, u = 1 on its upper side and 0 on the others: the Fourier series
4/pi sum over odd n of sin(n pi x) sinh(n pi y) / (n sinh(n pi)).
cooled_plate.yaml: u_xx + u_yy = -1 on the unit square, u_n + h u = 0 on the side x = 1 with h = 1 + 4 y^2 (3 - 2 y), on the
upper side with h = 6 - 4 x^2 (3 - 2 x), no flux on the others: Chebyshev collocation (Trefethen, Spectral Methods in
Matlab, 2000).
"""

import math

import numpy as np
from make_bratu import differentiation, shape

LID_POINTS = ((0.5, 0.5), (0.25, 0.5), (0.5, 0.875), (0.25, 0.75), (0.125, 0.75), (0.9, 0.9), (0.3, 0.95))
MOTZ_POINTS = ((-0.5, 0.5), (0.5, 0.5), (0.25, 0), (0, 0.25), (-0.25, 0.125), (-1, 1), (0.75, 0.875))
PLATE_POINTS = ((0, 0), (0.5, 0.5), (0.25, 0.75), (0.75, 0.25), (1, 0.5), (0.5, 1), (0.875, 0.875))


def hot_lid(x, y):
    def term(n):
        ratio = math.exp(-n * math.pi * (1 - y)) * (1 - math.exp(-2 * n * math.pi * y)) / (1 - math.exp(-2 * n * math.pi))
        return math.sin(n * math.pi * x) * ratio / n

    return 4 / math.pi * math.fsum(term(n) for n in range(1, 401, 2))


def motz(terms=40):
    """The coefficients."""
    k = np.arange(terms) + 0.5
    gauss = (np.polynomial.legendre.leggauss(60)[0] + 1) / 2

    def rows(x, y, gradient):
        r, angle = np.hypot(x, y)[:, None], np.arctan2(y, x)[:, None]
        if gradient is None:
            return r**k * np.cos(k * angle)
        power = k * r ** (k - 1)  # u_x = sum k r^(k-1) cos((k-1) theta), u_y = - the same with sin
        return power * np.cos((k - 1) * angle) if gradient == 0 else -power * np.sin((k - 1) * angle)

    one = np.ones_like(gauss)
    top = np.concatenate([gauss - 1, gauss])
    matrix = np.vstack([rows(one, gauss, None), rows(-one, gauss, 0), rows(top, np.ones_like(top), 1)])
    right = np.concatenate([500 * one, np.zeros(len(matrix) - len(one))])
    size = np.abs(matrix).max(axis=0)
    return k, np.linalg.lstsq(matrix / size, right, rcond=1e-15)[0] / size


def cooled_plate(intervals=48):
    """Points along an axis and u there, [x][y]."""
    t, d = differentiation(intervals)
    one = np.eye(intervals + 1)
    u_x, u_y = np.kron(d, one), np.kron(one, d)
    matrix, right = u_x @ u_x + u_y @ u_y, -np.ones((intervals + 1) ** 2)
    x, y = (grid.ravel() for grid in np.meshgrid(t, t, indexing="ij"))
    identity = np.eye(len(x))
    high_x, high_y = 1 + 4 * y**2 * (3 - 2 * y), 6 - 4 * x**2 * (3 - 2 * x)
    for side, rows in ((x == 0, u_x), (y == 0, u_y), (x == 1, u_x + high_x[:, None] * identity),
                       (y == 1, u_y + high_y[:, None] * identity)):
        matrix[side], right[side] = rows[side], 0
    return t, np.linalg.solve(matrix, right).reshape(intervals + 1, -1)


def main():
    print("hot_lid")
    for x, y in LID_POINTS:
        print(f"[{x}, {y}, {hot_lid(x, y):.12f}]")
    k, d = motz()
    print("motz", d[:4])
    for x, y in MOTZ_POINTS:
        print(f"[{x}, {y}, {np.hypot(x, y) ** k * np.cos(k * np.arctan2(y, x)) @ d:.10f}]")
    for intervals in (40, 48):
        t, u = cooled_plate(intervals)
        print("cooled_plate", intervals)
        for x, y in PLATE_POINTS:
            print(f"[{x}, {y}, {shape(t, x) @ u @ shape(t, y):.12f}]")


if __name__ == "__main__":
    main()
