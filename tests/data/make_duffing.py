"""Writes duffing.csv: x'' = -0.3 x' + x - x^3 + gamma cos(1.2 t) from x = 1, x' = 0, at the ends of six driving periods.

    make_duffing.py > duffing.csv

Taylor series of order 40 in decimals of 50 digits. The equations are a polynomial system in x, v, c = cos(1.2 t) and
s = sin(1.2 t), so that the coefficients follow from products of series; steps of 0.02 leave a remainder far below the
digits printed.
"""

from decimal import Decimal, getcontext

getcontext().prec = 50
ORDER = 40
DAMPING, OMEGA = Decimal("0.3"), Decimal("1.2")
PI = Decimal("3.14159265358979323846264338327950288419716939937510582")


def series(x, v, c, s, gamma):
    """Taylor coefficients of the four functions, from their values."""
    xs, vs, cs, ss, squares = [x], [v], [c], [s], []
    for n in range(ORDER):
        squares.append(sum(xs[i] * xs[n - i] for i in range(n + 1)))
        cube = sum(squares[i] * xs[n - i] for i in range(n + 1))
        xs.append(vs[n] / (n + 1))
        vs.append((-DAMPING * vs[n] + xs[n] - cube + gamma * cs[n]) / (n + 1))
        cs.append(-OMEGA * ss[n] / (n + 1))
        ss.append(OMEGA * cs[n] / (n + 1))
    return xs, vs, cs, ss


def value(coefficients, h):
    total = Decimal(0)
    for a in reversed(coefficients):
        total = total * h + a
    return total


def main():
    print("# Written by make_duffing.py: the Duffing oscillator at the ends of six driving periods.")
    print("gamma,phase,t,x,v")
    period = 2 * PI / OMEGA
    steps = 260
    for gamma in ("0.1", "0.2", "0.25", "0.28", "0.29", "0.35", "0.5", "0.65"):
        state = [Decimal(1), Decimal(0), Decimal(1), Decimal(0)]
        for phase in range(1, 7):
            for _ in range(steps):
                state = [value(a, period / steps) for a in series(*state, Decimal(gamma))]
            print(f"{gamma},{phase},{period * phase:.20e},{state[0]:.20e},{state[1]:.20e}")


if __name__ == "__main__":
    main()
