// BlockTables: the coefficients with which a block of M steps sums its history, as plain numbers for any device.
//
// Block b has the steps l = l0 + j, l0 = b M, j = 1 .. M. Slot j of a node holds a far value until step l0 + j has used
// it, then delta^{l0+j}; `first` holds delta^{l0}. With N states Q_k per node:
//
//   flush, at l0 > 0:   new_k = decay_k Q_k + from_first_k first + sum_j into_kj slot_j
//                       first = slot_M;  slot_j = sum_k out_kj new_k          (out of the node's medium)
//   near pass, at sub-block starts j = 5, 9, 13:
//                       slot_t += first_t first + sum_{i < j} near_ti slot_i   for t = j .. j + 3
//   step l0 + j:        H = slot_j + [first sub-block] first_j first + sum over i < j of the own sub-block near_ji
//   slot_i
//
// The first block, l0 = 0, has neither states nor `first`; its slots begin at 0. States, slots and `first` begin as 0.
// L1: states hold the cells up to l0; from_first and first_t are 0. Alikhanov: a cell is complete when its right
// neighbor is known, so states hold the cells up to l0 - 1, and `first` gives to all steps of its block.
// States of one medium with constant orders are scaled by their weights and decay to the block's first target, so that
// out <= 1, which suits float and half.
#pragma once

#include <vector>

#include "lib/problems/fractional/history/history_kernel.hpp"
#include "lib/problems/fractional/weights/weights.hpp"

namespace halocline::fractional {

// Steps of a sub-block: 4 where that divides the block, else the block has one level.
constexpr int sub_block(int block) { return block % 4 == 0 ? 4 : block; }

// Coefficients among the steps of a block, for each medium. Steps beyond the last have coefficients 0.
struct NearTables {
  int slots = 0, media = 0;
  std::vector<double> near;   // [medium][t - 1][i - 1]: A_{l0+t, l0+i} for i <= t, the local weight at i = t; above 0
  std::vector<double> first;  // [medium][t - 1]: of `first` beside states; 0 for L1 and in the first block
  std::vector<double> theta;  // [medium][t - 1]
};

// What a flush does with states.
struct FarTables {
  int slots = 0, media = 0, terms = 0;
  std::vector<double> decay;       // [k]
  std::vector<double> from_first;  // [k]; 0 for L1
  std::vector<double> into;        // [k][j - 1], slots of the block before
  std::vector<double> out;         // [medium][k][j - 1]
};

// `start` is a multiple of `slots`, 1 .. 64.
NearTables near_tables(const Weights& weights, Index start, int slots);
// start > 0. Cheap: N slots exponentials for each medium.
FarTables far_tables(const Weights& weights, const HistoryKernel& kernel, Index start, int slots);

// Whether all tables of the block at `start` are those of the block before, bit by bit: steps are equal since before
// it, and orders constant.
bool repeats(const Weights& weights, Index start, int slots);

// The same without states, for all increments stored: slot_j = sum_{m <= l0} A_{l0+j, m} delta^m, with the whole weight
// of delta^{l0}, so `first` is not used. Of increments m = from .. from + count - 1 <= start: [medium][m - from][j -
// 1].
std::vector<double> direct_far(const Weights& weights, Index start, int slots, Index from, Index count);

}  // namespace halocline::fractional
