#!/usr/bin/env bash
# Solves a deck on CPU nodes. Submit from the root of halocline, where the program is built:
#   sbatch [options] jobscripts/slurm_cpu.sh DECK [options of halocline run]
#   OUTPUT=out/NAME sbatch --nodes 4 jobscripts/slurm_cpu.sh DECK     # restarts and requeues itself, see common.sh
# Environment: HALOCLINE (program, default build/cpu-release/bin/halocline), OUTPUT.
#SBATCH --job-name=halocline
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.log
# Begin with one rank per socket or NUMA domain: --ntasks-per-node = sockets, --cpus-per-task = cores of each.
# USR1 comes 120 s before the time limit, to this script alone (B:), which passes it on: time enough for a last checkpoint.
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
# Clusters: load what the program was built with, for example
#   module load gcc openmpi hdf5-parallel yaml-cpp openblas
# shellcheck source=common.sh
source jobscripts/common.sh

mpi_settings
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
set_binding $((SLURM_NTASKS / SLURM_JOB_NUM_NODES)) "$OMP_NUM_THREADS"
run_job "${HALOCLINE:-build/cpu-release/bin/halocline}" "$@"
