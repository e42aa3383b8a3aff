// Failures that all ranks learn of: work that may fail on some ranks only, without leaving the others waiting.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "mpi/communicator.hpp"

namespace halocline {

// Runs `work` on every rank. When it throws on any rank, every rank throws the error of the lowest rank that failed
// (same kind, same message). Collective. `work` may itself be collective as long as a failure inside it on one rank
// leaves no other rank waiting.
void on_all_ranks(const Communicator& comm, const std::function<void()>& work);

// The same, and in the same message to all: what `work` has put into `sums` becomes its sum over the ranks, of up to
// three. No such sums where it throws.
void on_all_ranks(const Communicator& comm, const std::function<void()>& work, std::span<Index> sums);

// Runs `work` on rank 0 alone; when it throws, every rank throws. Collective.
void on_rank0(const Communicator& comm, const std::function<void()>& work);

}  // namespace halocline
