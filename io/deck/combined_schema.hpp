// One JSON Schema for the decks of all families, for editors: which applies is told by the key that names the family.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace halocline {

// `key`: the one whose value is the name of the family. `families`: names and schemas, as of DeckSchema.
std::string combined_schema(const std::string& key, const std::vector<std::pair<std::string, std::string>>& families);

}  // namespace halocline
