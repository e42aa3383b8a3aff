// Matrices of sources for tests: made part by part on an executor, and put together on the host.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "io/deck/deck_reader.hpp"
#include "lib/problems/sparse/sources/box/box.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::sparse {

struct HostMatrix {
  std::vector<Index> ptr{0}, col;
  std::vector<double> val, rhs;
  Index rows() const { return static_cast<Index>(ptr.size()) - 1; }
  Index entries() const { return static_cast<Index>(col.size()); }
  double at(Index row, Index column) const {
    for (Index e = ptr[static_cast<std::size_t>(row)]; e < ptr[static_cast<std::size_t>(row) + 1]; ++e)
      if (col[static_cast<std::size_t>(e)] == column) return val[static_cast<std::size_t>(e)];
    return 0;
  }
  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> y(ptr.size() - 1, 0.0);
    for (std::size_t i = 0; i + 1 < ptr.size(); ++i)
      for (Index e = ptr[i]; e < ptr[i + 1]; ++e)
        y[i] += val[static_cast<std::size_t>(e)] * x[static_cast<std::size_t>(col[static_cast<std::size_t>(e)])];
    return y;
  }
};

inline std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> words(values.size());
  if (!values.empty()) std::memcpy(words.data(), values.data(), values.size() * sizeof(double));
  return words;
}

inline void expect_same(const HostMatrix& a, const HostMatrix& b) {
  EXPECT_EQ(a.ptr, b.ptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_EQ(bits(a.val), bits(b.val));
  EXPECT_EQ(bits(a.rhs), bits(b.rhs));
}

// `starts`: where parts begin, and the number of rows at the end.
inline HostMatrix whole(const RowSource& source, const ExecutorPtr& executor, const std::vector<Index>& starts,
                        double t = 0) {
  HostMatrix all;
  for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
    const auto part = source.part(executor, {{starts[p]}, {starts[p + 1]}}, t);
    EXPECT_FALSE(part->fault().found()) << part->fault().message;
    const GlobalRows rows = part->matrix();
    const auto ptr = rows.ptr.to_host(), col = rows.col.to_host();
    const auto val = rows.val.to_host(), rhs = part->rhs().to_host();
    const Index before = all.entries();
    EXPECT_EQ(ptr.front(), 0);
    for (std::size_t i = 1; i < ptr.size(); ++i) all.ptr.push_back(before + ptr[i]);
    all.col.insert(all.col.end(), col.begin(), col.end());
    all.val.insert(all.val.end(), val.begin(), val.end());
    all.rhs.insert(all.rhs.end(), rhs.begin(), rhs.end());
  }
  EXPECT_EQ(all.ptr.back(), all.entries());
  for (std::size_t i = 0; i + 1 < all.ptr.size(); ++i)
    for (Index e = all.ptr[i] + 1; e < all.ptr[i + 1]; ++e)
      EXPECT_LT(all.col[static_cast<std::size_t>(e) - 1], all.col[static_cast<std::size_t>(e)]) << "row " << i;
  return all;
}

inline HostMatrix whole(const RowSource& source) { return whole(source, make_omp_executor(1), {0, source.rows()}); }

// The keys of a box, with names and an exact solution beside it.
struct BoxDeck final : Options {
  Definitions names;
  BoxOptions box;
  Formula exact;
  void describe(Describer& d) override {
    d.definitions(names, variables);
    d.group({"box", "", "The source.", true}, box);
    d.formula({"exact", "1", "Exact solution."}, exact, variables);
  }
};

struct ReadBox {
  std::optional<BoxModel> model;
  std::string faults;
};

inline ReadBox read_box(const std::string& text, int refined = 1) {
  BoxDeck options;
  const Deck deck(text, "deck.yaml");
  DeckReader reader(deck);
  options.describe(reader);
  reader.finish();
  ReadBox made;
  if (reader.faults().empty()) {
    if (refined > 1) options.box.refine(refined);
    FormulaReader formulas(variables, options.names, reader);
    std::optional<Expression> exact;
    if (options.exact.given()) exact = formulas.parse(options.exact);
    made.model = make_box_model(options.box, exact, formulas);
  }
  made.faults = reader.faults().empty() ? "" : format(reader.faults(), deck.file());
  return made;
}

inline BoxSource box_of(const std::string& text, FormulaPath path = FormulaPath::of_executor, int refined = 1) {
  const ReadBox read = read_box(text, refined);
  if (!read.model) throw DeckError(read.faults);
  return BoxSource(*read.model, path);
}

}  // namespace halocline::sparse
