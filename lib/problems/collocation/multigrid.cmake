# Multigrid.
target_sources(collocation PRIVATE banded_lu.cpp mg_solver.cpp multigrid_plan.cpp)
halocline_kernels(collocation coarse_solver.cpp multigrid.cpp multigrid_level.cpp nodal_operator.cpp nodal_vectors.cpp
  node_smoother.cpp transfers.cpp)
