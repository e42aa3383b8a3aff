#pragma once

namespace halocline {

/// Keeps every library that is loaded now in memory until the process has ended. To be called before MPI_Finalize: a
/// process without mpirun has a thread of Open MPI's that may still run in a plugin which MPI_Finalize unloads, and
/// then ends by a segmentation fault after all of its work is done.
void keep_loaded_libraries();

}  // namespace halocline
