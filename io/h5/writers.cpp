#include "io/h5/writers.hpp"

#include <array>
#include <charconv>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "io/collective.hpp"
#include "io/h5/relay.hpp"
#include "mpi/check.hpp"
#include "mpi/groups.hpp"

namespace halocline {
namespace {

std::shared_future<void> done_already(std::exception_ptr failure) {
  std::promise<void> promise;
  failure ? promise.set_exception(std::move(failure)) : promise.set_value();
  return promise.get_future().share();
}

std::exception_ptr failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void wait_for(const std::shared_future<void>& other) {
  if (other.valid()) other.wait();
}

// Where blocks of a group arrive for a thread that writes them; what the main thread lacks memory for is thrown away,
// and the thread told.
class Arrivals {
 public:
  Arrivals(h5::Inbox& inbox, std::byte* spare) : inbox_(inbox), spare_(spare) {}
  std::byte* room() {
    if (!failure_) block_ = inbox_.take();
    if (block_ == nullptr && !failure_) failure_ = std::make_exception_ptr(std::bad_alloc());
    return block_ != nullptr ? block_.get() : spare_;
  }
  void got(std::size_t bytes) {
    if (block_ == nullptr) return;
    if (const auto failure = failure_of([&] { inbox_.push(std::move(block_), bytes); })) failure_ = failure;
    block_.reset();
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  h5::Inbox& inbox_;
  std::byte* spare_;
  h5::Block block_;
  std::exception_ptr failure_;
};

// What the thread of a writer does: what others have sent first, so that they need not wait for long.
void write_all(const std::string& path, const std::function<void(const WriteAt&)>& put, h5::Inbox& inbox,
               const Delivery& delivery) {
  try {
    wait_for(delivery.after);
    write_ranges(path, delivery.eager, [&](const WriteAt& write) {
      inbox.pour(write, delivery.stop);
      put(write);
    });
  } catch (...) {
    inbox.discard();
    throw;
  }
}

struct Nodes {
  int count;
  bool in_order;  // the ranks of each follow each other
};

// One reduction. A rank behind so many of its node would have the first as far before it: where that is a later rank
// than the first, some rank of another node is between. So what these differ in is never below zero, nor is its sum.
Nodes nodes_of(const Communicator& comm) {
  const bool first = comm.node_rank() == 0;
  const Index begin = comm.rank() - comm.node_rank();
  std::array<Index, 2> sums{first ? 1 : 0, begin - (first ? begin * comm.node_size() : 0)};
  comm.sum(std::span<Index>(sums));
  return {static_cast<int>(sums[0]), sums[1] == 0};
}

}  // namespace

std::optional<WriterChoice> writer_choice(const std::string& text) {
  using Kind = WriterChoice::Kind;
  if (text == "auto") return WriterChoice{Kind::automatic};
  if (text == "all") return WriterChoice{Kind::all};
  if (text == "node") return WriterChoice{Kind::node};
  Index number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size() || number < 1) return std::nullopt;
  return WriterChoice{Kind::number, number};
}

Writers::Writers(const Communicator& comm, const WriterChoice& choice) : Writers(comm) {
  using Kind = WriterChoice::Kind;
  if (choice.kind == Kind::all || (choice.kind == Kind::automatic && comm.size() <= WriterChoice::most_of_all)) return;
  if (choice.kind == Kind::number) {
    form_groups(static_cast<int>(std::min<Index>(choice.number, comm.size())));
  } else {
    const Nodes nodes = nodes_of(comm);
    if (choice.kind == Kind::automatic && nodes.count == 1) return;
    form_groups(nodes.count);
    if (nodes.in_order) {
      first_ = comm.rank() - comm.node_rank();
      last_ = first_ + comm.node_size();
    }
  }
  on_all_ranks(comm, [this] {
    if (writes() && last_ > first_ + 1) spare_ = std::make_shared<std::byte[]>(h5::relay_block);
  });
}

void Writers::form_groups(int groups) {
  const auto begin = [&](int group) {
    return static_cast<int>((static_cast<Index>(group) * comm_->size() + groups - 1) / groups);
  };
  const int own = group_of(comm_->rank(), comm_->size(), groups);
  first_ = begin(own);
  last_ = begin(own + 1);
  count_ = groups;
}

std::shared_future<void> Writers::begin(const std::string& path, const std::function<void(const WriteAt&)>& put,
                                        const Delivery& delivery) const {
  if (!writes()) return send(put);
  if (last_ > first_ + 1) return receive(path, put, delivery);
  const auto work = [path, put, delivery] {
    wait_for(delivery.after);
    write_ranges(path, delivery.eager, put);
  };
  try {
    return std::async(delivery.thread ? std::launch::async : std::launch::deferred, work).share();
  } catch (const std::system_error&) {  // no more threads: the values go when they are waited for
    return std::async(std::launch::deferred, work).share();
  }
}

std::shared_future<void> Writers::send(const std::function<void(const WriteAt&)>& put) const {
  h5::RelaySender sender(*comm_, first_);
  auto failure = failure_of(
      [&] { put([&](std::size_t offset, std::span<const std::byte> bytes) { sender.put(offset, bytes); }); });
  sender.finish();
  return done_already(std::move(failure));
}

// A thread writes one block while the next one arrives, also where nobody asks for a thread.
std::shared_future<void> Writers::receive(const std::string& path, const std::function<void(const WriteAt&)>& put,
                                          const Delivery& delivery) const {
  std::shared_future<void> done;
  std::shared_ptr<h5::Inbox> inbox;
  const auto none = failure_of([&] {
    inbox = std::make_shared<h5::Inbox>();
    done = std::async(std::launch::async, [path, put, delivery, inbox] {
             write_all(path, put, *inbox, delivery);
           }).share();
  });
  if (none) {  // no memory, or no thread: block by block, as far as that goes
    std::exception_ptr failure;
    const auto attempt = [&](const std::function<void(const WriteAt&)>& work) {
      if (!failure) failure = failure_of([&] { write_ranges(path, delivery.eager, work); });
    };
    wait_for(delivery.after);
    h5::receive_blocks(
        *comm_, first_ + 1, last_, [this] { return spare_.get(); },
        [&](std::size_t bytes) { attempt([&](const WriteAt& write) {
                                   h5::unpack({spare_.get(), bytes}, write);
                                 }); });
    attempt(put);
    return done_already(std::move(failure));
  }
  Arrivals arrivals(*inbox, spare_.get());
  try {
    h5::receive_blocks(
        *comm_, first_ + 1, last_, [&] { return arrivals.room(); }, [&](std::size_t bytes) { arrivals.got(bytes); });
  } catch (...) {
    inbox->close();
    throw;
  }
  inbox->close(arrivals.failure());
  return done;
}

void Writers::write(const std::string& path, const std::function<void(const WriteAt&)>& put) const {
  begin(path, put, {}).get();
}

}  // namespace halocline
