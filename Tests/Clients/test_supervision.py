"""A server that systemd supervises: what it says over NOTIFY_SOCKET, when, and where its first key is."""

import contextlib
import os
import pathlib
import stat
import tempfile

import pytest

from support import rest, server as servers
from support.supervision import FrozenThreads, NotifySocket

pytestmark = pytest.mark.brasa_only


@contextlib.contextmanager
def supervised(data, is_abstract=False, **variables):
    """A server in development with a socket for its notices."""
    with tempfile.TemporaryDirectory() as folder:
        listening = NotifySocket(f"{folder}/notify", is_abstract)
        running = servers.Brasa(data, environment={"NOTIFY_SOCKET": listening.name, **variables})
        try:
            yield running.start(), listening
        finally:
            running.kill()
            listening.close()


@pytest.mark.parametrize("is_abstract", [False, True])
def test_a_start_and_a_stop_are_told(tmp_path, is_abstract):
    data = tmp_path / "data"
    with supervised(data, is_abstract) as (running, notices):
        assert notices.next() == f"STATUS=Opening {data}"
        assert notices.next() == f"STATUS=Listening on {running.host}, development"
        assert notices.next() == "READY=1"
        assert running.stop() == 0
        assert notices.next() == "STOPPING=1"
        assert notices.next().startswith("STATUS=Finishing")
        notices.drain()
        assert "WATCHDOG=1" not in notices.seen


@pytest.mark.parametrize("threads", ["NIO-ELT"])
def test_signs_of_life_end_while_the_port_hangs(tmp_path, threads):
    with supervised(tmp_path / "data", WATCHDOG_USEC="300000") as (running, notices):
        for _ in range(3):
            notices.wait_for("WATCHDOG=1")
        with FrozenThreads(running.process.pid, threads):
            # One may be on its way.
            notices.drain()
            with pytest.raises(TimeoutError):
                notices.wait_for("WATCHDOG=1", seconds=0.6)
                notices.wait_for("WATCHDOG=1", seconds=1.5)
        notices.wait_for("WATCHDOG=1")
        assert running.stop() == 0


def test_a_watchdog_for_another_process_hears_nothing(tmp_path):
    with supervised(tmp_path / "data", WATCHDOG_USEC="100000", WATCHDOG_PID="1") as (running, notices):
        notices.wait_for("READY=1")
        with pytest.raises(TimeoutError):
            notices.wait_for("WATCHDOG=1", seconds=1)


def test_a_socket_that_nobody_reads_stops_nothing(tmp_path):
    gone = servers.Brasa(tmp_path / "data", environment={"NOTIFY_SOCKET": str(tmp_path / "nobody")}).start()
    assert rest.Rest(gone, "demo").session.get(f"{gone.url}/healthz", timeout=30).text == "ok\n"
    assert gone.stop() == 0


def test_the_first_key_is_not_in_the_journal(tmp_path):
    data = tmp_path / "data"
    reading, writing = os.pipe()
    pipe = os.fstat(writing)
    os.close(reading), os.close(writing)
    # Another stream than the standard error: the key is shown as on a terminal.
    running = servers.Brasa(
        data, development=False, environment={"JOURNAL_STREAM": f"{pipe.st_dev}:{pipe.st_ino}"}
    ).start()
    assert running.administrator_key
    assert running.stop() == 0
    assert not (data / "administrator-key").exists()


def journaled(data):
    """What a first start in production writes where its standard error is the journal."""
    import subprocess

    with tempfile.TemporaryFile() as journal:
        place = os.fstat(journal.fileno())
        variables = {"JOURNAL_STREAM": f"{place.st_dev}:{place.st_ino}"}
        process = subprocess.Popen(
            [servers.binary(), "serve", "--port", "0", "--data", data],
            stdout=subprocess.PIPE, stderr=journal, env=servers.clean_environment(variables), text=True,
        )
        line = process.stdout.readline()
        process.terminate()
        assert process.wait(60) == 0 and "listening" in line
        journal.seek(0)
        return journal.read().decode()


def test_a_key_for_the_journal_goes_to_a_file(tmp_path):
    data = tmp_path / "data"
    said = journaled(data)
    file = data / "administrator-key"
    key = file.read_text().strip()
    assert key.startswith("brasa-admin-") and key not in said
    assert str(file) in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    # A key that is made anew replaces the file, also where it was made a link.
    other = tmp_path / "other"
    other.write_text("mine")
    file.unlink()
    file.symlink_to(other)
    pathlib.Path(data / "administrator-key.sha256").unlink()
    journaled(data)
    assert other.read_text() == "mine" and not file.is_symlink()
    assert file.read_text().strip() not in (key, "")
