#!/usr/bin/env python3
"""Iterations of GMRES for tests/unit/krylov/test_gmres.cpp: by scipy, and by a plain flexible GMRES where M differs from
step to step.

A is -u'' + s u' + u of tests/unit/krylov/laplacian.hpp with its columns scaled by 1 to 3. M is some sweeps of damped
Jacobi from zero, one or, alternately, one and three. Counted are the steps until the residual of the recurrence is at
most 1e-10 times the norm of b. Needs numpy and scipy.
"""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as la

TOLERANCE = 1e-10
SKEW, SHIFT = 0.4, 0.1
n = 3 * 1024 + 77
i = np.arange(n)
scale = 1 + 0.5 * (i % 5)
A = (sp.diags([-(1 + SKEW), 2 + SHIFT, -(1 - SKEW)], [-1, 0, 1], shape=(n, n)) @ sp.diags(scale)).tocsr()
b = A @ ((np.sin(0.01 * i) + 1e-3 * (i % 7)) / scale)
jacobi = 0.8 / A.diagonal()


def sweeps(count):
    def apply(v):
        z = jacobi * v
        for _ in range(count - 1):
            z = z + jacobi * (v - A @ z)
        return z
    return apply


def by_scipy(restart, inverse):
    residuals = []
    product = la.LinearOperator((n, n), matvec=lambda v: A @ inverse(v), dtype=float)
    la.gmres(product, b, rtol=TOLERANCE, restart=restart, maxiter=20, callback=residuals.append,
             callback_type="pr_norm")
    return next(k for k, r in enumerate(residuals, 1) if r <= TOLERANCE)


def flexible(restart, inverse_of_step):
    x, steps = np.zeros(n), 0
    while True:
        r = b - A @ x
        beta = np.linalg.norm(r)
        v, z = [r / beta], []
        h = np.zeros((restart + 1, restart))
        for j in range(restart):
            z.append(inverse_of_step(steps)(v[j]))
            steps += 1
            w = A @ z[j]
            for _ in range(2):
                for k in range(j + 1):
                    product = v[k] @ w
                    h[k, j] += product
                    w -= product * v[k]
            h[j + 1, j] = np.linalg.norm(w)
            v.append(w / h[j + 1, j])
            goal = np.zeros(j + 2)
            goal[0] = beta
            y = np.linalg.lstsq(h[:j + 2, :j + 1], goal, rcond=None)[0]
            if np.linalg.norm(goal - h[:j + 2, :j + 1] @ y) <= TOLERANCE * np.linalg.norm(b):
                return steps
        x = x + np.array(z).T @ y


for m in (30, 10):
    alternating = flexible(m, lambda k: sweeps(1 if k % 2 == 0 else 3))
    print(f"restart {m}: no M {by_scipy(m, lambda v: v)}, one sweep {by_scipy(m, sweeps(1))} "
          f"({flexible(m, lambda k: sweeps(1))}), three sweeps {by_scipy(m, sweeps(3))}, alternating {alternating}")
