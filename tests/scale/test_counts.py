"""What a rank sends on 4, 16 and 64 simulated ranks, and that errors are those of one rank to the last digit.

The problems keep their size. Limits are those that the methods have by what they are: an exchange of halos has two
neighbors where parts are slabs, eight or 26 where they are boxes, on any number of ranks; BiCGSTAB takes three sums an
iteration. What still grows with the ranks has a limit that grows; docs/performance/scale.md says what it is.
"""
import os
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from cases import cases  # noqa: E402
from measure import Run, measure  # noqa: E402

program = Path(os.environ.get('HALOCLINE_SCALE', ''))
everyone = (1, 4, 16, 64)


class Counts(unittest.TestCase):
    def rows(self, family, length, on=everyone):
        rows = [measure(program, family, ranks, length, 'none') for ranks in on]
        for row in rows[1:]:
            self.assertEqual(row['errors'], rows[0]['errors'], f'{family} on {row["ranks"]} ranks')
        self.assertTrue(rows[0]['errors'] or not cases[family].has_errors, f'{family}: no errors to compare')
        return {row['ranks']: row for row in rows}

    def check(self, row, **limits):
        for item, limit in limits.items():
            name = item.replace('set_up', 'set-up').replace('_', ' ')
            self.assertLessEqual(row[name], limit, f'{row["family"]} on {row["ranks"]} ranks: {name} per {row["unit"]}')

    def test_schur(self):
        rows = self.rows('schur', 1024)
        for ranks in everyone[1:]:
            self.check(rows[ranks], most_messages=4, reductions=3.2, most_bytes=4 * 4 * 64 * 8 * 2)
            self.assertGreater(rows[ranks]['messages'], 2)

    def test_multigrid(self):
        rows = self.rows('mg', 256)
        for ranks in everyone[1:]:
            self.check(rows[ranks], reductions=7, most_messages=min(30 + 4 * ranks, 140))

    def test_closed_form(self):
        rows = self.rows('closed_form', 1024)
        for ranks in everyone[1:]:
            each = ranks - 1 if ranks < 16 else 2 * (round(ranks ** (1 / 2)) - 1)
            self.check(rows[ranks], most_messages=2 * each, reductions=3)

    # A solve turns the interfaces of strips there and back in two stages; an iteration of fd solves twice, and has two halos.
    def test_strips_of_modes(self):
        for family, solves, halos, sums in (('separable', 1, 0, 3), ('fd', 2, 2, 5)):
            rows = self.rows(family, 64, (1, 16, 64))
            for ranks in (16, 64):
                self.check(rows[ranks], reductions=sums, most_messages=4 * solves * (round(ranks ** (1 / 2)) - 1) + 2 * halos)
                self.assertGreater(rows[ranks]['messages'], 4 * solves)

    # Squares of 256 cells a side: eight neighbors, once in eight steps.
    def test_diffusion(self):
        for ranks, side in ((4, 512), (16, 1024)):
            row = measure(program, 'diffusion_boxes', ranks, side, 'none')
            case = cases['diffusion_boxes']
            alone = Run(program, case, 1, [*case.size(side), 'diffusion.grid.parts=[]', *case.lengths[-1](side)], 'none')
            self.assertTrue(alone.errors())
            self.assertEqual(row['errors'], alone.errors(), f'{ranks} ranks')
            self.check(row, most_messages=1, most_bytes=8 * (4 * 256 + 4 * 8), reductions=0.1)

    def test_diffusion_in_slabs(self):
        rows = self.rows('diffusion', 512)
        for ranks in everyone[1:]:
            self.check(rows[ranks], most_messages=1.01, reductions=0.1)

    # Four neighbors, of four parts two; two turns along each axis, in the column and in the layer of a part. From the
    # fourth to the eighth step a run looks twice whether all is finite, later less often.
    def test_fractional(self):
        for ranks, side in ((4, 32), (16, 64), (64, 128)):
            row = measure(program, 'fractional', ranks, side, 'none')
            case = cases['fractional']
            alone = Run(program, case, 1, [*case.size(side), 'fractional.grid.parts=[]', *case.lengths[-1](side)], 'none')
            self.assertTrue(alone.errors())
            self.assertEqual(row['errors'], alone.errors(), f'{ranks} ranks')
            self.check(row, most_messages=(2 if ranks == 4 else 4) + 4 * (round(ranks ** (1 / 2)) - 1), reductions=0.5)

    # Lines are cut into 32 strips at most.
    def test_fractional_in_slabs(self):
        rows = self.rows('fractional_slabs', 512, (1, 4, 16, 32))
        for ranks in (4, 16, 32):
            self.check(rows[ranks], most_messages=4 + 2 * ranks, reductions=3.3)

    def test_amg(self):
        rows = self.rows('amg', 32)
        for ranks in everyone[1:]:
            self.check(rows[ranks], reductions=4, set_up_messages=170)

    # Of a study, from the start of the program to the first step: halos compare their links together.
    def test_before_the_first_step(self):
        for family, reductions in (('diffusion', 5), ('fractional', 4), ('schur', 6), ('closed_form', 6)):
            case = cases[family]
            for ranks in (4, 16):
                length = case.total(ranks)
                longer = case.lengths[-1](length) if case.lengths else []
                run = Run(program, case, ranks, [*case.size(length), *longer], 'none')
                calls = {name: sum(run.calls((name,), 'calls', 'most', phase) for phase in ('start', 'set-up'))
                         for name in ('reduction', 'gather to all', 'broadcast', 'barrier', 'gather', 'send', 'halo', 'dup', 'split')}
                most = {'reduction': reductions, 'gather to all': 2, 'dup': 1}
                for name, count in calls.items():
                    self.assertLessEqual(count, most.get(name, 0), f'{family}, {name} on {ranks} ranks')


if __name__ == '__main__':
    if not program.is_file():
        print(f'skipped: no simulated program at {program} (cmake --preset scale && cmake --build --preset scale)')
        sys.exit(77)
    unittest.main(verbosity=2)
