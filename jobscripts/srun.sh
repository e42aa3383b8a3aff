#!/usr/bin/env bash
# srun at a terminal, from a login node or in an allocation of salloc: Ctrl-C, SIGTERM and the end of the session end the
# run at the next slice of work, with a checkpoint. srun itself would kill the ranks.
#   jobscripts/srun.sh [OPTIONS OF SRUN] PROGRAM ARGS...
#   jobscripts/srun.sh -n 4 -c 2 halocline run DECK
# HALOCLINE_PMI is for --mpi=, by default as in common.sh.
set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# -gt 0 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }

mpi_settings
run_forwarding srun "--mpi=$(choose_pmi)" "$@"
