#include "lib/problems/diffusion/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "lib/base/format.hpp"

namespace halocline::diffusion {

namespace {

// Coefficients of the differences: per axis, per pair (xy, xz, yz), threefold.
struct Differences {
  double axis[3] = {0, 0, 0}, pair[3] = {0, 0, 0}, triple = 0;
};

constexpr int first_of_pair[3] = {0, 0, 1}, second_of_pair[3] = {1, 2, 2};

Differences mehrstellen(const UniformGrid& g) {
  Differences d;
  double square[3];
  for (int a = 0; a < 3; ++a) square[a] = g.spacing[a] * g.spacing[a];
  for (int a = 0; a < g.dimensions; ++a) d.axis[a] = 1 / square[a];
  for (int p = 0; p < (g.dimensions == 3 ? 3 : 1); ++p) {
    const double a = square[first_of_pair[p]], b = square[second_of_pair[p]];
    d.pair[p] = (a + b) / (12 * a * b);
  }
  if (g.dimensions == 3)
    d.triple = (square[0] * square[1] + square[0] * square[2] + square[1] * square[2]) /
               (108 * square[0] * square[1] * square[2]);
  return d;
}

// Weight of the neighbor at distance |dx|, |dy|, |dz| <= 1.
double weight_of(const Differences& d, int dx, int dy, int dz) {
  const double x = dx == 0 ? -2 : 1, y = dy == 0 ? -2 : 1, z = dz == 0 ? -2 : 1;
  const bool on_x = dx == 0, on_y = dy == 0, on_z = dz == 0;
  double w = 0;
  if (on_y && on_z) w += d.axis[0] * x;
  if (on_x && on_z) w += d.axis[1] * y;
  if (on_x && on_y) w += d.axis[2] * z;
  if (on_z) w += d.pair[0] * x * y;
  if (on_y) w += d.pair[1] * x * z;
  if (on_x) w += d.pair[2] * y * z;
  return w + d.triple * x * y * z;
}

void fill_box(Stencil& s, const Differences& d, int dimensions) {
  for (int dz = dimensions == 3 ? -1 : 0; dz <= (dimensions == 3 ? 1 : 0); ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) s.weights.push_back(weight_of(d, dx, dy, dz));
}

void fill_cross(Stencil& s, const UniformGrid& g) {
  static constexpr double line[5] = {-1, 16, -30, 16, -1};
  const int rz = g.dimensions == 3 ? 2 : 0;
  for (int dz = -rz; dz <= rz; ++dz)
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx) {
        double w = 0;
        const auto along = [&](int m, int axis) { return line[m + 2] / (12 * g.spacing[axis] * g.spacing[axis]); };
        if (dy == 0 && dz == 0) w += along(dx, 0);
        if (dx == 0 && dz == 0) w += along(dy, 1);
        if (dx == 0 && dy == 0 && rz > 0) w += along(dz, 2);
        s.weights.push_back(w);
      }
}

// Coefficients of ConvolveMask: weights by class instead of differences.
void classify_box(Stencil& s, const Differences& d, const UniformGrid& g, bool corners) {
  const auto w = [&](int dx, int dy, int dz) { return weight_of(d, dx, dy, dz); };
  const bool equal = g.equal_spacing();
  std::vector<double> k;
  if (g.dimensions == 2 && !corners) {
    s.kind = equal ? MaskKind::star5 : MaskKind::star5_xy;
    k = equal ? std::vector{w(1, 0, 0)} : std::vector{w(1, 0, 0), w(0, 1, 0)};
  } else if (g.dimensions == 2) {
    s.kind = equal ? MaskKind::box9 : MaskKind::box9_xy;
    k = equal ? std::vector{w(1, 0, 0), w(1, 1, 0)} : std::vector{w(1, 0, 0), w(0, 1, 0), w(1, 1, 0)};
  } else {
    s.kind = !corners ? MaskKind::star7 : d.triple == 0 ? MaskKind::box19 : MaskKind::box27;
    k = {w(1, 0, 0), w(0, 1, 0), w(0, 0, 1), w(1, 1, 0), w(1, 0, 1), w(0, 1, 1), w(1, 1, 1)};
  }
  std::copy(k.begin(), k.end(), s.k);
}

void make_named(MaskName name, const UniformGrid& g, Stencil& s) {
  if (name == MaskName::cross4) {
    for (int axis = 0; axis < 3; ++axis) s.radius[axis] = axis < g.dimensions ? 2 : 0;
    s.kind = g.dimensions == 2 ? MaskKind::cross9 : MaskKind::cross13;
    for (int axis = 0; axis < g.dimensions; ++axis) s.k[axis] = 1 / (12 * g.spacing[axis] * g.spacing[axis]);
    return fill_cross(s, g);
  }
  for (int axis = 0; axis < 3; ++axis) s.radius[axis] = axis < g.dimensions ? 1 : 0;
  Differences d = mehrstellen(g);
  const bool corners = name != MaskName::five && name != MaskName::seven;
  if (!corners) std::fill(d.pair, d.pair + 3, 0.0);
  if (name != MaskName::twenty_seven) d.triple = 0;
  fill_box(s, d, g.dimensions);
  classify_box(s, d, g, corners);
}

void make_own(const MaskOptions& own, const UniformGrid& g, Stencil& s, Faults& faults) {
  const auto size = static_cast<std::size_t>(own.size);
  const std::size_t wanted = g.dimensions == 3 ? size * size * size : size * size;
  if (own.size % 2 == 0) return faults.at("diffusion.stencil.mask.size", "must be odd");
  if (own.weights.size() != wanted)
    return faults.at("diffusion.stencil.mask.weights",
                     "has " + std::to_string(own.weights.size()) + " numbers; expected " + std::to_string(wanted));
  if (!g.equal_spacing())
    return faults.at("diffusion.stencil.mask", "needs the same spacing along all axes; name a mask instead");
  for (int axis = 0; axis < 3; ++axis) s.radius[axis] = axis < g.dimensions ? static_cast<int>(own.size / 2) : 0;
  s.kind = MaskKind::general;
  for (const double w : own.weights) s.weights.push_back(w / (g.spacing[0] * g.spacing[0]));
}

// sum w = 0, sum w m_i h_i = 0, sum w m_i m_j h_i h_j = 2 delta_ij.
void check_moments(const Stencil& s, const UniformGrid& g, Faults& faults) {
  double first[3] = {}, second[3][3] = {}, scale = 0;
  Index n = 0;
  for (int dz = -s.radius[2]; dz <= s.radius[2]; ++dz)
    for (int dy = -s.radius[1]; dy <= s.radius[1]; ++dy)
      for (int dx = -s.radius[0]; dx <= s.radius[0]; ++dx) {
        const double w = s.weights[static_cast<std::size_t>(n++)];
        const double m[3] = {dx * g.spacing[0], dy * g.spacing[1], dz * g.spacing[2]};
        scale += std::abs(w);
        for (int i = 0; i < g.dimensions; ++i) {
          first[i] += w * m[i];
          for (int j = 0; j < g.dimensions; ++j) second[i][j] += w * m[i] * m[j];
        }
      }
  const char* path = "diffusion.stencil.mask.weights";
  if (!s.symmetric()) faults.at(path, "must be the same in opposite directions, w(m) = w(-m)");
  const std::string hint = "; a mask that is no Laplacian needs laplacian: false";
  const double h = g.spacing[0], square = h * h;
  if (std::abs(s.sum()) > 1e-12 * scale)
    faults.at(path, "sum to " + brief_text(s.sum() * square) + " instead of 0" + hint);
  for (int i = 0; i < g.dimensions; ++i) {
    const std::string axis = axis_names[static_cast<std::size_t>(i)];
    if (std::abs(first[i]) > 1e-12 * scale * h)
      faults.at(path, "have the first moment " + brief_text(first[i] * h) + " along " + axis + " instead of 0" + hint);
    for (int j = i; j < g.dimensions; ++j) {
      const double wanted = i == j ? 2 : 0;
      if (std::abs(second[i][j] - wanted) <= 1e-9) continue;
      faults.at(path, "have the second moment " + brief_text(second[i][j]) + " in " + axis +
                          axis_names[static_cast<std::size_t>(j)] + " instead of " + brief_text(wanted) + hint);
    }
  }
}

}  // namespace

