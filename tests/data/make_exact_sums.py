#!/usr/bin/env python3
"""Writes exact_sums.txt: lists of doubles with their exact sum rounded once, by rational arithmetic.

Each line: the rounded sum, a colon, the terms; all as hexadecimal floating-point numbers.
"""
import math
import pathlib
import random
from fractions import Fraction

TINY = 5e-324
HUGE = 1.7976931348623157e308


def rounded_sum(terms):
    if any(math.isnan(t) for t in terms):
        return math.nan
    infinities = {t for t in terms if math.isinf(t)}
    if infinities:
        return infinities.pop() if len(infinities) == 1 else math.nan
    exact = sum((Fraction(t) for t in terms), Fraction(0))
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def any_double(rng, low, high):
    return rng.choice((-1, 1)) * math.ldexp(rng.getrandbits(53), rng.randint(low, high))


def cases():
    rng = random.Random(20240607)
    yield from ([], [0.0], [-0.0], [-0.0, -0.0], [TINY], [-TINY], [TINY, -TINY], [HUGE], [-HUGE])
    yield from ([HUGE, HUGE], [-HUGE, -HUGE], [HUGE, HUGE, -HUGE], [HUGE, HUGE, -HUGE, -HUGE, TINY])
    half_ulp = 2.0**970  # half the last place of HUGE
    yield from ([HUGE, half_ulp], [HUGE, half_ulp, -TINY], [-HUGE, -half_ulp], [-HUGE, -half_ulp, TINY])
    yield from ([math.inf, 1.0], [-math.inf, HUGE], [math.inf, -math.inf], [math.nan, 1.0], [math.inf, math.inf])
    # Ties: to even below and above, and broken by the smallest number.
    for base in (1.0, 1.0 + 2.0**-52, 2.0**52 + 1, 2.0**-1000, 2.0**-1022, 2.0**1000):
        half = math.ulp(base) / 2
        yield from ([base, half], [base, half, TINY], [base, half, -TINY], [-base, -half], [-base, -half, TINY])
    yield from ([2.0**53, 1.0], [2.0**53 - 1, 0.5], [2.0**53 - 1, 0.5, -TINY])
    # Around the border between normal and subnormal numbers.
    border = 2.0**-1022
    yield from ([border, -TINY], [border / 2, border / 2], [border - TINY, TINY], [3 * TINY, -border])
    # Digit borders of the accumulator: 2^32 in every place, minus one in the lowest.
    yield from ([math.ldexp(1.0, e) for e in (-1042, -1010, -978)] + [-TINY], [math.ldexp(1.0, 30), -TINY])
    for spread in (3, 40, 120, 900):
        for _ in range(8):
            terms = [any_double(rng, -spread, spread) for _ in range(12)]
            yield terms
            # Cancellation down to the last bits.
            yield terms + [-rounded_sum(terms)]
            yield terms + [-t for t in rng.sample(terms, 11)]
    for _ in range(8):
        yield [any_double(rng, -1074, -1040) for _ in range(10)]  # subnormal and just above
        yield [any_double(rng, 900, 970) for _ in range(10)]


def main():
    path = pathlib.Path(__file__).with_name("exact_sums.txt")
    with path.open("w", encoding="ascii") as out:
        for terms in cases():
            out.write(rounded_sum(terms).hex() + " : " + " ".join(t.hex() for t in terms) + "\n")


if __name__ == "__main__":
    main()
