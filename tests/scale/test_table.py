"""The table of all families: rows of earlier runs are taken over, and a model's time is compared with the model's."""
import io
import json
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path

sys.dont_write_bytecode = True
import table  # noqa: E402
from cases import cases, large_parts, side  # noqa: E402
from measure import Failed  # noqa: E402


class Table(unittest.TestCase):
    def test_efficiency_is_against_the_same_measure(self):
        rows = [{'ranks': 1, 'time': 2.0}, {'ranks': 16, 'time': 2.5}, {'ranks': 64, 'failed': 'no'},
                {'ranks': 256, 'time': 4.0, 'alone': 3.0}]
        self.assertEqual(table.efficiencies(rows, False), {1: 1.0, 16: 0.8, 256: 0.75})
        self.assertEqual(table.efficiencies(rows[:2], True)[16], 0.05)

    def test_curves_are_of_one_measure_each(self):
        simulated, model = {'how': 'simulated'}, {'how': 'model', 'alone': 3.0}
        rows = [{'ranks': 1, 'time': 2.0} | simulated, {'ranks': 16, 'time': 2.5} | simulated, {'ranks': 64, 'time': 6.0} | model]
        other = [{'ranks': 1, 'time': 3.0} | model, {'ranks': 16, 'time': 2.5} | simulated, {'ranks': 64, 'time': 4.0} | model]
        self.assertEqual(list(table.curves_of({'a': rows, 'b': other}).items()),
                         [('a', {1: 1.0, 16: 0.8}), ('b, model', {1: 1.0, 64: 0.75}), ('a, model', {1: 1.0, 64: 0.5})])
        self.assertEqual(table.cell(other[1], 0), '2.5 s')

    def test_rows_that_are_kept_are_not_made_again(self):
        made = []

        def make(ranks):
            made.append(ranks)
            if ranks == 16:
                raise Failed('first\nwhy')
            return {'time': 1.0 * ranks}

        with tempfile.TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
            path = Path(folder) / 'rows.json'
            first = table.rows_of(table.Kept(path), 'schur', 'weak', (4, 16), make)
            self.assertEqual(len(json.loads(path.read_text())), 2)
            again = table.rows_of(table.Kept(path), 'schur', 'weak', (4, 16, 64), make)
            other = table.rows_of(table.Kept(path), 'schur', 'strong', (4,), make)
        self.assertEqual(made, [4, 16, 64, 4])
        self.assertEqual(again[:2], first)
        self.assertEqual(first[1]['failed'], 'why')
        self.assertEqual([row['scaling'] for row in again + other], ['weak'] * 3 + ['strong'])

    def test_parts_of_diffusion_have_the_rows_of_the_slabs_they_stand_for(self):
        case = cases['diffusion']
        for parts in (1, 16, 64, 256, 1024):
            length = side(8192, parts, 2)  # of the square
            columns, rows = map(int, case.size(case.total(parts))[1].split('[')[1][:-1].split(','))
            self.assertIn(f'[{length},{length}]', large_parts['diffusion'].settings(parts)[0])
            self.assertEqual(rows, length)
            self.assertEqual(case.parts(case.total(parts)), parts)
            # Cells of a rank, and a row of its halo.
            self.assertEqual(columns * rows / parts * case.factor(parts), 8192**2)
            self.assertEqual(columns * case.message_factor(parts), length)

    def test_kernels_that_many_ranks_enlarge_do_so_by_ghosts(self):
        case = cases['schur']  # factors 4096 of kernels, 64 root(P) of messages
        self.assertEqual(case.kernel_factor('kernel', 100, 100, 16), 4096)
        self.assertEqual(case.kernel_factor('kernel', 100, 110, 16) * 110, 100 * 4096 + 10 * 256)
        self.assertEqual(cases['diffusion'].kernel_factor('kernel', 16, 4, 16), 512, 'a quarter of the rows, four times the columns')


if __name__ == '__main__':
    unittest.main(verbosity=2)
