// The block kernels of the closed form, run on the host in place of the stand-ins of the library.
#include "lib/problems/collocation/direct/closed_blocks.cu"
