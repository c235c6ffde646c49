"""A disk that fills up and has room again: refused writes leave nothing, reads go on, and nobody need help."""

import sys

import pytest
import requests
from google.api_core import exceptions

from support import clients, shim, server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux"),
]

PROJECT = "shop"
OBJECTS = f"/storage/v1/b/{PROJECT}.appspot.com/o"


@pytest.fixture
def full(tmp_path):
    """While this file is there the disk has as many bytes left as it says, none if it says nothing."""
    return tmp_path / "full"


@pytest.fixture
def running(tmp_path, full):
    data = tmp_path / "data"
    environment = shim.environment(shim.build(tmp_path), data, full_while=full)
    started = servers.Brasa(data, environment=environment).start()
    yield started
    full.unlink(missing_ok=True)
    started.kill()


def write(server, name):
    clients.connect(server, PROJECT).document(f"c/{name}").set({"n": 1}, retry=None, timeout=30)


def names(server):
    return {snapshot.id for snapshot in clients.connect(server, PROJECT).collection("c").stream()}


def health(server):
    answer = requests.get(server.url + "/healthz", timeout=30)
    return answer.text if answer.status_code == 503 else "ok"


def metric(server, name):
    return next(float(line.split()[-1]) for line in server.metrics if line.startswith(name + " "))


def refuse(server, name):
    with pytest.raises(exceptions.ServiceUnavailable):
        write(server, name)


def write_until_refused(server):
    taken = set()

    def refused():
        name = f"taken-{len(taken)}"
        try:
            write(server, name)
        except exceptions.ServiceUnavailable:
            return True
        taken.add(name)

    servers.wait_for(refused, "a refused write")
    return taken


def test_a_disk_without_a_byte_is_told_and_writes_go_on_when_there_is_room(running, full):
    write(running, "before")
    full.touch()
    for number in range(20):
        refuse(running, f"refused-{number}")
    assert names(running) == {"before"}
    servers.wait_for(lambda: "storage: writes fail" in health(running), "a bad /healthz")
    full.unlink()
    servers.wait_for(lambda: health(running) == "ok", "a good /healthz")
    write(running, "after")
    assert names(running) == {"before", "after"}
    assert running.stop() == 0
    running.start()
    assert names(running) == {"before", "after"}


def test_the_reserve_refuses_a_write_before_the_disk_does(running, full):
    write(running, "before")
    full.write_text(str(4 << 20))
    # Where there was plenty a moment ago nobody has looked again yet.
    taken = write_until_refused(running)
    assert metric(running, "brasa_kv_write_stopped") == 1
    # Nothing has failed: there was no write that could.
    assert metric(running, "brasa_kv_background_errors") == 0
    full.write_text(str(8 << 20))
    write(running, "after")
    assert names(running) == {"before", "after"} | taken


def test_a_server_starts_on_a_full_disk_reads_and_writes_when_there_is_room(running, full):
    write(running, "before")
    stored = requests.post(
        running.url + "/upload" + OBJECTS, params={"uploadType": "media", "name": "f"}, data=b"f" * 300_000, timeout=30
    )
    assert stored.status_code == 200
    for ending in (running.kill, running.stop):
        ending()
        full.touch()
        running.start()
        assert names(running) >= {"before"}
        found = requests.get(running.url + OBJECTS + "/f", params={"alt": "media"}, timeout=30)
        assert found.content == b"f" * 300_000
        refuse(running, "refused")
        # Each store tells of its own disk, in any order.
        servers.wait_for(lambda: "storage: writes fail" in health(running), "a bad /healthz")
        full.unlink()
        servers.wait_for(lambda: health(running) == "ok", "a good /healthz")
        write(running, f"after-{ending.__name__}")
    assert names(running) == {"before", "after-kill", "after-stop"}
    assert running.stop() == 0
    done = servers.run("verify", "--data", running.data)
    assert done.returncode == 0, done.stdout + done.stderr
