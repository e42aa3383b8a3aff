// The sweep that an earlier command has left in a directory, by its sweep.csv and sweep.h5.
#pragma once

#include <string>
#include <vector>

#include "app/sweep/cases.hpp"

namespace halocline {

// Why `cases` cannot go on with the sweep of `directory`: other keys, or numbers of cases that mean other values. ""
// where they can, values at the end included, and where there is no sweep.
std::string fault_of_going_on(const std::string& directory, const SweepCases& cases);

// Names of the directories of cases there, which --overwrite removes: runs that a sweep has made; others are of the
// user. MachineError for one of these that has the name of a case of this sweep, and for any link with the name of a
// case: what lies behind it may be anything.
std::vector<std::string> cases_in(const std::string& directory, Index cases);

}  // namespace halocline
