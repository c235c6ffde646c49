"""Continuous backup to a directory and restore, by a real server and real clients."""

import contextlib
import datetime
import os
import pathlib
import random
import shutil

import pytest
from support import clients, firebase_storage as firebase, server as servers

pytestmark = pytest.mark.brasa_only

BUCKET = "shop.appspot.com"


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "backup.key"
    path.write_text(servers.run("backup", "key").stdout)
    return path


class Backed:
    """A server with a backup, and restores of it."""

    def __init__(self, path, key, **options):
        self.path, self.key = pathlib.Path(path), key
        self.target = self.path / "target"
        flags = ["--backup-key", key] if key else ["--allow-plain"]
        self.server = servers.Brasa(self.path / "data", "--backup", self.target, *flags, **options)
        self.restores = 0

    def figure(self, name):
        lines = [line.split() for line in self.server.metrics if line.startswith(name + " ")]
        return float(lines[0][1]) if lines else None

    def is_current(self):
        return self.figure("brasa_backup_lag_seconds") == 0 and self.figure("brasa_backup_base_timestamp_seconds")

    def wait(self):
        """Waits until the target has all that was acknowledged."""
        servers.wait_for(self.is_current, "the backup")

    def restore(self, *arguments, check=True, target=None, key=None):
        """Restores into a new directory; gives its path and what the command wrote."""
        self.restores += 1
        to = self.path / f"restored-{self.restores}"
        key = key or self.key
        flags = ["--backup-key", key] if key else []
        done = servers.run("restore", "--from", target or self.target, "--to", to, *flags, *arguments, check=check)
        return to, done

    @property
    def segments(self):
        return sorted(path for path in (self.target / "segments").rglob("*") if path.is_file())


def documents(data, project="p"):
    """All documents of a collection, by a server on a directory."""
    with running(servers.Brasa(data)) as server, contextlib.closing(clients.connect(server, project)) as client:
        return {s.id: s.to_dict() for s in client.collection("d").stream()}


@contextlib.contextmanager
def running(server):
    server.start()
    try:
        yield server
    finally:
        server.kill()


def test_all_that_was_acknowledged_is_restored_after_the_disk_is_gone(tmp_path, key):
    backed = Backed(tmp_path, key)
    content = os.urandom(5 << 20)
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "p")) as client:
            for number in range(40):
                client.document(f"d/{number}").set({"n": number, "text": "x" * 1_000})
            backed.wait()
            storage = firebase.Storage(server, BUCKET, "owner")
            assert storage.upload("a/big", content).status_code == 200
            for number in range(40, 60):
                client.document(f"d/{number}").set({"n": number})
            client.document("d/0").delete()
            backed.wait()
        server.kill()
    shutil.rmtree(backed.server.data)
    to, done = backed.restore()
    assert "no differences" in done.stdout and f"restored {to}" in done.stdout
    expected = {str(n): {"n": n, **({"text": "x" * 1_000} if n < 40 else {})} for n in range(1, 60)}
    assert documents(to) == expected
    with running(servers.Brasa(to)) as server:
        assert firebase.Storage(server, BUCKET, "owner").download("a/big").content == content


def test_a_restart_goes_on_with_the_chain_and_makes_no_new_base(tmp_path, key):
    backed = Backed(tmp_path, key)
    for start in range(3):
        with running(backed.server) as server:
            with contextlib.closing(clients.connect(server, "p")) as client:
                for number in range(5):
                    client.document(f"d/{start}-{number}").set({"n": number})
                backed.wait()
                # This one may be in the log alone when the server is killed.
                client.document(f"d/{start}-last").set({"n": 5})
            server.kill() if start == 1 else server.stop()
    assert len(list((backed.target / "bases").iterdir())) == 1
    to, _ = backed.restore()
    assert len(documents(to)) == 18


def test_a_restore_to_an_instant_has_what_was_there_then(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "p")) as client:
            # An instant before the first base is in no backup.
            backed.wait()
            times = []
            for number in range(6):
                times.append(client.document("d/one").set({"n": number}).update_time)
            server.stop()
    at = times[3].astimezone(datetime.timezone(datetime.timedelta(hours=-3)))
    to, done = backed.restore("--at", at.strftime("%Y-%m-%dT%H:%M:%S.%f") + at.strftime("%z")[:3] + ":00")
    assert documents(to) == {"one": {"n": 3}}, done.stdout
    version = int(times[3].timestamp()) * 1_000_000 + times[3].microsecond
    to, done = backed.restore("--before-commit", version)
    assert documents(to) == {"one": {"n": 2}}, done.stdout
    _, done = backed.restore("--at", "2020-01-01T00:00:00Z", check=False)
    assert done.returncode == 1 and "The backup begins at" in done.stderr


def test_a_damaged_or_missing_segment_is_named_and_what_is_before_it_restored(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "p")) as client:
            backed.wait()
            for number in range(5):
                client.document(f"d/{number}").set({"n": number})
                backed.wait()
            server.stop()
    segments = backed.segments
    chosen = segments[-3]
    whole = chosen.read_bytes()
    damaged = bytearray(whole)
    damaged[random.randrange(len(damaged))] ^= 0x10
    number = int(chosen.name)
    other = segments[-2].read_bytes()
    for change in (bytes(damaged), whole[: len(whole) // 2], b"", other, None):
        chosen.unlink(missing_ok=True)
        if change is not None:
            chosen.write_bytes(change)
        to, done = backed.restore(check=False)
        assert done.returncode == 1 and not to.exists(), done.stdout
        assert f"Segment {number} is" in done.stderr and f"--before-segment {number}" in done.stderr, done.stderr
    to, _ = backed.restore("--before-segment", number)
    assert 1 <= len(documents(to)) < 5


def test_a_key_is_needed_and_the_right_one(tmp_path, key):
    done = servers.run("serve", "--dev", "--port", "0", "--data", tmp_path / "x", "--backup", tmp_path / "y", check=False)
    assert done.returncode != 0 and "--allow-plain" in done.stderr and not (tmp_path / "x").exists()
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "p")) as client:
            client.document("d/secret").set({"text": "a very particular text"})
            backed.wait()
        server.stop()
    assert not any(b"particular" in path.read_bytes() for path in backed.target.rglob("*") if path.is_file())
    wrong = tmp_path / "wrong.key"
    wrong.write_text("0" * 64)
    _, done = backed.restore(check=False, key=wrong)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "The key does not decrypt this backup" in done.stderr
    again = Backed(tmp_path, wrong)
    again.server.begin()
    assert again.server.process.wait(servers.START_SECONDS) == 1
    again.server.stop()
    assert "The key does not decrypt this backup" in again.server.output


def test_a_target_belongs_to_one_server(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server):
        backed.wait()
        other = servers.Brasa(tmp_path / "other", "--backup", backed.target, "--backup-key", key)
        other.begin()
        assert other.process.wait(servers.START_SECONDS) == 1
        other.stop()
        assert "is the backup of another server" in other.output and str(backed.server.data) in other.output
        # A copy of the data directory has the server's id.
        shutil.copy(backed.server.data / "backup-id", other.data / "backup-id")
        other.begin()
        assert other.process.wait(servers.START_SECONDS) == 1
        other.stop()
        assert "Another process backs up to" in other.output
