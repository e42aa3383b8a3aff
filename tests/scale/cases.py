"""What is measured of every family: a deck, its size on so many ranks, two lengths, and the part on a GPU that stands for.

A case grows with the ranks (weak) or keeps its size (strong). `side` is the length of a part's side in what is run,
`large` that of the part whose time is simulated; bytes of kernels are multiplied by (large / side)^dimension, and what
messages carry, by one power less.
"""
import math
from dataclasses import dataclass, field


@dataclass
class Case:
    deck: str
    dimension: int
    side: int
    large: int
    size: callable                  # total length of a side -> settings
    lengths: tuple = ()             # two lists of settings of runs that differ in length only; one: the whole solve
    units: tuple = ()               # how many iterations or steps each; left out: as study says
    unit: str = 'solve'
    settings: list = field(default_factory=list)
    has_errors: bool = True         # a known solution
    # Factors of bytes of kernels and of messages in a problem of so many large parts, where not by the lengths of sides.
    volume: callable = None
    surface: callable = None
    replicated: bool = False        # bytes of kernels beyond those of one rank's run do not grow with the part
    # Bytes from which on messages are those of halos and turns and take as long as the large part's, beside whatever
    # goes on; shorter ones, those of sums, take what they have. 0: what messages carry beyond what is run is added, as
    # if nothing went on.
    long: int = 0
    queued: bool = False            # launches go on beside the host, which waits for what it sends (smpi/compute.cpp)
    plain: int = -1                 # of `lengths`: what runs with messages as they are, for bytes of kernels and set-up
    of_surface: tuple = ()          # kernels whose bytes grow as those of messages
    seconds: callable = None        # of kernels of so many large parts on an H200, by name, that state no bytes
    waves: callable = None          # lines and columns of the large part, for chunks of waves (smpi/turns.cpp)
    of_strips: dict = field(default_factory=dict)   # factors of kernels by name, where parts have ends of strips
    strip: int = 0                  # rows of a strip, so that parts have as many on any number of ranks; 0: the rule's

    def parts(self, length):
        """Large parts that a problem of that size stands for, on however many ranks."""
        return max(1, round((length / self.side) ** self.dimension))

    def factor(self, parts):
        return self.volume(parts) if self.volume else (self.large / self.side) ** self.dimension

    def kernel_factor(self, kernel, alone, bytes, parts):
        """Of a kernel that moves `alone` bytes on one rank, and more on each of many: ghosts, coarse levels of all."""
        if kernel in self.of_strips and parts > 1:
            return self.of_strips[kernel]
        alone *= self.factor(1)
        if bytes * self.factor(parts) <= alone or alone == 0:
            return self.message_factor(parts) if kernel in self.of_surface else self.factor(parts)
        more = 1 if self.replicated else self.message_factor(parts)
        return (alone + (bytes - alone / self.factor(parts)) * more) / bytes

    def message_factor(self, parts):
        return self.surface(parts) if self.surface else (self.large / self.side) ** (self.dimension - 1)

    def total(self, ranks):
        """Length of a side of the whole problem, a multiple of 4, with a part of side^dimension for each rank."""
        return max(4, round(self.side * ranks ** (1 / self.dimension) / 4) * 4)


def plane(n):
    return [f'collocation.mesh.x.elements={n}', f'collocation.mesh.y.elements={n}']


def row(n):
    return [f'collocation.mesh.x.elements={n}', f'collocation.mesh.x.to={n / 64}', 'collocation.mesh.y.elements=64']


def cells(n, dimension):
    return [f'diffusion.grid.cells=[{",".join([str(n)] * dimension)}]']


def column(n):
    """n rows of 64 square cells."""
    return [f'diffusion.grid.size=[64/{n},1]', f'diffusion.grid.cells=[64,{n}]']


def columns_of_slab(parts):
    return 8192 * parts ** (1 / 2) / 64


def steps(count, dimension):
    """An end after so many steps, whatever the grid: it is written with n, the cells of a side."""
    return lambda n: [f'diffusion.time.end={count}*0.1/({2 * dimension}*{n}^2)']


def fixed(*settings):
    return lambda n: list(settings)


def cubes(n):
    """A table of cubes of 48 cells a side."""
    return [f'diffusion.grid.size=[48/{n},1,1]', f'diffusion.grid.cells=[48,{n},{n}]',
            f'diffusion.grid.parts=[{n // 48},{n // 48}]']


def squares(n):
    """A table of squares of 256 cells a side."""
    return cells(n, 2) + [f'diffusion.grid.parts=[{n // 256},{n // 256}]']


def table(parts):
    """As many parts along x and y."""
    n = round(parts ** (1 / 2))
    return [f'diffusion.grid.parts=[{n},{n}]'] if n * n == parts else []


