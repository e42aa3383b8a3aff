// Communicator: an owned MPI communicator with the few collective operations halocline needs, every call checked.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/exact_sum.hpp"
#include "lib/base/types.hpp"

namespace halocline {

class Communicator {
 public:
  explicit Communicator(MPI_Comm parent);  // duplicates; errors of MPI become MachineError
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int node_rank() const { return node_rank_; }  // among the ranks of this node
  int node_size() const { return node_size_; }
  MPI_Comm handle() const { return comm_; }

  // All of these are collective and give every rank the same result.
  void sum(std::span<ExactSum> sums) const;  // exact, one message
  void sum(std::span<Index> values) const;
  void max(std::span<double> values) const;
  void max(std::span<Index> values) const;
  void min(std::span<double> values) const;
  Index exclusive_scan(Index value) const;
  std::vector<double> gather(double value) const;                  // of all ranks, on every rank
  std::vector<std::string> gather(const std::string& text) const;  // on rank 0, empty elsewhere
  void broadcast(std::span<double> values, int root = 0) const;
  void broadcast(std::span<Index> values, int root = 0) const;
  void broadcast(std::string& text, int root = 0) const;
  // True when `ok` holds on every rank. To be called before throwing on a condition that other ranks may not see.
  bool agree(bool ok) const;
  void barrier() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, node_rank_ = 0, node_size_ = 1;
  mutable std::vector<std::int64_t> words_;  // of the sums under way; kept, so that sum() allocates nothing
};

}  // namespace halocline
