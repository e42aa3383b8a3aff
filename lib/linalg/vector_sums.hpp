// Sums of several vectors in one message, for iterations that wait for few of them. Collective; vectors of a call are
// of the same space, and may be the same.
#pragma once

#include <array>

#include "lib/linalg/sums_layout.hpp"
#include "lib/linalg/vector.hpp"

namespace halocline {

// Euclidean, with the bits of norm().
template <class T>
std::array<double, 2> norms(const Vector<T>& x, const Vector<T>& y);

// EnergySums but qu: reads 3 vectors.
template <class T>
EnergySums energy_sums(const Vector<T>& u, const Vector<T>& w, const Vector<T>& r);
// All: reads 4 vectors.
template <class T>
EnergySums energy_sums(const Vector<T>& u, const Vector<T>& w, const Vector<T>& r, const Vector<T>& q);

// Reads 3 vectors.
template <class T>
StepSums step_sums(const Vector<T>& t, const Vector<T>& s, const Vector<T>& r0);
// The same for the only part of all ranks, left in `sums` in the order of StepSums, in memory of its device, as by
// device_dots().
template <class T>
void device_step_sums(const Vector<T>& t, const Vector<T>& s, const Vector<T>& r0, double* sums);

// Reads 5 vectors.
template <class T>
CorrectionSums correction_sums(const Vector<T>& c, const Vector<T>& x, const Vector<T>& t, const Vector<T>& s,
                               const Vector<T>& r0);

// As update(), without its sums: reads 4, writes 2 vectors.
template <class T>
void update_without_sums(double a, const Vector<T>& p, double o, const Vector<T>& t, Vector<T>& x, Vector<T>& r);
// As cg_update(), without the sum.
template <class T>
void cg_update_without_sum(double alpha, double beta, const Vector<T>& u, const Vector<T>& w, Vector<T>& p,
                           Vector<T>& s, Vector<T>& x, Vector<T>& r);

}  // namespace halocline
