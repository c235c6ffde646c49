"""The disk under the server: the order of write, sync and answer, and what a failing disk does."""

import sys
import time

import pytest
import requests
from google.api_core import exceptions

from support import clients, shim
from support import server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return shim.build(tmp_path_factory.mktemp("shim"))


def write_until_refused(client, most):
    """The numbers that were acknowledged, with when the answer came (CLOCK_MONOTONIC)."""
    acknowledged = {}
    for number in range(most):
        try:
            client.document(f"c/acknowledged-{number:06}").set({"n": number}, retry=None, timeout=30)
        except (exceptions.ServiceUnavailable, exceptions.RetryError, exceptions.Unknown):
            return acknowledged, True
        acknowledged[number] = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return acknowledged, False


def test_every_answer_comes_after_its_sync(tmp_path, library):
    data, trace = tmp_path / "data", tmp_path / "trace"
    server = servers.Brasa(data, environment=shim.environment(library, data, trace=trace)).start()
    try:
        acknowledged, refused = write_until_refused(clients.connect(server, "p"), 60)
    finally:
        server.kill()
    assert not refused and len(acknowledged) == 60
    events = shim.read_trace(trace)
    for number, answered in acknowledged.items():
        assert synced_before(events, f"acknowledged-{number:06}".encode(), answered), number


def synced_before(events, token, answered):
    """Whether what holds the token was written, then synced as a whole, before that moment."""
    inode = None
    serials = set()
    for event in events:
        if event.time > answered:
            return False
        if inode is None:
            if event.kind == "write" and token in event.content:
                inode = event.inode
        elif event.kind == "syncing" and event.inode == inode:
            serials.add(event.number)
        elif event.kind == "synced" and event.inode == inode and event.number in serials:
            return True
    return False


@pytest.mark.parametrize("fault", ["fail_sync", "fail_write"])
def test_a_failing_disk_ends_acknowledging_and_a_restart_recovers(tmp_path, library, fault):
    data = tmp_path / "data"
    # Makes the store first, so that the fault meets a commit and not the start.
    server = servers.Brasa(data).start()
    clients.connect(server, "p").document("c/first").set({"n": 0})
    assert server.stop() == 0
    server.process = None
    failing = servers.Brasa(data, environment=shim.environment(library, data, **{fault: 60})).start()
    try:
        client = clients.connect(failing, "p")
        acknowledged, refused = write_until_refused(client, 500)
        assert refused and acknowledged, failing.output
        # It stays so, and the log says why.
        _, still_refused = write_until_refused(client, 1)
        assert still_refused
        failing.wait_for_output("call failed", "cause=")
        # Accounts say the same: who signs up may try again later.
        address = f"{failing.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo-brasa"
        answer = requests.post(address, json={}, timeout=60)
        assert answer.status_code == 503 and answer.json()["error"]["status"] == "UNAVAILABLE", answer.text
    finally:
        failing.kill()
    server = servers.Brasa(data).start()
    try:
        client = clients.connect(server, "p")
        found = {snapshot.id for snapshot in client.collection("c").stream()}
        kept = {f"acknowledged-{number:06}" for number in acknowledged}
        assert kept | {"first"} <= found
        # At most the write whose answer was an error may be there beside them.
        assert len(found - kept - {"first"}) <= 1
        client.document("c/after").set({"n": 1})
    finally:
        assert server.stop() == 0
    done = servers.run("verify", "--data", data)
    assert done.returncode == 0, done.stdout + done.stderr
