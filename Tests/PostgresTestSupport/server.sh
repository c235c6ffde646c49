# A PostgreSQL server of the tests' own. Arguments: the folder of its programs, its directory, and how its programs are
# run as another user, if they are.
#
# Answers + or - when the server takes connections, and to each of the commands start, stop and restart; the last two
# stop it as a crash would. It ends the server and removes the directory as soon as nobody holds its standard input,
# however the tests end. Nothing here survives the machine, so nothing is synced, unless POSTGRES_DURABLE says so.
bin=$1 dir=$2
shift 2
user=$*
settings=''
if [ -z "${POSTGRES_DURABLE:-}" ]; then
  settings='-c fsync=off -c full_page_writes=off -c shared_buffers=64MB -c autovacuum=off'
fi
start() {
  $user "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 120 start -o "-k '$dir' -p 5432 \
-c listen_addresses= -c max_connections=300 $settings" >>"$dir/control" 2>&1
}
stop() { $user "$bin/pg_ctl" -D "$dir/data" -w -m immediate stop >>"$dir/control" 2>&1; }
answer() { if [ "$1" = 0 ]; then printf +; else printf -- -; fi; }
$user "$bin/initdb" -D "$dir/data" -U brasa -A trust --no-locale -E UTF8 --no-sync >"$dir/control" 2>&1 && start
answer $?
while read -r command; do
  case $command in
    start) start ;;
    stop) stop ;;
    restart) stop && start ;;
  esac
  answer $?
done
stop
cd / && rm -rf "$dir"
