# Solvers by whole grid lines, for general coefficients.
target_sources(collocation PRIVATE block_schur_solver.cpp refinement.cpp row_scaling.cpp)
halocline_kernels(collocation block_lines.cpp block_schur.cpp inner_bicgstab.cpp line_smoother.cpp)
