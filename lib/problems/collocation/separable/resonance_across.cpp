#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "lib/base/format.hpp"
#include "lib/problems/collocation/separable/separable.hpp"

namespace halocline::collocation {

namespace {

constexpr double most_growth = 1e11;

// The equations along x of one mode: row g holds columns g - 2 .. g + 2.
class AcrossRows {
 public:
  AcrossRows(const Axis& x, const AxisOperator& terms) : size_(x.unknowns()) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Index g = 0; g < size_; ++g) {
      const auto k0 = x.eliminated_row(0, g), k1 = x.eliminated_row(1, g), k2 = x.eliminated_row(2, g);
      Row plain{}, mass{};
      for (int m = 0; m < 4; ++m) {
        plain[m + 1 - g % 2] = terms.a[g] * k2[m] + terms.d[g] * k1[m] + terms.eta[g] * k0[m];
        mass[m + 1 - g % 2] = k0[m];
      }
      plain_.push_back(plain);
      mass_.push_back(mass);
      data_.push_back(uniform(random));
    }
  }

  // How much larger the solution is than the data, which are random: 1 / (the least singular value), rows scaled to 1,
  // but for a factor that no vector has by chance. Gaussian elimination with row exchanges; a small pivot would not do,
  // since the last one stays large when the singular vector lies in one corner of the mesh.
  double growth(double value) const {
    std::vector<Equation> done;
    done.reserve(static_cast<std::size_t>(size_));
    std::array<Equation, 3> rows{shifted(row(0, value), 2), shifted(row(1, value), 1), row(2, value)};
    for (Index k = 0; k < size_; ++k) {  // three rows are at work, from column k on
      const auto smaller = [](const Equation& a, const Equation& b) { return std::abs(a.row[0]) < std::abs(b.row[0]); };
      std::swap(rows[0], *std::max_element(rows.begin(), rows.end(), smaller));
      const Equation& pivot = done.emplace_back(rows[0]);
      if (pivot.row[0] == 0) return std::numeric_limits<double>::infinity();
      for (int i = 1; i < 3; ++i) {
        const double factor = rows[i].row[0] / pivot.row[0];
        for (int m = 1; m < 5; ++m) rows[i].row[m] -= factor * pivot.row[m];
        rows[i].data -= factor * pivot.data;
        rows[i] = shifted(rows[i], 1);
      }
      rows[0] = row(k + 3, value);
    }
    return largest_unknown(done);
  }

 private:
  using Row = std::array<double, 5>;
  struct Equation {
    Row row{};
    double data = 0;
  };

  // Scaled to a largest coefficient of 1; zero beyond the last one.
  Equation row(Index g, double value) const {
    Equation made;
    if (g >= size_) return made;
    double largest = 0;
    for (int m = 0; m < 5; ++m) {
      made.row[m] = plain_[g][m] + value * mass_[g][m];
      largest = std::max(largest, std::abs(made.row[m]));
    }
    for (double& entry : made.row) entry /= largest;
    made.data = data_[g];
    return made;
  }

  static Equation shifted(const Equation& equation, int places) {
    Equation made{{}, equation.data};
    std::copy(equation.row.begin() + places, equation.row.end(), made.row.begin());
    return made;
  }

  static double largest_unknown(const std::vector<Equation>& upper) {
    Row u{};  // of the columns behind
    double largest = 0;
    for (auto equation = upper.rbegin(); equation != upper.rend(); ++equation) {
      double sum = equation->data;
      for (int m = 1; m < 5; ++m) sum -= equation->row[m] * u[m - 1];
      std::copy_backward(u.begin(), u.end() - 1, u.end());
      u[0] = sum / equation->row[0];
      largest = std::max(largest, std::abs(u[0]));
    }
    return largest;
  }

  Index size_;
  std::vector<Row> plain_, mass_;
  std::vector<double> data_;
};

}  // namespace

std::optional<std::string> resonance_across(const Communicator& comm, const Axis& x, const AxisOperator& terms,
                                            const std::vector<double>& values, int threads) {
  const AcrossRows rows(x, terms);
  const auto count = static_cast<Index>(values.size()), ranks = static_cast<Index>(comm.size());
  const Index first = comm.rank(), own = (count - first + ranks - 1) / ranks;
  std::vector<double> growths(static_cast<std::size_t>(std::max<Index>(own, 0)));
#pragma omp parallel for num_threads(threads)
  for (Index n = 0; n < own; ++n) growths[n] = rows.growth(values[first + n * ranks]);
  const auto most = std::max_element(growths.begin(), growths.end());
  std::array<double, 1> largest{most == growths.end() ? 0 : *most};
  comm.max(largest);
  if (largest[0] <= most_growth) return std::nullopt;
  // The first mode with it, on all ranks.
  std::array<Index, 1> mode{-count};
  if (most != growths.end() && *most == largest[0]) mode[0] = -(first + (most - growths.begin()) * ranks);
  comm.max(mode);
  return formatted("resonance: with the eigenvalue {:.6g} along y the equations along x are singular",
                   values[static_cast<std::size_t>(-mode[0])]);
}

}  // namespace halocline::collocation
