#!/usr/bin/env bash
# Solves a deck on CPU nodes. Submit from where decks and results are to be found:
#   sbatch [options] HALOCLINE/jobscripts/slurm_cpu.sh DECK [options of halocline run]
#   OUTPUT=out/NAME sbatch --nodes 4 HALOCLINE/jobscripts/slurm_cpu.sh DECK   # restarts and requeues itself, see common.sh
# Environment: HALOCLINE_ROOT (folder of halocline; by default above this script), HALOCLINE (program, default
# that built or installed there), HALOCLINE_LAUNCHER (mpirun or srun; default mpirun), OUTPUT.
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
# SLURM runs a copy of this script, and knows where it lay.
root=${HALOCLINE_ROOT:-$(scontrol show job "$SLURM_JOB_ID" | sed -n 's|^ *Command=\(/[^ ]*\)/jobscripts/.*|\1|p')}
# shellcheck source=common.sh
source "${root:-.}/jobscripts/common.sh"

mpi_settings
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
set_binding $((SLURM_NTASKS / SLURM_JOB_NUM_NODES)) "$OMP_NUM_THREADS"
run_job "$(find_program "${root:-.}" cpu-release)" "$@"
