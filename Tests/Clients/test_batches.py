"""Several writes at once: atomic batches, bulk writes with a status each, verify."""

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.bulk_writer import BulkWriterOptions, SendMode

from support.rpc import SERVICE, Failure, fields_of, varint


def test_a_batch_lands_whole(client):
    client.document("b/old").set({"n": 0})
    client.document("b/gone").set({"n": 0})
    batch = client.batch()
    batch.set(client.document("b/one"), {"n": 1})
    batch.create(client.document("b/two"), {"n": 2})
    batch.update(client.document("b/old"), {"n": firestore.Increment(5)})
    batch.delete(client.document("b/gone"))
    results = batch.commit()
    assert len(results) == 4
    found = {s.id: s.get("n") for s in client.collection("b").stream()}
    assert found == {"old": 5, "one": 1, "two": 2}
    times = {s.update_time for s in client.collection("b").stream()}
    assert times == {batch.commit_time}


def test_a_batch_with_one_refused_write_leaves_nothing(client):
    client.document("b/taken").set({"n": 0})
    batch = client.batch()
    batch.set(client.document("b/one"), {"n": 1})
    batch.create(client.document("b/taken"), {"n": 2})
    batch.delete(client.document("b/taken"))
    with pytest.raises(exceptions.AlreadyExists):
        batch.commit()
    assert {s.id: s.get("n") for s in client.collection("b").stream()} == {"taken": 0}


def test_writes_of_a_batch_see_those_before_them(client):
    document = client.document("b/one")
    batch = client.batch()
    batch.create(document, {"n": 1})
    batch.update(document, {"n": firestore.Increment(1), "m": 1})
    batch.delete(document)
    batch.create(document, {"n": 10})
    batch.update(document, {"n": firestore.Increment(1)})
    batch.commit()
    assert document.get().to_dict() == {"n": 11}


def test_a_commit_takes_more_than_five_hundred_writes(client):
    batch = client.batch()
    for number in range(1200):
        batch.set(client.document(f"b/{number:04}"), {"n": number})
    batch.commit()
    assert client.collection("b").count().get()[0][0].value == 1200


def test_an_empty_commit_succeeds(calls, names):
    calls.Commit(database=names.database)


def test_a_bulk_writer_writes_everything(client):
    bulk = client.bulk_writer(BulkWriterOptions(mode=SendMode.serial))
    for number in range(300):
        bulk.create(client.document(f"b/{number:03}"), {"n": number})
    bulk.flush()
    for number in range(0, 300, 3):
        bulk.delete(client.document(f"b/{number:03}"))
    for number in range(1, 300, 3):
        bulk.update(client.document(f"b/{number:03}"), {"n": firestore.Increment(1000)})
    bulk.close()
    found = {s.id: s.get("n") for s in client.collection("b").stream()}
    expected = {f"{n:03}": n + (1000 if n % 3 == 1 else 0) for n in range(300) if n % 3}
    assert found == expected


def test_a_bulk_writer_reports_each_refused_write(client):
    client.document("b/1").set({"n": "taken"})
    refused, written = [], []
    bulk = client.bulk_writer(BulkWriterOptions(mode=SendMode.serial))

    def on_refused(failure, _):
        refused.append((failure.operation.reference.id, failure.code))
        return False

    bulk.on_write_error(on_refused)
    bulk.on_write_result(lambda reference, result, _: written.append(reference.id))
    for number in range(3):
        bulk.create(client.document(f"b/{number}"), {"n": number})
    bulk.close()
    assert refused == [("1", 6)]
    assert sorted(written) == ["0", "2"]
    assert {s.id: s.get("n") for s in client.collection("b").stream()} == {
        "0": 0,
        "1": "taken",
        "2": 2,
    }


def test_batch_write_gives_every_write_a_status(calls, names):
    reply = calls.BatchWrite(
        database=names.database,
        writes=[
            {"update": {"name": names("b/1"), "fields": {"n": {"integer_value": 1}}}},
            {"delete": names("b/2"), "current_document": {"exists": True}},
            {"update": {"name": names("b/3")}, "current_document": {"exists": False}},
            {"update": {"name": names("b/4")}, "current_document": {"exists": True}},
        ],
    )
    assert [status.code for status in reply.status] == [0, 5, 0, 5]
    assert len(reply.write_results) == 4
    stamped = [types.WriteResult.pb(r).HasField("update_time") for r in reply.write_results]
    assert stamped == [True, False, True, False]
    assert fields_of(calls.GetDocument(name=names("b/1"))) == {"n": 1}


