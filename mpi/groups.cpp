#include "mpi/groups.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "mpi/check.hpp"

namespace halocline {
namespace {

constexpr int question = 1, reply = 2;  // tags

}  // namespace

int group_of(int rank, int ranks, int groups) { return static_cast<int>(static_cast<Index>(rank) * groups / ranks); }

std::optional<int> first_rank(const Communicator& comm, bool any) {
  std::array<Index, 1> lowest{any ? -static_cast<Index>(comm.rank()) : -static_cast<Index>(comm.size())};
  comm.max(lowest);
  return -lowest[0] < comm.size() ? std::optional(static_cast<int>(-lowest[0])) : std::nullopt;
}

std::unique_ptr<Communicator> split(const Communicator& comm, int color) {
  MPI_Comm group = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm.handle(), color, comm.rank(), &group), "MPI_Comm_split");
  auto result = std::make_unique<Communicator>(group);
  check_mpi(MPI_Comm_free(&group), "MPI_Comm_free");
  return result;
}

HandOut::HandOut(const Communicator& comm, std::vector<Index> items, int askers,
                 std::function<void(const std::string&)> heard)
    : comm_(comm.handle()), items_(std::move(items)), others_(askers - 1), heard_(std::move(heard)) {
  std::reverse(items_.begin(), items_.end());
}

Index HandOut::take() {
  if (items_.empty()) return nothing;
  const Index item = items_.back();
  items_.pop_back();
  return item;
}

Index HandOut::next(const std::string& word) {
  if (comm_.rank() == 0) {
    heard_(word);
    return take();
  }
  require(word.size() < (std::size_t{1} << 30), "HandOut: a word is a short text");
  Index item = nothing;
  check_mpi(MPI_Send(word.data(), static_cast<int>(word.size()), MPI_CHAR, 0, question, comm_.handle()), "MPI_Send");
  check_mpi(MPI_Recv(&item, 1, MPI_INT64_T, 0, reply, comm_.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  return item;
}

bool HandOut::answer_one() {
  int there = 0, length = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, question, comm_.handle(), &there, &status), "MPI_Iprobe");
  if (there == 0) return false;
  check_mpi(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
  std::string word(static_cast<std::size_t>(length), ' ');
  check_mpi(MPI_Recv(word.data(), length, MPI_CHAR, status.MPI_SOURCE, question, comm_.handle(), MPI_STATUS_IGNORE),
            "MPI_Recv");
  heard_(word);
  const Index item = take();
  check_mpi(MPI_Send(&item, 1, MPI_INT64_T, status.MPI_SOURCE, reply, comm_.handle()), "MPI_Send");
  if (item == nothing) --others_;
  return true;
}

void HandOut::serve() {
  while (others_ > 0 && answer_one()) {
  }
}

void HandOut::finish() {
  while (others_ > 0) {
    if (!answer_one()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace halocline
