#include "lib/problems/sparse/options.hpp"

namespace halocline::sparse {

void MatrixOptions::describe(Describer& d) {
  has_box = d.group({"box", "", "Finite volumes on a box, from formulas."}, box);
  has_ventricle = d.group({"ventricle", "", "Potential in the wall of a heart's ventricle, on tetrahedra."}, ventricle);
  has_elastic_box = d.group({"elastic_box", "", "Elasticity of a clamped box of cubes."}, elastic_box);
  has_file = d.group({"file", "", "Read from a file."}, file);
}

void ValuesOptions::describe(Describer& d) {
  if (with_random)
    random_given = d.item({"random", "1", "A seed: numbers between -1 and 1."}, random, Bounds::between(0, 1e15));
  d.formula({"formula", "1", "Of place and time; a right side gets it times the volume of a cell."}, formula,
            variables);
  file.describe(d);
}

void SolverOptions::describe(Describer& d) {
  d.choice({"method", "", "auto: cg where the matrix is symmetric, else gmres."}, method);
  d.item({"tol", "1", "Stop when the residual's norm is at most this times that of the right side."}, tolerance,
         Bounds::between(1e-16, 1));
  d.item({"atol", "1", "Or when it is at most this."}, absolute_tolerance, Bounds::at_least(0));
  d.item({"maxit", "1", "Most iterations of a solve; a run that needs more ends with exit code 3."}, max_iterations,
         Bounds::between(1, 1e8));
  d.item({"restart", "1", "Of gmres: iterations of a cycle, and vectors it keeps."}, restart, Bounds::between(1, 1000));
  d.choice({"sums", "",
            "Of cg, fcg and bicgstab. fused: sums over ranks wait for one another, one or two waits an iteration in "
            "place of two or three; separate: each when it is first of use."},
           sums);
  d.choice({"null_space", "", "auto: where a singular matrix maps constants to 0, they are taken out of everything."},
           null_space);
  d.item({"project_rhs", "", "Whether a right side may lose more than rounding to that."}, project_rhs);
}

void StorageOptions::describe(Describer& d) {
  d.choice({"kind", "", "How rows are stored for products: slices, compressed rows, or as wide as the longest row."},
           kind);
  sigma_given = d.item({"sigma", "1", "sell: rows sorted by length within so many."}, sigma, Bounds::between(1, 1024));
}

void SequenceOptions::describe(Describer& d) {
  d.item({"solves", "1", "Systems solved one after the other."}, solves, Bounds::between(1, 1e6));
  d.item({"step", "time", "From one to the next; formulas of a box and the front of a ventricle know t."}, step);
  start_given = d.choice({"start", "", "Of every solve but the first: the solution before, or zero."}, start);
  reuse_given = d.choice({"reuse", "",
                          "Of multigrid where values change: none, set up anew; pattern, refreshed; hierarchy, kept as "
                          "it is; auto, as iterations tell."},
                         reuse);
}

void MeasureOptions::describe(Describer& d) {
  d.item({"kernels", "1", "So many dot products, products with the matrix and preconditionings are timed; 0: none."},
         kernels, Bounds::between(0, 1e6));
}

void BlockOptions::describe(Describer& d) {
  d.definitions(names, variables);
  d.group({"matrix", "", "Where the matrix comes from: one of box, ventricle, elastic_box, file.", true}, matrix);
  d.word_or_group({"rhs", "",
                   "Right side: the source's own, ones, the sums of the rows (whose solution is 1), or {random: seed}, "
                   "{formula: ..}, {file: .., dataset: ..}."},
                  rhs, rhs_values);
  d.word_or_group({"start", "", "Where the first solve starts: zero, {formula: ..} or {file: .., dataset: ..}."}, start,
                  start_values);
  d.choice({"order", "",
            "Of the rows of a box or a file: its own; by bisection, which gives parts small surfaces; reverse "
            "Cuthill-McKee, of a file; auto: bisection of large boxes in 3D. Results keep the input's."},
           order);
  d.word_or_group({"components", "",
                   "Rows of a file that are a system of equations: unknowns of a node, numbered node by node, or "
                   "{file: .., dataset: ..}, for every row which unknown it is, from 0 on."},
                  components, components_file);
  d.group({"solver", "", "Solution method."}, solver);
  d.choice({"preconditioner", "", "Approximate inverse of the matrix."}, preconditioner);
  d.item({"degree", "1", "Of preconditioner chebyshev."}, degree, Bounds::between(1, 50));
  if (d.group({"amg", "", "Algebraic multigrid."}, amg)) amg_given = true;
  d.group({"matrix_format", "", "How rows are stored for products."}, storage);
  d.group({"sequence", "", "Several systems, one after the other."}, sequence);
  d.group({"measure", "", "What is timed after the solves, apart from them."}, measure);
  d.choice({"zero_rows", "", "Rows without entries: refused, or u_i = 0."}, zero_rows);
}

void VerifyOptions::describe(Describer& d) {
  d.formula({"exact", "1", "Exact solution."}, exact, variables);
  has_reference = d.group({"reference", "", "Values to compare with, in place of a formula."}, reference);
  d.item({"max_error", "1", "Largest admissible error of u."}, max_error, Bounds::positive());
  d.item({"rms_error", "1", "Largest admissible root mean square error of u."}, rms_error, Bounds::positive());
  d.item({"iterations", "1", "Admissible numbers of iterations of every solve, [low, high]."}, iterations,
         Bounds::at_least(0));
  d.item({"operator_complexity", "1", "Admissible entries of all levels over those of the matrix, [low, high]."},
         operator_complexity, Bounds::at_least(0));
  d.item({"residual", "1", "Largest admissible residual over the right side, by norm."}, residual, Bounds::positive());
  d.item({"unknowns", "1", "Number of rows."}, unknowns, Bounds::between(1, 1e15));
  d.item({"entries", "1", "Number of entries."}, entries, Bounds::between(1, 1e15));
}

void SparseOptions::describe(Describer& d) {
  d.group({"sparse", "", "A large sparse system A u = f by a Krylov method.", true}, block);
  d.group({"verify", "", "What the result is compared with."}, verify);
}

void SparseOptions::refine(int factor) {
  if (block.matrix.has_box) block.matrix.box.refine(factor);
  if (block.matrix.has_ventricle) block.matrix.ventricle.refine(factor);
  if (block.matrix.has_elastic_box) block.matrix.elastic_box.refine(factor);
  if (block.matrix.has_file) throw DeckError("sparse.matrix.file: a file cannot be refined by `study`");
}

}  // namespace halocline::sparse
