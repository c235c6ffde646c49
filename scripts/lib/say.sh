# How the scripts talk: one line a step, with the time that passed since they began.

say() { printf '[%3ds] %s\n' "$SECONDS" "$*"; }

fail() {
  printf '[%3ds] %s\n' "$SECONDS" "$*" >&2
  exit 1
}

# Runs a command, showing its output only when it fails: `quietly "what it does" command …`.
quietly() {
  local what=$1 log
  shift
  log=$(mktemp)
  say "$what"
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    rm -f "$log"
    fail "$what: failed (the last lines of its output are above)"
  fi
  rm -f "$log"
}
