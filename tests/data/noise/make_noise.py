"""Writes noise.csv: what inputs/ode_ensemble/noise.yaml is compared with.

    make_noise.py > noise.csv

The Wiener paths of the deck from a generator of this file's own, Philox2x64-10 in whole numbers of Python, which has to
give the known answers of its authors first. Along each path the exact solution of the geometric Brownian motion and,
by the recurrence with exp(-theta h) over steps of the deck, that of the Ornstein-Uhlenbeck process.
"""

import math

MASK = (1 << 64) - 1
SEED, STEPS, DRAWS = 42, 1024, 2
MU, THETA, SPREAD = 0.5, 2.0, 0.3
WALK, PRICE, SPEED = range(3)  # states in the order of the equations


def philox(left, right, key):
    for _ in range(10):
        product = 0xD2B74407B1CE6E93 * left
        left, right = (product >> 64) ^ key ^ right, product & MASK
        key = (key + 0x9E3779B97F4A7C15) & MASK
    return left, right


def check():
    answers = {
        (0, 0, 0): (0xCA00A0459843D731, 0x66C24222C9A845B5),
        (MASK, MASK, MASK): (0x65B021D60CD8310F, 0x4D02F3222F86DF20),
        (0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0): (0x0A5E742C2997341C, 0xB0F883D38000DE5D),
    }
    for given, answer in answers.items():
        assert philox(*given) == answer, given


def normals(system, state):
    for pair in range(STEPS * DRAWS // 2):
        left, right = philox(system | state << 48, pair, SEED)
        length = math.sqrt(-2 * math.log(1 - (left >> 11) * 2.0**-53))
        turn = 2 * math.pi * ((right >> 11) * 2.0**-53)
        yield length * math.cos(turn)
        yield length * math.sin(turn)


def main():
    check()
    print("# made by make_noise.py")
    print("sigma,path,t,walk,price,speed")
    h = 1 / STEPS
    for number, sigma in enumerate((0.1, 0.2, 0.4)):
        for path in range(4):
            walk, brownian, speed = 0.0, 0.0, 1.0
            system = 4 * number + path
            draws = [normals(system, state) for state in (WALK, PRICE, SPEED)]
            for n in range(1, STEPS + 1):
                # Increments of a step from those of its halves.
                dw = [math.fsum(next(one) for _ in range(DRAWS)) * math.sqrt(h / DRAWS) for one in draws]
                walk += dw[WALK]
                brownian += dw[PRICE]
                # The stochastic integral over a step with the noise in its middle: an error of order h.
                speed = math.exp(-THETA * h) * speed + math.exp(-THETA * h / 2) * SPREAD * dw[SPEED]
                if n % (STEPS // 4) == 0:
                    price = math.exp((MU - sigma**2 / 2) * n * h + sigma * brownian)
                    print(f"{sigma},{path},{n * h},{walk:.17g},{price:.17g},{speed:.17g}")


if __name__ == "__main__":
    main()