double Stencil::sum() const {
  double total = 0;
  for (std::size_t i = 0; i < weights.size() / 2; ++i) total += weights[i] + weights[weights.size() - 1 - i];
  return total + weights[weights.size() / 2];
}

bool Stencil::symmetric() const { return std::equal(weights.begin(), weights.end(), weights.rbegin()); }

double Stencil::symbol(double kx, double ky, double kz) const {
  double total = 0;
  const double* w = weights.data();
  for (int dz = -radius[2]; dz <= radius[2]; ++dz)
    for (int dy = -radius[1]; dy <= radius[1]; ++dy)
      for (int dx = -radius[0]; dx <= radius[0]; ++dx) total += *w++ * std::cos(kx * dx + ky * dy + kz * dz);
  return total;
}

double Stencil::largest_symbol(double sign) const {
  const int samples = radius[2] > 0 ? 12 : 48;
  double best = 0, at[3] = {0, 0, 0}, step = std::numbers::pi / samples;
  const auto look = [&](double x, double y, double z) {
    const double value = sign * symbol(x, y, z);
    if (value <= best) return;
    best = value;
    at[0] = x, at[1] = y, at[2] = z;
  };
  // Symmetry holds under a change of all signs only.
  for (int i = 0; i <= samples; ++i)
    for (int j = -samples; j <= samples; ++j)
      for (int k = radius[2] > 0 ? -samples : 0; k <= (radius[2] > 0 ? samples : 0); ++k)
        look(i * step, j * step, k * step);
  for (int level = 0; level < 20; ++level) {
    step /= 2;
    const double x = at[0], y = at[1], z = at[2];
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = radius[2] > 0 ? -1 : 0; k <= (radius[2] > 0 ? 1 : 0); ++k)
          look(x + i * step, y + j * step, z + k * step);
  }
  return best;
}

