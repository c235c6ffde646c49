# The start of single servers for scripts/examples. Its functions read $program, $brasa, $data and
# $listen, $phone_host; each leaves its address in $address and adds a line to $started. What `start`
# has started is noted in $data/running, a file a server: its process, then its command, a line a word.

started=()
brasas=()

# note NAME: prints a server that has started
note() {
  started+=("$1 $address")
  printf '%-22s %s\n' "$1" "$(shown "$address")"
}

# start NAME ARGUMENT...: starts one part of an example
start() {
  local name="$1"
  shift
  launch "$name" "$program" "$name" --host "$listen" --port "$(port_of "$name")" "$@"
  # The key of the sales provider is among the variables.
  (umask 077 && printf '%s\n' "$!" ${SALES_MESSAGES_URL+"SALES_MESSAGES_URL=$SALES_MESSAGES_URL"} \
    ${SALES_MESSAGES_KEY+"SALES_MESSAGES_KEY=$SALES_MESSAGES_KEY"} \
    "$program" "$name" --host "$listen" --port "${address##*:}" "$@" >"$data/running/$name")
  note "$name"
}

# process_of NAME: the process of a noted server; fails where it does not run
process_of() {
  local process
  read -r process <"$data/running/$1"
  # Another program may have got the number since.
  [[ " $(command_line "$process") " == *" $1 "* ]] && echo "$process"
}

# command_line PROCESS: what it was started with; nothing where it has gone. Slim systems have no ps.
command_line() {
  if [[ -r "/proc/$1/cmdline" ]]; then
    tr '\0' ' ' <"/proc/$1/cmdline"
  else
    ps -p "$1" -o args= 2>/dev/null || true
  fi
}

# check_part NAME: ends the script where no such server has been started with this data
check_part() {
  [[ -d "$data/running" ]] || refuse "No examples run with data in $data: start scripts/examples first."
  [[ "$1" != */* && -f "$data/running/$1" ]] ||
    refuse "There is no server $1 to stop or start; these are: $(ls "$data/running" | tr '\n' ' ')"
}

# stop_part NAME: stops one server and returns when it has gone
stop_part() {
  local process
  check_part "$1"
  process="$(process_of "$1")" || refuse "$1 does not run."
  kill "$process"
  while kill -0 "$process" 2>/dev/null; do sleep 0.1; done
}

# start_part NAME: becomes a server that has stopped, with the port and the data that it had
start_part() {
  local command=() word
  check_part "$1"
  ! process_of "$1" >/dev/null || refuse "$1 runs already."
  while IFS= read -r word; do command+=("$word"); done < <(tail -n +2 "$data/running/$1")
  (umask 077 && printf '%s\n' "$$" "${command[@]}" >"$data/running/$1")
  exec env "${command[@]}"
}

# start_provider CERTIFICATES: starts the products' provider; its page alone is open to phones
start_provider() {
  launch products-provider "$program" products-provider --certificates "$1" \
    --port "$(port_of products-provider)" --page-port "$(port_of products-provider-page)" \
    --host "$listen" --page-host "${phone_host:-127.0.0.1}"
  started+=("products-provider $address")
  printf '%-22s %s (servers ask it; your browser is led to its page)\n' products-provider "$address"
}

# launch NAME COMMAND...: runs a program that says where it listens
launch() {
  local name="$1" output line=""
  shift
  output="$(mktemp -u)"
  mkfifo "$output"
  "$@" >"$output" &
  exec 3<"$output"
  rm "$output"
  if ! read -r line <&3; then
    echo "$name did not start." >&2
    exit 1
  fi
  exec 3<&-
  address="${line#listening on }"
}

# serve NAME: starts a Brasa of an example's own, and says in $is_new whether it is its first start
serve() {
  local name="$1" output line host
  is_new=""
  [[ -d "$data/$name" ]] || is_new=1
  output="$(mktemp -u)"
  mkfifo "$output"
  # The log of the first start has the administrator key.
  (umask 077 && : >>"$data/$name.log")
  "$brasa" serve --host "$listen" --port "$(port_of "$name")" --data "$data/$name" >"$output" \
    2>>"$data/$name.log" &
  exec 3<"$output"
  rm "$output"
  address=""
  while [[ -z "$address" ]] && read -r line <&3; do
    if [[ $line =~ ^brasa\ listening\ address=([^ ]+)\ port=([0-9]+) ]]; then
      host="${BASH_REMATCH[1]}"
      [[ "$host" != "0.0.0.0" ]] || host="127.0.0.1"
      address="http://$host:${BASH_REMATCH[2]}"
    fi
  done
  if [[ -z "$address" ]]; then
    echo "$name did not start:" >&2
    tail -n 5 "$data/$name.log" >&2
    exit 1
  fi
  cat <&3 >>"$data/$name.log" &
  exec 3<&-
  brasas+=("$name $address")
  note "$name"
}

# command_of NAME ARGUMENT...: runs one of Brasa's commands on an example's data
command_of() {
  local name="$1" output
  shift
  if ! output="$("$brasa" "$@" --project "$name" --data "$data/$name" 2>&1)"; then
    echo "$output" >&2
    exit 1
  fi
}

# administer NAME METHOD PATH BODY: calls an administrator's API of the Brasa at $address
administer() {
  local name="$1" method="$2" path="$3" body="$4" key
  key="$(grep -o 'brasa-admin-[0-9a-f]*' "$data/$name.log" | tail -n 1)"
  curl -fsS -o /dev/null -X "$method" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
    -d "$body" "$address/v2/projects/$name/$path"
}

# consoles: a link to the console of each Brasa
consoles() {
  local line name
  for line in "${brasas[@]}"; do
    name="${line%% *}"
    printf '  %-20s %s\n' "$name" "$("$brasa" console open --origin "${line#* }" --data "$data/$name" 2>&1 |
      grep -o 'http[^ ]*' | head -n 1)"
  done
}
