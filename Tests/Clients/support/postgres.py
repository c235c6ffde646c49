"""A PostgreSQL server of a test run's own: a new cluster in a temporary directory, reached by a socket there."""

import os
import pathlib
import shutil
import subprocess
import tempfile

MISSING = "PostgreSQL is not installed"

# Nothing here survives the machine, so nothing is synced. The shell ends the server and removes the directory as
# soon as nobody holds its standard input, however the tests end.
SCRIPT = r"""
bin=$1 dir=$2
shift 2
user=$*
start() {
  $user "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 120 start -o "-k '$dir' -p 5432 \
-c listen_addresses= -c fsync=off -c full_page_writes=off -c shared_buffers=64MB" >>"$dir/control" 2>&1
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
"""


def programs():
    """Where Debian has the newest server's programs, or where they are in the path; None where there are none."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return pathlib.Path(initdb).parent if initdb else None


class Postgres:
    """Started when made; runs as the user `postgres` where the tests run as root, which the server refuses."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="brasa-pg-")
        user = []
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
            user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        self.shell = subprocess.Popen(
            ["/bin/sh", "-c", SCRIPT, "sh", str(programs()), self.directory, *user],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.directory,
        )
        self._await_answer()

    @property
    def address(self):
        """Where the server is, for libpq."""
        return f"postgres:///postgres?user=brasa&host={self.directory}"

    def tell(self, command):
        """`stop` and `restart` stop the server as a crash would."""
        self.shell.stdin.write(command.encode() + b"\n")
        self.shell.stdin.flush()
        self._await_answer()

    def close(self):
        """Ends the server and removes what it wrote."""
        self.shell.stdin.close()
        self.shell.wait(60)

    def _await_answer(self):
        if self.shell.stdout.read(1) != b"+":
            notes = [path.read_text() for path in pathlib.Path(self.directory).glob("[lc]o*") if path.is_file()]
            raise RuntimeError("PostgreSQL did not start or stop:\n" + "\n".join(notes))
