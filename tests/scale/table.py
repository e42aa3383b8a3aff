#!/usr/bin/env python3
"""One table of all families on many ranks, and curves of it.

    tests/scale/measure.py --table TABLE.md [--figure FIGURE.png] [--json ROWS.json] [FAMILY...]

Families whose small parts stand for large ones are simulated. Others have levels or strips that depend on the size of
the problem: messages of small parts are counted, times are those of `halocline check --ranks`. Strong scaling is by
`check` for all. Rows that fail say so, and the others go on. Each row is put into ROWS.json once it is there, and rows
that stand there are not made again: a table may be made in several runs, and on several machines. Runs that take too long
(--limit) leave their rows to the model.
"""
import concurrent.futures
import functools
import json
import math
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from cases import cases, large, large_parts
import measure

here = Path(__file__).resolve().parent
weak_ranks, strong_ranks = (1, 16, 64, 256, 1024), (1, 4, 16, 64, 256)
units = {'h': 3600, 's': 1, 'ms': 1e-3, 'us': 1e-6, 'B': 1, 'KB': 1e3, 'kB': 1e3, 'MB': 1e6, 'GB': 1e9, 'TB': 1e12}


class NoForecast(Exception):
    pass


def quantity(text, name):
    """Of a row of `check` such as `time  1.23 ms per step: ...`."""
    found = re.search(rf'^ +{name} +([0-9.e+-]+) ([A-Za-z]+)\b', text, re.M)
    return float(found[1]) * units[found[2]] if found else 0.0


def forecast(program, name, ranks, settings):
    """Seconds and bytes of a unit, and memory of a part, by the model of the program."""
    command = [str(program), 'check', str(here / 'decks' / f'{cases[name].deck}.yaml'), '--devices', 'h200', '--ranks', str(ranks)]
    for setting in settings:
        command += ['--set', setting]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or quantity(done.stdout, 'time') == 0:
        why = next((line for line in (done.stderr + done.stdout).splitlines()
                    if 'ranks' in line or 'no forecast' in line or 'parts' in line), done.stderr.strip())
        raise NoForecast(why.strip())
    return {'ranks': ranks, 'time': quantity(done.stdout, 'time'), 'sent': quantity(done.stdout, 'sent'),
            'memory of a part': quantity(done.stdout, 'memory')}


@functools.lru_cache(maxsize=None)
def alone(program, name, weak):
    of = large[name]
    return forecast(program, name, 1, tuple(of.settings(1 if weak else of.strong)))


def modelled(program, name, ranks, weak):
    """`alone`: the model's time of one part, which its efficiency is against."""
    of = large[name]
    one = alone(program, name, weak)
    row = one if ranks == 1 else forecast(program, name, ranks, of.settings(ranks if weak else of.strong))
    return row | {'how': 'model', 'alone': one['time']}


def weak_row(options, name, ranks):
    """What is simulated, or counted of small parts."""
    case, of = cases[name], large[name]
    if ranks > min(of.counted, options.most):
        return {'not run': 'more ranks than are run'}
    row = measure.measure(options.program, name, ranks, case.total(ranks), options.device if of.simulated else 'none',
                          options.limit)
    return row | {'how': 'simulated' if of.simulated else 'counted'}


def with_model(program, name, row):
    """Time and memory by the model beside what was counted, or alone; beside what was simulated, memory."""
    ran = 'how' in row
    try:
        model = modelled(program, name, row['ranks'], True)
    except NoForecast as none:
        model, why = {}, str(none).strip().splitlines()[-1]
    if ran and large[name].simulated:
        return row | {key: value for key, value in model.items() if key == 'memory of a part'}
    if not ran and not model:
        return {'ranks': row['ranks'], 'failed': why}
    row = {key: value for key, value in row.items() if key not in ('time', 'failed')}
    return row | model | {'how': ' and '.join(['counted'] * ran + ['model'] * bool(model))}


class Kept:
    """Rows by family, scaling and ranks, in a file that has every row as soon as it is made. `again`: families whose rows
    are left out. Rows may be made by several threads."""

    def __init__(self, path, again=()):
        self.path, self.lock = Path(path) if path else None, threading.Lock()
        known = json.loads(self.path.read_text()) if path and self.path.exists() else []
        self.rows = [row for row in known if row['family'] not in again]

    def find(self, key):
        return next((row for row in self.rows if (row['family'], row['scaling'], row['ranks']) == key), None)

    def row(self, key, make):
        found = self.find(key)
        if found:
            return found
        started = time.time()
        try:
            row = make(key[2])
        except (measure.Failed, NoForecast) as failure:
            row = {'failed': str(failure).strip().splitlines()[-1]}
        row |= {'family': key[0], 'scaling': key[1], 'ranks': key[2]}
        print(*key, {k: row[k] for k in ('time', 'how', 'failed', 'not run', 'processor', 'most messages') if k in row},
              f'{time.time() - started:.1f} s', file=sys.stderr, flush=True)
        with self.lock:
            self.rows.append(row)
            if self.path:
                self.path.write_text(json.dumps(self.rows, indent=1))
        return row


def rows_of(kept, name, scaling, all_ranks, make):
    return [kept.row((name, scaling, ranks), make) for ranks in all_ranks]


def time_text(seconds):
    for unit, factor in (('s', 1), ('ms', 1e3), ('us', 1e6)):
        if seconds * factor >= 1 or unit == 'us':
            return f'{seconds * factor:.3g} {unit}'


