#include "io/h5/relay.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "mpi/check.hpp"

namespace halocline::h5 {
namespace {

constexpr int tag = 32765;  // beyond those of halos, and not those of exchanges (mpi/exchange.cpp)
constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t head = 2 * word;  // of a record

std::size_t filled_up(std::size_t bytes) { return (bytes + word - 1) / word * word; }

// Before anything is appended, so that a block without memory for more is still whole.
void make_room(std::vector<std::byte>& block, std::size_t bytes) {
  if (block.capacity() < bytes) block.reserve(std::min(std::max(bytes, 2 * block.capacity()), relay_block));
}

void append(std::vector<std::byte>& block, std::uint64_t value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  block.insert(block.end(), bytes, bytes + word);
}

std::uint64_t word_at(std::span<const std::byte> block, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, block.data() + at, word);
  return value;
}

}  // namespace

void RelaySender::put(std::size_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    std::vector<std::byte>& block = blocks_[static_cast<std::size_t>(filling_)];
    if (block.empty()) {
      make_room(block, word);
      append(block, 0);
    }
    if (block.size() + head + word > relay_block) {
      send(false);
      continue;
    }
    const std::size_t size = std::min(bytes.size(), relay_block - block.size() - head);
    make_room(block, block.size() + head + filled_up(size));
    append(block, offset);
    append(block, size);
    block.insert(block.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    block.resize(filled_up(block.size()));
    bytes = bytes.subspan(size);
    offset += size;
  }
}

// Fills the other block from here on, once that has left.
void RelaySender::send(bool last) {
  std::vector<std::byte>& block = blocks_[static_cast<std::size_t>(filling_)];
  if (last) block[0] = std::byte{1};
  check_mpi(MPI_Isend(block.data(), static_cast<int>(block.size()), MPI_BYTE, to_, tag, comm_.handle(),
                      &requests_[static_cast<std::size_t>(filling_)]),
            "MPI_Isend");
  filling_ = 1 - filling_;
  check_mpi(MPI_Wait(&requests_[static_cast<std::size_t>(filling_)], MPI_STATUS_IGNORE), "MPI_Wait");
  blocks_[static_cast<std::size_t>(filling_)].clear();
}

void RelaySender::finish() {
  if (blocks_[static_cast<std::size_t>(filling_)].empty()) {  // without memory of its own, which there may be none of
    const std::uint64_t end = 1;
    check_mpi(MPI_Send(&end, static_cast<int>(word), MPI_BYTE, to_, tag, comm_.handle()), "MPI_Send");
  } else {
    send(true);
  }
  check_mpi(MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

bool is_last(std::span<const std::byte> block) { return word_at(block, 0) != 0; }

void unpack(std::span<const std::byte> block, const WriteAt& write) {
  for (std::size_t at = word; at < block.size();) {
    const auto offset = static_cast<std::size_t>(word_at(block, at));
    const auto size = static_cast<std::size_t>(word_at(block, at + word));
    write(offset, block.subspan(at + head, size));
    at += head + filled_up(size);
  }
}

Block Inbox::take() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!empty_.empty()) {
      Block block = std::move(empty_.back());
      empty_.pop_back();
      return block;
    }
    if (made_ < most_) {
      if (Block block(new (std::nothrow) std::byte[relay_block]); block != nullptr) {
        ++made_;
        return block;
      }
      if (made_ == 0) return nullptr;
    }
    changed_.wait(lock, [this] { return !empty_.empty(); });
  }
}

void Inbox::push(Block block, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    full_.push({std::move(block), bytes});
  }
  changed_.notify_all();
}

void Inbox::close(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (failure) failure_ = std::move(failure);
  }
  changed_.notify_all();
}

bool Inbox::pop(Full& full) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !full_.empty(); });
  if (full_.empty()) return false;
  full = std::move(full_.front());
  full_.pop();
  return true;
}

void Inbox::give_back(Block block) {
  {
    const std::lock_guard lock(mutex_);
    empty_.push_back(std::move(block));
  }
  changed_.notify_all();
}

void Inbox::discard() noexcept {
  for (Full full; pop(full);) give_back(std::move(full.block));
}

void Inbox::pour(const WriteAt& write, const std::atomic<bool>* stop) {
  for (Full full; pop(full);) {
    try {
      if (stop == nullptr || !*stop) unpack({full.block.get(), full.bytes}, write);
    } catch (...) {
      give_back(std::move(full.block));
      discard();
      throw;
    }
    give_back(std::move(full.block));
  }
  if (failure_) std::rethrow_exception(failure_);
}

void receive_blocks(const Communicator& comm, int first, int last, const std::function<std::byte*()>& room,
                    const std::function<void(std::size_t)>& got) {
  for (int rank = first; rank < last; ++rank) {
    for (bool more = true; more;) {
      std::byte* const block = room();
      MPI_Status status;
      int bytes = 0;
      check_mpi(MPI_Recv(block, static_cast<int>(relay_block), MPI_BYTE, rank, tag, comm.handle(), &status),
                "MPI_Recv");
      check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
      more = !is_last({block, static_cast<std::size_t>(bytes)});
      got(static_cast<std::size_t>(bytes));
    }
  }
}

}  // namespace halocline::h5
