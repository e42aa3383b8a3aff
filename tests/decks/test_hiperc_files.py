"""The files of `output.compat: hiperc` against a run of the benchmark written here, point by point."""

import math
import struct
import unittest
import zlib

from runs import BOX, PROGRAM, RunCase

NX, NY, H, D = 40, 10, 0.5, 0.00625
DECK = f"""\
problem: diffusion
diffusion:
  grid: {{layout: hiperc, points: [{NX}, {NY}], spacing: {H}}}
  equation: {{kind: diffusion, D: {D}, initial: 0}}
  walls:
    x_min: [{{from: 0, to: {NY // 2 * H}, kind: dirichlet, value: 1}}]
    x_max: [{{from: {NY // 2 * H}, to: {NY * H}, kind: dirichlet, value: 1}}]
    rest: {{kind: no_flux}}
  stencil: {{mask: 5pt, co: 0.1}}
  time: {{method: euler, end: 200}}
output: {{directory: out, every: 50, compat: hiperc}}
"""


def benchmark(steps):
    """Rows of the points that are no ghosts, after steps of dt = 1."""
    c = [[0.0] * NX for _ in range(NY)]
    for _ in range(steps):
        for j in range(NY):
            if j < NY // 2:
                c[j][0] = c[j][1] = 1.0
            else:
                c[j][NX - 1] = c[j][NX - 2] = 1.0
        for row in c:
            row[0], row[-1] = row[1], row[-2]
        c[0], c[-1] = list(c[1]), list(c[-2])
        new = [list(row) for row in c]
        for j in range(1, NY - 1):
            for i in range(1, NX - 1):
                laplacian = (c[j][i - 1] + c[j][i + 1] + c[j - 1][i] + c[j + 1][i] - 4 * c[j][i]) / H**2
                new[j][i] = c[j][i] + D * laplacian
        c = new
    return [row[1:-1] for row in c[1:-1]]


def residual(rows, t):
    def to_segment(x, y, at, low, high):
        return math.hypot(x - at, y - min(max(y, low), high))

    total, width = 0.0, math.sqrt(4 * D * t)
    for j, row in enumerate(rows, 1):
        for i, c in enumerate(row, 1):
            left = to_segment(i * H, j * H, H, H, NY // 2 * H)
            right = to_segment(i * H, j * H, (NX - 2) * H, NY // 2 * H, (NY - 2) * H)
            total += (math.erfc(left / width) + math.erfc(right / width) - c) ** 2
    return total / ((NX - 2) * (NY - 2))


def levels(rows):
    values = [c for row in rows for c in row]
    low, high = min([0.0, *values]), max([1.0, *values])
    return [[int(255 * (low + (c - low) / (high - low))) for c in row] for row in reversed(rows)]


def read_gray(path):
    """Rows of an 8-bit gray PNG file."""
    data, packed, at = path.read_bytes(), b"", 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert (depth, color) == (8, 0)
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    raw, rows, above = zlib.decompress(packed), [], [0] * width
    for n in range(height):
        line = raw[n * (width + 1):(n + 1) * (width + 1)]
        row = []
        for x, byte in enumerate(line[1:]):
            left, corner = (row[x - 1], above[x - 1]) if x else (0, 0)
            nearest = min((left, above[x], corner), key=lambda v, p=left + above[x] - corner: abs(p - v))
            row.append((byte + (0, left, above[x], (left + above[x]) // 2, nearest)[line[0]]) % 256)
        rows.append(row)
        above = row
    return rows


class HipercFiles(RunCase):
    def log(self):
        lines = (self.folder / "out/runlog.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "iter,sim_time,wrss,conv_time,step_time,IO_time,soln_time,run_time")
        return [line.split(",") for line in lines[1:]]

    def expect_files(self):
        steps = [0, 50, 100, 150, 200]
        self.assertEqual([name for name in self.names("out") if name.startswith("diffusion")],
                         [f"diffusion.{n:07d}.png" for n in steps[:-1]] +
                         ["diffusion.0000200.csv", "diffusion.0000200.png"])
        log = self.log()
        self.assertEqual([line[:2] for line in log], [[str(n), f"{n:.6f}"] for n in steps])
        for n, line in zip(steps, log):
            rows = benchmark(n)
            self.assertEqual(read_gray(self.folder / f"out/diffusion.{n:07d}.png"), levels(rows))
            self.assertEqual(line[2], f"{residual(rows, n) if n else 0:.6f}")
            times = [float(time) for time in line[3:]]
            self.assertTrue(all(0 <= time <= times[-1] for time in times), line)
        expected = "x,y,c\n" + "".join(f"{i * H:f},{j * H:f},{c:f}\n" for j, row in enumerate(benchmark(200))
                                       for i, c in enumerate(row))
        self.assertEqual((self.folder / "out/diffusion.0000200.csv").read_text(encoding="utf-8"), expected)

    def solve(self, *words, ranks=1, expect=0):
        return self.run_program("run", self.write("deck.yaml", DECK), *words, ranks=ranks, program=PROGRAM, expect=expect)

    def test_files(self):
        self.solve()
        self.expect_files()
        for parts in ("[1, 4]", "[2, 2]"):
            self.solve("--overwrite", "--set", "run.per_rank=2", "--set", f"diffusion.grid.parts={parts}", ranks=2)
            self.expect_files()
        self.solve("--overwrite", "--set", "output.compat=none")
        self.assertFalse([name for name in self.names("out") if name.startswith(("diffusion", "runlog"))])

    def test_a_run_that_goes_on(self):
        self.solve("--set", "run.wall_limit=1e-9")
        self.assertEqual([line[0] for line in self.log()], ["0"])
        self.solve("--restart", "auto", ranks=2)
        self.expect_files()

    def test_other_problems(self):
        cells = self.solve("--set", "diffusion.grid={layout: fv, size: [6, 5], cells: [12, 10]}", ranks=2, expect=2)
        box = self.run_program("run", self.write("box.yaml", BOX), "--set", "output.compat=hiperc", expect=2)
        self.assertEqual(cells.stderr.count("output.compat: hiperc is for the benchmark"), 1, cells.stderr)
        self.assertEqual(box.stderr.count("output.compat: means nothing for family stepper"), 1, box.stderr)


if __name__ == "__main__":
    unittest.main()
