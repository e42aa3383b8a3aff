// StrongRows: rows of a level and which of their entries are strong.
#pragma once

#include "lib/amg/setup/row_layout.hpp"

namespace halocline::amg {

struct StrongRows {
  LevelRows rows;
  const unsigned char* strong;
};

}  // namespace halocline::amg