def number(row, key, form='{:.3g}'):
    return form.format(row[key]) if key in row else ''


def cell(row, efficiency):
    if 'failed' in row:
        return 'refused' if 'parts' in row['failed'] or 'ranks' in row['failed'] else 'failed'
    if 'time' not in row:
        return '-'
    return f'{time_text(row["time"])}, {100 * efficiency:.0f} %' if efficiency else time_text(row['time'])


def efficiencies(rows, strong):
    """By ranks, against one part as large, or against all of the problem on one, each by the same measure."""
    def alone(row):
        return row.get('alone', rows[0].get('time', 0) if row.get('how') == rows[0].get('how') else 0)

    return {row['ranks']: alone(row) / row['time'] / (row['ranks'] if strong else 1)
            for row in rows if 'time' in row and alone(row) > 0}


def curves_of(tables):
    """Efficiency by ranks, of what was simulated and of what is the model's apart, from one rank on; most at the end first."""
    curves = {}
    for name, rows in tables.items():
        share = efficiencies(rows, False)
        for label, simulated in ((name, True), (f'{name}, model', False)):
            of = {row['ranks']: share[row['ranks']] for row in rows
                  if row['ranks'] in share and (row['how'] == 'simulated') == simulated}
            if any(ranks > 1 for ranks in of):
                curves[label] = {1: 1.0} | of
    return dict(sorted(curves.items(), key=lambda curve: -list(curve[1].values())[-1]))


def growth(rows, key):
    """From 16 ranks to the most that were run."""
    known = [row for row in rows if row['ranks'] >= 16 and row.get(key, 0) > 0]
    return f'{known[-1][key] / known[0][key]:.2f} to {known[-1]["ranks"]}' if len(known) > 1 else ''


def weak_lines(tables):
    head = ['family, part', 'per', *map(str, weak_ranks), 'how', 'messages at 16, 64, 256, 1024', 'sums', 'set-up grows',
            'memory grows']
    lines = ['| ' + ' | '.join(head) + ' |', '|---' * len(head) + '|']
    for name, rows in tables.items():
        share = efficiencies(rows, False)
        cells = [cell(row, share.get(row['ranks'], 0)) for row in rows]
        hows = {}
        for row in rows[1:]:
            hows.setdefault(row.get('how', 'refused'), []).append(str(row['ranks']))
        how = '; '.join(f'{key} {", ".join(ranks)}' if len(hows) > 1 else key for key, ranks in hows.items())
        messages = ', '.join(number(row, 'most messages', '{:.0f}') or '-' for row in rows[1:])
        sums = next((number(row, 'reductions', '{:.1f}') for row in reversed(rows) if 'reductions' in row), '')
        lines.append('| ' + ' | '.join([f'`{name}`, {large[name].part}', cases[name].unit, *cells, how, messages, sums,
                                        growth(rows, 'set-up'), growth(rows, 'memory of a part')]) + ' |')
    return lines


def strong_lines(tables):
    head = ['family, problem', 'per', *map(str, strong_ranks)]
    lines = ['| ' + ' | '.join(head) + ' |', '|---' * len(head) + '|']
    for name, rows in tables.items():
        share = efficiencies(rows, True)
        cells = [cell(row, share.get(row['ranks'], 0)) for row in rows]
        lines.append('| ' + ' | '.join([f'`{name}`, {large[name].whole}', cases[name].unit, *cells]) + ' |')
    return lines


def draw(program, tables, path):
    """Efficiency over ranks, drawn by `halocline plot` of one file of tables for each curve."""
    import h5py
    import numpy as np
    with tempfile.TemporaryDirectory(prefix='halocline_curves_') as folder:
        files = []
        for label, share in curves_of(tables).items():
            place = Path(folder) / label
            place.mkdir()
            with h5py.File(place / 'tables.h5', 'w') as file:
                series = file.create_group('series')
                for key, values in (('ranks', list(share)), ('weak efficiency', list(share.values()))):
                    series[key] = [float(value) for value in values]
                    series[key].attrs['unit'] = np.bytes_('1')  # of fixed length
            files.append(str(place))
        command = [str(program), 'plot', *files, '--x', 'ranks', '--y', 'weak efficiency', '--log-x', '--range', '0', '1.15',
                   '--size', '170x120', '--output', str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        print(done.stdout + done.stderr, file=sys.stderr)


def write(options):
    names = options.families or large_parts
    kept = Kept(options.json, options.again.split(','))
    weak_maker = lambda name: lambda ranks: weak_row(options, name, ranks)  # noqa: E731
    strong_maker = lambda name: lambda ranks: modelled(options.check, name, ranks, False)  # noqa: E731
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:  # what takes longest comes first
        for _ in pool.map(lambda one: kept.row((one[1], 'weak', one[0]), weak_maker(one[1])),
                          [(ranks, name) for ranks in reversed(weak_ranks) for name in names]):
            pass
    weak = {name: [with_model(options.check, name, row)
                   for row in rows_of(kept, name, 'weak', weak_ranks, weak_maker(name))] for name in names}
    strong = {name: rows_of(kept, name, 'strong', strong_ranks, strong_maker(name)) for name in names if large[name].strong}
    text = ['Weak scaling:', '', *weak_lines(weak), '', 'Strong scaling, by the model:', '', *strong_lines(strong), '']
    Path(options.table).write_text('\n'.join(text))
    if options.figure:
        draw(options.check, weak, options.figure)
    return kept.rows
