"""A simulated cluster of GPUs, a rank each, which smpi/cluster.cpp builds.

Nodes have four GPUs behind a switch like NVLink's; every GPU has a network interface of its own. Eight nodes share a leaf
of a fat tree whose spine is as wide as its leaves (no two flows collide there that share neither end): what limits is the
interface and the way. Where there are several leaves all messages between nodes take as long as those between leaves. The
parameters are those at the top of this file.
"""

in_node = 4                # GPUs of a node
in_leaf = 8                # nodes of a leaf
nvlink = 450e9, 1.0e-6     # bytes per second in each direction of a GPU, seconds from GPU to GPU
interface = 50e9, 2.0e-6   # the same to a GPU of another node
spine_seconds = 0.5e-6     # more between nodes, where there are several leaves
usable_share = 0.95        # of what links have, smpi/run.cpp says so


def usable_rate(ranks):
    """Bytes per second that leave a GPU for its neighbors."""
    return usable_share * (nvlink if ranks <= in_node else interface)[0]


def write(ranks, path):
    """What smpi/cluster.cpp reads."""
    seconds = interface[1] + (spine_seconds if ranks > in_node * in_leaf else 0)
    with open(path, 'w') as file:
        file.write(f'{in_node} {nvlink[0]:.0f} {nvlink[1]:.9g} {interface[0]:.0f} {seconds:.9g}\n')
