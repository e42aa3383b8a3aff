#include "io/collective.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <system_error>

#include "lib/base/error.hpp"
#include "mpi/groups.hpp"

namespace halocline {
namespace {

// One character for the kind of error in front of the message, so that both travel as one text.
std::string encode(ExitCode code, const std::string& message) {
  return static_cast<char>('0' + static_cast<int>(code)) + message;
}

[[noreturn]] void throw_encoded(const std::string& text) {
  const std::string message = text.substr(1);
  switch (static_cast<ExitCode>(text[0] - '0')) {
    case ExitCode::deck:
      throw DeckError(message);
    case ExitCode::numerical:
      throw NumericalError(message);
    case ExitCode::defect:
      throw InternalError(message);
    default:
      throw MachineError(message);
  }
}

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return encode(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return encode(ExitCode::machine, "out of memory");
  } catch (const std::system_error& error) {  // of threads and folders
    return encode(ExitCode::machine, std::string("the system refuses: ") + error.what());
  } catch (const std::exception& error) {
    return encode(ExitCode::defect, error.what());
  }
  return {};
}

}  // namespace

void on_all_ranks(const Communicator& comm, const std::function<void()>& work) { on_all_ranks(comm, work, {}); }

void on_all_ranks(const Communicator& comm, const std::function<void()>& work, std::span<Index> sums) {
  std::array<Index, 4> all{};  // where there may be no more memory
  require(sums.size() < all.size(), "on_all_ranks: too many sums");
  const std::string failure = failure_of(work);
  all[0] = failure.empty() ? 0 : 1;
  std::copy(sums.begin(), sums.end(), all.begin() + 1);
  comm.sum(std::span<Index>(all.data(), 1 + sums.size()));
  if (all[0] == 0) {
    std::copy_n(all.begin() + 1, sums.size(), sums.begin());
    return;
  }
  std::string first = failure;
  comm.broadcast(first, first_rank(comm, !failure.empty()).value_or(0));
  throw_encoded(first);
}

void on_rank0(const Communicator& comm, const std::function<void()>& work) {
  on_all_ranks(comm, [&] {
    if (comm.rank() == 0) work();
  });
}

}  // namespace halocline
