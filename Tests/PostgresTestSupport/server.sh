# A PostgreSQL server of the tests' own. Arguments: the folder of its programs, its directory, and how its programs are
# run as another user, if they are.
#
# Answers + or - when the server takes connections, and to each of the commands start, stop, restart and promote; stop and
# restart stop it as a crash would. It ends the server and removes the directory as soon as nobody holds its standard input,
# however the tests end. Nothing here survives the machine, so nothing is synced, unless POSTGRES_DURABLE says so.
# POSTGRES_SETTINGS are options of the server. With POSTGRES_PRIMARY, where another server is, it is that one's standby.
bin=$1 dir=$2
shift 2
user=$*
settings=${POSTGRES_SETTINGS:-}
if [ -z "${POSTGRES_DURABLE:-}" ]; then
  settings="-c fsync=off -c full_page_writes=off -c shared_buffers=64MB -c autovacuum=off $settings"
fi
create() {
  if [ -n "${POSTGRES_PRIMARY:-}" ]; then
    $user "$bin/pg_basebackup" -D "$dir/data" --waldir="$dir/wal" -d "$POSTGRES_PRIMARY" -R -c fast --no-sync
  else
    $user "$bin/initdb" -D "$dir/data" --waldir="$dir/wal" -U brasa -A trust --no-locale -E UTF8 --no-sync
  fi >"$dir/control" 2>&1
}
# The server is a child of this shell, which takes its exit status. One that pg_ctl starts becomes a child of the tests, if
# these adopt orphans, and stays there as a zombie.
start() {
  # shellcheck disable=SC2086
  $user "$bin/postgres" -D "$dir/data" -k "$dir" -p 5432 -c listen_addresses= -c max_connections=300 $settings \
    </dev/null >>"$dir/log" 2>&1 &
  server=$!
  until "$bin/pg_isready" -q -h "$dir" -p 5432; do
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.1
  done
}
stop() {
  $user "$bin/pg_ctl" -D "$dir/data" -w -m immediate stop >>"$dir/control" 2>&1 || return 1
  wait "$server" || true
}
promote() { $user "$bin/pg_ctl" -D "$dir/data" -w promote >>"$dir/control" 2>&1; }
answer() { if [ "$1" = 0 ]; then printf +; else printf -- -; fi; }
create && start
answer $?
while read -r command; do
  case $command in
    start) start ;;
    stop) stop ;;
    restart) stop && start ;;
    promote) promote ;;
  esac
  answer $?
done
stop
# What is mounted in it is left to whoever did that.
cd / && rm -rf "$dir" 2>/dev/null
