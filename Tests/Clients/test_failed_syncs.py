"""A sync of the store's log that fails once: what was acknowledged stays, what was refused does not come back."""

import contextlib
import sys
import time

import pytest
import requests
from google.api_core import exceptions
from google.cloud import firestore

from support import analytics, clients, shim, server as servers
from support.failing_store import BUCKET, IO_ERROR, PROJECT, FailingStore

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux"),
]

# Larger than what the store keeps of a file by itself.
OLD, NEW = b"old-" * 60_000, b"new-" * 50_000
UNKNOWN = "It is unknown if the write took effect"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return shim.build(tmp_path_factory.mktemp("shim"))


def put_media(store):
    return store.upload("f", NEW)


def put_related(store):
    part = b"--b\r\nContent-Type: %s\r\n\r\n%s\r\n"
    body = part % (b"application/json", b'{"name": "f"}') + part % (b"text/plain", NEW) + b"--b--\r\n"
    uploads = store.objects.replace("/storage", "/upload/storage")
    headers = {"Content-Type": "multipart/related; boundary=b"}
    return requests.post(uploads, params={"uploadType": "multipart"}, data=body, headers=headers, timeout=60)


def put_firebase(store):
    part = b"--b\r\nContent-Type: %s\r\n\r\n%s\r\n"
    body = part % (b"application/json", b'{"name": "f"}') + part % (b"text/plain", NEW) + b"--b--\r\n"
    headers = {
        "Content-Type": "multipart/related; boundary=b", "X-Goog-Upload-Protocol": "multipart",
        "Authorization": "Firebase owner",
    }
    url = f"{store.server.url}/v0/b/{BUCKET}/o"
    return requests.post(url, params={"name": "f"}, data=body, headers=headers, timeout=60)


def put_xml(store):
    return requests.put(f"{store.server.url}/{BUCKET}/f", data=NEW, headers={"Authorization": "Bearer owner"}, timeout=60)


def compose(store):
    return requests.post(f"{store.objects}/f/compose", json={"sourceObjects": [{"name": "part"}] * 2}, timeout=60)


def finish_session(store):
    """In one request, which the client sends again, as it does after a 503."""
    headers = {"Content-Range": f"bytes 0-{len(NEW) - 1}/{len(NEW)}"}
    first = requests.put(store.session, data=NEW, headers=headers, timeout=60)
    again = requests.put(store.session, data=NEW, headers=headers, timeout=60)
    assert again.status_code == 503, again.text
    return first


WAYS = [put_media, put_related, put_firebase, put_xml, compose, finish_session]


