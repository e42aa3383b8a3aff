#pragma once

#include <memory>
#include <vector>

#include "tests/scale/smpi/ledger.hpp"

namespace scale {

using Ledgers = std::vector<std::unique_ptr<Ledger>>;  // of each rank; null where one never asked

void write_report(const Ledgers& ledgers);

}  // namespace scale