def test_batch_write_refuses_a_document_twice(calls, names):
    write = {"update": {"name": names("b/1")}}
    with pytest.raises(Failure) as refusal:
        calls.BatchWrite(database=names.database, writes=[write, {"delete": names("b/1")}])
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert (
        "the same document cannot be written more than once in a single request"
        in refusal.value.message.lower()
    )


@pytest.mark.emulator_differs("no limit on writes")
def test_batch_write_takes_at_most_five_hundred(calls, names):
    writes = [{"update": {"name": names(f"b/{number}")}} for number in range(501)]
    with pytest.raises(Failure) as refusal:
        calls.BatchWrite(database=names.database, writes=writes)
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert "maximum 500 writes allowed per request" in refusal.value.message
    calls.BatchWrite(database=names.database, writes=writes[:500])


# Write.verify is not in the published messages; mobile and web clients send it all the same.


def verify(name, **precondition):
    write = types.Write.pb(types.Write(current_document=precondition))
    text = name.encode()
    field = bytes([5 << 3 | 2]) + varint(len(text)) + text
    write.MergeFromString(field)
    return write


def commit_with_verify(calls, names, *writes):
    request = types.CommitRequest.pb(types.CommitRequest(database=names.database))
    for write in writes:
        request.writes.append(write if not isinstance(write, dict) else types.Write.pb(types.Write(write)))
    return calls.raw(
        SERVICE + "Commit", request.SerializeToString(), types.CommitResponse.deserialize
    )


def stamp_of(calls, name):
    stamp = types.Document.pb(calls.GetDocument(name=name)).update_time
    return {"seconds": stamp.seconds, "nanos": stamp.nanos}


def test_verify_asserts_without_writing(calls, names):
    watched, written = names("b/watched"), names("b/written")
    calls.UpdateDocument(document={"name": watched, "fields": {"n": {"integer_value": 1}}})
    stamp = stamp_of(calls, watched)
    reply = commit_with_verify(
        calls, names, verify(watched, update_time=stamp), {"update": {"name": written}}
    )
    assert len(reply.write_results) == 2
    assert fields_of(calls.GetDocument(name=watched)) == {"n": 1}
    assert stamp_of(calls, watched) == stamp

    calls.UpdateDocument(document={"name": watched, "fields": {"n": {"integer_value": 2}}})
    with pytest.raises(Failure) as refusal:
        commit_with_verify(
            calls, names, verify(watched, update_time=stamp), {"delete": written}
        )
    assert refusal.value.code.name == "FAILED_PRECONDITION"
    calls.GetDocument(name=written)


def test_verify_of_a_missing_document(calls, names):
    missing, written = names("b/missing"), names("b/written")
    commit_with_verify(calls, names, verify(missing, exists=False), {"update": {"name": written}})
    calls.UpdateDocument(document={"name": missing})
    with pytest.raises(Failure) as refusal:
        commit_with_verify(calls, names, verify(missing, exists=False), {"delete": written})
    assert refusal.value.code.name in ("ALREADY_EXISTS", "FAILED_PRECONDITION")
    calls.GetDocument(name=written)


@pytest.mark.parametrize("case", ["verified twice", "verified and written", "written and verified", "bare"])
def test_verify_misused(calls, names, case):
    name = names("b/a")
    there, write = verify(name, exists=False), {"update": {"name": name}}
    bare = types.Write.pb(types.Write())
    bare.MergeFromString(bytes([5 << 3 | 2]) + varint(len(name)) + name.encode())
    writes, text = {
        "verified twice": ([there, there], "cannot be verified more than once"),
        "verified and written": ([there, write], "verified and then written"),
        "written and verified": ([write, there], "written and then verified"),
        "bare": ([bare], "a verify must contain a precondition"),
    }[case]
    with pytest.raises(Failure) as refusal:
        commit_with_verify(calls, names, *writes)
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert text in refusal.value.message.lower()
