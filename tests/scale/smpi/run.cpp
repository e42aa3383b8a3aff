// main() of a simulated cluster: HALOCLINE_SCALE_RANKS ranks on the hosts gpu0, gpu1 and so on of the cluster that the
// file HALOCLINE_SCALE_PLATFORM describes (tests/scale/cluster.py), each of which runs main() of the program with the
// arguments given.
#include <mpi.h>
#include <smpi/smpi.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/scale/smpi/cluster.hpp"

extern "C" int __real_main(int, char**);
extern "C" void smpi_init_options();  // of SimGrid, declared by none of its headers

namespace {

namespace sg = simgrid::s4u;

// Computation takes the time that compute.cpp says. Links give 95 % of what they have; a send and a receive cost 0.2 us
// each. Broadcasts and reductions by trees and recursive doubling: those that SMPI would choose send P^2 messages
// first, in every new communicator, to learn which ranks share a node (3 s of processor time at 256 ranks).
constexpr const char* settings[] = {"network/model:SMPI",
                                    "network/crosstraffic:0",
                                    "contexts/stack-size:1024",
                                    "smpi/simulate-computation:no",
                                    "smpi/privatization:no",
                                    "smpi/lat-factor:0:1",
                                    "smpi/os:0:2e-7:0",
                                    "smpi/or:0:2e-7:0",
                                    "smpi/async-small-thresh:16384",
                                    "smpi/send-is-detached-thresh:16384",
                                    "smpi/wtime:0",
                                    "smpi/iprobe:1e-7",
                                    "smpi/test:1e-7",
                                    "smpi/coll-selector:mpich",
                                    "smpi/bcast:binomial_tree",
                                    "smpi/allreduce:rdb",
                                    "smpi/display-timing:no"};

// HALOCLINE_SCALE_MESSAGES: more pairs of bytes and shares, ;BYTES:SHARE, of messages that stand for those of a part
// that is so much larger; without it all take what they have.
std::string bandwidth_setting() {
  constexpr double share = 0.95;
  const char* longer = std::getenv("HALOCLINE_SCALE_MESSAGES");
  return "smpi/bw-factor:0:" + std::to_string(share) + (longer == nullptr ? "" : longer);
}

const char* needed(const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) return value;
  std::fprintf(stderr, "This is a program for simulated clusters, which tests/scale/measure.py starts: %s is not set\n",
               name);
  std::exit(2);
}

}  // namespace

extern "C" int __wrap_main(int argc, char** argv) {
  const int ranks = std::atoi(needed("HALOCLINE_SCALE_RANKS"));
  const std::string platform = needed("HALOCLINE_SCALE_PLATFORM");
  std::string name = argv[0];
  std::string quiet = "--log=root.thres:warning";
  char* engine_argv[] = {name.data(), quiet.data(), nullptr};
  int engine_argc = 2;
  sg::Engine engine(&engine_argc, engine_argv);
  smpi_init_options();
  for (const char* setting : settings) sg::Engine::set_config(setting);
  sg::Engine::set_config(bandwidth_setting());
  SMPI_init();
  scale::build_cluster(platform, ranks);
  SMPI_app_instance_register("halocline", nullptr, ranks);
  int worst = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    sg::Host* host = sg::Host::by_name("gpu" + std::to_string(rank));
    const sg::ActorPtr actor = sg::Actor::create("rank" + std::to_string(rank), host,
                                                 [&] { worst = std::max(worst, __real_main(argc, argv)); });
    actor->set_property("instance_id", "halocline");
    actor->set_property("rank", std::to_string(rank));
  }
  engine.run();
  SMPI_finalize();
  return worst;
}
