// Stages of turns of rows into columns (mpi/halo/turn_stages.hpp) and chunks of lines (lib/linalg/strips): a small part
// that stands for a large one takes as many as that one. HALOCLINE_SCALE_TURNS is the factor of the bytes; without it
// small parts decide for themselves. HALOCLINE_SCALE_CHUNKS: so many chunks, to try others than the rule's.
// HALOCLINE_SCALE_WAVES: lines and columns of the large part, by which the closed form chooses its chunks.
// HALOCLINE_SCALE_STRIPS: rows of a strip, which large parts have more of the larger they are together.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

double factor() {
  static const char* const given = std::getenv("HALOCLINE_SCALE_TURNS");
  return given == nullptr ? 1.0 : std::atof(given);
}

}  // namespace

bool real_choice(int parts, double bytes) asm("__real__ZN9halocline19turns_in_two_stagesEid");
bool wrapped_choice(int parts, double bytes) asm("__wrap__ZN9halocline19turns_in_two_stagesEid");
bool wrapped_choice(int parts, double bytes) { return real_choice(parts, bytes * factor()); }

long real_chunks(long rows, long pitch) asm("__real__ZN9halocline6strips9chunks_ofEll");
long wrapped_chunks(long rows, long pitch) asm("__wrap__ZN9halocline6strips9chunks_ofEll");
long wrapped_chunks(long rows, long pitch) {
  if (const char* forced = std::getenv("HALOCLINE_SCALE_CHUNKS")) return std::min(rows, std::atol(forced));
  const double columns = static_cast<double>(pitch) * factor();
  return std::min(rows, real_chunks(rows, static_cast<long>(columns)));
}

long real_waves(long lines, long columns) asm("__real__ZN9halocline11collocation11wave_chunksEll");
long wrapped_waves(long lines, long columns) asm("__wrap__ZN9halocline11collocation11wave_chunksEll");
long wrapped_waves(long lines, long columns) {
  const char* const given = std::getenv("HALOCLINE_SCALE_WAVES");
  if (given != nullptr) std::sscanf(given, "%ld %ld", &lines, &columns);
  return real_waves(lines, columns);
}

long real_length(long rows) asm("__real__ZN9halocline12strip_lengthEl");
long wrapped_length(long rows) asm("__wrap__ZN9halocline12strip_lengthEl");
long wrapped_length(long rows) {
  static const char* const given = std::getenv("HALOCLINE_SCALE_STRIPS");
  return given == nullptr ? real_length(rows) : std::atol(given);
}
