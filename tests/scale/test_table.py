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
from measure import Failed  # noqa: E402


class Table(unittest.TestCase):
    def test_efficiency_is_against_the_same_measure(self):
        rows = [{'ranks': 1, 'time': 2.0}, {'ranks': 16, 'time': 2.5}, {'ranks': 64, 'failed': 'no'},
                {'ranks': 256, 'time': 4.0, 'alone': 3.0}]
        self.assertEqual(table.efficiencies(rows, False), {1: 1.0, 16: 0.8, 256: 0.75})
        self.assertEqual(table.efficiencies(rows[:2], True)[16], 0.05)

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


if __name__ == '__main__':
    unittest.main(verbosity=2)
