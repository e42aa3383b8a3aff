#include "lib/linalg/sparse/order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace halocline::sparse {

namespace {

using Row = std::size_t;

// Neighbors of every row, without itself, each once.
class Graph {
 public:
  Graph(Index rows, std::span<const Index> row, std::span<const Index> col) : ptr_(static_cast<Row>(rows) + 1, 0) {
    for (Row e = 0; e < row.size(); ++e) {
      ++ptr_[static_cast<Row>(row[e]) + 1];
      ++ptr_[static_cast<Row>(col[e]) + 1];
    }
    for (Row n = 1; n < ptr_.size(); ++n) ptr_[n] += ptr_[n - 1];
    std::vector<Row> next(ptr_.begin(), ptr_.end() - 1);
    neighbors_.resize(ptr_.back());
    for (Row e = 0; e < row.size(); ++e) {
      const auto i = static_cast<Row>(row[e]), j = static_cast<Row>(col[e]);
      neighbors_[next[i]++] = j;
      neighbors_[next[j]++] = i;
    }
    remove_repeated();
  }

  Row size() const { return ptr_.size() - 1; }
  Row degree(Row row) const { return ptr_[row + 1] - ptr_[row]; }
  std::span<const Row> neighbors(Row row) const { return {neighbors_.data() + ptr_[row], degree(row)}; }

 private:
  void remove_repeated() {
    Row kept = 0;
    for (Row row = 0, begin = 0; row < size(); ++row) {
      const auto first = neighbors_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = neighbors_.begin() + static_cast<std::ptrdiff_t>(ptr_[row + 1]);
      begin = ptr_[row + 1];
      std::sort(first, last);
      const auto end = std::remove(first, std::unique(first, last), row);
      std::copy(first, end, neighbors_.begin() + static_cast<std::ptrdiff_t>(kept));
      ptr_[row] = kept;
      kept += static_cast<Row>(end - first);
    }
    ptr_[size()] = kept;
  }

  std::vector<Row> ptr_, neighbors_;
};

class CuthillMckee {
 public:
  explicit CuthillMckee(const Graph& graph) : graph_(graph), seen_(graph.size(), 0), placed_(graph.size(), 0) {
    order_.reserve(graph.size());
    std::vector<Row> by_degree(graph.size());
    for (Row n = 0; n < by_degree.size(); ++n) by_degree[n] = n;
    std::sort(by_degree.begin(), by_degree.end(), [this](Row a, Row b) { return before(a, b); });
    for (const Row start : by_degree)
      if (!placed_[start]) place_from(far_end(start));
  }
  const std::vector<Row>& order() const { return order_; }

 private:
  bool before(Row a, Row b) const {
    return std::make_tuple(graph_.degree(a), a) < std::make_tuple(graph_.degree(b), b);
  }

  // Rows of the component by their distance; returns how far it goes, and the row of lowest degree that far away.
  std::pair<Index, Row> farthest(Row start) {
    ++mark_;
    seen_[start] = mark_;
    std::vector<Row> level{start}, next;
    for (Index distance = 0;; ++distance) {
      next.clear();
      for (const Row row : level)
        for (const Row other : graph_.neighbors(row))
          if (seen_[other] != mark_) {
            seen_[other] = mark_;
            next.push_back(other);
          }
      if (next.empty())
        return {distance, *std::min_element(level.begin(), level.end(), [this](Row a, Row b) { return before(a, b); })};
      level.swap(next);
    }
  }

  Row far_end(Row start) {
    auto [distance, end] = farthest(start);
    for (;;) {
      const auto [further, other] = farthest(end);
      if (further <= distance) return end;
      distance = further;
      end = other;
    }
  }

  void place_from(Row start) {
    Row next = order_.size();
    placed_[start] = 1;
    order_.push_back(start);
    for (; next < order_.size(); ++next) {
      const auto first = static_cast<std::ptrdiff_t>(order_.size());
      for (const Row other : graph_.neighbors(order_[next]))
        if (!placed_[other]) {
          placed_[other] = 1;
          order_.push_back(other);
        }
      std::sort(order_.begin() + first, order_.end(), [this](Row a, Row b) { return before(a, b); });
    }
  }

  const Graph& graph_;
  std::vector<Index> seen_;  // the last search that has met a row
  std::vector<char> placed_;
  std::vector<Row> order_;
  Index mark_ = 0;
};

class Bisection {
 public:
  explicit Bisection(const Graph& graph)
      : graph_(graph), order_(graph.size()), piece_(graph.size(), 0), seen_(graph.size(), 0), placed_(graph.size(), 0) {
    std::iota(order_.begin(), order_.end(), Row{0});
    cut(0, order_.size());
  }
  const std::vector<Row>& order() const { return order_; }

 private:
  static constexpr Row unit = 1024;

  void cut(Row begin, Row end) {
    sort_by_distance(begin, end);
    if (end - begin <= unit) return;
    const Row middle = begin + (end - begin + unit - 1) / unit / 2 * unit;
    cut(begin, middle);
    cut(middle, end);
  }

  // Rows of a piece from a far end on, one component after the other.
  void sort_by_distance(Row begin, Row end) {
    ++pieces_;
    for (Row n = begin; n < end; ++n) piece_[order_[n]] = pieces_;
    std::vector<Row> sorted;
    sorted.reserve(end - begin);
    for (Row n = begin; n < end; ++n) {
      if (placed_[order_[n]] == pieces_) continue;
      Row next = sorted.size();
      sorted.push_back(far_end(order_[n]));
      placed_[sorted.back()] = pieces_;
      for (; next < sorted.size(); ++next)
        for (const Row other : graph_.neighbors(sorted[next]))
          if (piece_[other] == pieces_ && placed_[other] != pieces_) {
            placed_[other] = pieces_;
            sorted.push_back(other);
          }
    }
    std::copy(sorted.begin(), sorted.end(), order_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  // The last row of a search within the piece, from the last row of another one.
  Row far_end(Row start) {
    for (int search = 0; search < 2; ++search) {
      ++searches_;
      found_.assign(1, start);
      seen_[start] = searches_;
      for (Row next = 0; next < found_.size(); ++next)
        for (const Row other : graph_.neighbors(found_[next]))
          if (piece_[other] == pieces_ && seen_[other] != searches_) {
            seen_[other] = searches_;
            found_.push_back(other);
          }
      start = found_.back();
    }
    return start;
  }

  const Graph& graph_;
  std::vector<Row> order_, found_;
  std::vector<Index> piece_, seen_, placed_;  // the last piece a row was in, search that met it, piece that placed it
  Index pieces_ = 0, searches_ = 0;
};

template <class Rows>
Renumbering numbered(const Rows& first, const Rows& last) {
  Renumbering made;
  made.from.assign(first, last);
  made.to.resize(made.from.size());
  for (Row n = 0; n < made.from.size(); ++n) made.to[static_cast<Row>(made.from[n])] = static_cast<Index>(n);
  return made;
}

}  // namespace

Renumbering reverse_cuthill_mckee(Index rows, std::span<const Index> row, std::span<const Index> col) {
  const Graph graph(rows, row, col);
  const CuthillMckee search(graph);
  return numbered(search.order().rbegin(), search.order().rend());
}

Renumbering bisection(Index rows, std::span<const Index> row, std::span<const Index> col) {
  const Graph graph(rows, row, col);
  const Bisection search(graph);
  return numbered(search.order().begin(), search.order().end());
}

}  // namespace halocline::sparse
