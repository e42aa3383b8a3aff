// Stages of turns of rows into columns (mpi/halo/turn_stages.hpp): a small part that stands for a large one takes as
// many as that one. HALOCLINE_SCALE_TURNS is the factor of the bytes; without it small parts decide for themselves.
#include <cstdlib>

bool real_choice(int parts, double bytes) asm("__real__ZN9halocline19turns_in_two_stagesEid");
bool wrapped_choice(int parts, double bytes) asm("__wrap__ZN9halocline19turns_in_two_stagesEid");
bool wrapped_choice(int parts, double bytes) {
  static const char* factor = std::getenv("HALOCLINE_SCALE_TURNS");
  return real_choice(parts, factor == nullptr ? bytes : bytes * std::atof(factor));
}
