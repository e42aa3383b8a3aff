// Bodies on the sides of the box: given values between levels, what they are for each sweep, and where they enter.
#pragma once

#include "lib/fields/error_kernels.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

// The nodes of a side on a part: u and v are the other two axes in the order x, y, z. Arrays of a side hold node (u, v)
// at v * pitch + u; also one row of ghosts on either side along z, and along y where that is cut.
struct SidePlane {
  Index base = 0, step_u = 0, step_v = 0;  // of its nodes in fields
  Index extent_u = 0, extent_v = 0, pitch = 0;
  Index ghosts_u = 0, ghosts_v = 0;
  HALOCLINE_HD Index at(Index v, Index u) const { return base + u * step_u + v * step_v; }
  HALOCLINE_HD Index in_plane(Index v, Index u) const { return v * pitch + u; }
};

// Values of a side at the last three levels, the newest first.
struct SideLevels {
  const double *now = nullptr, *last = nullptr, *older = nullptr;
};

// What a value gains over its extrapolation: the datum of the sweeps, eta = q_l - q_{l-1} - r (q_{l-1} - q_{l-2}).
struct SideGainBody {
  SidePlane plane;
  SideLevels q;
  double ratio;
  double* gain;
  HALOCLINE_HD void operator()(Index v, Index u) const {
    const Index n = plane.in_plane(v, u);
    gain[n] = fma(-ratio, q.last[n] - q.older[n], q.now[n] - q.last[n]);
  }
};

// What a side in the way of a tangential axis gives to the nodes at its edge: factor times its datum.
struct EdgeData {
  const double* gain = nullptr;  // null: nothing
  Index base = 0, stride = 0;    // of the edge in the arrays of that side
  double factor = 0;             // (2/h) scale, and the transfer of a robin side
  HALOCLINE_HD double at(Index m) const { return gain == nullptr ? 0 : factor * gain[base + m * stride]; }
};

// out = (I - nu Lambda_a) in for an axis a that lies in the side; Dirichlet ends of it keep their values.
template <class Axis>
struct TangentBody {
  SidePlane plane;
  Axis axis;
  AxisShape flat;  // of the axis in arrays of this side
  bool along_v;
  Index first;  // global number of the first own node along the axis
  NodeValue nu, D;
  EdgeData low, high;
  const double* in;
  double* out;
  HALOCLINE_HD void operator()(Index v, Index u) const {
    const Index n = plane.in_plane(v, u), at = plane.at(v, u), i = first + (along_v ? v : u), m = along_v ? u : v;
    if (flat.is_dirichlet(i)) {
      out[n] = in[n];
      return;
    }
    const AxisRow<double> row = axis.template row<double>(at, i);
    double sum = row.di * in[n];
    sum = fma(row.lo, in[n + flat.before(i)], sum);
    sum = fma(row.up, in[n + flat.behind(i)], sum);
    if (i == 0) sum = fma(D.load<double>(at), low.at(m), sum);
    if (i == flat.rows - 1) sum = fma(D.load<double>(at), high.at(m), sum);
    out[n] = fma(-nu.load<double>(at), sum, in[n]);
  }
};

// One or both sides of an axis. Body: of a side.
template <class Body>
struct SidesBody {
  Body of[2];
  int count = 0;
  HALOCLINE_HD void operator()(Index side, Index v, Index u) const { of[side](v, u); }
};

// Dirichlet: the given value of a sweep. T: of the field, double or float, as in the body that follows.
template <class T>
struct GiveSideBody {
  SidePlane plane;
  const double* value;
  T* w;
  HALOCLINE_HD void operator()(Index v, Index u) const { w[plane.at(v, u)] = T(value[plane.in_plane(v, u)]); }
};

// Takes from values of a side a share of a field.
struct TakeShareBody {
  SidePlane plane;
  const double* field;
  double share;
  double* value;
  HALOCLINE_HD void operator()(Index v, Index u) const {
    const Index n = plane.in_plane(v, u);
    value[n] = fma(-share, field[plane.at(v, u)], value[n]);
  }
};

// Natural sides: w += weight factor D (value + ahead (value - older)), `ahead` being that of the node's medium.
template <class T>
struct AddSideBody {
  SidePlane plane;
  NodeValue weight, D;  // weight: nu or mu
  double factor;        // (2/h) scale, and the transfer of a robin side
  const double *value, *older;
  NodeMedium medium;
  MediumNumbers ahead;
  T* w;
  HALOCLINE_HD void operator()(Index v, Index u) const {
    const Index n = plane.in_plane(v, u), at = plane.at(v, u);
    const double by = ahead.of[medium.at(at)];
    const double given = by == 0 ? value[n] : fma(by, value[n] - older[n], value[n]);
    w[at] = T(fma(weight.load<double>(at) * factor * D.load<double>(at), given, static_cast<double>(w[at])));
  }
};

// What a datum of the sweeps changes at its node: weight factor D gain.
struct SideMagnitudeBody {
  SidePlane plane;
  NodeValue weight, D;
  double factor;
  const double* gain;
  HALOCLINE_HD double operator()(Index v, Index u) const {
    const Index at = plane.at(v, u);
    return magnitude(weight.load<double>(at) * factor * D.load<double>(at) * gain[plane.in_plane(v, u)]);
  }
};

// Dirichlet: C and the increment of a step that is done.
template <class Numbers>
struct KeepSideBody {
  SidePlane plane;
  SideLevels q;
  typename Numbers::Field* c;
  typename Numbers::Slot* slot;
  HALOCLINE_HD void operator()(Index v, Index u) const {
    const Index n = plane.in_plane(v, u), at = plane.at(v, u);
    store_as(slot + at, q.now[n] - q.last[n]);
    store_as(c + at, q.now[n]);
  }
};

struct FillSideBody {
  SidePlane plane;
  double value;
  double* q;
  HALOCLINE_HD void operator()(Index v, Index u) const { q[plane.in_plane(v, u)] = value; }
};

}  // namespace halocline::fractional
