"""A PostgreSQL server of a test run's own: a new cluster in a temporary directory, reached by a socket there."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

MISSING = "PostgreSQL is not installed"

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "PostgresTestSupport/server.sh"


def programs():
    """Where Debian has the newest server's programs, or where they are in the path; None where there are none."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return pathlib.Path(initdb).parent if initdb else None


class Postgres:
    """Started when made; runs as the user `postgres` where the tests run as root, which the server refuses.

    `settings` are options of the server, `primary` another one whose standby it is. `prepare` is called with the
    directory, where `data` and `wal` will be, before anything is made there; what it returns is added to the
    server's environment.
    """

    def __init__(self, durable=False, settings="", primary=None, prepare=lambda directory: None):
        self.directory = tempfile.mkdtemp(prefix="brasa-pg-")
        environment = prepare(self.directory)
        user = []
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
            user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        self.shell = subprocess.Popen(
            ["/bin/sh", str(SCRIPT), str(programs()), self.directory, *user],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.directory,
            env={
                **os.environ,
                **(environment or {}),
                "POSTGRES_DURABLE": "yes" if durable else "",
                "POSTGRES_SETTINGS": settings,
                "POSTGRES_PRIMARY": f"host={primary.directory} user=brasa application_name=standby" if primary else "",
            },
        )
        self._await_answer()

    @property
    def address(self):
        """Where the server is, for libpq."""
        return f"postgres:///postgres?user=brasa&host={self.directory}"

    def tell(self, command):
        """`start`, `stop`, `restart` or `promote`; the server is stopped as by a crash."""
        self.shell.stdin.write(command.encode() + b"\n")
        self.shell.stdin.flush()
        self._await_answer()

    def ask(self, query):
        """The answer to a query, as text."""
        address = ["-h", self.directory, "-U", "brasa", "-d", "postgres"]
        done = subprocess.run([programs() / "psql", "-XAtc", query, *address], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    @property
    def is_running(self):
        found = self._process()
        return found is not None and pathlib.Path(f"/proc/{found}").exists()

    def kill(self):
        """kill -9 of all of the server's processes, as when its machine dies."""
        server = self._process()
        os.kill(server, signal.SIGSTOP)
        for child in pathlib.Path(f"/proc/{server}/task/{server}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        os.kill(server, signal.SIGKILL)

    def close(self):
        """Ends the server and removes what it wrote."""
        self.shell.stdin.close()
        self.shell.wait(60)

    def _process(self):
        """The server's first process, which its directory names; None where it names none."""
        noted = pathlib.Path(self.directory, "data", "postmaster.pid")
        return int(noted.read_text().split()[0]) if noted.exists() else None

    def _await_answer(self):
        if self.shell.stdout.read(1) != b"+":
            notes = [path.read_text() for path in pathlib.Path(self.directory).glob("[lc]o*") if path.is_file()]
            raise RuntimeError("PostgreSQL did not start or stop:\n" + "\n".join(notes))
