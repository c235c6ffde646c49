"""Events of documents: what Google's client writes comes to an address, in order, at least once."""

import os
import socket
import sys
import threading
import time

import pytest
import requests
from google.cloud import firestore

from support import clients, events, server as servers, shim

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def receiver():
    made = events.Receiver()
    yield made
    made.close()


def test_writes_come_as_cloud_events(server, project, client, receiver):
    events.subscribe(server, project, receiver)
    document = client.collection("products").document("p1")
    document.set({"price": 1, "name": "tea"})
    document.update({"price": 2})
    document.delete()
    created, updated, deleted = receiver.wait(3)
    assert created.headers["ce-type"] == events.WRITTEN
    assert created.headers["ce-subject"] == "documents/products/p1"
    assert created.headers["ce-document"] == "products/p1"
    assert created.headers["ce-source"] == f"//firestore.googleapis.com/projects/{project}/databases/(default)"
    assert events.data(created)["oldValue"] == {}
    assert events.data(created)["value"]["fields"]["price"] == {"integerValue": "1"}
    assert events.data(updated)["updateMask"] == {"fieldPaths": ["price"]}
    assert events.data(updated)["oldValue"]["fields"]["price"] == {"integerValue": "1"}
    assert events.data(updated)["value"]["fields"]["price"] == {"integerValue": "2"}
    assert events.data(deleted)["value"] == {}
    assert len({request.headers["ce-id"] for request in (created, updated, deleted)}) == 3
    assert created.headers["authorization"].startswith("Bearer ey")


def test_kinds_patterns_and_databases(server, project, client, receiver):
    kind = "google.cloud.firestore.document.v1."
    for change in ("created", "updated", "deleted"):
        events.subscribe(server, project, receiver, change, "users/{u}/notes/{n}", kind + change)
    events.subscribe(server, project, receiver, "deep", "shops/{rest=**}", kind + "created")
    events.subscribe(server, project, receiver, "mixed", "users/user-{n}", kind + "created")
    events.command(
        server, project, "subscribe", "other", "--url", receiver.url, "--type", kind + "created",
        "--filter", "document=a/{b}", "--filter", "database=second",
    )
    client.document("users/u1/notes/n1").set({"a": 1})
    client.document("users/u1/notes/n1").set({"a": 2})
    client.document("users/u1/notes/n1").delete()
    client.document("users/user-7").set({"a": 1})
    client.document("users/nobody").set({"a": 1})
    client.document("a/b").set({"a": 1})
    client.document("shops/s/rooms/r/shelves/x").set({"a": 1})
    with_second = clients.connect(server, project, "second")
    with_second.document("a/b").set({"a": 1})
    found = [(r.headers["ce-type"].rsplit(".")[-1], r.headers["ce-database"], r.headers["ce-document"])
             for r in receiver.wait(6)]
    assert sorted(found) == sorted([
        ("created", "(default)", "users/u1/notes/n1"),
        ("updated", "(default)", "users/u1/notes/n1"),
        ("deleted", "(default)", "users/u1/notes/n1"),
        ("created", "(default)", "users/user-7"),
        ("created", "(default)", "shops/s/rooms/r/shelves/x"),
        ("created", "second", "a/b"),
    ])


def test_the_principal_is_told_with_auth_context(server, project, client, receiver):
    events.subscribe(server, project, receiver, "who", "a/{b}", events.WRITTEN + ".withAuthContext")
    client.document("a/b").set({"a": 1})
    headers = receiver.wait(1)[0].headers
    assert headers["ce-authtype"] == headers["ce-authid"] == "service_account"


def test_a_transaction_of_many_documents_has_an_event_for_each(server, project, client, receiver):
    events.subscribe(server, project, receiver)
    batch = client.batch()
    for number in range(50):
        batch.set(client.document(f"items/{number}"), {"n": number})
    batch.commit()
    got = receiver.wait(50)
    assert {r.headers["ce-document"] for r in got} == {f"items/{n}" for n in range(50)}


