"""A PostgreSQL server of a test run's own: a new cluster in a temporary directory, reached by a socket there."""

import os
import pathlib
import shutil
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
    """Started when made; runs as the user `postgres` where the tests run as root, which the server refuses."""

    def __init__(self, durable=False):
        self.directory = tempfile.mkdtemp(prefix="brasa-pg-")
        user = []
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
            user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        self.shell = subprocess.Popen(
            ["/bin/sh", str(SCRIPT), str(programs()), self.directory, *user],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.directory,
            env={**os.environ, "POSTGRES_DURABLE": "yes" if durable else ""},
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
