#!/usr/bin/env bash
# Plays `halocline run DECK ... --set output.directory=DIR [--restart auto]` for test_jobs.sh: waits for SIGUSR1, writes a
# checkpoint and ends; given --restart it finishes at once.
set -euo pipefail
[[ "$*" =~ output\.directory=([^ ]+) ]]
directory=${BASH_REMATCH[1]}
mkdir -p "$directory"
if [[ "$*" == *--restart* ]]; then
  echo "continues: $*"
  exit 0
fi
trap 'touch "$directory/checkpoint_0001.h5"; exit 0' USR1
touch "$directory/started_$OMPI_COMM_WORLD_RANK"
for ((i = 0; i < 600; i++)); do sleep 0.1; done
exit 3
