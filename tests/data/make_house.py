"""Writes house_reference.csv: a room, its wall and a heater under the outside temperature of house.csv, see
inputs/ode_ensemble/house.yaml.

    make_house.py house.csv > house_reference.csv        (needs numpy and scipy)

The temperature is SciPy's PchipInterpolator; DOP853 with tolerances of 1e-13 goes from one time of the table to the next,
as the second derivative jumps there.
"""

import sys

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.special

TABLE = np.loadtxt(sys.argv[1], delimiter=",", skiprows=2)
OUTSIDE = scipy.interpolate.PchipInterpolator(TABLE[:, 0], TABLE[:, 1])


def power(room):
    return 2 * scipy.special.erfc((room - 20) / 0.5)


def rates(t, y, insulation):
    room, wall, _ = y
    heat = power(room)
    return [(wall - room) / 2 + heat, (room - wall) / 8 + (OUTSIDE(t) - wall) / insulation, heat]


def main():
    print("# made by make_house.py")
    print("insulation,t,room,power,used")
    for insulation in (10.0, 20.0, 40.0):
        y, t = np.array([18.0, 12.0, 0.0]), 6.0
        for end in np.unique(np.concatenate([np.arange(6.0, 55.0, 2.0), TABLE[(TABLE[:, 0] > 6) & (TABLE[:, 0] < 54), 0]])):
            if end > t:
                solution = scipy.integrate.solve_ivp(rates, [t, end], y, method="DOP853", rtol=1e-13, atol=1e-13,
                                                     args=(insulation,))
                y, t = solution.y[:, -1], end
            if end % 2 == 0:
                print(f"{insulation:.17g},{t:.17g},{y[0]:.17g},{power(y[0]):.17g},{y[2]:.17g}")


main()