def boxes(n):
    """Parts of 16^3 nodes, two strips along y and z each, so that all are alike, as rows of 16 nodes fill a pitch."""
    parts = max(1, n // 16)
    return [f'fractional.grid.cells=[15,{n - 1},{n - 1}]', f'fractional.grid.parts=[{parts},{parts}]']


def systems(n):
    return [f'ode_ensemble.sweep=[{{name: p, from: 0, to: 21, points: {n}}}]']


def strips(parts):
    """A strip of lines for each part, and eight modes, so that each has some of the interfaces."""
    return [f'collocation.mesh.x.elements={max(64, 32 * parts)}', f'collocation.mesh.y.elements={max(64, 4 * parts)}']


def waves(n):
    """A strip of 16 lines for each part, and eight modes, so that each joins the nodes of some."""
    return [f'collocation.mesh.x.elements={n}', f'collocation.mesh.y.elements={max(64, n // 4)}']


def waves_in_chunks(n):
    """The same with eight modes of each of four chunks."""
    return [f'collocation.mesh.x.elements={n}', f'collocation.mesh.y.elements={max(64, n)}']


def transforms(side):
    """Along y, into modes and out of them: rates and passes of lib/problems/costs/collocation.cpp."""
    def seconds(parts):
        length = side * parts ** (1 / 2)
        bytes = 1000 if length > 7000 else 43 * math.log2(length)
        each = bytes / 2 * side**2 / (0.575 * 4.15e12)
        return {'closed form: into modes': each, 'closed form: out of modes': each}
    return seconds


def slabs_of_waves(side, size):
    """A row of parts of 16 lines, each of which stands for a slab of a square."""
    def columns(parts):
        return int(size(16 * parts)[1].split('=')[1])
    return Case('closed_form', 1, 16, side, size, long=64, queued=True, seconds=transforms(side),
                volume=lambda parts: side**2 / (17 * columns(parts)),  # the last part has a line more
                surface=lambda parts: side * parts ** (1 / 2) / columns(parts),
                of_surface=('halo gather', 'halo scatter', 'waves: rows', 'waves: close'),
                waves=lambda parts: (side / parts ** (1 / 2), side * parts ** (1 / 2)))


def flat(side):
    """Parts of 16^3 nodes that stand for boxes of side^3 of a domain that grows along y and z only. These have strips of 32
    rows, `more` times as many as the two of 8 rows of the small ones: bytes a node and line with their ends."""
    surface, volume, more = (side / 16) ** 2, (side / 16) ** 3, side / 64
    ends = {'sweep x, strips of y': volume * (2 + 2 / 32) / (2 + 2 / 8), 'sweep z': volume * (5 + 2 / 32) / (5 + 2 / 8),
            'sweep y, strips of z': volume * (2 + 4 / 32) / (2 + 4 / 8)}
    ends |= {f'sweep {axis}, strips': surface * (32 + 2) / (8 + 2) for axis in 'yz'}     # those at sides
    ends |= {name: surface * (8 * more + 2) / (8 + 2) for name in ('sweep join', 'sweep part')}
    return dict(deck='fractional', dimension=2, side=16, large=side, size=boxes, unit='step', units=(4, 8),
                lengths=fractional_blocks, long=64, settings=['fractional.solver.split=adi', *fractional_history],
                volume=lambda parts: volume, surface=lambda parts: surface, queued=True, plain=0,
                of_surface=('copy', 'ghosts', 'sweep tree'), of_strips=ends, strip=8)


longest_sum = 1500  # bytes

# 16 exponentials in blocks of 4, each of which is flushed: as many bytes a node and step as 40 in blocks of 16 with the
# near pass.
fractional_history = ['fractional.history.engine=exponentials', 'fractional.history.block=4',
                      'fractional.history.eps=1e-7', 'fractional.time.horizon=1']
fractional_blocks = [fixed('fractional.time.end=0.0625', 'fractional.time.steps=4'),
                     fixed('fractional.time.end=0.125', 'fractional.time.steps=8')]
fractional_steps = [fixed('fractional.time.end=0.125', 'fractional.time.steps=8'),
                    fixed('fractional.time.end=0.25', 'fractional.time.steps=16')]
tolerances = [fixed('collocation.solver.tol=1e-2'), fixed('collocation.solver.tol=1e-10')]

cases = {
    # Parts hold multiples of 16 lines: a row of square parts, each of which stands for a slab of a square.
    'schur': Case('schur', 1, 64, 4096, row, unit='iteration', volume=lambda parts: 64**2,
                  surface=lambda parts: 64 * parts ** (1 / 2), long=longest_sum,
                  lengths=[fixed('collocation.solver.tol=1e-1'), fixed('collocation.solver.tol=1e-4')]),
    'mg': Case('mg', 2, 64, 4096, plane, unit='iteration', lengths=tolerances, replicated=True),
    'closed_form': slabs_of_waves(2048, waves),
    # Large enough for chunks.
    'closed_form_chunks': slabs_of_waves(8192, waves_in_chunks),
    # Counted alone, with modes along y in closed form, as what is sent across lines is the same: bases of dense modes
    # would take 68 MB on each of 256 ranks.
    'separable': Case('separable', 1, 1, 2048, strips, settings=['collocation.equation.c=1']),
    'fd': Case('fd', 1, 1, 2048, strips),
    # A column of parts of 64 columns, each of which stands for the slab of a square: as many rows, all its columns.
    'diffusion': Case('diffusion', 2, 8192, 8192, column, unit='step', units=(80, 240), long=longest_sum,
                      volume=columns_of_slab, surface=columns_of_slab, lengths=[steps(80, 2), steps(240, 2)]),
    'diffusion_boxes': Case('diffusion', 2, 256, 8192, squares, unit='step', units=(80, 240), long=longest_sum,
                            lengths=[steps(80, 2), steps(240, 2)]),
    # A table of cubes along y and z, most of whose cells are computed while halos travel, as in boxes of a cube.
    'diffusion_3d': Case('diffusion_3d', 2, 48, 768, cubes, unit='step', units=(12, 36), long=longest_sum,
                         volume=lambda parts: 16**3, surface=lambda parts: 16**2 * parts ** (1 / 6),
                         lengths=[steps(12, 3), steps(36, 3)]),
    # Parts hold whole strips: a table of boxes in y and z.
    'fractional': Case(**flat(512)),
    'fractional_256': Case(**flat(256)),
    # A column of parts, each of which stands for a slab of a cube.
    'fractional_slabs': Case('fractional', 1, 16, 256, lambda n: [f'fractional.grid.cells=[16,16,{n}]'], unit='step',
                             units=(8, 16), lengths=fractional_steps, long=longest_sum, volume=lambda parts: 16**3,
                             surface=lambda parts: (16 * parts ** (1 / 3)) ** 2),
    'amg': Case('amg', 3, 16, 200, lambda n: [f'sparse.matrix.box.grid.points=[{n},{n},{n}]'], unit='iteration',
                lengths=[fixed('sparse.solver.tol=1e-2'), fixed('sparse.solver.tol=1e-8')], has_errors=False),
    'ensemble': Case('ensemble', 1, 16, 768000, systems, settings=['ode_ensemble.evaluation=interpreted'], unit='step',
                     units=(1000,), has_errors=False),
}


@dataclass
class Large:
    """The part on a GPU that stands for a rank, whole problems of such parts, and how they are measured."""
    part: str
    settings: callable              # ranks, or how many parts as large there are -> settings of the whole problem
    simulated: bool                 # small parts stand for it; else they are counted alone
    counted: int = 1024             # most ranks that run in simulation
    strong: float = 0               # parts as large in the problem that keeps its size; 0: none
    whole: str = ''                 # the same in words


def side(large, ranks, dimension):
    """A multiple of 64, so that coarse levels and boxes find what they need."""
    return round(large * ranks ** (1 / dimension) / 64) * 64


def deep(n, parts):
    """Boxes of n^3 nodes in a square table of parts, all with as many strips."""
    rows = n * round(parts ** (1 / 2))
    return [f'fractional.grid.cells=[{n - 1},{rows - 1},{rows - 1}]', 'fractional.solver.split=adi']


large_parts = {
    'schur': Large('4096 x 4096 elements', lambda p: plane(side(4096, p, 2)), True, 1024, 4, '8192 x 8192'),
    'mg': Large('4096 x 4096 elements', lambda p: plane(side(4096, p, 2)), False, 256, 4, '8192 x 8192'),
    'closed_form': Large('2048 x 2048 elements', lambda p: plane(side(2048, p, 2)), True, 1024, 16, '8192 x 8192'),
    'closed_form_chunks': Large('8192 x 8192 elements, 5 % of a GPU', lambda p: plane(side(8192, p, 2)), True, 256),
    'separable': Large('2048 x 2048 elements', lambda p: plane(side(2048, p, 2)), False, 256, 16, '8192 x 8192'),
    'fd': Large('2048 x 2048 elements', lambda p: plane(side(2048, p, 2)), False, 256, 16, '8192 x 8192'),
    'diffusion': Large('8192 x 8192 cells', lambda p: cells(side(8192, p, 2), 2), True, 1024, 4, '16384 x 16384'),
    'diffusion_boxes': Large('8192 x 8192 cells, boxes', lambda p: cells(side(8192, p, 2), 2) + table(p), True, 1024),
    'diffusion_3d': Large('768^3 cells', lambda p: cells(side(768, p, 3), 3), True, 1024, 2.37, '1024^3'),
    'fractional': Large('512^3 nodes', lambda p: deep(512, p), True, 1024, 4, '512 x 1024 x 1024'),
    'fractional_256': Large('256^3 nodes', lambda p: deep(256, p), True, 1024, 16, '256 x 1024 x 1024'),
    'amg': Large('200^3 rows', lambda p: cases['amg'].size(round(200 * p ** (1 / 3))), False, 256, 8, '400^3'),
    'ensemble': Large('768 000 systems', lambda p: systems(768000 * p), False, 1024),
}
large = large_parts
