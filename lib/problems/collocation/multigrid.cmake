# Multigrid.
target_sources(collocation PRIVATE banded_lu.cpp mg_solver.cpp multigrid_level.cpp multigrid_plan.cpp nodal_operator.cpp)
halocline_kernels(collocation coarse_solver.cpp multigrid.cpp nodal_vectors.cpp
  node_smoother.cpp residual.cpp transfers.cpp)
