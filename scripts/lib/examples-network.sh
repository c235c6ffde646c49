# The ports and addresses of scripts/examples. Its functions read $servers, $free_ports, $listen and
# $phone_host, the host by which a phone reaches this machine; empty where none can.

# port_of NAME: the port that a server has; 0 lets the system choose
port_of() {
  local port
  if [[ -n "$free_ports" ]]; then
    echo 0
    return
  fi
  port="$(awk -v name="$1" '$1 == name { port = $2 } END { print port }' "$servers")"
  if [[ ! "$port" =~ ^[0-9]+$ ]]; then
    echo "$servers has no port for $1." >&2
    exit 1
  fi
  echo "$port"
}

# is_taken ADDRESS PORT: whether a server listens there
is_taken() {
  local address="$1"
  [[ "$address" != "0.0.0.0" ]] || address="127.0.0.1"
  (exec 3<>"/dev/tcp/$address/$2") 2>/dev/null
}

# check_ports FILE ADDRESS: ends the script, before anything is built, where a port is taken
check_ports() {
  local name port taken=""
  while read -r name port _; do
    [[ "$port" =~ ^[0-9]+$ ]] || continue
    if is_taken "$2" "$port"; then
      echo "Port $port, which $name needs, is already in use." >&2
      taken=1
    fi
  done < <(grep -v '^#' "$1")
  [[ -n "$taken" ]] || return 0
  echo "Stop the program that uses it, write another port into $1, or run" \
    "scripts/examples --free-ports." >&2
  exit 1
}

# network_address: the address that a phone in the local network types
network_address() {
  local found=""
  if [[ "$(uname)" == Darwin ]]; then
    found="$(ipconfig getifaddr en0 || ipconfig getifaddr en1 || true)"
  else
    # The address of the way out, which is no container's bridge; nothing is sent.
    found="$(ip -4 route get 192.0.2.1 2>/dev/null | sed -n 's/.* src \([0-9.]*\).*/\1/p' || true)"
    [[ -n "$found" ]] || found="$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 '^[0-9.]\{7,\}$' || true)"
  fi
  if [[ -z "$found" ]]; then
    echo "This machine seems to have no address in a local network. Name the one that a phone can" \
      "reach: scripts/examples --host 192.168.1.20" >&2
    exit 1
  fi
  echo "$found"
}

# shown ADDRESS: an address as a phone types it, where phones can reach this machine
shown() {
  if [[ -n "$phone_host" ]]; then
    echo "$1" | sed "s|//[^:/]*|//$phone_host|"
  else
    echo "$1"
  fi
}

# write_addresses FILE: what the apps read in place of servers.conf; without --host it goes
write_addresses() {
  local marker="# Written by scripts/examples --host; its next start writes or removes it." line
  if [[ -n "$phone_host" ]]; then
    {
      echo "$marker"
      echo "host $phone_host"
      for line in "${started[@]}"; do
        echo "$line" | sed 's|^\([^ ]*\) .*:\([0-9]*\)$|\1 \2|'
      done
    } >"$1"
  elif [[ -f "$1" && "$(head -n 1 "$1")" == "$marker" ]]; then
    rm "$1"
  fi
}

# phone_advice FILE: what to do on the phone
phone_advice() {
  local line
  if [[ -z "$phone_host" ]]; then
    printf '\nFor a phone in the same network, start with --host.\n'
    return
  fi
  printf '\nOn a phone in the same network, type into the browser:\n'
  for line in "${started[@]}"; do
    case "$line" in
      *-web\ *) printf '  %-20s %s\n' "${line%%-web *}" "$(shown "${line#* }")" ;;
    esac
  done
  printf 'The iOS apps read the host from %s: build them again in Xcode.\n' "$1"
  printf 'Everybody in this network can now reach these servers, and their passwords are public.\n'
}
