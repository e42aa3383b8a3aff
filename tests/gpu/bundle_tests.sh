#!/usr/bin/env bash
# Makes a folder with which tests/gpu/run_all.sh works on a GPU machine that has nothing but a driver.
#   tests/gpu/bundle_tests.sh [BUILD] FOLDER        BUILD: default build/cuda-release
# There:  FOLDER/share/gpu/run_all.sh FOLDER
set -euo pipefail
if [ $# -eq 1 ]; then build=build/cuda-release folder=$1; else build=$1 folder=$2; fi
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
programs=()
for name in halocline test_cuda_executor test_convolve_on_gpu test_block_kernel_cuda test_vendor test_line_solve test_balance test_devices test_executor \
  test_ode_device test_formula_launch test_vector test_team test_schur test_dense_product test_fourier test_closed_form test_pencil test_separable \
  test_fitted test_multigrid test_nodal_operator test_node_smoother test_transfers test_block_lines test_block_schur \
  test_line_smoother test_line_multigrid test_refinement test_halo test_krylov test_collocation_parts test_vtkhdf test_table test_checkpoint; do
  programs+=("$build/bin/$name")
done
"$source/jobscripts/bundle.sh" -s "$source/inputs" -s "$source/tests/gpu" "$folder" "${programs[@]}"
mkdir -p "$folder/share/tests"
cp -RL "$source/tests/data" "$folder/share/tests/"  # what decks of ode_ensemble compare with
