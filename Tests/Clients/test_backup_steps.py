"""Kills at each step of a restore, targets that refuse, and disks that are full at either end."""

import contextlib
import http.server
import itertools
import os
import subprocess
import threading

import pytest
from google.api_core import exceptions
from support import clients, server as servers
from support.relay import Relay
from support.s3 import Moto
from test_backup import Backed, documents, key, running  # noqa: F401
from test_backup_faults import write

pytestmark = pytest.mark.brasa_only


@pytest.fixture(scope="module")
def moto():
    made = Moto()
    yield made
    made.close()


class Bucket:
    """A backup in a bucket, behind a relay that sees each request."""

    def __init__(self, moto, name):
        self.moto = moto
        self.relay = Relay(int(moto.url.rsplit(":", 1)[1]))
        self.address = f"s3://{moto.bucket}/{name}"

    def environment(self, url=None):
        return {
            "BRASA_BACKUP_S3_ENDPOINT": url or f"http://{self.relay.host}", "BRASA_BACKUP_S3_ACCESS_KEY_ID": self.moto.access_id,
            "BRASA_BACKUP_S3_SECRET_ACCESS_KEY": self.moto.secret, "BRASA_BACKUP_S3_REGION": self.moto.region,
        }

    def kill_at(self, step, kill):
        """Kills at the request of that number, which does not come through."""
        seen = itertools.count(1)

        def look(data):
            if data.split(b" ", 1)[0] in (b"GET", b"PUT", b"DELETE", b"HEAD", b"POST") and next(seen) == step:
                kill()

        self.relay.on_sent = look


@contextlib.contextmanager
def small_disk(path, size):
    """A file system of that size; skips where none can be mounted."""
    path.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield lambda size: subprocess.run(["mount", "-o", f"remount,size={size}", path], check=True)
    finally:
        subprocess.run(["umount", "-l", path])


@pytest.mark.slow
def test_a_restore_killed_at_any_request_leaves_nothing_that_a_server_takes(moto, tmp_path, key):
    bucket = Bucket(moto, tmp_path.name)
    flags = ["--backup", bucket.address, "--backup-key", key]
    backed = Backed(tmp_path, key)
    backed.server = servers.Brasa(tmp_path / "data", *flags, environment=bucket.environment())
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        for start in range(0, 30, 10):
            write(client, range(start, start + 10), 2_000)
            backed.wait()
        server.kill()
    to, unfinished = tmp_path / "restored", tmp_path / "restored.restoring"
    command = [servers.binary(), "restore", "--from", bucket.address, "--to", to, "--backup-key", key]
    environment = servers.clean_environment(bucket.environment())
    for step in itertools.count(1):
        process = subprocess.Popen(list(map(str, command)), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bucket.kill_at(step, process.kill)
        if process.wait(120) == 0:
            break
        assert process.returncode == -9 and not to.exists()
        if unfinished.exists():
            assert (unfinished / "restore-incomplete").exists()
            if step % 5 == 0:
                done = servers.run("verify", "--data", unfinished, check=False)
                assert done.returncode == 1 and "cut off" in done.stderr
    print(f"{step - 1} kills")
    assert step > 8 and not unfinished.exists()
    assert len(documents(to)) == 30


class Refusal(http.server.BaseHTTPRequestHandler):
    """A server of S3 that refuses everything."""

    status, code = 503, "SlowDown"
    protocol_version = "HTTP/1.1"

    def refuse(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        body = f"<?xml version='1.0'?><Error><Code>{self.code}</Code><Message>no</Message></Error>".encode()
        self.send_response(self.status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = do_HEAD = do_POST = refuse

    def log_message(self, *_):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("status, code", [(503, "SlowDown"), (403, "AccessDenied")])
def test_s3_that_refuses_is_caught_up_with(moto, tmp_path, key, status, code):
    bucket = Bucket(moto, f"{tmp_path.name}-{status}")
    handler = type("Refusing", (Refusal,), {"status": status, "code": code})
    refusing = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=refusing.serve_forever, daemon=True).start()
    backed = Backed(tmp_path, key)
    backed.server = servers.Brasa(tmp_path / "data", "--backup", bucket.address, "--backup-key", key, environment=bucket.environment())
    good = bucket.relay.target
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        write(client, range(5))
        backed.wait()
        bucket.relay.target = refusing.server_port
        bucket.relay.cut_all()
        write(client, range(5, 15))
        servers.wait_for(lambda: backed.figure("brasa_backup_failing") == 1, "the failure")
        assert client.document("d/14").get().exists and backed.figure("brasa_backup_lag_seconds") > 0
        bucket.relay.target = good
        bucket.relay.cut_all()
        backed.wait()
        server.kill()
    refusing.shutdown()
    assert moto.secret not in server.output
    to = tmp_path / "restored"
    done = servers.run("restore", "--from", bucket.address, "--to", to, "--backup-key", key, environment=bucket.environment(moto.url))
    assert "no differences" in done.stdout and len(documents(to)) == 15
    bucket.relay.close()


def test_a_restore_to_a_full_disk_says_so_and_is_run_again(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        for number in range(12):
            client.document(f"d/{number}").set({"bytes": os.urandom(500_000)})
        backed.wait()
        server.stop()
    with small_disk(tmp_path / "disk", "4m") as resize:
        to = tmp_path / "disk" / "data"
        command = ["restore", "--from", backed.target, "--to", to, "--backup-key", key]
        done = servers.run(*command, check=False)
        assert done.returncode == 1 and "No space left" in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert not to.exists()
        resize("300m")
        servers.run(*command)
        assert len(documents(to)) == 12


@pytest.mark.slow
def test_a_full_disk_of_the_data_loses_nothing_of_the_backup(tmp_path, key):
    with small_disk(tmp_path / "disk", "100m"):
        backed = Backed(tmp_path, key)
        data, filler = tmp_path / "disk" / "data", tmp_path / "disk" / "filler"
        backed.server = servers.Brasa(data, "--backup", backed.target, "--backup-key", key)
        kept = set()
        with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
            write(client, range(5))
            kept |= set(map(str, range(5)))
            backed.wait()
            with contextlib.suppress(OSError), filler.open("wb") as file:
                while True:
                    file.write(b"x" * 65_536)
                    file.flush()
            for number in range(5, 400):
                try:
                    client.document(f"d/{number}").set({"bytes": os.urandom(100_000)}, retry=None, timeout=30)
                    kept.add(str(number))
                except (exceptions.ServiceUnavailable, exceptions.ResourceExhausted):
                    break
            else:
                raise AssertionError("the disk is never full")
            filler.unlink()

            def goes_on():
                try:
                    client.document("d/last").set({"n": 1}, retry=None, timeout=30)
                    return True
                except (exceptions.ServiceUnavailable, exceptions.ResourceExhausted):
                    return False

            servers.wait_for(goes_on, "a write", 60)
            kept.add("last")
            servers.wait_for(backed.is_current, "the backup", 90)
            server.kill()
        to, done = backed.restore()
        assert "no differences" in done.stdout and set(documents(to)) == kept
