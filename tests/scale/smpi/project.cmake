# Read by project() of the preset `scale`, which links the program of cpu-release with SimGrid's SMPI in place of MPI. The
# modules beside this file stand in for CMake's FindMPI and FindHDF5.
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_library(SIMGRID_LIBRARY simgrid)
find_path(SIMGRID_INCLUDE simgrid/s4u.hpp)
find_path(SMPI_INCLUDE smpi.h PATH_SUFFIXES smpi)
if(NOT SIMGRID_LIBRARY OR NOT SIMGRID_INCLUDE OR NOT SMPI_INCLUDE)
  message(FATAL_ERROR "The preset scale needs SimGrid with SMPI (Debian: libsimgrid-dev and libhdf5-dev)")
endif()
