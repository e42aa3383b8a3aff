#!/usr/bin/env bash
# Makes a folder with which tests/gpu/run_all.sh works on a GPU machine that has nothing but a driver.
#   tests/gpu/bundle_tests.sh [BUILD] FOLDER        BUILD: default build/cuda-release
# There:  FOLDER/share/gpu/run_all.sh FOLDER; benchmarks by FOLDER/run bench_NAME
set -euo pipefail
if [ $# -eq 1 ]; then build=build/cuda-release folder=$1; else build=$1 folder=$2; fi
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
table=$build/tests/gpu/programs.txt  # all programs with cases for GPUs, as the build knows them
programs=("$build/bin/halocline" "$build/bin/test_devices" "$build/bin/compare_fields")
# Benchmarks that only need a device, where they are built.
for bench in bench_sparse bench_sparse_products bench_fractional; do
  if [ -x "$build/bin/$bench" ]; then programs+=("$build/bin/$bench"); fi
done
while read -r name _; do programs+=("$build/bin/$name"); done <"$table"
for bench in "$build"/bin/bench_*; do programs+=("$bench"); done
"$source/jobscripts/bundle.sh" -s "$source/inputs" -s "$source/tests/gpu" "$folder" "${programs[@]}"
cp "$table" "$folder/share/gpu/"
mkdir -p "$folder/share/tests"
cp -RL "$source/tests/data" "$folder/share/tests/"  # what decks of ode_ensemble compare with
