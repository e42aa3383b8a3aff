"""u_xx + u_yy = 0 on the unit square, u = 1 on its upper side and 0 on the others: the Fourier series
4/pi sum over odd n of sin(n pi x) sinh(n pi y) / (n sinh(n pi)) at some points, as inputs/collocation/hot_lid.yaml has it.
"""

import math

POINTS = ((0.5, 0.5), (0.25, 0.5), (0.5, 0.875), (0.25, 0.75), (0.125, 0.75), (0.9, 0.9), (0.3, 0.95))


def u(x, y):
    def term(n):
        ratio = math.exp(-n * math.pi * (1 - y)) * (1 - math.exp(-2 * n * math.pi * y)) / (1 - math.exp(-2 * n * math.pi))
        return math.sin(n * math.pi * x) * ratio / n

    return 4 / math.pi * math.fsum(term(n) for n in range(1, 401, 2))


if __name__ == "__main__":
    for x, y in POINTS:
        print(f"[{x}, {y}, {u(x, y):.12f}]")
