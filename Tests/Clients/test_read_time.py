"""Reads of the past."""

import datetime

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.base_query import FieldFilter

from support import rpc, rules
from support.rpc import Failure, fields_of
from support.tokens import unsigned


@pytest.fixture
def history(client):
    """Three states of three documents and the moments between them."""
    moments = []
    batch = client.batch()
    for key in "abc":
        batch.set(client.document(f"h/{key}"), {"v": 1, "k": key})
    moments.append(batch.commit()[0].update_time)
    client.document("h/a").delete()
    client.document("h/b").update({"v": 2})
    moments.append(client.document("h/d").set({"v": 1, "k": "d"}).update_time)
    client.document("h/a").set({"v": 3, "k": "a2"})
    moments.append(client.document("h/c").set({"v": 3}).update_time)
    return moments


STATES = [
    {"a": {"v": 1, "k": "a"}, "b": {"v": 1, "k": "b"}, "c": {"v": 1, "k": "c"}},
    {"b": {"v": 2, "k": "b"}, "c": {"v": 1, "k": "c"}, "d": {"v": 1, "k": "d"}},
    {"a": {"v": 3, "k": "a2"}, "b": {"v": 2, "k": "b"}, "c": {"v": 3}, "d": {"v": 1, "k": "d"}},
]


def test_documents_and_queries_of_each_moment(client, history):
    collection = client.collection("h")
    for moment, state in zip(history, STATES):
        found = {s.id: s.to_dict() for s in collection.stream(read_time=moment)}
        assert found == state
        for key in "abcd":
            snapshot = client.document(f"h/{key}").get(read_time=moment)
            assert snapshot.to_dict() == state.get(key)
        got = {s.id: s.to_dict() for s in client.get_all(
            [client.document(f"h/{key}") for key in "abcd"], read_time=moment)}
        assert {key: value for key, value in got.items() if value is not None} == state


def test_filtered_queries_of_each_moment(client, history):
    collection = client.collection("h")
    for moment, state in zip(history, STATES):
        for value in (1, 2, 3):
            query = collection.where(filter=FieldFilter("v", "==", value))
            expected = sorted(key for key, data in state.items() if data["v"] == value)
            assert [s.id for s in query.stream(read_time=moment)] == expected
        ordered = [s.id for s in collection.order_by("k").stream(read_time=moment)]
        assert ordered == sorted((k for k in state if "k" in state[k]), key=lambda k: state[k]["k"])


def test_aggregations_and_lists_of_each_moment(client, calls, names, history):
    collection = client.collection("h")
    for moment, state in zip(history, STATES):
        got = collection.count(alias="c").sum("v", alias="s").get(read_time=moment)[0]
        assert {r.alias: r.value for r in got} == {
            "c": len(state),
            "s": sum(data["v"] for data in state.values()),
        }
        reply = calls.ListDocuments(parent=names.root, collection_id="h", read_time=moment)
        assert [d.name.split("/")[-1] for d in reply.documents] == sorted(state)


def test_a_read_only_transaction_at_a_moment(calls, names, history):
    begun = calls.BeginTransaction(
        database=names.database, options={"read_only": {"read_time": history[0]}}
    )
    messages = calls.BatchGetDocuments(
        database=names.database, documents=[names("h/b")], transaction=begun.transaction
    )
    assert [fields_of(m.found) for m in messages if m.found.name] == [{"v": 1, "k": "b"}]


def test_the_future_is_refused(client, calls, names):
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=5)
    with pytest.raises(Failure) as refusal:
        calls.GetDocument(name=names("h/a"), read_time=later)
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert "cannot be in the future" in refusal.value.message


@pytest.mark.emulator_differs("another code and text")
def test_the_distant_past_is_refused(calls, names):
    earlier = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=2)
    with pytest.raises(Failure) as refusal:
        calls.GetDocument(name=names("h/a"), read_time=earlier)
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert refusal.value.message == "The requested snapshot version is too old."


def test_read_times_never_go_back(calls, names, client):
    client.document("h/a").set({"n": 0})
    last = None
    for number in range(20):
        written = client.document("h/a").set({"n": number + 1}).update_time
        (message,) = calls.BatchGetDocuments(database=names.database, documents=[names("h/a")])
        stamp = types.BatchGetDocumentsResponse.pb(message).read_time
        now = (stamp.seconds, stamp.nanos)
        assert message.read_time >= written
        assert last is None or now >= last
        last = now
        assert fields_of(message.found) == {"n": number + 1}


@pytest.mark.brasa_only
def test_who_lost_a_right_does_not_read_the_past(server, project, client, calls, names):
    """Callers under rules choose no time: what they may not see now they do not see as it was."""
    first = client.document("owned/x").set({"owner": "alice", "secret": 1}).update_time
    body = "match /owned/{id} { allow read: if resource.data.owner == request.auth.uid; }"
    assert rules.put(server, project, rules.service(body)).status_code == 200
    token = (("authorization", f"Bearer {unsigned(project, 'alice')}"),)
    alice = rpc.Calls(server.host, metadata=token)
    assert fields_of(alice.GetDocument(name=names("owned/x")))["secret"] == 1
    begun = alice.BeginTransaction(database=names.database).transaction
    alice.GetDocument(name=names("owned/x"), transaction=begun)
    client.document("owned/x").update({"owner": "bob"})
    query = {"from_": [{"collection_id": "owned"}]}
    counted = {"structured_query": query, "aggregations": [{"alias": "c", "count": {}}]}
    at_first = {"read_only": {"read_time": first}}
    attempts = [
        lambda: alice.GetDocument(name=names("owned/x"), read_time=first),
        lambda: alice.BatchGetDocuments(
            database=names.database, documents=[names("owned/x")], read_time=first
        ),
        lambda: alice.BatchGetDocuments(
            database=names.database, documents=[names("owned/x")], new_transaction=at_first
        ),
        lambda: alice.ListDocuments(parent=names.root, collection_id="owned", read_time=first),
        lambda: alice.RunQuery(parent=names.root, structured_query=query, read_time=first),
        lambda: alice.RunQuery(parent=names.root, structured_query=query, new_transaction=at_first),
        lambda: alice.RunAggregationQuery(
            parent=names.root, structured_aggregation_query=counted, read_time=first
        ),
        lambda: alice.BeginTransaction(database=names.database, options=at_first),
        lambda: alice.ListCollectionIds(parent=names.root, read_time=first),
        lambda: alice.PartitionQuery(
            parent=names.root, structured_query=query, partition_count=2, read_time=first
        ),
    ]
    for number, attempt in enumerate(attempts):
        with pytest.raises(Failure) as refusal:
            attempt()
        assert refusal.value.code.name == "PERMISSION_DENIED", number
    # The server chose the transaction's time.
    found = alice.GetDocument(name=names("owned/x"), transaction=begun)
    assert fields_of(found)["secret"] == 1
    assert fields_of(calls.GetDocument(name=names("owned/x"), read_time=first))["owner"] == "alice"
    alice.close()
