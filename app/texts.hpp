// What the commands print that compute nothing: families, keys, schemas, versions, the manual page.
#pragma once

#include <string>

#include "mpi/communicator.hpp"

namespace halocline {

std::string list_text();
// Keys of a family, as "collocation", or those below one of them, as "collocation.solver". DeckError where there is no
// such family or key.
std::string explain_text(const std::string& what);
// JSON Schema of a family's decks; without a name one for the decks of all families.
std::string schema_text(const std::string& family);
std::string info_text(const Communicator& comm, const std::string& mpi_library);
// `kind`: man, bash or zsh.
std::string installed_text(const std::string& kind);

}  // namespace halocline
