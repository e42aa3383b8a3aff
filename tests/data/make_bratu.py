"""Solutions of the Bratu problem u_xx + u_yy + lambda exp(u) = 0 on the unit square with u = 0 on its sides, lower
branch, by Chebyshev collocation and Newton's method (Trefethen, Spectral Methods in Matlab, 2000): writes bratu.csv.

40 intervals along an axis; with 32 the values differ by less than 1e-10. Turning point: lambda = 6.808124423.
"""

import pathlib

import numpy as np

LAMBDAS = (1, 5, 6.8, 6.808)
POINTS = ((0.5, 0.5), (0.25, 0.25), (0.125, 0.5), (0.8, 0.3))
INTERVALS = 40


def differentiation(n):
    """Chebyshev points on [0, 1] and the matrix that differentiates there."""
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2, np.ones(n - 1), 2] * (-1.0) ** np.arange(n + 1)
    gaps = x[:, None] - x[None, :] + np.eye(n + 1)
    d = np.outer(c, 1 / c) / gaps
    return (x + 1) / 2, 2 * (d - np.diag(d.sum(axis=1)))


def shape(x, at):
    """Weights of the values at Chebyshev points for the value of their polynomial at a point."""
    near = np.isclose(x, at, atol=1e-14)
    if near.any():
        return near.astype(float)
    weights = (-1.0) ** np.arange(len(x))
    weights[[0, -1]] /= 2
    weights /= at - x
    return weights / weights.sum()


def main():
    x, d = differentiation(INTERVALS)
    inner = (d @ d)[1:-1, 1:-1]
    one = np.eye(INTERVALS - 1)
    laplacian = np.kron(inner, one) + np.kron(one, inner)
    u = np.zeros(len(laplacian))
    lines = ["lambda,x,y,u"]
    for rate in LAMBDAS:
        for _ in range(30):
            source = rate * np.exp(u)
            step = np.linalg.solve(laplacian + np.diag(source), -(laplacian @ u + source))
            u = u + step
            if abs(step).max() < 1e-11:
                break
        whole = np.zeros((INTERVALS + 1, INTERVALS + 1))
        whole[1:-1, 1:-1] = u.reshape(INTERVALS - 1, -1)
        for point in POINTS:
            value = shape(x, point[0]) @ whole @ shape(x, point[1])
            lines.append(f"{rate},{point[0]},{point[1]},{value:.11f}")
    pathlib.Path(__file__).with_name("bratu.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
