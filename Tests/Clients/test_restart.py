"""What a stop, a start and a kill leave behind."""

import datetime
import re

import pytest
import requests
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.bson import BSONDecimal128, BSONObjectId
from google.cloud.firestore_v1.vector import Vector

from support import clients, server as servers

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def restartable(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    yield running
    running.kill()


def test_a_damaged_end_of_the_log_is_told_as_unknown_with_what_may_be_lost(restartable):
    client = clients.connect(restartable, "p")
    for number in range(6):
        kept = client.document(f"d/{number}").set({"n": number})
    client.document("d/lost").set({"n": 6, "text": "to be damaged"})
    lost = client.document("d/lost").get().update_time
    client.close()
    restartable.kill()
    # It was acknowledged, and something else than a crash changes one byte of it.
    log = max((restartable.data / "store").glob("*.log"))
    whole = log.read_bytes()
    offset = whole.rindex(b"to be damaged")
    log.write_bytes(whole[:offset] + b"T" + whole[offset + 1 :])
    restartable.lines.clear()
    restartable.start()
    line = next(line for line in restartable.lines if "log was discarded" in line)
    assert "whether commits were lost is unknown" in line and "never acknowledged" not in line
    said = dict(re.findall(r'(\w+)="?([^"\n]*?)"?(?= \w+=|$)', line.rstrip()))
    assert said["file"] == str(log) and 0 < int(said["bytes"]) == len(whole) - int(said["offset"])
    assert said["kept_through"] == stamp(kept.update_time)
    assert said["cut_off"] == f"commits up to {stamp(lost)}"
    client = clients.connect(restartable, "p")
    assert {s.id for s in client.collection("d").stream()} == {str(number) for number in range(6)}
    client.close()


def stamp(time):
    """As RFC 3339 has it, with three or six digits."""
    text = time.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return text.removesuffix("000") + "Z"


VALUES = {
    "null": None,
    "yes": True,
    "int": 2**63 - 1,
    "double": -0.0,
    "text": "ação 😀",
    "bytes": b"\x00\xff",
    "time": datetime.datetime(2014, 6, 2, 12, 0, 0, 123456, datetime.timezone.utc),
    "place": firestore.GeoPoint(1.5, -2.5),
    "list": [1, 1.0, "x", {"m": []}],
    "vector": Vector([0.5, 1.5]),
    "decimal": BSONDecimal128("0.10"),
    "id": BSONObjectId("507f191e810c19729de860ea"),
    "map": {"a": {"b": {}}},
}


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_documents_indexes_and_times_survive(restartable, how):
    client = clients.connect(restartable, "p")
    client.document("v/all").set(VALUES)
    for number in range(50):
        client.document(f"n/{number:02}").set({"n": number, "g": number % 3})
    client.document("n/00").delete()
    client.document("n/01/sub/x").set({"deep": True})
    before = [(s.id, s.update_time, s.create_time) for s in client.collection("n").stream()]
    moment = client.document("n/02").get().update_time
    client.close()

    if how == "stop":
        assert restartable.stop() == 0
    else:
        restartable.kill()
    restartable.start()

    client = clients.connect(restartable, "p")
    read = client.document("v/all").get().to_dict()
    assert {k: v for k, v in read.items() if k != "vector"} == {
        k: v for k, v in VALUES.items() if k != "vector"
    }
    assert list(read["vector"]) == [0.5, 1.5]
    assert [(s.id, s.update_time, s.create_time) for s in client.collection("n").stream()] == before
    query = client.collection("n").where(filter=FieldFilter("g", "==", 1)).order_by("n")
    assert [s.get("n") for s in query.stream()] == list(range(1, 50, 3))
    assert [c.id for c in client.document("n/01").collections()] == ["sub"]
    assert client.collection_group("sub").count().get()[0][0].value == 1
    assert len(list(client.collection("n").stream(read_time=moment))) == 3
    written = client.document("n/after").set({}).update_time
    assert written > max(time for _, time, _ in before)
    client.close()
    assert restartable.stop() == 0
    done = servers.run("verify", "--data", restartable.data)
    assert done.returncode == 0


def test_a_transaction_does_not_survive(restartable):
    client = clients.connect(restartable, "p")
    client.document("t/a").set({"n": 1})
    transaction = client.transaction()
    transaction._begin()
    client.document("t/a").get(transaction=transaction)
    token = transaction.id
    client.close()
    restartable.stop()
    restartable.start()
    client = clients.connect(restartable, "p")
    client.document("t/a").set({"n": 2})
    with pytest.raises((exceptions.InvalidArgument, exceptions.Aborted)):
        client._firestore_api.commit(
            request={"database": client._database_string, "writes": [], "transaction": token},
            metadata=client._rpc_metadata,
        )
    client.close()


def test_a_second_server_on_the_directory_is_refused(restartable):
    second = servers.Brasa(restartable.data)
    with pytest.raises(RuntimeError):
        second.start()
    assert second.process.returncode not in (0, None)
    assert "another" in second.output.lower() or "in use" in second.output.lower(), second.output
    assert requests.get(restartable.url + "/", timeout=30).status_code == 200


def test_running_streams_end_when_the_server_stops(restartable):
    client = clients.connect(restartable, "p")
    batch = client.batch()
    for number in range(400):
        batch.set(client.document(f"n/{number}"), {"text": "x" * 10_000})
    batch.commit()
    stream = client.collection("n").stream()
    next(stream)
    assert restartable.stop() == 0
    client.close()


def test_the_log_says_that_development_mode_is_open(restartable):
    requests.get(restartable.url + "/", timeout=30)
    assert "development" in restartable.output.lower()


def test_development_mode_stays_on_loopback(tmp_path):
    open_server = servers.Brasa(tmp_path / "data", "--host", "0.0.0.0")
    with pytest.raises(RuntimeError):
        open_server.start()
    assert "--allow-remote-dev" in open_server.output
