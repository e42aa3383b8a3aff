#pragma once

namespace halocline {

/// Has Open MPI start a process that no launcher started without a daemon beside it, which takes longer to start than a
/// small run needs: 0.1 s in place of 0.5 s and more. To be called before MPI_Init. Does nothing in a process of mpirun
/// or srun; other MPI libraries do not look at what it sets.
void start_alone();

/// What MPI would lack to start in this process, in words, or nullptr: Open MPI ends a program that it gets no memory
/// or no files for, by codes of its own or a crash. To be called before MPI_Init.
const char* lack_for_mpi();

}  // namespace halocline