def test_events_of_a_document_come_in_order_though_some_fail(server, project, client):
    seen = set()

    def decide(request):
        # The first attempt of every third event fails.
        first = request.headers["ce-id"] not in seen
        seen.add(request.headers["ce-id"])
        count = int(events.data(request)["value"]["fields"]["n"]["integerValue"])
        return 503 if first and count % 3 == 0 else 200

    receiver = events.Receiver(decide)
    events.subscribe(server, project, receiver, "all", "{c}/{d}", events.WRITTEN, "--retry")
    for number in range(1, 10):
        for name in ("x", "y"):
            client.document(f"count/{name}").set({"n": number})
    delivered = receiver.wait(18, seconds=60)
    for name in ("x", "y"):
        numbers = [
            int(events.data(r)["value"]["fields"]["n"]["integerValue"])
            for r in delivered if r.headers["ce-document"] == f"count/{name}"
        ]
        assert numbers == list(range(1, 10))
    failed = receiver.wait(6, lambda request, status: status == 503)
    assert {r.headers["ce-id"] for r in failed} <= {r.headers["ce-id"] for r in delivered}
    receiver.close()


def test_what_failed_is_listed_replayed_and_discarded(server, project, client):
    works = threading.Event()
    receiver = events.Receiver(lambda request: 200 if works.is_set() else 500)
    events.subscribe(server, project, receiver)
    for number in range(3):
        client.document(f"a/{number}").set({"n": number})
    receiver.wait(3, lambda request, status: status == 500)
    listed = servers.wait_for(
        lambda: found if (found := events.command(server, project, "list", "--dead").stdout).count("HTTP status 500") == 3
        else None, "three dead letters")
    first = listed.split()[0]
    shown = events.command(server, project, "show", first).stdout
    assert '"integerValue"' in shown
    events.command(server, project, "discard", first)
    works.set()
    events.command(server, project, "replay")
    delivered = receiver.wait(2)
    assert first not in {r.headers["ce-id"].removesuffix("-w") for r in delivered}
    servers.wait_for(
        lambda: "HTTP status" not in events.command(server, project, "list", "--dead").stdout, "no dead letters")
    receiver.close()


def test_a_redirection_is_a_failure_and_is_not_followed(server, project, client):
    inside = events.Receiver()
    statuses = [301, 302, 303, 307, 308]
    receiver = events.Receiver(lambda request: int(request.headers["ce-document"].removeprefix("a/")))
    receiver.location = inside.url
    events.subscribe(server, project, receiver)
    for status in statuses:
        client.document(f"a/{status}").set({"n": 1})

    def are_dead():
        listed = events.command(server, project, "list", "--dead").stdout
        return all(f"HTTP status {status}" in listed for status in statuses)

    servers.wait_for(are_dead, "five dead letters")
    assert len(receiver.requests) == len(statuses)
    assert inside.requests == []
    receiver.close()
    inside.close()


def test_a_subscription_that_ends_gets_nothing_more(server, project, client, receiver):
    events.subscribe(server, project, receiver)
    client.document("a/b").set({"n": 1})
    receiver.wait(1)
    events.command(server, project, "unsubscribe", "all")
    client.document("a/b").set({"n": 2})
    events.subscribe(server, project, receiver, "later")
    client.document("a/b").set({"n": 3})
    numbers = [events.data(r)["value"]["fields"]["n"]["integerValue"] for r in receiver.wait(2)]
    assert numbers == ["1", "3"]


@pytest.mark.parametrize("url", [
    "http://example.org/x", "https://10.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/latest",
    "ftp://example.org/x", "https://user:word@example.org/x",
])
def test_addresses_inside_the_network_are_refused(tmp_path, url):
    server = servers.Brasa(tmp_path / "data", development=False).start()
    done = events.command(
        server, "shop", "subscribe", "x", "--url", url, "--filter", "document=a/{b}", check=False)
    assert done.returncode != 0 and "https" in done.stderr, done.stderr
    server.stop()


