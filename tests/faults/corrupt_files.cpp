// Corrupts a file ten thousands of times and reads each version as the program does, in a process of its own: none may
// crash, hang or be taken for whole. By hand, for the campaigns: corrupt_files KIND FILE COUNT SEED [DATASET], where
// KIND is checkpoint, raster, matrix, table or deck. Prints figures, and the number of each version that fails.
#include <mpi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

#include "io/hdf5_matrix.hpp"
#include "io/matrix_market.hpp"
#include "io/output/seal.hpp"
#include "io/raster/raster_file.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/tables/csv.hpp"
#include "mpi/communicator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);  // tests/fuzz/fuzz_deck.cpp

namespace halocline {
namespace {

constexpr unsigned patience = 10;  // seconds for one version
// What a version ended with.
enum End : int { refused = 10, accepted = 11, wrong = 12 };

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : chance_(seed) {}
  std::string operator()(std::string bytes) {
    for (std::size_t n = 1 + below(3) * below(3); n > 0 && !bytes.empty(); --n) once(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t bound) { return chance_() % bound; }
  void once(std::string& bytes) {
    const std::size_t at = below(bytes.size()), size = std::size_t{1} << below(10);
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.erase(at, below(8) == 0 ? std::string::npos : size);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, size));
        break;
      case 4:
        for (std::size_t n = at; n < std::min(bytes.size(), at + size); ++n) bytes[n] = 0;
        break;
      default:
        for (std::size_t n = at; n < std::min(bytes.size(), at + 8); ++n) bytes[n] = static_cast<char>(below(256));
    }
  }
  std::mt19937_64 chance_;
};

struct Reading {
  std::string kind, path, dataset;
};

void read_matrix(const Communicator& comm, const Reading& r) {
  if (!r.dataset.empty()) {
    read_hdf5_matrix(comm, hdf5_matrix_header(r.path, r.dataset));
    return;
  }
  const MatrixMarketHeader header = matrix_market_header(r.path);
  if (header.array)
    read_matrix_market_array(comm, header);
  else
    read_matrix_market(comm, header);
}

End read(const Communicator& comm, const Reading& r, const std::string& bytes) {
  if (r.kind == "checkpoint") return fault_of_seal(comm, r.path).empty() ? wrong : refused;
  if (r.kind == "deck") {  // its faults are told there
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return accepted;
  }
  if (r.kind == "matrix") {
    read_matrix(comm, r);
  } else if (r.kind == "raster") {
    const auto raster = open_raster({r.path, r.dataset, "", ""});
    raster->read({{0, 0, 0}, raster->extent});
  } else {
    ode_ensemble::read_csv({r.path, {}});
  }
  return accepted;
}

// In a child.
[[noreturn]] void try_version(const Communicator& comm, const Reading& r, const std::string& bytes) {
  const rlimit none{0, 0}, memory{std::size_t{4} << 30, std::size_t{4} << 30};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_AS, &memory);
  if (std::freopen("/dev/null", "w", stderr) == nullptr) std::_Exit(wrong);
  alarm(patience);
  int end = wrong;
  try {
    end = read(comm, r, bytes);
  } catch (const Error&) {
    end = refused;
  } catch (const std::bad_alloc&) {
    end = refused;
  } catch (...) {
  }
  std::_Exit(end);
}

int run(const Communicator& comm, int count, char** words) {
  const std::string from = words[2];
  const Reading r{words[1], "corrupt_" + std::to_string(getpid()) + from.substr(from.rfind('.')),
                  count > 5 ? words[5] : ""};
  std::ifstream file(from, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  std::map<int, int> ends;
  int faults = 0;
  const int all = std::atoi(words[3]), first = std::atoi(words[4]);
  for (int n = 0; n < all; ++n) {
    const std::string bytes = Damage(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(n))(good);
    if (bytes == good) continue;
    std::ofstream(r.path, std::ios::binary | std::ios::trunc) << bytes;
    const pid_t child = fork();
    if (child == 0) try_version(comm, r, bytes);
    int status = 0;
    waitpid(child, &status, 0);
    const int end = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    ++ends[end];
    if (end == refused || end == accepted) continue;
    ++faults;
    std::printf("FAULT %s %d: %s %d\n", words[1], first + n, end < 0 ? "signal" : "end", end < 0 ? -end : end);
  }
  unlink(r.path.c_str());
  std::printf("%s %s: %d refused, %d read, %d faults\n", words[1], from.c_str(), ends[refused], ends[accepted], faults);
  return faults > 0 ? 1 : 0;
}

}  // namespace
}  // namespace halocline

int main(int count, char** words) {
  if (count < 5) return 2;
  MPI_Init(nullptr, nullptr);
  int code = 0;
  {
    const halocline::Communicator comm(MPI_COMM_SELF);
    code = halocline::run(comm, count, words);
  }
  MPI_Finalize();
  return code;
}
