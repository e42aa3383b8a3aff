#!/usr/bin/env bash
# Everything that needs a GPU, in one call and one table: test cases on the device cuda, whole runs, compute-sanitizer.
#   tests/gpu/run_all.sh [FOLDER]      FOLDER: a build (default build/cuda-release) or a bundle of bundle_tests.sh
# Ends within 8 minutes; what does not fit is listed as left out. Logs lie in $REPORT (default FOLDER/gpu-report).
# FROM='test_halo on 4 ranks' goes on there. Exit code 0: all well; 1: something failed; 77: no GPU.
set -uo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

info=$("${launch[@]:-env}" halocline info) || { echo "$info"; echo 'run_all.sh: halocline does not start' >&2; exit 1; }
echo "$info" | tee "$report/info.txt"
grep -q 'device cuda:0' <<<"$info" || { echo 'run_all.sh: no GPU' >&2; exit 77; }
if command -v nvidia-smi >/dev/null; then nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader; fi

# Faults first: they are quick.
deck=$decks/collocation/thesis_256.yaml
run=(halocline run "$deck" --overwrite)
call 'fault: no such card' 60 4 "${run[@]}" --set 'run.devices=[cuda:99]' --set "output.directory=$report/none"
call 'fault: no card visible' 60 4 env CUDA_VISIBLE_DEVICES= "${run[@]}" --set 'run.devices=[cuda]' \
  --set "output.directory=$report/none"

call 'fault: more than the card holds' 60 4 "${run[@]}" --set 'run.devices=[cuda:0]' --set "output.directory=$report/none" \
  --set collocation.mesh.x.elements=40000 --set collocation.mesh.y.elements=300000

# Test cases on the device cuda, on as many ranks as the build's table says.
call 'test_devices' 90 0 "$folder/bin/test_devices"
for n in 1 2 4; do
  while read -r program counts; do
    case " $counts " in *" $n "*) ;; *) continue ;; esac
    if [ ! -x "$folder/bin/$program" ]; then note "$program" 'left out' - 'not built'; continue; fi
    mapfile -t start < <(ranks "$n")
    # By path: a test of a fault starts its program again.
    call "$program on $n ranks" 90 0 ${start[@]+"${start[@]}"} "$folder/bin/$program" '--gtest_filter=*cuda*'
  done <"$table"
done

# Whole runs: one part, and four parts on one card in three layouts, which must find the same numbers.
for layout in 1x1 1x4 2x2 4x1; do
  n=${layout%x*} parts=${layout#*x}
  mapfile -t start < <(ranks "$n")
  call "run thesis_256 on cuda:0, $layout" 90 0 ${start[@]+"${start[@]}"} "${run[@]}" --set 'run.devices=[cuda:0]' \
    --set "run.per_rank=$parts" --set "output.directory=$report/run_$layout"
  if [ "$layout" != 1x1 ]; then
    if [ "$(findings "$report/run_1x1")" = "$(findings "$report/run_$layout")" ]; then
      note "  $layout finds what 1x1 finds" ok - 'to the last digit'
    else
      note "  $layout finds what 1x1 finds" FAILED - "findings of $report/run_*/report.json differ" && failed=1
    fi
  fi
done
call 'run thesis_256 on cuda:0 and omp' 90 0 "${run[@]}" --set 'run.devices=[cuda:0, omp]' --set run.balance=measured \
  --set "output.directory=$report/run_both"
call 'run thesis_256 on omp' 90 0 "${run[@]}" --set 'run.devices=[omp]' --set "output.directory=$report/run_omp"

# Decks that compare their results with tables, other programs or exact solutions.
while read -r family names; do
  for name in $names; do
    call "run $family/$name" 60 0 halocline run "$decks/$family/$name.yaml" --overwrite \
      --set 'run.devices=[cuda:0]' --set "output.directory=$report/$family.$name"
  done
done <<'DECKS'
ode_ensemble riccati lorenz duffing keller_miksis relief_valve relief_valve_cycles stiff lorenz96 house lyapunov noise
diffusion gray_scott free_energy from_file carburizing porous_medium spinodal allen_cahn
collocation hot_lid bratu from_file pieces cooled_plate motz periodic
DECKS

# A kernel that faults on purpose, and slow tests of timing, stay out of the sanitizer's way.
sanitizer=$(command -v compute-sanitizer || ls "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" 2>/dev/null)
if [ -z "$sanitizer" ]; then
  note 'compute-sanitizer' 'left out' - 'not installed'
else
  subset='*cuda*-*Fault*:*RefusesMoreMemory*:*RefusedLaunches*:*Transfers*:*ThreadsDrive*'
  for tool in memcheck racecheck; do
    if [ $tool = racecheck ]; then subset="$subset:*IteratesOnTheDevice*"; fi  # takes minutes
    for program in test_cuda_executor test_convolve_on_gpu test_block_kernel_cuda test_vector test_halo test_krylov test_schur; do
      call "$tool: $program" 150 0 "$sanitizer" --tool "$tool" --error-exitcode 9 "$folder/bin/$program" \
        "--gtest_filter=$subset"
    done
  done
  # Barriers: programs whose kernels have some.
  for program in test_convolve_on_gpu test_block_kernel_cuda test_krylov; do
    call "synccheck: $program" 100 0 "$sanitizer" --tool synccheck --error-exitcode 9 "$folder/bin/$program" \
      "--gtest_filter=$subset"
  done
fi

# More than one GPU: the same bits in all layouts, and tables of scaling, in a report and with a limit of their own.
if grep -q 'device cuda:1' <<<"$info"; then
  note 'several GPUs: run_several.sh' begins - "$report/several"
  REPORT=$report/several "$(dirname "${BASH_SOURCE[0]}")/run_several.sh" "$folder" || failed=1
fi

finish
