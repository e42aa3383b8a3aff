// Corrupts a file ten thousands of times and reads each version as the program does: none may crash, hang or be taken
// for whole. By hand, for the campaigns:
//
//   corrupt_files KIND FILE COUNT FIRST SECONDS [DATASET]
//
// KIND   checkpoint, raster, matrix, petsc, table, deck; result (DATASET: the field), grid (DATASET: the result with a
//        field u on it); of what runs leave manifest, report, xdmf, series; of checkpoints keys and outputs, as text
// COUNT  of versions, number FIRST and those after it, which say what is damaged; SECONDS: no more begin after so long
//
// Versions are read by child processes, thousands by each, of HDF5 fewer; one that ends before its time has met a
// fault, and another one goes on behind it. The version lies in the working directory under the name of FILE, which
// comes from elsewhere, beside copies of what is read with it. Prints figures, and the number of each version that
// fails, alone or only after those before it.
#include <mpi.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "io/hdf5_matrix.hpp"
#include "io/matrix_market.hpp"
#include "io/output/seal.hpp"
#include "io/petsc_binary.hpp"
#include "io/raster/formats.hpp"
#include "io/raster/raster_file.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/tables/csv.hpp"
#include "mpi/communicator.hpp"
#include "tests/fuzz/fuzz_support.hpp"

