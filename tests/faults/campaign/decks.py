"""One small deck per family that writes all that a family writes, in a fraction of a second; with `long` in several
slices, with checkpoints between."""

COMMON = "output: {directory: out}\n"

DIFFUSION = """\
problem: diffusion
diffusion:
  grid: {{layout: fv, size: [48, 48], cells: [48, 48]}}
  equation: {{kind: diffusion, D: 1, initial: 0.01*x}}
  walls:
    x_min: [{{from: 0, to: 24, kind: dirichlet, value: 1 + sin(t)}}]
    rest: {{kind: no_flux}}
  stencil: {{mask: 9pt, co: 2/3}}
  time: {{end: {end}}}
output: {{directory: out, every: 25, images: {{every: 20, pixels: 48}}, probes: {{every: 10, points: [[10, 10]]}}}}
checkpoint: {{every: {every}}}
verify: {{mass_balance: 1e-11}}
"""
COLLOCATION = """\
problem: collocation
collocation:
  equation: {{a: 1, b: 0, c: 1, d: 0, e: 0, eta: -1, f: manufactured}}
  mesh:
    x: {{from: 0, to: 1, elements: {elements}}}
    y: {{from: 0, to: 1, elements: {elements}}}
  sides: {{rest: {{kind: dirichlet}}}}
  solver: {{method: schur, tol: 1.0e-9}}
output: {{directory: out}}
checkpoint: {{interval: 0.001}}
verify: {{exact: sin(x + y), max_error: {{u: 1e-4}}}}
"""
ENSEMBLE = """\
problem: ode_ensemble
ode_ensemble:
  evaluation: interpreted
  equations: ["x' = -k*x"]
  initial: {{x: 1}}
  sweep: [{{name: k, from: 1, to: 2, points: {points}}}]
  solver: {{method: dopri5, rtol: {rtol}, atol: 1e-13}}
  phase: {{length: 1}}
  record: {{final: [x]}}
  repeat: {{transient: 3, record: 12}}
output: {{directory: out}}
checkpoint: {{interval: 0.001}}
"""
FRACTIONAL = """\
problem: fractional
fractional:
  grid: {{size: [1, 1, 1], cells: [5, 6, 7]}}
  equation: {{psi: t, order: 0.5, D: 1, initial: 0, source: 1}}
  sides: {{rest: {{kind: dirichlet, value: 0}}}}
  time: {{end: 1, steps: {steps}, mesh: uniform_t}}
  history: {{engine: direct, block: 4}}
output: {{directory: out, every: 0.25}}
checkpoint: {{every: 0.125}}
"""
SPARSE = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {{size: [1, 1, 1], cells: [{n}, {n}, {n}]}}
      k: 1
      sides: {{rest: {{kind: dirichlet, value: 0}}}}
      source: 1
  preconditioner: jacobi
  solver: {{tol: {tol}}}
output: {{directory: out}}
checkpoint: {{interval: 0.001}}
"""

SHORT = {
    "diffusion": DIFFUSION.format(end=50, every=20),
    "collocation": COLLOCATION.format(elements=16),
    "ode_ensemble": ENSEMBLE.format(points=100, rtol=1e-8),
    "fractional": FRACTIONAL.format(steps=16),
    "sparse": SPARSE.format(n=9, tol="1e-8"),
}
LONG = {
    "diffusion": DIFFUSION.format(end=100, every=10),
    "collocation": COLLOCATION.format(elements=96),
    "ode_ensemble": ENSEMBLE.format(points=10000, rtol=1e-11),
    "fractional": FRACTIONAL.format(steps=48),
    "sparse": SPARSE.format(n=28, tol="1e-12"),
}

# Further short decks, for calls that fail: other methods, in boxes, in several parts.
SHORT |= {
    "boxes": """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [1, 1, 1], cells: [12, 10, 8], parts: [2, 2]}
  equation: {kind: diffusion, D: 1, initial: "sin(pi*x/2)*cos(pi*y)*cos(2*pi*z)"}
  walls: {x_min: {kind: dirichlet, value: sin(t)}, rest: {kind: no_flux}}
  stencil: {mask: 19pt, co: 1/2}
  time: {end: 0.02}
output: {directory: out, every: 0.01, images: {every: 0.01, pixels: 32, axis: y}}
checkpoint: {every: 0.01, files: writers}
run: {devices: emulated, per_rank: 4}
""",
    "history": """\
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [4, 32, 64], parts: [2, 2]}
  equation: {terms: [{order: 1, coefficient: 1}, {order: 0.5, coefficient: 0.3}], D: 1, initial: x, source: 1}
  sides: {x_min: {kind: robin, transfer: 2, value: t}, rest: {kind: no_flux}}
  time: {end: 1, steps: 16, mesh: graded_start}
  solver: {split: adi}
