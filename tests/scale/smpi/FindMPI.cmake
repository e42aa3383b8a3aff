# The headers of Open MPI and the library of SMPI, so that objects are those of cpu-release, from the compiler's cache.
# open_mpi.hpp translates between the two. wrapped.txt lists the calls that go through this folder.
include(${CMAKE_ROOT}/Modules/FindMPI.cmake)
if(NOT TARGET smpi_calls)
  get_target_property(headers MPI::MPI_CXX INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT headers MATCHES openmpi)
    message(FATAL_ERROR "The preset scale knows the binary interface of Open MPI 4 alone; this is ${headers}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/wrapped.txt)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/wrapped.txt wrapped REGEX "^[^#]")
  list(TRANSFORM wrapped PREPEND "LINKER:--wrap=")
  set(sources calls.cpp clock.cpp cluster.cpp collectives.cpp communicators.cpp compute.cpp messages.cpp phases.cpp report.cpp
      run.cpp turns.cpp)
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  add_library(smpi_calls STATIC ${sources})
  target_include_directories(smpi_calls PRIVATE ${PROJECT_SOURCE_DIR} SYSTEM PRIVATE ${SMPI_INCLUDE} ${SIMGRID_INCLUDE})
  target_compile_options(smpi_calls PRIVATE -Wall -Wextra)
  foreach(target MPI::MPI_C MPI::MPI_CXX)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_OPTIONS "${wrapped}"
      INTERFACE_LINK_LIBRARIES "$<LINK_LIBRARY:WHOLE_ARCHIVE,smpi_calls>;${SIMGRID_LIBRARY}")
  endforeach()
endif()
