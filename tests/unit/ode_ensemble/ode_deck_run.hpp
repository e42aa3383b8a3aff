// Runs decks of family ode_ensemble without files: text in, columns and findings out; or the faults of a deck.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/deck/deck_reader.hpp"
#include "lib/problems/ode_ensemble/ode_ensemble.hpp"

namespace halocline::ode_ensemble {

// Keeps the columns of all ranks, as doubles.
class ColumnSink final : public FieldSink {
 public:
  explicit ColumnSink(const Communicator& comm) : comm_(comm) {}
  bool wants(const std::string&) const override { return true; }
  void grid(const Grid&) override {}
  void field(const FieldInfo&, int, const Range<3>&, View<const double, 3>, const Executor&) override {}
  void column(const FieldInfo& info, int, const Range<1>& block, View<const double, 1> values,
              const Executor&) override {
    keep(info, block, [&](Index i) { return values(i); });
  }
  void column(const FieldInfo& info, int, const Range<1>& block, View<const Index, 1> values,
              const Executor&) override {
    keep(info, block, [&](Index i) { return static_cast<double>(values(i)); });
  }
  void series(const std::string&, const std::string&, std::span<const double>) override {}
  void text(const std::string& name, const std::string& text) override { texts[name] = text; }

  // Joins what the ranks hold, bit by bit. Collective.
  std::map<std::string, std::vector<double>> join() const {
    std::map<std::string, std::vector<double>> all;
    for (const auto& [name, own] : bits_) {
      Index size = static_cast<Index>(own.size());
      comm_.max(std::span(&size, 1));
      std::vector<Index> sum = own;
      sum.resize(static_cast<std::size_t>(size), 0);
      comm_.sum(sum);
      for (const Index value : sum) all[name].push_back(std::bit_cast<double>(value));
    }
    return all;
  }
  std::map<std::string, std::string> texts;

 private:
  template <class Value>
  void keep(const FieldInfo& info, const Range<1>& block, Value&& value) {
    auto& own = bits_[info.name];
    const Index end = block.hi[0] * info.width;
    if (static_cast<Index>(own.size()) < end) own.resize(static_cast<std::size_t>(end), 0);
    for (Index i = block.lo[0] * info.width; i < end; ++i)
      own[static_cast<std::size_t>(i)] = std::bit_cast<Index>(value(i - block.lo[0] * info.width));
  }
  const Communicator& comm_;
  std::map<std::string, std::vector<Index>> bits_;
};

struct DeckResult {
  std::map<std::string, std::vector<double>> columns;
  std::map<std::string, std::string> texts;
  Findings findings;
  Index slices = 0;
  const std::vector<double>& operator[](const std::string& name) const { return columns.at(name); }
};

inline void expect_same_bits(const DeckResult& a, const DeckResult& b) {
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (const auto& [name, values] : a.columns) {
    const std::vector<double>& other = b[name];
    ASSERT_EQ(values.size(), other.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(std::bit_cast<Index>(values[i]), std::bit_cast<Index>(other[i])) << name << " " << i;
  }
}

struct DeckLayout {
  std::vector<ExecutorPtr> executors{make_omp_executor(1)};  // of every rank
  std::vector<double> weights = {};                          // of all parts; equal when empty
};

// What `check` says about a deck; "" when nothing.
inline std::string deck_faults(const std::string& text, const std::string& file = "deck.yaml") {
  const Deck deck(text, file);
  DeckReader reader(deck);
  const auto options = ode_ensemble_family().options();
  options->describe(reader);
  std::string problem;
  reader.item(Key{"problem", "", "", false}, problem);
  reader.finish();
  if (reader.faults().empty()) ode_ensemble_family().plan(*options, {}, reader);
  return reader.faults().empty() ? "" : format(reader.faults(), deck.file());
}

// What `check` notes of a deck without faults.
inline std::vector<std::string> deck_notes(const std::string& text) {
  const Deck deck(text, "deck.yaml");
  DeckReader reader(deck);
  const auto options = ode_ensemble_family().options();
  options->describe(reader);
  return ode_ensemble_family().plan(*options, {}, reader).notes;
}

// Called with the problem after every slice; returns false to stop there.
using AfterSlice = std::function<bool(Problem&)>;

inline DeckResult run_deck(const Communicator& comm, const std::string& text, const DeckLayout& layout = {},
                           const std::string& file = "deck.yaml", StateArchive* restart = nullptr,
                           const AfterSlice& after = {}) {
  const Deck deck(text, file);
  DeckReader reader(deck);
  const auto options = ode_ensemble_family().options();
  options->describe(reader);
  const int parts = static_cast<int>(layout.executors.size());
  Shape shape{comm.size(), layout.weights};
  if (shape.weights.empty()) shape.weights.assign(static_cast<std::size_t>(comm.size() * parts), 1.0);
  const Partition partition = ode_ensemble_family().plan(*options, shape, reader).partition;
  reader.check();
  const Team team(layout.executors, comm.rank() * parts, comm.size() * parts);
  Timers timers;
  Log log(false, LogLevel::off);
  const Context context{comm, team, timers, log, shape, 1, partition};
  const auto problem = ode_ensemble_family().make(context, *options);
  if (restart != nullptr) {
    problem->archive(*restart);
  } else {
    problem->initialize();
  }
  DeckResult result;
  for (bool more = true; more;) {
    more = !problem->advance(1e300).finished;
    ++result.slices;
    if (after && !after(*problem)) return result;
  }
  problem->verify(result.findings);
  ColumnSink sink(comm);
  problem->publish(sink);
  result.columns = sink.join();
  result.texts = sink.texts;
  return result;
}

}  // namespace halocline::ode_ensemble
