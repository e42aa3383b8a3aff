# Direct solvers of separable operators, and the preconditioner made of them.
target_sources(collocation PRIVATE
  closed_form.cpp closed_modes.cpp direct_solver.cpp fitted.cpp fitted_terms.cpp fourier.cpp modes.cpp pencil.cpp
  pencil_basis.cpp
  resonance_across.cpp separability.cpp separable.cpp)
halocline_kernels(collocation closed_basis.cpp dense_modes.cpp fitted_inverse.cpp strip_modes.cpp)
if(HALOCLINE_CUDA)
  target_sources(collocation PRIVATE closed_blocks.cu)
else()
  target_sources(collocation PRIVATE closed_no_blocks.cpp)
endif()
