#include "mpi/communicator.hpp"

#include <algorithm>
#include <limits>

#include "mpi/binding.hpp"
#include "mpi/check.hpp"

namespace halocline {
namespace {

int count_of(std::size_t size) {
  require(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()), "Communicator: message too long");
  return static_cast<int>(size);
}

void all_reduce(MPI_Comm comm, void* values, std::size_t size, MPI_Datatype type, MPI_Op operation) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values, count_of(size), type, operation, comm), "MPI_Allreduce");
}

void broadcast_values(MPI_Comm comm, void* values, std::size_t size, MPI_Datatype type, int root) {
  check_mpi(MPI_Bcast(values, count_of(size), type, root, comm), "MPI_Bcast");
}

}  // namespace

Communicator::Communicator(MPI_Comm parent) {
  check_mpi(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  // One gather, where a communicator of the node would take four more messages to all ranks and back for its name.
  const std::uint64_t node = node_key();
  std::vector<std::uint64_t> nodes(static_cast<std::size_t>(size_));
  check_mpi(MPI_Allgather(&node, 1, MPI_UINT64_T, nodes.data(), 1, MPI_UINT64_T, comm_), "MPI_Allgather");
  node_rank_ = static_cast<int>(std::count(nodes.begin(), nodes.begin() + rank_, node));
  node_size_ = static_cast<int>(std::count(nodes.begin(), nodes.end(), node));
  words_.reserve(8 * ExactSum::words);
}

Communicator::~Communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

void Communicator::sum(std::span<ExactSum> sums) const {
  if (size() == 1) {
    for (ExactSum& sum : sums) sum.normalize();
    return;
  }
  words_.clear();
  for (ExactSum& sum : sums) {
    sum.normalize();
    words_.insert(words_.end(), sum.data().begin(), sum.data().end());
  }
  all_reduce(comm_, words_.data(), words_.size(), MPI_INT64_T, MPI_SUM);
  auto word = words_.begin();
  for (ExactSum& sum : sums) {
    std::copy_n(word, ExactSum::words, sum.data().begin());
    word += ExactSum::words;
    sum.normalize();
  }
}

void Communicator::sum(std::span<Index> values) const {
  all_reduce(comm_, values.data(), values.size(), MPI_INT64_T, MPI_SUM);
}
void Communicator::max(std::span<double> values) const {
  all_reduce(comm_, values.data(), values.size(), MPI_DOUBLE, MPI_MAX);
}
void Communicator::max(std::span<Index> values) const {
  all_reduce(comm_, values.data(), values.size(), MPI_INT64_T, MPI_MAX);
}
void Communicator::min(std::span<double> values) const {
  all_reduce(comm_, values.data(), values.size(), MPI_DOUBLE, MPI_MIN);
}

Index Communicator::exclusive_scan(Index value) const {
  Index before = 0;
  check_mpi(MPI_Exscan(&value, &before, 1, MPI_INT64_T, MPI_SUM, comm_), "MPI_Exscan");
  return rank_ == 0 ? 0 : before;  // MPI leaves the first rank's result undefined
}

std::vector<double> Communicator::gather(double value) const {
  std::vector<double> all(static_cast<std::size_t>(size_));
  check_mpi(MPI_Allgather(&value, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comm_), "MPI_Allgather");
  return all;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  const int length = count_of(text.size());
  const std::size_t ranks = rank_ == 0 ? static_cast<std::size_t>(size_) : 0;
  std::vector<int> lengths(ranks), starts(ranks + 1, 0);
  check_mpi(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm_), "MPI_Gather");
  for (std::size_t r = 0; r < ranks; ++r) starts[r + 1] = starts[r] + lengths[r];
  std::string joined(static_cast<std::size_t>(starts[ranks]), ' ');
  check_mpi(
      MPI_Gatherv(text.data(), length, MPI_CHAR, joined.data(), lengths.data(), starts.data(), MPI_CHAR, 0, comm_),
      "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < ranks; ++r) texts.push_back(joined.substr(starts[r], lengths[r]));
  return texts;
}

void Communicator::broadcast(std::span<double> values, int root) const {
  broadcast_values(comm_, values.data(), values.size(), MPI_DOUBLE, root);
}
void Communicator::broadcast(std::span<Index> values, int root) const {
  broadcast_values(comm_, values.data(), values.size(), MPI_INT64_T, root);
}
void Communicator::broadcast(std::string& text, int root) const {
  Index length = static_cast<Index>(text.size());
  broadcast_values(comm_, &length, 1, MPI_INT64_T, root);
  text.resize(static_cast<std::size_t>(length));
  broadcast_values(comm_, text.data(), text.size(), MPI_CHAR, root);
}

bool Communicator::agree(bool ok) const {
  int all = ok ? 1 : 0;
  all_reduce(comm_, &all, 1, MPI_INT, MPI_MIN);
  return all == 1;
}

void Communicator::barrier() const { check_mpi(MPI_Barrier(comm_), "MPI_Barrier"); }

}  // namespace halocline
