# The headers of parallel HDF5 and the library of the serial one, since the other brings its MPI. The program calls nothing
# that only one of them has (io/h5/file_driver.hpp writes).
include(${CMAKE_ROOT}/Modules/FindHDF5.cmake)
find_library(SERIAL_HDF5_LIBRARY hdf5_serial)
if(NOT SERIAL_HDF5_LIBRARY)
  message(FATAL_ERROR "The preset scale needs the serial library of HDF5 as well (Debian: libhdf5-dev)")
endif()
set_target_properties(hdf5::hdf5 PROPERTIES IMPORTED_LOCATION ${SERIAL_HDF5_LIBRARY}
  IMPORTED_LOCATION_RELEASE ${SERIAL_HDF5_LIBRARY} INTERFACE_LINK_LIBRARIES "")
