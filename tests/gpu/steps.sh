# What run_all.sh and run_several.sh share: where programs and decks lie, steps with a limit, and their table.
# Sourced with the folder as $1. $REPORT: for logs; $LIMIT: s, for everything; $FROM: name of the step to begin with, where
# an earlier call has run out of time.

folder=$(cd "${1:-build/cuda-release}" && pwd) || exit 2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
decks=$source/inputs table=$folder/tests/gpu/programs.txt
launch=()
if [ -x "$folder/run" ]; then launch=("$folder/run") decks=$folder/share/inputs table=$folder/share/gpu/programs.txt; fi
report=${REPORT:-$folder/gpu-report}
limit=${LIMIT:-440}  # s, for everything
from=${FROM:-}
mkdir -p "$report"
export PATH="$folder/bin:$PATH"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_WAIT_POLICY=passive
export GTEST_COLOR=no

rows=() failed=0
note() { rows+=("$(printf '%-44s %-9s %6s  %s' "$1" "$2" "$3" "$4")"); echo "${rows[-1]}"; }

# step NAME SECONDS EXPECTED_CODE COMMAND...: runs it with a limit; its log is report/NAME.log.
step() {
  local name=$1 seconds=$2 expected=$3 left code=0 begin result detail log
  shift 3
  if [ -n "$from" ] && [ "$name" != "$from" ]; then return; fi
  from=''
  left=$((limit - SECONDS))
  if [ "$left" -lt 5 ]; then note "$name" 'left out' - 'no time left'; return; fi
  if [ "$seconds" -gt "$left" ]; then seconds=$left; fi
  log=$report/${name//[ \/]/_}.log
  begin=$(date +%s.%N)
  timeout -k 5 "$seconds" "$@" >"$log" 2>&1 </dev/null || code=$?
  result=ok
  if [ "$code" -ne "$expected" ]; then
    result=FAILED failed=1
    if [ "$code" = 124 ] || [ "$code" = 137 ]; then result=TIMEOUT; fi
  fi
  detail=$(grep -aE '^\[  (PASSED|FAILED)  \] [0-9]+ test|ERROR SUMMARY|RACECHECK SUMMARY|^ +(iterations|max_error.u|time) |^halocline: ' "$log" |
    tr -s ' ' | cut -c1-90 | paste -sd';' | cut -c1-150)
  if [ "$result" != ok ]; then detail="code $code; $detail"; fi
  note "$name" "$result" "$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN {printf "%.1f", b - a}')" "$detail"
}
# call NAME SECONDS EXPECTED_CODE COMMAND...: the same with the programs and libraries of the folder.
call() {
  local name=$1 seconds=$2 code=$3
  shift 3
  step "$name" "$seconds" "$code" "${launch[@]:-env}" "$@"
}
ranks() { if [ "$1" -gt 1 ]; then printf '%s\n' mpirun -n "$1"; fi; }  # what starts so many

# findings DIRECTORY: names and values of a run, but for times.
findings() {
  sed -n '/"findings"/,/"timers"/p' "$1/report.json" |
    awk -F'"' '$2 == "name" {name = $4} $2 == "unit" {unit = $4} $2 == "value" && unit != "s" {print name $3}'
}
# Prints the table and ends.
finish() {
  printf '\n%-44s %-9s %6s  %s\n' step result s detail
  printf '%s\n' "${rows[@]}" | tee "$report/table.txt"
  echo "total: ${SECONDS} s; logs in $report"
  exit $failed
}
