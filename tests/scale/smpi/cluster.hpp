// The simulated cluster.
#pragma once

#include <string>

namespace scale {

// Hosts gpu0, gpu1 and so on, as a file of tests/scale/cluster.py says: GPUs of a node, then bytes per second and
// seconds from GPU to GPU inside a node and between nodes.
void build_cluster(const std::string& file, int gpus);

}  // namespace scale