// Of tests/fuzz, which are given other names here.
extern "C" int fuzz_deck(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_run_files(const std::uint8_t* data, std::size_t size);

namespace halocline {
namespace {

constexpr unsigned patience = 10;  // seconds for one version
// What a version ended with.
enum End : int { refused, accepted, same, wrong };
constexpr const char* ends[] = {"refused", "read", "the same", "wrong"};

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

void read_petsc(const Communicator& comm, const Reading& r) {
  for (const Index object : {1, 2}) {
    const PetscHeader header = petsc_header(r.path, object);
    if (header.matrix)
      read_petsc_matrix(comm, header);
    else
      read_petsc_vector(comm, header);
  }
}

void read_raster(const RasterRequest& request) {
  const auto raster = open_raster(request);
  raster->read({{0, 0, 0}, raster->extent});
}

// By a fuzz target, which has read it behind a letter, or without one.
End fuzzed(int (*target)(const std::uint8_t*, std::size_t), const std::string& bytes) {
  const std::size_t before = fuzz::refusals;
  target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return fuzz::refusals == before ? accepted : refused;
}

// First letters are those of fuzz_run_files.
bool is_left_by_runs(const std::string& kind) {
  constexpr std::array<const char*, 5> kinds = {"manifest", "report", "xdmf", "keys", "outputs"};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

End read(const Communicator& comm, const Reading& r, const std::string& bytes) {
  if (r.kind == "checkpoint") return fault_of_seal(comm, r.path).empty() ? accepted : refused;
  if (r.kind == "deck") return fuzzed(fuzz_deck, bytes);
  if (is_left_by_runs(r.kind)) return fuzzed(fuzz_run_files, r.kind[0] + bytes);
  if (r.kind == "matrix")
    read_matrix(comm, r);
  else if (r.kind == "petsc")
    read_petsc(comm, r);
  else if (r.kind == "raster")
    read_raster({r.path, r.dataset, "", ""});
  else if (r.kind == "result")
    read_raster({r.path, "", r.dataset, ""});
  else if (r.kind == "grid")
    read_raster({r.dataset, "", "u", ""});
  else if (r.kind == "series")
    result_at(".", "last");
  else
    ode_ensemble::read_csv({r.path, {}});
  return accepted;
}

End end_of(const Communicator& comm, const Reading& r, const std::string& bytes) {
  try {
    return read(comm, r, bytes);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return refused;
  } catch (const std::bad_alloc&) {
    return refused;
  } catch (...) {
    return wrong;
  }
}

// Of all versions, in memory that the child processes share.
struct Progress {
  std::uint64_t next;  // the version that is read
  std::array<std::uint64_t, 4> counts;
};

class Campaign {
 public:
  Campaign(const Communicator& comm, int count, char** words)
      : comm_(comm), last_(std::strtoull(words[4], nullptr, 10)) {
    const std::string from = words[2];
    reading_ = {words[1], from.substr(from.rfind('/') + 1), count > 6 ? words[6] : ""};
    std::ifstream file(from, std::ios::binary);
    good_ = {std::istreambuf_iterator<char>(file), {}};
    void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (good_.empty() || from == reading_.path || shared == MAP_FAILED) std::exit(2);
    progress_ = new (shared) Progress{last_, {}};
    last_ += std::strtoull(words[3], nullptr, 10);
    end_ = Clock::now() + std::chrono::seconds(std::atoi(words[5]));
  }

  // How many faults there were.
  int run() {
    if (child(undamaged) != 0) {
      std::printf("%s itself is not read as %s\n", reading_.path.c_str(), reading_.kind.c_str());
      return 1;
    }
    const std::uint64_t batch = reading_.dataset.empty() ? 5000 : 100;
    while (progress_->next < last_ && Clock::now() < end_) {
      const int status = child(std::min(last_, progress_->next + batch));
      if (status == 0) continue;
      const std::uint64_t failed = progress_->next;
      const bool alone = child(failed + 1) != 0;
      progress_->next = failed + 1;
      ++faults_;
      const int number = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
      std::printf("FAULT %s %s %llu: %s %d%s\n", reading_.kind.c_str(), reading_.path.c_str(),
                  static_cast<unsigned long long>(failed), WIFEXITED(status) ? "end" : "signal", number,
                  alone ? "" : ", not alone");
    }
    unlink(reading_.path.c_str());
    std::printf("%s %s:", reading_.kind.c_str(), reading_.path.c_str());
    for (std::size_t end = 0; end < wrong; ++end)
      std::printf(" %llu %s,", static_cast<unsigned long long>(progress_->counts[end]), ends[end]);
    std::printf(" %d faults\n", faults_);
    return faults_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t undamaged = ~std::uint64_t{0};  // for the number of a version

  // What the process that goes on up to version `last` ended with.
  int child(std::uint64_t last) {
    std::fflush(stdout);
    const pid_t made = fork();
    if (made == 0) work(last);
    int status = 1 << 8;
    waitpid(made, &status, 0);
    fuzz::Folder::forget(made);
    return status;
  }

  [[noreturn]] void work(std::uint64_t last) {
    const rlimit none{0, 0}, memory{std::size_t{4} << 30, std::size_t{4} << 30};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    if (last == undamaged) std::_Exit(one(undamaged) == accepted ? 0 : wrong);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) std::_Exit(wrong);
    while (progress_->next < last && Clock::now() < end_) {
      const End end = one(progress_->next);
      if (end == wrong) std::_Exit(wrong);
      ++progress_->counts[end];
      ++progress_->next;
    }
    std::_Exit(0);
  }

  End one(std::uint64_t number) {
    const std::string bytes = number == undamaged ? good_ : Damage(number)(good_);
    if (bytes == good_ && number != undamaged) return same;
    if (reading_.kind != "deck" && !is_left_by_runs(reading_.kind))
      std::ofstream(reading_.path, std::ios::binary | std::ios::trunc) << bytes;
    alarm(patience);
    const End end = end_of(comm_, reading_, bytes);
    alarm(0);
    return end == accepted && reading_.kind == "checkpoint" && number != undamaged ? wrong : end;
  }

  const Communicator& comm_;
  Reading reading_;
  std::string good_;
  std::uint64_t last_;
  Clock::time_point end_;
  Progress* progress_ = nullptr;
  int faults_ = 0;
};

}  // namespace
}  // namespace halocline

int main(int count, char** words) {
  if (count < 6) return 2;
  MPI_Init(nullptr, nullptr);
  int faults = 0;
  {
    const halocline::Communicator comm(MPI_COMM_SELF);
    faults = halocline::Campaign(comm, count, words).run();
  }
  MPI_Finalize();
  return faults > 0 ? 1 : 0;
}
