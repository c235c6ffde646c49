"""The server short of file descriptors: by many connections, and by a store that cannot open files."""

import contextlib
import resource
import socket
import subprocess
import sys
import threading

import grpc
import pytest
import requests
from google.api_core import exceptions

from support import clients, shim
from support import server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux"),
]

# More than one memtable of the store, which then has to open files.
LARGE = "x" * 900_000
LARGE_DOCUMENTS = 40


@contextlib.contextmanager
def many_descriptors():
    """Lets this process open as many files as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def metric(session, server, name):
    text = session.get(server.url + "/metrics", timeout=30).text
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))


def command(server, *arguments):
    return subprocess.Popen(
        [str(servers.binary()), *arguments, "--data", str(server.data)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=servers.clean_environment(),
    )


def test_the_limit_of_open_files_is_raised(tmp_path):
    server = servers.Brasa(tmp_path / "data", open_files=(256, 4096)).start()
    try:
        with requests.Session() as session:
            assert metric(session, server, "brasa_descriptors_limit") == 4096
            assert 2048 < metric(session, server, "brasa_connections_limit") < 4096
            assert 10 < metric(session, server, "brasa_descriptors_open") < 256
        assert server.stop() == 0
    finally:
        server.kill()


def test_idle_connections_leave_the_store_its_descriptors(tmp_path):
    server = servers.Brasa(tmp_path / "data", open_files=(1024, 1024)).start()
    try:
        with many_descriptors(), requests.Session() as session, contextlib.ExitStack() as idle:
            client = clients.connect(server, "p")
            client.document("c/first").set({"n": 0})
            most = metric(session, server, "brasa_connections_limit")
            assert 400 <= most < 1024
            for _ in range(1_100):
                idle.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            servers.wait_for(
                lambda: metric(session, server, "brasa_connections") == most, "connections up to the limit"
            )
            for number in range(LARGE_DOCUMENTS):
                client.document(f"c/{number}").set({"text": LARGE}, retry=None, timeout=60)
            assert len(list(client.collection("c").select(["n"]).stream())) == LARGE_DOCUMENTS + 1
            assert session.get(server.url + "/healthz", timeout=30).text == "ok\n"
            assert metric(session, server, "brasa_storage_writable") == 1
            assert metric(session, server, "brasa_descriptors_open") < 1024 - 64
            listing = command(server, "databases", "list")
            assert "p" in listing.communicate(timeout=60)[0] and listing.returncode == 0
        # Whoever comes after them is welcome.
        assert requests.get(server.url + "/healthz", timeout=30).status_code == 200
        assert server.stop() == 0
    finally:
        server.kill()
    done = servers.run("verify", "--data", server.data)
    assert done.returncode == 0, done.stdout + done.stderr


class HealthWatch:
    """What gRPC's health service tells, as it comes: 1 is SERVING, 2 is not."""

    def __init__(self, server):
        self.channel = grpc.insecure_channel(server.host)
        self.told = []
        watch = self.channel.unary_stream(
            "/grpc.health.v1.Health/Watch", request_serializer=bytes, response_deserializer=bytes
        )
        self.call = watch(b"")
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        servers.wait_for(lambda: self.told == [1], "the first status")

    def _read(self):
        with contextlib.suppress(grpc.RpcError):
            for message in self.call:
                self.told.append(message[1])

    def close(self):
        self.call.cancel()
        self.channel.close()


def write_until_refused(client):
    """Writes large documents; gives the numbers that were acknowledged and those that were not."""
    acknowledged, refused = [], []
    for number in range(LARGE_DOCUMENTS):
        try:
            client.document(f"c/{number:03}").set({"text": LARGE}, retry=None, timeout=60)
            acknowledged.append(number)
        except exceptions.ServiceUnavailable:
            refused.append(number)
    return acknowledged, refused


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return shim.build(tmp_path_factory.mktemp("shim"))


def test_the_store_recovers_when_descriptors_return(tmp_path, library):
    data, shortage = tmp_path / "data", tmp_path / "shortage"
    environment = shim.environment(library, data, no_files_while=shortage)
    server = servers.Brasa(data, environment=environment).start()
    health = None
    try:
        with requests.Session() as session:
            client = clients.connect(server, "p")
            client.document("c/first").set({"n": 0})
            assert session.get(server.url + "/healthz", timeout=30).text == "ok\n"
            health = HealthWatch(server)
            shortage.touch()
            acknowledged, refused = write_until_refused(client)
            assert acknowledged and refused, server.output
            # Everybody who asks is told.
            def told():
                answer = session.get(server.url + "/healthz", timeout=30)
                return answer.status_code == 503 and answer.text
            assert servers.wait_for(told, "a bad /healthz") == "storage: writes fail\n"
            servers.wait_for(lambda: health.told == [1, 2], "NOT_SERVING")
            assert metric(session, server, "brasa_storage_writable") == 0
            shortage.unlink()
            servers.wait_for(lambda: health.told == [1, 2, 1], "SERVING")
            assert session.get(server.url + "/healthz", timeout=30).text == "ok\n"
            assert metric(session, server, "brasa_storage_writable") == 1
            assert metric(session, server, "brasa_kv_recoveries_total") >= 1
            # All that was acknowledged is there, nothing that was refused, and it goes on without a restart.
            kept = {f"{number:03}" for number in acknowledged} | {"first"}
            assert {s.id for s in client.collection("c").select([]).stream()} == kept
            client.document("c/after").set({"n": 1}, retry=None)
        server.kill()
        server.start()
        client = clients.connect(server, "p")
        assert {s.id for s in client.collection("c").select([]).stream()} == kept | {"after"}
        assert server.stop() == 0
    finally:
        if health:
            health.close()
        server.kill()
    done = servers.run("verify", "--data", server.data)
    assert done.returncode == 0, done.stdout + done.stderr


def test_commands_are_answered_while_there_are_no_descriptors(tmp_path, library):
    data = tmp_path / "data"
    server = servers.Brasa(data, environment=shim.environment(library, data, no_accept=5)).start()
    try:
        clients.connect(server, "p").document("c/first").set({"n": 0})
        # The first of them is answered with the descriptor that is kept for that, or as soon as may be.
        for _ in range(2):
            listing = command(server, "databases", "list")
            assert "p" in listing.communicate(timeout=60)[0] and listing.returncode == 0
        assert server.stop() == 0
    finally:
        server.kill()


def test_a_port_without_descriptors_waits_instead_of_spinning(tmp_path, library):
    data, trace, shortage = tmp_path / "data", tmp_path / "trace", tmp_path / "shortage"
    environment = shim.environment(library, data, trace=trace, no_connections_while=shortage)
    server = servers.Brasa(data, environment=environment).start()

    def attempts():
        events = shim.read_trace(trace)
        return [e.time for e in events if e.kind == "failed" and e.content == b"accept"]

    try:
        shortage.touch()
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as waiting:
            waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            servers.wait_for(lambda: len(attempts()) >= 4, "attempts to accept")
            shortage.unlink()
            # Who waits is served once that is possible.
            assert waiting.recv(12) == b"HTTP/1.1 200"
        times = attempts()
        # The server looks again four times a second.
        assert len(times) <= (times[-1] - times[0]) / 200e6 + 2
        assert server.stop() == 0
    finally:
        server.kill()