int reach_of(const StencilOptions& options) {
  if (!options.mask) return std::max(1, static_cast<int>(options.own.size / 2));
  return options.mask == MaskName::cross4 ? 2 : 1;
}

Stencil make_stencil(const StencilOptions& options, const UniformGrid& g, Faults& faults) {
  Stencil s;
  const std::optional<MaskName> name = options.mask_given ? options.mask : default_mask(g.dimensions, options.accurate);
  if (options.accurate && (options.co > 0 || options.dt > 0))
    faults.at("diffusion.stencil.accurate", "sets the time step itself; leave out co and dt");
  if (options.accurate && !g.equal_spacing())
    faults.at("diffusion.stencil.accurate", "needs the same spacing along all axes");
  if (options.accurate && name != MaskName::nine && name != MaskName::twenty_seven)
    faults.at("diffusion.stencil.mask", "accurate steps need 9pt (2D) or 27pt (3D)");
  const bool flat = name == MaskName::five || name == MaskName::nine;
  if (name && name != MaskName::cross4 && flat != (g.dimensions == 2))
    faults.at("diffusion.stencil.mask", std::string(word_for(*name)) + " is a mask in " + (flat ? "2D" : "3D") +
                                            "; the grid is in " + (flat ? "3D" : "2D"));
  if (name) {
    make_named(*name, g, s);
    return s;
  }
  make_own(options.own, g, s, faults);
  if (s.weights.empty() || !options.own.laplacian) return s;
  check_moments(s, g, faults);
  const double growth = s.largest_symbol(1) * g.spacing[0] * g.spacing[0];
  if (growth > 1e-9)
    faults.at("diffusion.stencil.mask.weights", "let waves grow at any time step: the symbol reaches " +
                                                    brief_text(growth) + " / h^2; it must not exceed 0");
  return s;
}

}  // namespace halocline::diffusion