def test_a_name_of_a_private_address_is_refused_when_it_is_resolved(tmp_path):
    server = servers.Brasa(tmp_path / "data", development=False).start()
    events.command(
        server, "shop", "subscribe", "x", "--url", "https://localhost/x", "--filter", "document=a/{b}")
    url = f"{server.url}/v1/projects/shop/databases/(default)/documents/a/b"
    headers = {"Authorization": f"Bearer {server.administrator_key}"}
    requests.patch(url, json={"fields": {"n": {"integerValue": "1"}}}, headers=headers, timeout=30)
    servers.wait_for(
        lambda: "inside this network" in events.command(server, "shop", "list", "--dead").stdout, "a refusal")
    server.stop()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")
def test_a_name_that_moves_into_the_network_is_refused(tmp_path):
    """The address that was checked is the one that is asked, and each delivery checks the name anew."""
    log, outside, inside = tmp_path / "lookups", "8.8.8.8", socket.create_server(("127.0.0.1", 0))
    library = shim.compile(servers.CHECKOUT / "Tests" / "Faults" / "rebind.c", tmp_path / "rebind.so")
    server = servers.Brasa(tmp_path / "data", development=False, environment={
        "LD_PRELOAD": str(library), "BRASA_REBIND_NAME": "rebind.test", "BRASA_REBIND_FIRST": outside,
        "BRASA_REBIND_LOG": str(log),
    }).start()
    port = inside.getsockname()[1]
    # The commands need no shim.
    events.command(
        server, "shop", "subscribe", "x", "--url", f"https://rebind.test:{port}/x", "--filter", "document=a/{b}",
        "--timeout", "1")

    def write(name):
        url = f"{server.url}/v1/projects/shop/databases/(default)/documents/a/{name}"
        headers = {"Authorization": f"Bearer {server.administrator_key}"}
        answer = requests.patch(url, json={"fields": {"n": {"integerValue": "1"}}}, headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text
        servers.wait_for(lambda: f"a/{name}" in events.command(server, "shop", "list", "--dead").stdout, f"the end of {name}")

    write("first")
    lines = log.read_text().splitlines()
    # By now the name leads to this machine, which one more lookup would show.
    assert lines[0] == f"lookup {outside}" and sum(line.startswith("lookup") for line in lines) == 1
    assert f"connect {outside} {port}" in lines
    write("second")
    assert "lookup 127.0.0.1" in log.read_text()
    assert "inside this network" in events.command(server, "shop", "list", "--dead").stdout
    assert f"connect 127.0.0.1 {port}" not in log.read_text()
    inside.settimeout(0)
    with pytest.raises(BlockingIOError):
        inside.accept()
    inside.close()
    server.stop()


def test_nothing_is_lost_over_some_kills(tmp_path):
    lose_nothing(tmp_path, cycles=4)


@pytest.mark.slow
def test_nothing_is_lost_over_a_thousand_kills(tmp_path):
    lose_nothing(tmp_path, cycles=int(os.environ.get("BRASA_TEST_KILLS") or 1_000))


def lose_nothing(tmp_path, cycles):
    """Kills the server under load; every acknowledged write has its event, and duplicates have the same id."""
    ledger = events.Ledger()
    server = servers.Brasa(tmp_path / "data").start()
    events.subscribe(server, "ledger", ledger)
    acknowledged = []
    for cycle in range(cycles):
        if not server.is_running:
            server.start()
        stop = threading.Event()

        def write(lane, cycle=cycle, stop=stop):
            url = f"{server.url}/v1/projects/ledger/databases/(default)/documents/w/"
            number = 0
            with requests.Session() as session:
                while not stop.is_set():
                    name = f"{cycle}-{lane}-{number}"
                    fields = {"fields": {"n": {"integerValue": str(number)}}}
                    try:
                        answer = session.patch(url + name, json=fields, timeout=30)
                    except requests.RequestException:
                        return
                    if answer.status_code == 200:
                        acknowledged.append(f"w/{name}")
                    number += 1

        writers = [threading.Thread(target=write, args=(lane,)) for lane in range(4)]
        before = ledger.calls
        for writer in writers:
            writer.start()
        ledger.wait_for_calls(before + 20)
        server.kill()
        stop.set()
        for writer in writers:
            writer.join()
        if cycle % 25 == 24:
            # A run that is cut short proves what it did.
            server.start()
            ledger.compare(acknowledged)
            print(f"{cycle + 1} kills: nothing lost of {len(ledger.ids)} documents, {ledger.calls} calls", flush=True)
            acknowledged.clear()
            del server.lines[:-200]
    if not server.is_running:
        server.start()
    ledger.compare(acknowledged)
    assert server.stop() == 0
    ledger.close()


@pytest.mark.slow
def test_a_million_waiting_events_drain_with_bounded_memory(tmp_path):
    """A backlog is delivered with at most 64 MB more than while it waited, and in a time that its length decides.

    BRASA_TEST_EVENTS is another length; BRASA_TEST_RATE another number of events a second that are asked for. The
    receiver, which is in Python and on the same cores, takes about 2,000.
    """
    count = int(os.environ.get("BRASA_TEST_EVENTS") or 1_000_000)
    rate = float(os.environ.get("BRASA_TEST_RATE") or 200)
    server = servers.Brasa(tmp_path / "data", program=servers.release_binary()).start()
    open_gate = threading.Event()
    ids, first = set(), threading.Event()

    def decide(request):
        # The first ones are held while all others are written.
        first.set()
        if not open_gate.wait(530):
            return 503
        ids.add(request.headers["ce-id"])
        return 200

    receiver = events.Receiver(decide, keeps=False)
    events.command(
        server, "backlog", "subscribe", "all", "--url", receiver.url, "--filter", "document=a/{b}",
        "--timeout", "540", "--retry")
    client = clients.connect(server, "backlog")
    empty, begun = resident(server), time.monotonic()
    for start in range(0, count, 500):
        batch = client.batch()
        for number in range(start, start + 500):
            batch.set(client.document(f"a/{number}"), {"n": number, "text": "x" * 200})
        batch.commit()
        if start % 50_000 == 49_500:
            print(f"{start + 500} written after {time.monotonic() - begun:.0f} s, {resident(server) >> 20} MB", flush=True)
    assert first.wait(60)
    before, begun = resident(server), time.monotonic()
    open_gate.set()
    most, late, told = before, None, 0
    while len(ids) < count:
        known = len(ids)
        servers.wait_for(lambda: len(ids) >= min(count, known + 1_000), "more events", 120)
        most = max(most, resident(server))
        if late is None and len(ids) >= count // 2:
            # What is written now waits behind the others and holds up nobody.
            late = time.monotonic()
            client.document("others/one").set({"n": 1})
            late = time.monotonic() - late
        if len(ids) - told >= 50_000:
            told = len(ids)
            print(f"{told} delivered after {time.monotonic() - begun:.0f} s, at most {most >> 20} MB", flush=True)
    seconds = time.monotonic() - begun
    print(f"{count} events in {seconds:.0f} s, {count / seconds:.0f} a second; a write meanwhile took {late * 1_000:.0f} ms")
    print(f"resident memory: {empty >> 20} MB empty, {before >> 20} MB with the backlog, at most {most >> 20} MB while it drained")
    assert most - before < 64 << 20
    assert seconds < 60 + count / rate
    assert late < 10
    servers.wait_for(lambda: "a/" not in events.command(server, "backlog", "list").stdout, "an empty queue", 300)
    assert "a/" not in events.command(server, "backlog", "list", "--dead").stdout
    assert server.stop() == 0
    receiver.close()


def resident(server):
    """Bytes of the server's memory."""
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096
