# Solvers by whole grid lines, for general coefficients.
halocline_kernels(collocation block_lines.cpp line_smoother.cpp)