output: {directory: out, every: 0.5}
checkpoint: {every: 0.25, files: writers}
run: {devices: emulated, per_rank: 4}
""",
    "amg": """\
problem: sparse
sparse:
  matrix: {box: {grid: {size: [1, 1, 1], cells: [10, 12, 14]}, k: 1 + x, sides: {rest: {kind: dirichlet, value: 0}}}}
  rhs: ones
  sequence: {solves: 3, step: 0.25}
  preconditioner: amg
output: {directory: out}
checkpoint: {every: 1}
""",
    "events": """\
problem: ode_ensemble
ode_ensemble:
  evaluation: interpreted
  equations: [y1' = y2, y2' = -k*y1 - 0.1*y2]
  sweep: [{name: k, from: 1, to: 2, points: 20}]
  initial: {y1: 1, y2: 0}
  events:
    - {name: impact, crossing: y1, direction: falling, then: [y1 = 0, y2 = -0.8*y2]}
    - {name: top, crossing: y2, direction: falling, ends_phase: true}
  solver: {method: rkck45, rtol: 1.0e-8, atol: 1.0e-10, first_step: 1.0e-2}
  phase: {ends: top, at_most: 50}
  repeat: {transient: 1, record: 4}
  accumulators: {time: {value: t, at: top}, hits: {count: impact}}
  record: {each_phase: [time, hits]}
output: {directory: out}
checkpoint: {interval: 0.001}
""",
    "newton": """\
problem: collocation
collocation:
  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, f: 0, source: -2*exp(u)}
  mesh: {x: {from: 0, to: 1, elements: 12}, y: {from: 0, to: 1, elements: 12}}
  sides: {rest: {kind: dirichlet, value: 0}}
output: {directory: out}
checkpoint: {interval: 0.001}
""",
}

# Decks that read data: a kind of file each, with what the file is called.
TABLE = """\
problem: ode_ensemble
ode_ensemble:
  evaluation: interpreted
  equations: ["x' = -k*x"]
  initial: {x: 1}
  sweep: [{table: {file: data.csv, columns: [k]}}]
  solver: {method: rk4, step: 0.1}
  phase: {length: 1}
  record: {final: [x]}
output: {directory: out}
"""
FIELD = """\
problem: diffusion
diffusion:
  data: {{start: {{file: {file}, {keys} extent: [[0, 8], [0, 8]], values: cells}}}}
  grid: {{layout: fv, size: [8, 8], cells: [8, 8]}}
  equation: {{kind: diffusion, D: 1, initial: start}}
  walls: {{rest: {{kind: no_flux}}}}
  stencil: {{dt: 0.1}}
  time: {{end: 0.1}}
output: {{directory: out}}
"""
MATRIX = """\
problem: sparse
sparse: {{matrix: {{file: {{name: {file}}}}}, rhs: ones, preconditioner: jacobi, solver: {{maxit: 200}}}}
output: {{directory: out}}
"""


def write_table(path):
    path.write_text("k\n" + "".join(f"{1 + n / 64}\n" for n in range(64)), encoding="ascii")


def write_csv(path):
    path.write_text("".join(", ".join(str(i * j / 8) for i in range(8)) + "\n" for j in range(8)), encoding="ascii")


def write_npy(path):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 8), }"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    import struct
    values = struct.pack("<64d", *[n / 64 for n in range(64)])
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") + values)


def write_mtx(path):
    entries = "".join(f"{i} {i} {2.0 + i / 100}\n" for i in range(1, 51))
    entries += "".join(f"{i} {i + 1} -0.5\n{i + 1} {i} -0.5\n" for i in range(1, 50))
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n50 50 148\n{entries}", encoding="ascii")


def write_raster(path):
    import h5py
    with h5py.File(path, "w") as file:
        file["a"] = [[i * j / 8 for i in range(8)] for j in range(8)]


def write_hdf5_matrix(path):
    import h5py
    with h5py.File(path, "w") as file:
        group = file.create_group("A")
        group["indptr"] = [2 * n for n in range(51)]
        group["indices"] = [c for n in range(50) for c in sorted((n, (n + 1) % 50))]
        group["data"] = [2.0 if c == n else -0.5 for n in range(50) for c in sorted((n, (n + 1) % 50))]
        group.attrs["shape"] = [50, 50]


# Kind: (deck, name of the file, what writes it).
DATA = {
    "table": (TABLE, "data.csv", write_table),
    "csv": (FIELD.format(file="data.csv", keys=""), "data.csv", write_csv),
    "npy": (FIELD.format(file="data.npy", keys=""), "data.npy", write_npy),
    "mtx": (MATRIX.format(file="data.mtx"), "data.mtx", write_mtx),
    "hdf5_raster": (FIELD.format(file="data.h5", keys="dataset: a,"), "data.h5", write_raster),
    "hdf5_matrix": (MATRIX.format(file="data.h5, group: A"), "data.h5", write_hdf5_matrix),
}