@pytest.mark.parametrize("ending, ways", [("stop", [put_media, compose]), ("kill", WAYS)])
def test_a_file_that_is_overwritten_while_a_sync_fails_is_never_lost(tmp_path, library, ending, ways):
    with FailingStore(library, tmp_path) as store:
        assert store.upload("part", NEW[: len(NEW) // 2]).status_code == 200
        # After a crash the write that failed may have come into force, whole.
        allowed = {OLD} if ending == "stop" else {OLD, NEW}
        for way in ways:
            for _ in range(5):
                met_the_fault = overwrite(store, way, ending)
                found = store.content("f")
                assert found.status_code == 200, f"{way.__name__}: {found.text}"
                assert found.content in allowed, way.__name__
                if met_the_fault:
                    break
            assert met_the_fault, f"{way.__name__}: another write met the fault each time"
        assert store.server.stop() == 0
    done = servers.run("verify", "--data", store.data)
    assert done.returncode == 0, done.stdout + done.stderr


def overwrite(store, way, ending):
    """Overwrites the file while a sync fails, and restarts; whether it was the overwriting that met the fault."""
    assert store.upload("f", OLD).status_code == 200
    uploads = store.objects.replace("/storage", "/upload/storage")
    begun = requests.post(uploads, params={"uploadType": "resumable", "name": "f"}, timeout=30)
    store.session = begun.headers["Location"]
    store.fail()
    refused = way(store)
    assert refused.status_code == 503, f"{way.__name__}: {refused.status_code} {refused.text}"
    # A file is never half of one and half of another meanwhile.
    assert store.content("f").content == OLD
    store.restart(ending)
    # The other ways' errors have no text for that.
    return UNKNOWN in refused.text or way in (put_firebase, put_xml, finish_session)


def test_a_refused_write_of_a_document_does_not_come_back(tmp_path, library):
    with FailingStore(library, tmp_path) as store:
        client = clients.connect(store.server, PROJECT)
        counter, kept = client.document("c/counter"), client.document("c/kept")
        counter.set({"n": 1})
        kept.set({"n": 1})
        acts = [
            lambda: counter.update({"n": firestore.Increment(1)}, retry=None, timeout=30),
            lambda: kept.delete(retry=None, timeout=30),
            lambda: client.document("c/new").create({"n": 1}, retry=None, timeout=30),
        ]
        for act in acts:
            store.fail()
            for _ in range(3):
                with pytest.raises(exceptions.ServiceUnavailable):
                    act()
            # Reads go on.
            assert {s.id: s.get("n") for s in client.collection("c").stream()} == {"counter": 1, "kept": 1}
            store.restart()
            client = clients.connect(store.server, PROJECT)
            counter, kept = client.document("c/counter"), client.document("c/kept")
            assert {s.id: s.get("n") for s in client.collection("c").stream()} == {"counter": 1, "kept": 1}
        counter.update({"n": firestore.Increment(1)})
        assert counter.get().get("n") == 2
        assert "end of the store's log was discarded" not in store.server.output


def error_lines(store):
    return len([line for line in store.server.lines if " ERROR " in line])


def minutes(begun):
    """In how many minutes something went on: the log has each error once a minute."""
    return 1 + int((time.monotonic() - begun) / 60)


def test_a_failed_sync_of_the_store_is_told_everywhere_once(tmp_path, library):
    with FailingStore(library, tmp_path, watched="store") as store:
        client = clients.connect(store.server, PROJECT)
        client.document("c/first").set({"n": 1})
        assert store.metric("brasa_kv_background_errors") == store.metric("brasa_kv_write_stopped") == 0
        store.fail()
        begun = time.monotonic()
        for number in range(60):
            with contextlib.suppress(exceptions.ServiceUnavailable):
                client.document(f"c/{number}").set({"n": 1}, retry=None, timeout=30)
            assert store.upload("f", OLD).status_code == 503
        told(store, "storage: writes fail\n")
        assert store.metric("brasa_kv_background_errors") >= 1
        assert store.metric("brasa_kv_write_stopped") == 1
        # Analytics has a store of its own, which is well.
        assert store.metric("brasa_events_writable") == 1 and store.metric("brasa_storage_writable") == 0
        assert error_lines(store) < 40 * minutes(begun)
        # Once the disk is well the engine stays stopped until a restart.
        store.fault.unlink()
        with pytest.raises(exceptions.ServiceUnavailable):
            client.document("c/later").set({"n": 1}, retry=None, timeout=30)


def test_a_failed_sync_of_events_is_told_everywhere_once(tmp_path, library):
    with FailingStore(library, tmp_path, watched="events") as store:
        events = analytics.Analytics(store.server, PROJECT)
        instance = "0123456789abcdef0123456789abcdef"
        events.accepted(analytics.batch(instance, analytics.event("first")))
        store.fail()
        begun = time.monotonic()
        for _ in range(60):
            assert events.send(analytics.batch(instance, analytics.event("next"))).status_code == 503
        told(store, "events: writes fail\n")
        assert store.metric("brasa_events_kv_background_errors") >= 1
        assert store.metric("brasa_events_kv_write_stopped") == 1
        assert store.metric("brasa_events_writable") == 0 and store.metric("brasa_storage_writable") == 1
        store.server.wait_for_output("writes to the store fail", "part=events", IO_ERROR)
        assert error_lines(store) < 20 * minutes(begun)
        clients.connect(store.server, PROJECT).document("c/first").set({"n": 1})


def told(store, text):
    def answer():
        health = requests.get(store.server.url + "/healthz", timeout=30)
        return health.status_code == 503 and health.text

    assert servers.wait_for(answer, "a bad /healthz") == text
