"""Writes stiff.csv: stiff problems of the test set of Bari (Mazzia, Magherini 2008), solved to 15 digits.

    make_stiff.py > stiff.csv        (needs numpy, scipy and mpmath)

scipy's Radau finds how long steps may be. These are then taken by collocation at nine Radau points, order 17, in numbers of
40 digits; Newton's method has its factors in doubles. All is done again with every step cut in two: the two must agree to
1e-15 of each state. Parameters are doubles, as in the program. PUBLISHED has the solutions printed in the test set.
"""

import sys

import mpmath as mp
import numpy as np
import scipy.integrate
import scipy.linalg

mp.mp.dps = 40
STAGES = 9


def robertson(y, k1):
    a, b, c = k1 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
    return [b - a, a - b - c, c]


def van_der_pol(y, mu):
    return [y[1], mu * mu * ((1 - y[0] * y[0]) * y[1] - y[0])]  # time in units of mu


def orego(y, s):
    return [s * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1])), (y[2] - (1 + y[0]) * y[1]) / s, 0.161 * (y[0] - y[2])]


def hires(y, k):
    r = k * y[5] * y[7] - 1.81 * y[6]
    return [-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
            -k * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6], r, -r]


# Function, values of the parameter, initial state, end.
PROBLEMS = {
    "robertson": (robertson, (0.01, 0.02, 0.04, 0.08), [1, 0, 0], 1e11),
    "van_der_pol": (van_der_pol, (10, 100, 1000), [2, 0], 2),
    "orego": (orego, (77.27,), [1, 2, 3], 360),
    "hires": (hires, (280,), [1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122),
}
PUBLISHED = {
    ("robertson", 0.04): (0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050),
    ("van_der_pol", 1000): (0.1706167732170483e1, -0.8928097010247975),
    ("orego", 77.27): (0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3),
    ("hires", 280): (0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
                     0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2),
}


def jacobian(f, y, p):
    """By complex steps, exact to rounding."""
    n = len(y)
    columns = []
    for j in range(n):
        z = [complex(x) for x in y]
        z[j] += 1e-200j
        columns.append([complex(x).imag * 1e200 for x in f(z, p)])
    return np.array(columns).T


def collocation():
    """The Radau points, the right end among them, and the integrals of their Lagrange polynomials."""
    s = STAGES
    lower, upper = ([mp.mpf(c) for c in reversed(mp.taylor(lambda x, n=n: mp.legendre(n, 2 * x - 1), 0, n))]
                    for n in (s - 1, s))
    nodes = sorted(mp.re(x) for x in mp.polyroots([a - b for a, b in zip(upper, [mp.mpf(0)] + lower)], maxsteps=500,
                                                  extraprec=400))
    powers = mp.matrix(s, s)
    integrals = mp.matrix(s, s)
    for i, c in enumerate(nodes):
        for k in range(s):
            powers[i, k] = c ** k
            integrals[i, k] = c ** (k + 1) / (k + 1)
    return integrals * mp.inverse(powers)


def step(f, p, y, h, weights, rough):
    """One step of collocation from y."""
    n = len(y)
    factors = scipy.linalg.lu_factor(np.eye(STAGES * n) - float(h) * np.kron(rough, jacobian(f, y, p)))
    z = [list(y) for _ in range(STAGES)]
    last = mp.inf
    for _ in range(200):
        slopes = [f(stage, p) for stage in z]
        rest = [[y[j] - z[i][j] + h * mp.fsum(weights[i, k] * slopes[k][j] for k in range(STAGES)) for j in range(n)]
                for i in range(STAGES)]
        # Relative to each state: some are smaller than others by many orders.
        size = max(abs(row[j]) / max(mp.mpf(10) ** -40, *(abs(stage[j]) for stage in z)) for row in rest for j in range(n))
        if size < mp.mpf(10) ** -26 or (size >= last and size < mp.mpf(10) ** -22):
            return z[-1]
        last = size
        scale = max(abs(r) for row in rest for r in row)
        change = scipy.linalg.lu_solve(factors, np.array([float(r / scale) for row in rest for r in row]))
        for i in range(STAGES):
            for j in range(n):
                z[i][j] += scale * mp.mpf(change[i * n + j])
    raise RuntimeError("Newton's method does not converge")


def solve(f, p, y, times, weights):
    rough = np.array([[float(x) for x in row] for row in weights.tolist()])
    y = [mp.mpf(x) for x in y]
    for start, end in zip(times, times[1:]):
        y = step(f, p, y, mp.mpf(end) - mp.mpf(start), weights, rough)
    return y


def main():
    weights = collocation()
    print("# Written by make_stiff.py: stiff problems at their ends.")
    print("problem,p,t," + ",".join(f"y{i + 1}" for i in range(8)))
    for name, (f, parameters, start, end) in PROBLEMS.items():
        for p in parameters:
            found = scipy.integrate.solve_ivp(lambda t, y: f(y, p), (0, end), start, method="Radau", rtol=1e-6, atol=1e-12,
                                              jac=lambda t, y: jacobian(f, y, p), first_step=1e-6)
            times = list(found.t)
            halves = sorted(times + [(a + b) / 2 for a, b in zip(times, times[1:])])
            coarse, fine = (solve(f, p, start, grid, weights) for grid in (times, halves))
            differs = max(abs(a - b) / abs(b) for a, b in zip(coarse, fine))
            print(f"{name} {p}: {len(times)} steps, {mp.nstr(differs, 3)}", file=sys.stderr)
            if differs > 1e-15:
                raise RuntimeError("the steps are too long")
            for a, b in zip(fine, PUBLISHED.get((name, p), ())):
                print(f"  {mp.nstr(a, 17)}, published {b!r}: {mp.nstr(abs(a - b) / abs(a), 3)}", file=sys.stderr)
            values = [mp.nstr(y, 18) for y in fine] + ["0"] * (8 - len(fine))
            print(f"{name},{p},{end!r}," + ",".join(values))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
