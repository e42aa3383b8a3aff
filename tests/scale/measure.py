#!/usr/bin/env python3
"""What families send and how long they take on simulated clusters.

    cmake --preset scale && cmake --build --preset scale
    tests/scale/measure.py [--ranks 1,4,16,64] [--device h200] [--strong] [--json FILE] [FAMILY...]
    tests/scale/measure.py --table TABLE.md --json ROWS.json [--figure FIGURE.png] [--jobs N] [--limit SECONDS] [FAMILY...]
        # all of scale.md, see table.py

Per family and number of ranks: messages, their bytes and reductions of a rank per iteration or step (differences of two
runs of different length), simulated time of the large part that stands for (cases.py), efficiency against one rank or
the fewest, set-up, memory of a rank, the error.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
from cases import cases       # noqa: E402
import cluster                # noqa: E402


class Failed(Exception):
    pass


def rates_table(device, case, parts, factors):
    """The text that smpi/compute.cpp reads. `factors`: of the bytes of kernels, by name."""
    rates = json.loads((here / 'rates.json').read_text())[device]
    line = '{:.6g} {:.6g} {:.6g} {}'.format
    lines = [line(rates['copy'] * rates['share'], rates['launch'], case.factor(parts), '*')]
    lines += [line(rates['copy'] * rates['kernels'].get(name, rates['share']), rates['launch'],
                   factors.get(name, case.factor(parts)), name) for name in {*rates['kernels'], *factors}]
    known = {**rates['waits'], **rates['seconds'], **(case.seconds(parts) if case.seconds and device == 'h200' else {})}
    lines += [line(1, seconds, 0, name) for name, seconds in known.items()]
    lines += [line(1, 0, 0, name) for name in rates['part of exchange']]
    return '\n'.join(lines) + '\n'


class Run:
    """One simulated run of `study`. `longer`: messages take as long as the large part's. `limit`: seconds that it may take.
    `parts`: large ones that the problem stands for, as many as ranks by default."""

    def __init__(self, program, case, ranks, settings, device, factors=None, longer=True, limit=None, parts=None):
        parts = parts or ranks
        with tempfile.TemporaryDirectory(prefix='halocline_scale_') as folder:
            folder = Path(folder)
            cluster.write(ranks, str(folder / 'platform.xml'))
            environment = dict(os.environ, OMP_NUM_THREADS='1', OMP_PROC_BIND='true', HALOCLINE_SCALE_RANKS=str(ranks),
                               HALOCLINE_SCALE_PLATFORM=str(folder / 'platform.xml'),
                               HALOCLINE_SCALE_OUTPUT=str(folder / 'counts.json'))
            if case.strip:
                environment['HALOCLINE_SCALE_STRIPS'] = str(case.strip)
            if device != 'none':
                (folder / 'rates').write_text(rates_table(device, case, parts, factors or {}))
                environment['HALOCLINE_SCALE_RATES'] = str(folder / 'rates')
                if case.queued:
                    environment['HALOCLINE_SCALE_QUEUE'] = '1'
                if case.waves:
                    environment['HALOCLINE_SCALE_WAVES'] = '{:.0f} {:.0f}'.format(*case.waves(parts))
                environment['HALOCLINE_SCALE_TURNS'] = str(case.message_factor(parts))
                if longer and case.long and ranks > 1:
                    share = cluster.usable_share / max(1.0, case.message_factor(parts))
                    environment['HALOCLINE_SCALE_MESSAGES'] = f';{case.long}:{share:.9g}'
            command = [str(program), 'study', str(here / 'decks' / f'{case.deck}.yaml'), '--refine', '1']
            for setting in [*case.settings, *settings, f'output.directory={folder / "out"}', 'run.devices=omp:1']:
                command += ['--set', setting]
            started = time.time()
            try:
                done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
            except subprocess.TimeoutExpired as expired:
                raise Failed(f'took longer than {limit:.0f} s') from expired
            self.wall = time.time() - started
            # A run that stops at its largest number of iterations says so and counts like any other.
            if not (folder / 'counts.json').exists() or done.returncode not in (0, 1, 3):
                raise Failed(f'{" ".join(command)}\n{done.stdout[-1500:]}{done.stderr[-1500:]}')
            self.counts = json.loads((folder / 'counts.json').read_text())
            self.processor = self.counts['processor']
            table = folder / 'out' / 'study.csv'
            self.row = next(csv.DictReader(table.read_text().splitlines())) if table.exists() else {}

    def seconds(self, phase):
        return self.counts['phases'].get(phase, {}).get('time', {}).get('most', {}).get('seconds', 0.0)

    def calls(self, names, item, which='mean', phase='solve'):
        calls = self.counts['phases'].get(phase, {}).get('calls', {})
        return sum(calls[name][which][item] for name in names if name in calls)

    def set_up(self):
        """Seconds, without kernels that judge a deck at the start: of whole problems, but small ones only. Calls there are
        the mean rank's, since those of which each waits longest are no rank's in all."""
        start = self.counts['phases'].get('start', {'calls': {}, 'kernels': {}})
        waits = sum(count['mean']['seconds'] for name, count in start['kernels'].items() if name.startswith('('))
        return self.seconds('set-up') + self.calls(start['calls'], 'seconds', 'mean', 'start') + waits

    def set_up_calls(self):
        """Seconds of each call of MPI and of waits for sums before the solve, of the mean rank."""
        seconds = {}
        for phase in ('start', 'set-up'):
            found = self.counts['phases'].get(phase, {'calls': {}, 'kernels': {}})
            waits = {name: count for name, count in found['kernels'].items() if name.startswith('(')}
            for name, count in [*found['calls'].items(), *waits.items()]:
                seconds[name] = seconds.get(name, 0) + count['mean']['seconds']
        return seconds

    def kernels(self, phase='solve'):
        """Bytes of each."""
        return {name: entry['mean']['bytes'] for name, entry in self.counts['phases'].get(phase, {})['kernels'].items()}

    def errors(self):
        return {key: value for key, value in self.row.items() if 'error' in key and not key.startswith('order')}


sent = ('halo', 'send', 'all to all')
reduced = ('reduction',)


def plain_run(program, case, ranks, length, device, limit=None):
    """With messages as they are: what it takes before the solve is not that of longer halos."""
    settings = case.lengths[case.plain](length) if case.lengths else []
    return Run(program, case, ranks, [*case.size(length), *settings], device, longer=False, limit=limit,
               parts=case.parts(length))


def kernel_factors(case, alone, here, ranks):
    """What bytes of kernels count for on so many ranks: those beyond the bytes of one rank with a part as large grow less."""
    def per_unit(run):
        units = (case.units[case.plain] if case.units else float(run.row['iterations'])) if case.lengths else 1
        return {kernel: bytes / units for kernel, bytes in run.kernels().items()}

    alone = per_unit(alone)
    return {kernel: case.kernel_factor(kernel, alone.get(kernel, 0), bytes, ranks) for kernel, bytes in per_unit(here).items()}


def measure(program, name, ranks, length, device, limit=None):
    """A row of the table: per unit where there are two lengths, of the whole solve otherwise. Runs of both lengths go at
    the same time if a run has a limit."""
    case = cases[name]
    weak = device != 'none' and ranks > 1 and length == case.total(ranks)
    plain = plain_run(program, case, ranks, length, device, limit) if weak else None
    factors = kernel_factors(case, plain_run(program, case, 1, case.total(1), 'none'), plain, ranks) if weak else {}
    with concurrent.futures.ThreadPoolExecutor(2 if limit else 1) as pool:
        runs = list(pool.map(lambda more: Run(program, case, ranks, [*case.size(length), *more(length)], device, factors,
                                              limit=limit, parts=case.parts(length)), case.lengths or [lambda n: []]))
    if len(runs) == 2:
        units = case.units or [float(run.row['iterations']) for run in runs]
        unit = units[1] - units[0]
        per = lambda value: (value(runs[1]) - value(runs[0])) / unit  # noqa: E731
    else:
        per = lambda value: value(runs[0])  # noqa: E731
    last, before = runs[-1], plain or runs[-1]
    row = {'family': name, 'ranks': ranks, 'side': length, 'unit': case.unit,
           'messages': per(lambda run: run.calls(sent, 'messages')),
           'most messages': per(lambda run: run.calls(sent, 'messages', 'most')),
           'bytes': per(lambda run: run.calls(sent, 'bytes')),
           'most bytes': per(lambda run: run.calls(sent, 'bytes', 'most')),
           'reductions': per(lambda run: run.calls(reduced, 'calls')),
           'reduced bytes': per(lambda run: run.calls(reduced, 'bytes')),
           'others': per(lambda run: run.calls(('broadcast', 'gather', 'gather to all', 'barrier'), 'calls')),
           'seconds': per(lambda run: run.seconds('solve')),
           'set-up': before.set_up(), 'set-up calls': before.set_up_calls(),
           'set-up messages': last.calls(sent, 'messages', phase='set-up'),
           'set-up bytes': last.calls((*sent, 'gather', 'gather to all', 'broadcast'), 'bytes', phase='set-up'),
           'peak': last.counts['peak_kib'] * 1024.0, 'wall': sum(run.wall for run in runs),
           'processor': sum(run.processor for run in runs), 'errors': last.errors()}
    longer = (case.message_factor(case.parts(length)) - 1) * row['most bytes'] / cluster.usable_rate(ranks)
    row['longer messages'] = longer if device != 'none' and not case.long else 0.0
    row['time'] = row['seconds'] + row['longer messages']
    return row


def add_efficiency(rows, strong):
    first = rows[0]
    for row in rows:
        ideal = first['time'] * (first['ranks'] / row['ranks'] if strong else 1)
        row['efficiency'] = ideal / row['time'] if row['time'] > 0 else 1.0
        # What a rank adds to the process of all of them, against that of the first row.
        others = row['ranks'] - first['ranks']
        row['memory'] = (row['peak'] - first['peak']) / others if others else float('nan')


def print_table(rows, strong):
    first = rows[0]
    print(f'\n{first["family"]}, {"strong" if strong else "weak"}, per {first["unit"]} and rank')
    print('| ranks | side | messages (most) | bytes (most) | reductions (bytes) | others | simulated | '
          'of it longer messages | efficiency | set-up (messages, bytes) | memory |')
    print('|---|---|---|---|---|---|---|---|---|---|---|')
    for r in rows:
        memory = '' if r['memory'] != r['memory'] else f'{r["memory"] / 1e6:.2f} MB'
        print(f'| {r["ranks"]} | {r["side"]} | {r["messages"]:.4g} ({r["most messages"]:.4g}) | {r["bytes"]:.4g} '
              f'({r["most bytes"]:.4g}) | {r["reductions"]:.3g} ({r["reduced bytes"]:.4g}) | {r["others"]:.3g} | '
              f'{1e6 * r["time"]:.4g} us | {1e6 * r["longer messages"]:.3g} us | {100 * r["efficiency"]:.0f} % | '
              f'{1e6 * r["set-up"]:.4g} us ({r["set-up messages"]:.4g}, {r["set-up bytes"]:.4g}) | {memory} |', flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('families', nargs='*', metavar='FAMILY', help=f'of {", ".join(cases)}; all by default')
    parser.add_argument('--program', default=here.parent.parent / 'build/scale/bin/halocline')
    parser.add_argument('--ranks', default='1,4,16,64')
    parser.add_argument('--device', default='h200', help='of rates.json, or none: communication alone')
    parser.add_argument('--strong', action='store_true', help='the problem of 16 ranks on all of them')
    parser.add_argument('--json', help='a file for all rows; with --table: rows that it has are not measured again')
    parser.add_argument('--table', help='a file for the table of all families on up to 1024 ranks')
    parser.add_argument('--figure', help='with --table: a file for curves of weak efficiency')
    parser.add_argument('--most', type=int, default=1024, help='with --table: the most ranks that run; beyond, the model')
    parser.add_argument('--jobs', type=int, default=1, help='with --table: rows at a time')
    parser.add_argument('--limit', type=float, help='with --table: seconds of a run, after which its row is the model\'s')
    parser.add_argument('--again', default='', metavar='FAMILY,...', help='with --table: families whose rows are made again')
    parser.add_argument('--check', default=here.parent.parent / 'build/cpu-release/bin/halocline',
                        help='with --table: the program that forecasts and draws')
    return parser.parse_args()


def main():
    options = arguments()
    everything = []
    if options.table:
        import table
        everything = table.write(options)
        options.families = []
    for name in options.families if options.table else options.families or cases:
        rows = []
        for ranks in map(int, options.ranks.split(',')):
            length = cases[name].total(16 if options.strong else ranks)
            try:
                rows.append(measure(options.program, name, ranks, length, options.device))
            except Failed as failure:
                print(f'\n{name} on {ranks} ranks failed: {failure}', file=sys.stderr)
                break
        if rows:
            add_efficiency(rows, options.strong)
            print_table(rows, options.strong)
            everything += rows
    if options.json:
        Path(options.json).write_text(json.dumps(everything, indent=1))


if __name__ == '__main__':
    main()
