// Runs a fuzz target without libFuzzer, so that the build with sanitizers has a short run of it: the inputs of the
// corpus as they are, then mutations of them until the time is up. Inputs run in a child process; when it dies or
// hangs, the parent, which shares the memory of the input, saves it. Mutations follow from a seed, which is printed;
// FUZZ_SEED in the environment repeats one.
//   fuzz_deck SECONDS MAX_LENGTH DICTIONARY FILE_FOR_THE_FIND CORPUS...     files or folders
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr unsigned hang_seconds = 20;
constexpr std::size_t largest_input = 1 << 16;

// What the parent finds when the child is dead.
struct Current {
  std::size_t runs, size;
  char text[largest_input];
};

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> read_corpus(const std::vector<std::string>& paths, std::size_t max_length) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path))
      files.emplace_back(path);
    else
      for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the order of a folder is not the same everywhere
  std::vector<std::string> corpus;
  for (const auto& file : files) corpus.push_back(read(file).substr(0, max_length));
  return corpus;
}

// A dictionary of libFuzzer: one word in quotes per line, with \\, \" and \xAB.
std::vector<std::string> read_words(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    if (line.starts_with('#') || begin == end) continue;
    std::string& word = words.emplace_back();
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (line[i] != '\\')
        word += line[i];
      else if (line[++i] != 'x')
        word += line[i];
      else
        word += static_cast<char>(std::stoi(line.substr(i + 1, 2), nullptr, 16)), i += 2;
    }
  }
  if (words.empty()) throw std::runtime_error("no words in " + path);
  return words;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, std::vector<std::string> words, std::size_t max_length, std::uint64_t seed)
      : corpus_(std::move(corpus)), words_(std::move(words)), max_length_(max_length), random_(seed) {}

  std::string next() {
    std::string text = pick(corpus_);
    for (std::size_t left = 1 + below(6); left > 0; --left) mutate(text);
    return text.substr(0, max_length_);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }  // bias does not matter here
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  // Where the text is changed, and up to so many characters from there.
  std::size_t place(const std::string& text) { return below(text.size() + 1); }
  std::size_t length(const std::string& text, std::size_t from) {
    return below(std::min<std::size_t>(text.size() - from, 1 + below(40)) + 1);
  }

  void mutate(std::string& text) {
    static constexpr char marks[] = "0123456789.eE+-*/^()[]{},:;#&*!|>'\"%@` \t\n\r\\\0";
    const std::size_t at = place(text), size = length(text, at);
    switch (below(8)) {
      case 0:
        text.replace(at, 0, pick(words_));
        break;
      case 1:
        text.replace(at, size, pick(words_));
        break;
      case 2:
        text.erase(at, size);
        break;
      case 3:
        text.insert(at, 1, marks[below(sizeof(marks))]);
        break;
      case 4:
        text.insert(place(text), text.substr(at, size));
        break;
      case 5:
        splice(text, at);
        break;
      case 6:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      default:
        if (at < text.size()) text[at] = marks[below(sizeof(marks))];
    }
  }

  void splice(std::string& text, std::size_t at) {
    const std::string& other = pick(corpus_);
    const std::size_t from = place(other);
    text.replace(at, length(text, at), other, from, below(2) ? length(other, from) : std::string::npos);
  }

  std::vector<std::string> corpus_, words_;
  std::size_t max_length_;
  std::mt19937_64 random_;
};

void run(const std::string& input, Current& current) {
  ++current.runs;
  current.size = input.copy(current.text, largest_input);
  alarm(hang_seconds);
  // A block of its own, of the exact size, so that reading past its end is seen.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void run_all(const std::vector<std::string>& corpus, Mutator& mutator, double seconds, Current& current) {
  using Clock = std::chrono::steady_clock;
  for (const std::string& input : corpus) run(input, current);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) run(mutator.next(), current);
  alarm(0);
}

// What became of the child, which ran in `status` of waitpid.
int report(int status, const Current& current, const std::string& find) {
  std::printf("%zu inputs\n", current.runs);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  std::ofstream(find, std::ios::binary).write(current.text, static_cast<std::streamsize>(current.size));
  if (WIFSIGNALED(status)) std::printf("ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  std::printf("FAILED with the input saved in %s:\n%.*s\n", find.c_str(), static_cast<int>(current.size), current.text);
  return 1;
}

int start(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) throw std::runtime_error("use: SECONDS MAX_LENGTH DICTIONARY FILE_FOR_THE_FIND CORPUS...");
  const std::size_t max_length = std::min<std::size_t>(std::stoul(arguments[1]), largest_input);
  const std::vector<std::string> corpus = read_corpus({arguments.begin() + 4, arguments.end()}, max_length);
  const char* given = std::getenv("FUZZ_SEED");
  const std::uint64_t seed = given ? std::stoull(given) : std::random_device{}();
  std::printf("FUZZ_SEED=%llu, %zu inputs in the corpus\n", static_cast<unsigned long long>(seed), corpus.size());
  std::fflush(stdout);
  Mutator mutator(corpus, read_words(arguments[2]), max_length, seed);

  void* shared = mmap(nullptr, sizeof(Current), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("no shared memory");
  auto& current = *new (shared) Current{};
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    run_all(corpus, mutator, std::stod(arguments[0]), current);
    std::exit(0);  // with the search for leaks
  }
  int status = 0;
  waitpid(child, &status, 0);
  return report(status, current, arguments[3]);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return start({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
