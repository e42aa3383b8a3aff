#include "io/deck/combined_schema.hpp"

#include <nlohmann/json.hpp>

namespace halocline {

std::string combined_schema(const std::string& key, const std::vector<std::pair<std::string, std::string>>& families) {
  using Json = nlohmann::ordered_json;
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"$id", "urn:halocline:deck"},
              {"title", "halocline deck"},
              {"type", "object"},
              {"required", {key}}};
  Json& names = schema["properties"][key]["enum"] = Json::array();
  schema["allOf"] = Json::array();
  for (const auto& [name, text] : families) {
    names.push_back(name);
    Json family = Json::parse(text);
    family.erase("$schema");
    family.erase("$id");
    const Json chosen{{"properties", {{key, {{"const", name}}}}}, {"required", {key}}};
    schema["allOf"].push_back({{"if", chosen}, {"then", {{"$ref", "#/$defs/" + name}}}});
    schema["$defs"][name] = std::move(family);
  }
  return schema.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace halocline
