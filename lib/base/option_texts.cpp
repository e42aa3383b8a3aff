#include "lib/base/option_texts.hpp"

#include "lib/base/format.hpp"

namespace halocline {

namespace {

class Collector final : public Describer {
 public:
  std::string text;

  bool item(const Key& key, double& value, const Bounds&) override { return add(key, exact_text(value)); }
  bool item(const Key& key, Index& value, const Bounds&) override { return add(key, std::to_string(value)); }
  bool item(const Key& key, bool& value) override { return add(key, value ? "true" : "false"); }
  bool item(const Key& key, std::string& value) override { return add(key, value); }
  bool item(const Key& key, std::vector<double>& values, const Bounds&) override {
    std::string all;
    for (const double value : values) all += exact_text(value) + ",";
    return add(key, all);
  }
  bool item(const Key& key, std::vector<std::string>& values) override {
    std::string all;
    for (const std::string& value : values) all += value + ",";
    return add(key, all);
  }
  bool item(const Key& key, std::vector<std::vector<double>>& rows, int) override {
    for (std::vector<double>& row : rows) item(key, row, Bounds{});
    return add(key, "");
  }
  bool item(const Key& key, NamedNumbers& value, std::span<const char* const>, const Bounds&) override {
    std::string all;
    for (const auto& [name, number] : value.entries) all += name + " " + exact_text(number) + ",";
    return add(key, all);
  }
  bool subset(const Key& key, std::vector<std::string>& values, std::span<const char* const>) override {
    return item(key, values);
  }
  bool formula(const Key& key, Formula& value, std::span<const char* const>) override { return add(key, value.text); }
  void definitions(Definitions& value, std::span<const char* const>) override {
    for (const auto& [name, formula] : value.constants) text += name + " = " + formula.text + "\n";
    for (const Formula& formula : value.definitions) text += formula.text + "\n";
  }
  bool formulas(const Key& key, std::vector<NamedFormula>& values) override {
    for (const NamedFormula& value : values) add(key, value.name + " " + value.formula.text);
    return false;
  }
  bool choice(const Key& key, int& value, std::span<const char* const> names) override {
    return add(key, value >= 0 ? names[static_cast<std::size_t>(value)] : "");
  }
  bool group(const Key& key, Options& options) override {
    text += std::string(key.name) + ":\n";
    options.describe(*this);
    return false;
  }
  bool groups(const Key& key, OptionsList& list) override {
    for (Index n = 0; n < list.size(); ++n) group(key, list.at(n));
    return false;
  }
  bool groups(const Key& key, OptionsList& list, std::vector<std::string>& names) override {
    for (Index n = 0; n < list.size(); ++n) {
      text += names[static_cast<std::size_t>(n)] + " ";
      group(key, list.at(n));
    }
    return false;
  }
  bool word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) override {
    return word >= 0 ? choice(key, word, names) : group(key, options);
  }

 private:
  bool add(const Key& key, const std::string& value) {
    text += std::string(key.name) + " " + value + "\n";
    return false;
  }
};

}  // namespace

std::string texts_of_options(Options& options) {
  Collector collector;
  options.describe(collector);
  return collector.text;
}

}  // namespace halocline
