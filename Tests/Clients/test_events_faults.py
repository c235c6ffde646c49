"""Events where the disk is full, and by way of any node of a cluster."""

import sys
import threading

import pytest
from google.api_core import exceptions

from support import clients, cluster, events, postgres, shim, server as servers

pytestmark = pytest.mark.brasa_only


def documents(receiver):
    return {request.headers["ce-document"] for request, _ in list(receiver.requests)}


@pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")
def test_a_full_disk_loses_no_event_and_makes_none(tmp_path):
    full, gate = tmp_path / "full", threading.Event()
    receiver = events.Receiver(lambda request: 200 if gate.wait(60) else 500)
    environment = shim.environment(shim.build(tmp_path), tmp_path / "data", full_while=full)
    server = servers.Brasa(tmp_path / "data", environment=environment).start()
    events.subscribe(server, "shop", receiver)
    client = clients.connect(server, "shop")
    gate.set()
    client.document("c/first").set({"n": 1})
    receiver.wait(1)
    gate.clear()
    client.document("c/before").set({"n": 1})
    full.touch()
    with pytest.raises(exceptions.ServiceUnavailable):
        client.document("c/during").set({"n": 1}, retry=None, timeout=30)
    # Delivered now, which can't be written down: it comes again.
    gate.set()
    receiver.wait(2)
    full.unlink()

    def write():
        try:
            client.document("c/after").set({"n": 1}, retry=None, timeout=30)
            return True
        except exceptions.ServiceUnavailable:
            return False

    servers.wait_for(write, "room")
    servers.wait_for(lambda: documents(receiver) == {"c/first", "c/before", "c/after"}, "all events")
    servers.wait_for(
        lambda: "c/" not in events.command(server, "shop", "list").stdout, "an empty queue")
    ids = {(r.headers["ce-document"], r.headers["ce-id"]) for r, _ in receiver.requests}
    assert len(ids) == 3
    assert server.stop() == 0
    receiver.close()


@pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING)
def test_a_write_at_any_node_is_told_by_the_home_node(tmp_path):
    together = cluster.Cluster(tmp_path, candidates=1).start()
    receiver = events.Receiver()
    home, other = together.nodes
    try:
        events.subscribe(home, "shop", receiver)
        for node in (home, other):
            client = clients.connect(node, "shop")
            for number in range(10):
                client.document(f"c/{node.port}-{number}").set({"n": number})
        wanted = {f"c/{node.port}-{number}" for node in (home, other) for number in range(10)}
        servers.wait_for(lambda: documents(receiver) == wanted, "every event")
        # A trigger that goes at one node goes at the other.
        events.command(home, "shop", "unsubscribe", "all")
        clients.connect(other, "shop").document("c/late").set({"n": 1})
        events.subscribe(home, "shop", receiver, "again", "c/{d}")
        clients.connect(other, "shop").document("c/last").set({"n": 1})
        servers.wait_for(lambda: "c/last" in documents(receiver), "the last event")
        assert "c/late" not in documents(receiver)
        assert together.stop() == 0
    finally:
        together.close()
        receiver.close()
