#include "lib/problems/fractional/space/media_field.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "lib/base/format.hpp"
#include "lib/problems/fractional/weights/media.hpp"

namespace halocline::fractional {

namespace {

// The coefficients of the nodes of lines along x, one tuple behind the other.
class TupleRows {
 public:
  explicit TupleRows(const Formulation& f) : f_(f), terms_(f.coefficients.size()) {
    for (int axis = 1; axis < 3; ++axis)
      for (const Coefficient& one : f.coefficients)
        uses_[axis] = uses_[axis] || (!one.constant() && one.formula->uses(axis));
    for (Index i = 0; i < f.grid.extent[0]; ++i) x_.push_back(f.grid.coordinate(0, i));
    tuples_.resize(x_.size() * terms_);
    results_.resize(x_.size());
  }
  std::size_t terms() const { return terms_; }

  // Of the line at global j, k.
  const std::vector<double>& of(Index j, Index k) {
    const Index along_y = uses_[1] ? j : 0, along_z = uses_[2] ? k : 0;
    if (along_y == j_ && along_z == k_) return tuples_;
    j_ = along_y;
    k_ = along_z;
    const double y = f_.grid.coordinate(1, j), z = f_.grid.coordinate(2, k), zero = 0;
    const std::span<const double> inputs[5] = {x_, {&y, 1}, {&z, 1}, {&zero, 1}, {&zero, 1}};
    for (std::size_t n = 0; n < terms_; ++n) {
      const Coefficient& one = f_.coefficients[n];
      const std::span<double> results[1] = {results_};
      if (one.constant())
        std::fill(results_.begin(), results_.end(), one.number);
      else
        evaluate(*one.formula, inputs, results);
      for (std::size_t i = 0; i < x_.size(); ++i) tuples_[i * terms_ + n] = results_[i];
    }
    return tuples_;
  }

 private:
  const Formulation& f_;
  std::size_t terms_;
  bool uses_[3] = {true, false, false};
  std::vector<double> x_, results_, tuples_;
  Index j_ = -1, k_ = -1;
};

// look(node, tuple) for the nodes of a line whose coefficients differ from those of the node before.
template <class Look>
void each_change(const std::vector<double>& tuples, std::size_t terms, const Look& look) {
  for (std::size_t at = 0; at < tuples.size(); at += terms)
    if (at == 0 || !std::equal(tuples.begin() + static_cast<std::ptrdiff_t>(at),
                               tuples.begin() + static_cast<std::ptrdiff_t>(at + terms),
                               tuples.begin() + static_cast<std::ptrdiff_t>(at - terms)))
      look(static_cast<Index>(at / terms), std::span<const double>(tuples.data() + at, terms));
}

// What a rank has seen: the global number of its first node with a fault, or -1, and its media.
struct Seen {
  double bad = -1;
  MediaSet media;
};

Seen see(const Formulation& f, const Slabs<double>& slabs, TupleRows& rows) {
  Seen seen{-1, MediaSet(static_cast<int>(rows.terms()))};
  for (int p = 0; p < slabs.parts(); ++p)
    for (Index k = slabs.rows(p).lo[0]; k < slabs.rows(p).hi[0]; ++k)
      for (Index j = slabs.block(p).lo[1]; j < slabs.block(p).hi[1]; ++j)
        each_change(rows.of(j, k), rows.terms(), [&](Index i, std::span<const double> tuple) {
          if (seen.bad >= 0) return;
          if (fault_of_coefficients(tuple).empty()) return seen.media.add(tuple);
          seen.bad = static_cast<double>((k * f.grid.extent[1] + j) * f.grid.extent[0] + i);
        });
  return seen;
}

[[noreturn]] void refuse(const Formulation& f, Index node) {
  const Index* extent = f.grid.extent;
  const Index i = node % extent[0], j = node / extent[0] % extent[1], k = node / (extent[0] * extent[1]);
  std::vector<double> tuple(f.coefficients.size());
  TupleRows rows(f);
  std::copy_n(rows.of(j, k).data() + static_cast<std::size_t>(i) * tuple.size(), tuple.size(), tuple.data());
  throw DeckError("fractional.equation.terms: " + text_of_fault(fault_of_coefficients(tuple)) +
                  f.grid.place_text(i, j, k));
}

constexpr double none = std::numeric_limits<double>::infinity();

// The least tuple that is the next one of any rank, number by number; empty where no rank has one. `mine`: this rank's
// next one, or empty.
std::vector<double> least_tuple(const Communicator& comm, std::span<const double> mine, std::size_t length) {
  std::vector<double> least;
  while (least.size() < length) {
    const bool like_mine = !mine.empty() && std::equal(least.begin(), least.end(), mine.begin());
    std::array<double, 1> number{like_mine ? mine[least.size()] : none};
    comm.min(number);
    if (number[0] == none) return {};
    least.push_back(number[0]);
  }
  return least;
}

// Of all ranks, one tuple after the other, so that no rank holds those of every other one; ends the run where a rank
// has seen what cannot be.
MediaSet joined(const Formulation& f, const Communicator& comm, const Seen& own) {
  std::array<double, 1> bad{own.bad < 0 ? none : own.bad};
  comm.min(bad);
  if (bad[0] != none) refuse(f, static_cast<Index>(bad[0]));
  const std::size_t length = f.coefficients.size();
  MediaSet media(static_cast<int>(length));
  for (std::span<const double> mine = own.media.tuples(); !media.too_many();) {
    const std::vector<double> least = least_tuple(comm, mine.first(std::min(length, mine.size())), length);
    if (least.empty()) return media;
    media.add(least);
    if (!mine.empty() && std::equal(least.begin(), least.end(), mine.begin())) mine = mine.subspan(length);
  }
  throw DeckError("fractional.equation.terms: " + text_of_too_many_media());
}

}  // namespace

MediumField::MediumField(const Formulation& f, const std::shared_ptr<Slabs<double>>& slabs)
    : slabs_(slabs), media_(f.media) {
  if (std::all_of(f.coefficients.begin(), f.coefficients.end(), [](const Coefficient& c) { return c.constant(); }))
    return;
  TupleRows rows(f);
  const MediaSet set = joined(f, slabs->comm(), see(f, *slabs, rows));
  media_ = set.media(f.orders);
  if (count() == 1) return;
  for (int p = 0; p < slabs->parts(); ++p) {
    const SlabLayout& slab = slabs->layout(p);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(slabs->size(p)), 0);
    for (Index k = 0; k < slab.extent[2]; ++k)
      for (Index j = 0; j < slab.extent[1]; ++j) {
        unsigned char* const line = bytes.data() + slabs->origin(p) + slab.offset(k, j, 0);
        each_change(rows.of(slab.first_row + j, slab.first + k), rows.terms(),
                    [&](Index i, std::span<const double> tuple) {
                      std::fill(line + i, line + slab.pitch, static_cast<unsigned char>(set.find(tuple)));
                    });
      }
    bytes_.emplace_back(slabs->team().executor(p), std::array<Index, 1>{slabs->size(p)});
    bytes_.back().assign(bytes);
  }
}

}  // namespace halocline::fractional
