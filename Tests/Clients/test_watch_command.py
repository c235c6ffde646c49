"""`brasa watch`: lines where nobody looks, a table on a terminal."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading

import pytest

from support import clients
from support import server as servers

pytestmark = pytest.mark.brasa_only


class Watch:
    """A running `brasa watch` whose output is read as it comes."""

    def __init__(self, server, project, *arguments, size=None, environment=None):
        command = [servers.binary(), "watch", *arguments, "--project", project, "--host", server.host]
        self.text = ""
        self.changed = threading.Condition()
        output = subprocess.PIPE
        if size:
            master, output = pty.openpty()
            fcntl.ioctl(output, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE if not size else output,
            env=servers.clean_environment({"TERM": "xterm", **(environment or {})}),
        )
        if size:
            os.close(output)
        self.source = master if size else self.process.stdout.fileno()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            try:
                data = os.read(self.source, 65536)
            except OSError:
                data = b""
            if not data:
                return
            with self.changed:
                self.text += data.decode("utf-8", "replace")
                self.changed.notify_all()

    def until(self, pattern):
        with self.changed:
            found = self.changed.wait_for(lambda: re.search(pattern, self.text), 30)
            assert found, f"{pattern} not in {self.text!r}"

    def interrupt(self):
        """Ctrl-C; gives the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)


def test_lines_say_what_came_changed_and_left(server, project, client):
    client.document("c/a").set({"n": 1, "who": "ana"})
    client.document("c/b").set({"n": 2, "who": "bia"})
    with Watch(server, project, "c", "--where", "n >= 1", "--order", "n:desc", "--limit", "2") as watch:
        watch.until(r'(?s)^\+ b \{n: 2, who: "bia"\}\n\+ a \{n: 1, who: "ana"\}\n')
        client.document("c/c").set({"n": 3})
        watch.until(r"(?s)- a\n\+ c \{n: 3\}\n")
        client.document("c/c").update({"n": 4})
        watch.until(r"~ c \{n: 4\}\n")
        client.document("c/b").delete()
        watch.until(r'(?s)- b\n\+ a \{n: 1, who: "ana"\}\n')
        assert watch.interrupt() == 0


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("who == ana", ["a"]),
        ('who == "ana"', ["a"]),
        ("n<2", ["a"]),
        ("n != 1", ["b", "c"]),
        ("tags contains x", ["b"]),
        ("who == null", ["c"]),
        ("flag == true", ["b"]),
        ("deep.n >= 1.5", ["c"]),
    ],
)
def test_conditions(server, project, client, condition, expected):
    client.document("c/a").set({"n": 1, "who": "ana"})
    client.document("c/b").set({"n": 2, "who": "bia", "tags": ["x"], "flag": True})
    client.document("c/c").set({"n": 3, "who": None, "deep": {"n": 2}})
    client.document("c/z").set({})
    with Watch(server, project, "c", "--where", condition) as watch:
        for key in expected:
            watch.until(rf"(?m)^\+ {key} ")
        assert re.findall(r"(?m)^\+ (\w+)", watch.text) == expected


def test_groups_and_named_databases(server, project):
    client = clients.connect(server, project, "orders-db")
    client.document("users/ana/orders/1").set({"n": 1})
    client.document("orders/2").set({"n": 2})
    arguments = ["--database", "orders-db"]
    with Watch(server, project, "orders", "--group", *arguments) as watch:
        watch.until(r"\+ orders/2 \{n: 2\}\n\+ users/ana/orders/1 \{n: 1\}\n")
    with Watch(server, project, "users/ana/orders", *arguments) as watch:
        watch.until(r"^\+ 1 \{n: 1\}\n")
    client.close()


def test_a_table_is_drawn_again_and_the_terminal_given_back(server, project, client):
    client.document("c/a").set({"name": "Café 日本\x1b[31m", "n": 1})
    with Watch(server, project, "c", size=(10, 60)) as watch:
        watch.until("1 document ")
        assert "\x1b[?1049h" in watch.text and "\x1b[31m" not in watch.text
        assert re.search("Café 日本\ufffd", watch.text)
        client.document("c/b").set({"name": "x" * 500, "n": 2})
        watch.until("2 documents · 1 change")
        watch.until(r"\+ b ")
        last = watch.text.rsplit("\x1b[H", 1)[-1]
        lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in last.splitlines()]
        assert max(map(len, lines)) <= 60 and len(lines) <= 10
        for number in range(30):
            client.document(f"c/m{number:02}").set({"n": number})
        watch.until("32 documents")
        watch.until("… 26 more")
        assert watch.interrupt() == 0
        watch.until(re.escape("\x1b[?25h\x1b[?1049l") + "$")


def test_it_comes_back_after_a_restart(tmp_path):
    server = servers.Brasa(tmp_path / "data", "--port", str(servers.free_port())).start()
    client = clients.connect(server, "p")
    try:
        client.document("c/a").set({"n": 1})
        with Watch(server, "p", "c") as watch:
            watch.until(r"\+ a \{n: 1\}\n")
            server.kill()
            server.start()
            other = clients.connect(server, "p")
            other.document("c/b").set({"n": 2})
            watch.until(r"\+ b \{n: 2\}\n")
            assert watch.text.count("+ a") == 1
            other.close()
    finally:
        client.close()
        server.kill()


def test_production_wants_a_token_over_tls(tmp_path, certificates, authority):
    server = servers.Brasa.production(tmp_path / "data", certificates).start()
    try:
        key = server.administrator_key
        authority = ["--tls-authority", authority]
        servers.run("databases", "create", "(default)", "--project", "p", "--data", server.data, check=False)
        with Watch(server, "p", "c", *authority, environment={"BRASA_TOKEN": key}, size=(10, 80)) as watch:
            watch.until("0 documents")
        refused = servers.run(
            "watch", "c", "--project", "p", "--host", server.host, *authority, check=False, timeout=30
        )
        assert refused.returncode != 0 and "authentication" in refused.stderr
    finally:
        server.kill()


@pytest.mark.parametrize(
    "arguments",
    [
        ["c/x"], [""], ["c", "--where", "n"], ["c", "--where", "n.. == 1"], ["c", "--host", "here:x"],
        ["c", "--limit", "-1"], ["a/b/c", "--group"], ["c", "--host", "127.0.0.1:1"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_bad_arguments_say_so(arguments):
    done = servers.run("watch", *arguments, "--project", "p", check=False, timeout=30)
    assert done.returncode != 0 and done.stderr.strip() and not done.stdout


def test_a_query_that_is_refused_ends_it(tmp_path):
    server = servers.Brasa(tmp_path / "data", "--require-indexes").start()
    try:
        done = servers.run(
            "watch", "c", "--where", "a == 1", "--order", "b", "--project", "p",
            "--host", server.host, check=False, timeout=30,
        )
        assert done.returncode != 0 and "The query requires an index" in done.stderr
        assert "Usage" not in done.stderr
    finally:
        server.kill()
