#!/usr/bin/env bash
# Runs a program on this machine: ranks, threads and signals in one place.
#   jobscripts/local.sh [-n RANKS] [-t THREADS] PROGRAM ARGS...
#   jobscripts/local.sh -n 2 build/cpu-release/bin/halocline run inputs/collocation/default.yaml
# RANKS is 2 unless given, THREADS the cores divided by the ranks. Ctrl-C ends the run at the next slice of work.
set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

ranks=2 threads=
while getopts n:t: option; do
  case $option in
    n) ranks=$OPTARG ;;
    t) threads=$OPTARG ;;
    *) sed -n '3s/^# *//p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '3s/^# *//p' "$0" >&2; exit 2; }

mpi_settings
if [ -z "$threads" ]; then threads=$(($(physical_cores) / ranks)); fi
if [ "$threads" -lt 1 ]; then threads=1; fi
export OMP_NUM_THREADS=$threads
# Other programs run on this machine too, so nothing is bound and waiting ranks give their core away.
run_forwarding mpirun -n "$ranks" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "$@"
