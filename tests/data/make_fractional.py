#!/usr/bin/env python3
"""Writes fractional_weights.txt and fractional_mittag_leffler.txt with mpmath, to 40 digits or more.

Each line: a kind, its arguments, a colon, the values; all numbers as hexadecimal floating-point numbers.
  l1 order s_0 .. s_l : A_{l,1} .. A_{l,l}
  alikhanov order theta s_0 .. s_l : A_{l,1} .. A_{l,l}
  t_linear order gamma step l m : A_{l,m}
  theta step order coefficient [order coefficient ...] : theta
  mittag_leffler order x : E_order(-x)
Weights of s come from antiderivatives at 80 digits, those of t from incomplete beta functions, Mittag-Leffler functions
from their series or, far out, the asymptotic one; the program computes all of them another way.
"""
import pathlib
import random

from mpmath import betainc, ceil, findroot, gamma, mp, mpf, rgamma

ORDERS = [1e-3, 0.02, 0.3, 0.5, 0.55, 0.8, 0.99, 1 - 1e-6]


def cell(order, near, far):
    """int z^-order dz / Gamma(1 - order)"""
    return (far ** (1 - order) - near ** (1 - order)) * rgamma(2 - order)


def first_moment(order, near, far):
    """int z^(1 - order) dz / Gamma(1 - order)"""
    return (far ** (2 - order) - near ** (2 - order)) / (2 - order) * rgamma(1 - order)


def l1(order, s):
    order, s = mpf(order), [mpf(x) for x in s]
    return [cell(order, s[-1] - s[m], s[-1] - s[m - 1]) / (s[m] - s[m - 1]) for m in range(1, len(s))]


def alikhanov(order, theta, s):
    order, theta, s = mpf(order), mpf(theta), [mpf(x) for x in s]
    last = len(s) - 1
    target = theta * s[-2] + (1 - theta) * s[-1]
    step = [None] + [b - a for a, b in zip(s, s[1:])]

    def linear(m):
        return cell(order, target - min(s[m], target), target - s[m - 1]) / step[m]

    def bend(m):
        near, far = target - s[m], target - s[m - 1]
        middle = (near + far) / 2
        integral = middle * cell(order, near, far) - first_moment(order, near, far)
        return 2 * integral / (step[m] * (step[m] + step[m + 1]))

    weights = []
    for m in range(1, last + 1):
        weight = linear(m)
        if m < last:
            weight -= bend(m)
        if m > 1:
            weight += step[m - 1] / step[m] * bend(m - 1)
        weights.append(weight)
    return weights


def t_linear(order, power, step, level, m):
    order, power, step = mpf(order), mpf(power), mpf(step)
    low, high = (mpf(m - 1) / level) ** power, (mpf(m) / level) ** power
    integral = betainc(1 / power, 1 - order, low, high) / power
    return (level * step) ** (1 - power * order) * integral * rgamma(1 - order) / step


def theta(step, terms):
    step = mpf(step)
    orders = [mpf(order) for order, _ in terms]

    def residual(x):
        return sum(mpf(c) / gamma(3 - b) * x ** (1 - b) * (x - (1 - b / 2)) * step ** -b
                   for b, (_, c) in zip(orders, terms))
    low, high = 1 - max(orders) / 2, 1 - min(orders) / 2
    return 1 - findroot(residual, (low, high), solver="anderson", tol=mpf(10) ** -60)


def mittag_leffler(order, x):
    order, x = mpf(order), mpf(x)
    size = x ** (1 / order)
    if size > 200:  # the smallest term is about e^-size
        return -sum((-x) ** -n * rgamma(1 - order * n) for n in range(1, int(ceil(min(size, 200) / order))))
    digits = mp.dps
    mp.dps = digits + 100
    total, n = mpf(0), 0
    while True:
        term = (-x) ** n * rgamma(order * n + 1)
        total += term
        if order * n > size and abs(term) < abs(total) * mpf(10) ** -digits:
            break
        n += 1
    mp.dps = digits
    return +total


def numbers(values):
    return " ".join(float(v).hex() for v in values)


def meshes(rng):
    yield [0.0, 0.1, 0.3, 0.6]
    yield [0.0, 0.7]
    yield [0.1 * i for i in range(31)]
    yield [(i / 24) ** 8 for i in range(25)]
    for _ in range(3):
        s = [0.0]
        for _ in range(6):
            s.append(s[-1] + 10 ** rng.uniform(-6, 0))
        yield s


def weight_lines(rng):
    for s in meshes(rng):
        for order in ORDERS:
            yield f"l1 {numbers([order] + s)} : {numbers(l1(order, s))}"
            for at in (order / 2, 0.1):
                yield f"alikhanov {numbers([order, at] + s)} : {numbers(alikhanov(order, at, s))}"
    for order in (1e-3, 0.3, 0.8, 0.999):
        for power in (0.3, 0.8, 1.0, 2.5):
            for level in (1, 2, 10, 2000):
                for m in sorted({1, 2, level // 2, level - 1, level} - {0}):
                    if m <= level:
                        value = t_linear(order, power, 0.0025, level, m)
                        yield f"t_linear {numbers([order, power, 0.0025, level, m])} : {numbers([value])}"
    media = [[(1, 1), (0.5, 0.4)], [(1, 1), (0.9, 0.5), (0.2, 0.2)], [(0.3, 2), (0.31, 1)], [(0.999, 1e-8), (0.01, 1)]]
    for terms in media:
        for step in (1e-30, 1e-6, 0.05, 3.0):
            flat = [step] + [x for term in terms for x in term]
            yield f"theta {numbers(flat)} : {numbers([theta(step, terms)])}"


def mittag_leffler_lines():
    for order in (0.05, 0.2, 0.5, 0.6, 0.8, 0.95, 0.99):
        for x in (1e-3, 0.1, 0.5, 1.0, 1.25, 3.0, 10.0, 100.0, 1e4):
            yield f"mittag_leffler {numbers([order, x])} : {numbers([mittag_leffler(order, x)])}"


def main():
    mp.dps = 80
    folder = pathlib.Path(__file__).parent
    lines = weight_lines(random.Random(13))
    (folder / "fractional_weights.txt").write_text("\n".join(lines) + "\n")
    (folder / "fractional_mittag_leffler.txt").write_text("\n".join(mittag_leffler_lines()) + "\n")


main()
