# Runs test runners one after the other, reads how many tests each passed and failed, and sums.
# A runner that fails without saying how many counts as one failure. Needs say.sh.

passed=0
failed=0
failures=()
failed_tests=$(mktemp)

# Runs a command with its output shown and kept in $log; gives its exit code.
run_logged() {
  log=$(mktemp)
  "$@" 2>&1 | tee "$log"
  return "${PIPESTATUS[0]}"
}

# Starts a runner beside what follows. After `await_runner`, `finished_runner` shows its output and gives its
# code. It ends with the script.
start_runner() {
  beside=$(mktemp)
  "$@" >"$beside" 2>&1 &
  runner=$!
  trap 'kill "$runner" 2>/dev/null' EXIT
}

await_runner() {
  wait "$runner"
  runner_code=$?
  trap - EXIT
}

finished_runner() {
  cat "$beside"
  rm -f "$beside"
  return "$runner_code"
}

# Adds what one runner said. Arguments: its name, its exit code, passed, failed.
add_result() {
  local name=$1 code=$2 good=${3:-0} bad=${4:-0}
  if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$code" -eq 0 ] && [ "$good" -eq 0 ]; then
    bad=1
    say "$name: ran no test"
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  if [ "$bad" -gt 0 ]; then
    failures+=("$name")
    grep -aE '^(FAILED|ERROR) |✘ Test .* (recorded an issue|failed after)' "$log" >>"$failed_tests"
  fi
  rm -f "$log"
  say "$name: $good passed, $bad failed"
}

# A check that passes or fails as a whole.
run_check() {
  local name=$1 code
  shift
  say "$name"
  run_logged "$@"
  code=$?
  add_result "$name" "$code" "$((code == 0))" "$((code != 0))"
}

# Swift Testing closes with 'Test run with N tests [in M suites] passed|failed … [with K issues]'.
run_swift_tests() {
  local name=$1 code total bad
  shift
  say "$name"
  run_logged "$@"
  code=$?
  if [ "$code" -eq 124 ]; then
    say "$name: out of time; these tests had not ended:"
    unfinished_swift_tests
  fi
  total=$(sed -n 's/.*Test run with \([0-9]*\) tests\{0,1\}.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  bad=$(sed -n 's/.*Test \(.*\) failed after .*/\1/p' "$log" | grep -vc '^run with' || true)
  add_result "$name" "$code" "$((total > bad ? total - bad : 0))" "$bad"
}

# The tests in $log that started and did not end.
unfinished_swift_tests() {
  comm -23 \
    <(sed -n 's/.*◇ Test \(.*\) started\.$/\1/p' "$log" | grep -v '^case ' | sort) \
    <(sed -n 's/.*[✔✘] Test \(.*\) \(passed\|failed\) after .*/\1/p' "$log" | grep -v '^case ' | sort)
}

# pytest closes with 'N failed, N passed, … in Ns'.
run_pytest() {
  local name=$1 code good bad
  shift
  say "$name"
  run_logged "$@"
  code=$?
  good=$(tail -n 3 "$log" | sed -n 's/.*[^0-9]\{0,1\}\b\([0-9][0-9]*\) passed.*/\1/p' | tail -n 1)
  bad=$(tail -n 3 "$log" | awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^(failed|errors?)[,]?$/) n += $(i - 1) } END { print n + 0 }')
  add_result "$name" "$code" "${good:-0}" "$bad"
}

# Anything that closes with the plain line 'N passed, N failed'.
run_counted() {
  local name=$1 code line
  shift
  say "$name"
  run_logged "$@"
  code=$?
  line=$(grep -E '^([^ ]+: )?[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  add_result "$name" "$code" \
    "$(sed -n 's/.*\b\([0-9][0-9]*\) passed.*/\1/p' <<<"$line")" \
    "$(sed -n 's/.*\b\([0-9][0-9]*\) failed.*/\1/p' <<<"$line")"
}

# Which tests failed once more, so that the end of a log tells; then the closing line, and its exit code.
finish() {
  if [ "$failed" -gt 0 ]; then
    cut -c 1-400 "$failed_tests"
    say "failed: ${failures[*]}"
  fi
  rm -f "$failed_tests"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
