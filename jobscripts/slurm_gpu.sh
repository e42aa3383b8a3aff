#!/usr/bin/env bash
# Solves a deck on GPU nodes, one rank per GPU. Submit from where decks and results are to be found:
#   sbatch [options] HALOCLINE/jobscripts/slurm_gpu.sh DECK [options of halocline run]
#   OUTPUT=out/NAME sbatch --nodes 4 HALOCLINE/jobscripts/slurm_gpu.sh DECK   # restarts and requeues itself, see common.sh
# Environment: HALOCLINE_ROOT (folder of halocline; by default above this script), HALOCLINE (program, default
# that built or installed there), HALOCLINE_LAUNCHER (mpirun or srun; default mpirun), OUTPUT,
# DEVICES (run.devices; default cuda, which fails where a node has no working GPU instead of computing on its CPUs).
#SBATCH --job-name=halocline
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.log
# Every rank sees all GPUs of its node (no --gpu-bind: peer copies need that); halocline gives node-local rank r device r.
# USR1 comes 120 s before the time limit, to this script alone (B:), which passes it on: time enough for a last checkpoint.
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
# Clusters: load what the program was built with, for example
#   module load gcc cuda openmpi hdf5-parallel yaml-cpp openblas
# SLURM runs a copy of this script, and knows where it lay.
root=${HALOCLINE_ROOT:-$(scontrol show job "$SLURM_JOB_ID" | sed -n 's|^ *Command=\(/[^ ]*\)/jobscripts/.*|\1|p')}
# shellcheck source=common.sh
source "${root:-.}/jobscripts/common.sh"

mpi_settings
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
set_binding $((SLURM_NTASKS / SLURM_JOB_NUM_NODES)) "$OMP_NUM_THREADS"
run_job "$(find_program "${root:-.}" cuda-release)" "$@" --set "run.devices=${DEVICES:-cuda}"
