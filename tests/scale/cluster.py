#!/usr/bin/env python3
"""cluster.py RANKS FILE: a simulated cluster of so many GPUs, a rank each, as SimGrid reads it.

Nodes have four GPUs behind a switch like NVLink's; every GPU has a network interface of its own. Eight nodes share a leaf
of a fat tree whose spine is as wide as its leaves (no two flows collide there that share neither end): what limits is the
interface and the way. The parameters are those at the top of this file.
"""
import sys

in_node = 4                # GPUs of a node
in_leaf = 8                # nodes of a leaf
nvlink = 450e9, 1.0e-6     # bytes per second in each direction of a GPU, seconds from GPU to GPU
interface = 50e9, 2.0e-6   # the same to a GPU of another node of the leaf
spine_seconds = 0.5e-6     # more, to another leaf
usable_share = 0.95        # of what links have, smpi/run.cpp says so


def usable_rate(ranks):
    """Bytes per second that leave a GPU for its neighbors."""
    return usable_share * (nvlink if ranks <= in_node else interface)[0]


def link(name, rate, seconds, policy='SHARED'):
    return f'<link id="{name}" bandwidth="{rate:.0f}Bps" latency="{seconds:.9g}s" sharing_policy="{policy}"/>'


def route(kind, ends, links, symmetrical):
    inside = ''.join(f'<link_ctn id="{name}"/>' for name in links)
    return f'<{kind} {ends} symmetrical="{symmetrical}">{inside}</{kind}>'


def node(number, gpus):
    """GPUs with links in and out to each other and to the outside, a quarter of the latency to leave and to arrive."""
    lines = [f'<zone id="node{number}" routing="Full">']
    lines += [f'<host id="gpu{g}" speed="1Gf"/>' for g in gpus] + [f'<router id="door{number}"/>']
    for g in gpus:
        for way in ('out', 'in'):
            lines.append(link(f'nvlink_{way}{g}', nvlink[0], nvlink[1] / 2))
            lines.append(link(f'nic_{way}{g}', interface[0], interface[1] / 4))
        lines.append(link(f'self{g}', 10 * nvlink[0], nvlink[1] / 10))
    for g in gpus:
        lines.append(route('route', f'src="gpu{g}" dst="gpu{g}"', [f'self{g}'], 'NO'))
        lines.append(route('route', f'src="gpu{g}" dst="door{number}"', [f'nic_out{g}'], 'NO'))
        lines.append(route('route', f'src="door{number}" dst="gpu{g}"', [f'nic_in{g}'], 'NO'))
        lines += [route('route', f'src="gpu{g}" dst="gpu{h}"', [f'nvlink_out{g}', f'nvlink_in{h}'], 'NO')
                  for h in gpus if h != g]
    return lines + ['</zone>']


def leaf(number, nodes, ranks):
    lines = [f'<zone id="leaf{number}" routing="Full">']
    for n in nodes:
        lines += node(n, range(n * in_node, min((n + 1) * in_node, ranks)))
    # A link for each pair: one for all would make the simulator look at all flows whenever one ends.
    pairs = [(n, m) for n in nodes for m in nodes if m > n]
    lines += [link(f'switch{n}to{m}', 1e15, interface[1] / 2, 'FATPIPE') for n, m in pairs]
    lines += [link(f'up{n}', 1e15, interface[1] / 4, 'FATPIPE') for n in nodes]
    # Zones that are linked within a zone: a router of its own leads out of it.
    lines.append(f'<zone id="way{number}" routing="None"><router id="out{number}"/></zone>')
    lines += [zones(f'node{n}', f'node{m}', f'door{n}', f'door{m}', f'switch{n}to{m}') for n, m in pairs]
    lines += [zones(f'node{n}', f'way{number}', f'door{n}', f'out{number}', f'up{n}') for n in nodes]
    return lines + ['</zone>']


def zones(a, b, door_a, door_b, name):
    return route('zoneRoute', f'src="{a}" dst="{b}" gw_src="{door_a}" gw_dst="{door_b}"', [name], 'YES')


def platform(ranks):
    nodes = -(-ranks // in_node)
    leaves = -(-nodes // in_leaf)
    lines = ["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1">', '<zone id="cluster" routing="Full">']
    for n in range(leaves):
        lines += leaf(n, range(n * in_leaf, min((n + 1) * in_leaf, nodes)), ranks)
    pairs = [(a, b) for a in range(leaves) for b in range(a + 1, leaves)]
    lines += [link(f'spine{a}to{b}', 1e15, spine_seconds, 'FATPIPE') for a, b in pairs]
    lines += [zones(f'leaf{a}', f'leaf{b}', f'out{a}', f'out{b}', f'spine{a}to{b}') for a, b in pairs]
    return '\n'.join(lines + ['</zone>', '</platform>', ''])


def write(ranks, path):
    with open(path, 'w') as file:
        file.write(platform(ranks))


if __name__ == '__main__':
    write(int(sys.argv[1]), sys.argv[2])
