// Nodes with a link in and one out for each GPU, to those of the node and to others. Ways between nodes have no links:
// the simulator looks at all flows that share one, whatever its width, whenever one of them ends.
#include "tests/scale/smpi/cluster.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <vector>

namespace scale {
namespace {

namespace sg = simgrid::s4u;

struct Way {
  double rate = 0, seconds = 0;
};

// A GPU's way to others and back.
struct Ends {
  sg::Link *out, *in;
};

Ends make_ends(sg::NetZone& zone, const std::string& name, const Way& way) {
  const auto link = [&](const char* direction) {
    return zone.create_link(name + direction, way.rate)->set_latency(way.seconds / 2)->seal();
  };
  return {link("out"), link("in")};
}

struct Gpu {
  simgrid::kernel::routing::NetPoint* point;
  Ends inside, outside;
};

// A node's GPUs from `first` on; returns its zone and its door.
void add_node(sg::NetZone& cluster, int number, int first, int count, const Way& inside, const Way& outside) {
  sg::NetZone* zone = sg::create_full_zone("node" + std::to_string(number))->set_parent(&cluster);
  auto* const door = zone->create_router("door" + std::to_string(number));
  std::vector<Gpu> gpus;
  for (int g = first; g < first + count; ++g) {
    const std::string name = "gpu" + std::to_string(g);
    sg::Host* host = zone->create_host(name, 1e9)->seal();
    gpus.push_back(
        {host->get_netpoint(), make_ends(*zone, name + "_nvlink_", inside), make_ends(*zone, name + "_nic_", outside)});
    const sg::Link* self =
        zone->create_link(name + "_self", 10 * inside.rate)->set_latency(inside.seconds / 10)->seal();
    zone->add_route(gpus.back().point, gpus.back().point, nullptr, nullptr, {sg::LinkInRoute(self)}, false);
  }
  for (const Gpu& from : gpus) {
    zone->add_route(from.point, door, nullptr, nullptr, {sg::LinkInRoute(from.outside.out)}, false);
    zone->add_route(door, from.point, nullptr, nullptr, {sg::LinkInRoute(from.outside.in)}, false);
    for (const Gpu& to : gpus)
      if (&to != &from)
        zone->add_route(from.point, to.point, nullptr, nullptr,
                        {sg::LinkInRoute(from.inside.out), sg::LinkInRoute(to.inside.in)}, false);
  }
  zone->seal();
  cluster.add_route(zone->get_netpoint(), nullptr, door, nullptr, {}, true);
}

}  // namespace

void build_cluster(const std::string& file, int gpus) {
  std::ifstream text(file);
  int in_node = 0;
  Way inside, outside;
  if (!(text >> in_node >> inside.rate >> inside.seconds >> outside.rate >> outside.seconds)) {
    std::fprintf(stderr, "scale: %s does not describe a cluster\n", file.c_str());
    std::exit(2);
  }
  sg::NetZone* cluster = sg::create_star_zone("cluster");
  for (int first = 0, node = 0; first < gpus; first += in_node, ++node)
    add_node(*cluster, node, first, std::min(in_node, gpus - first), inside, outside);
  cluster->seal();
}

}  // namespace scale
