"""Google's client listens: documents, collections, queries, windows; many at once."""

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients
from support.watching import Watcher, watching


def fill(collection, values):
    batch = collection._client.batch()
    for key, n in values.items():
        batch.set(collection.document(key), {"n": n, "even": n % 2 == 0})
    batch.commit()


def test_a_document_that_comes_changes_and_goes(client):
    document = client.document("c/one")
    with watching(document) as watcher:
        assert watcher.next().documents == []
        document.set({"n": 1})
        snapshot = watcher.next()
        assert snapshot.kinds == [("ADDED", "one")] and snapshot.data == {"one": {"n": 1}}
        written = document.update({"n": 2})
        snapshot = watcher.next()
        assert snapshot.kinds == [("MODIFIED", "one")] and snapshot.data == {"one": {"n": 2}}
        assert snapshot.documents[0].update_time == written.update_time
        assert snapshot.read_time >= written.update_time
        document.delete()
        snapshot = watcher.next()
        assert snapshot.kinds == [("REMOVED", "one")] and snapshot.documents == []
        document.set({"n": 3})
        assert watcher.next().data == {"one": {"n": 3}}


def test_a_collection(client):
    collection = client.collection("c")
    fill(collection, {"b": 2, "a": 1})
    with watching(collection) as watcher:
        assert watcher.next().ids == ["a", "b"]
        collection.document("aa").set({"n": 7})
        snapshot = watcher.next()
        assert snapshot.ids == ["a", "aa", "b"] and snapshot.kinds == [("ADDED", "aa")]
        # Neither a sub-collection nor a neighbour is part of it.
        client.document("c/a/c/x").set({"n": 1})
        client.document("cc/x").set({"n": 1})
        collection.document("a").delete()
        snapshot = watcher.next()
        assert snapshot.ids == ["aa", "b"] and snapshot.kinds == [("REMOVED", "a")]


def test_one_commit_is_one_snapshot(client):
    collection = client.collection("c")
    fill(collection, {"a": 1, "b": 2, "c": 3})
    with watching(collection) as watcher:
        watcher.next()
        batch = client.batch()
        batch.delete(collection.document("a"))
        batch.update(collection.document("b"), {"n": 20})
        batch.set(collection.document("d"), {"n": 4})
        batch.commit()
        snapshot = watcher.next()
        assert sorted(snapshot.kinds) == [("ADDED", "d"), ("MODIFIED", "b"), ("REMOVED", "a")]
        assert snapshot.ids == ["b", "c", "d"]


def test_a_query_that_documents_enter_and_leave_by_changing(client):
    collection = client.collection("c")
    fill(collection, {"a": 1, "b": 2})
    with watching(collection.where(filter=FieldFilter("even", "==", True))) as watcher:
        assert watcher.next().ids == ["b"]
        collection.document("a").update({"even": True})
        assert watcher.next().kinds == [("ADDED", "a")]
        collection.document("b").update({"even": False})
        assert watcher.next().kinds == [("REMOVED", "b")]
        collection.document("b").update({"n": 5})
        collection.document("a").update({"n": 9})
        assert watcher.next().kinds == [("MODIFIED", "a")]


def test_an_ordered_query_moves_documents(client):
    collection = client.collection("c")
    fill(collection, {"a": 1, "b": 2, "c": 3})
    with watching(collection.order_by("n")) as watcher:
        assert watcher.next().ids == ["a", "b", "c"]
        collection.document("a").update({"n": 10})
        snapshot = watcher.next()
        assert snapshot.ids == ["b", "c", "a"] and snapshot.kinds == [("MODIFIED", "a")]
        # Without the field a document is no longer part of the order.
        collection.document("b").update({"n": firestore.DELETE_FIELD})
        assert watcher.next().ids == ["c", "a"]


def test_a_write_that_changes_nothing_is_silent(client):
    collection = client.collection("c")
    fill(collection, {"a": 1})
    with watching(collection) as watcher:
        watcher.next()
        collection.document("a").set({"n": 1, "even": False})
        collection.document("b").set({"n": 2})
        assert watcher.next().kinds == [("ADDED", "b")]


def test_a_window_refills_and_displaces(client):
    collection = client.collection("c")
    fill(collection, {f"{n}": n for n in range(1, 9)})
    with watching(collection.order_by("n").limit(3)) as watcher:
        assert watcher.next().ids == ["1", "2", "3"]
        collection.document("2").delete()
        assert watcher.until_ids(["1", "3", "4"])
        collection.document("0").set({"n": 0})
        assert watcher.until_ids(["0", "1", "3"])
        collection.document("0").update({"n": 100})
        assert watcher.until_ids(["1", "3", "4"])
        batch = client.batch()
        for key in ("1", "3", "4", "5"):
            batch.delete(collection.document(key))
        batch.commit()
        assert watcher.until_ids(["6", "7", "8"])
        for key in ("6", "7"):
            collection.document(key).delete()
        assert watcher.until_ids(["8", "0"])


def test_the_last_of_an_order(client):
    """What a client's limit-to-last sends: the order turned around, with a limit."""
    collection = client.collection("c")
    fill(collection, {f"{n}": n for n in range(1, 6)})
    last = collection.order_by("n", direction=firestore.Query.DESCENDING).limit(2)
    with watching(last) as watcher:
        assert watcher.until_members(["5", "4"])
        collection.document("9").set({"n": 9})
        assert watcher.until_members(["9", "5"])
        collection.document("5").delete()
        assert watcher.until_members(["9", "4"])


def test_cursors_bound_what_is_listened_to(client):
    collection = client.collection("c")
    fill(collection, {f"{n}": n for n in range(6)})
    with watching(collection.order_by("n").start_at({"n": 2}).end_before({"n": 5})) as watcher:
        assert watcher.next().ids == ["2", "3", "4"]
        collection.document("5").update({"n": 2.5})
        assert watcher.next().ids == ["2", "5", "3", "4"]
        collection.document("2").update({"n": 5})
        assert watcher.next().ids == ["5", "3", "4"]


def test_a_collection_group(client):
    client.document("a/x/items/1").set({"n": 1})
    with watching(client.collection_group("items")) as watcher:
        assert watcher.next().ids == ["1"]
        client.document("items/2").set({"n": 2})
        assert sorted(watcher.next().ids) == ["1", "2"]
        client.document("b/y/deep/z/items/3").set({"n": 3})
        assert sorted(watcher.next().ids) == ["1", "2", "3"]
        client.document("a/x/items/1").delete()
        assert sorted(watcher.next().ids) == ["2", "3"]


def test_a_named_database_is_a_world_of_its_own(server, project, client):
    other = clients.connect(server, project, "orders-db")
    try:
        other.document("c/seen").set({"n": 1})
        with watching(other.collection("c"), client.collection("c")) as (named, default):
            assert named.next().ids == ["seen"]
            assert default.next().ids == []
            other.document("c/there").set({"n": 1})
            assert named.next().kinds == [("ADDED", "there")]
            client.document("c/here").set({"n": 1})
            assert default.next().kinds == [("ADDED", "here")]
            other.document("c/more").set({"n": 1})
            assert named.next().kinds == [("ADDED", "more")]
    finally:
        other.close()


def test_many_watches_on_one_client(client):
    collection = client.collection("c")
    users = [f"user-{n}" for n in range(30)]
    queries = [collection.where(filter=FieldFilter("user", "==", user)) for user in users]
    with watching(*queries, collection) as watchers:
        for watcher in watchers:
            assert watcher.next().documents == []
        for number, user in enumerate(users):
            collection.document(f"{number}").set({"user": user})
        watchers[-1].until(lambda snapshot: len(snapshot.documents) == len(users))
        for number, watcher in enumerate(watchers[:-1]):
            assert watcher.next().ids == [f"{number}"]
            assert len(watcher.snapshots) == 2, "a query was told of what is not its own"


def test_who_left_is_told_nothing_more(client):
    collection = client.collection("c")
    leaving = Watcher(collection)
    with watching(collection) as staying:
        leaving.next()
        staying.next()
        leaving.close()
        assert not leaving.watch.is_active
        collection.document("a").set({"n": 1})
        assert staying.next().ids == ["a"]
        assert len(leaving.snapshots) == 1


def test_large_documents_and_a_large_first_snapshot(client):
    collection = client.collection("c")
    for start in range(0, 600, 200):
        batch = client.batch()
        for number in range(start, start + 200):
            batch.set(collection.document(f"{number:03}"), {"text": "x" * 20_000, "n": number})
        batch.commit()
    with watching(collection) as watcher:
        assert len(watcher.next(60).documents) == 600
        collection.document("big").set({"text": "y" * 900_000})
        snapshot = watcher.next()
        assert snapshot.kinds == [("ADDED", "big")]
        assert len(snapshot.data["big"]["text"]) == 900_000


def test_every_kind_of_value_arrives(client):
    import datetime

    values = {
        "null": None, "yes": True, "int": -(2**63), "double": 1.5, "text": "ação 😀",
        "bytes": b"\x00\xff", "list": [1, "x", {"deep": [2]}], "map": {"a.b": {"`": 1}, "empty": {}},
        "time": datetime.datetime(2014, 6, 2, 12, 0, 0, 123456, datetime.timezone.utc),
        "place": firestore.GeoPoint(1.5, -2.5),
    }
    document = client.document("v/all")
    with watching(document) as watcher:
        watcher.next()
        document.set(values)
        snapshot = watcher.next()
        assert snapshot.documents[0].to_dict() == values
        document.update({"stamp": firestore.SERVER_TIMESTAMP, "list": firestore.ArrayUnion(["y"])})
        data = watcher.next().documents[0].to_dict()
        assert data["list"] == [1, "x", {"deep": [2]}, "y"] and data["stamp"] is not None


@pytest.mark.brasa_only
def test_a_query_without_its_index_ends_the_watch(tmp_path):
    from support import server as servers

    server = servers.Brasa(tmp_path / "data", "--require-indexes").start()
    client = clients.connect(server, "p")
    try:
        query = client.collection("c").where(filter=FieldFilter("a", "==", 1)).order_by("b")
        watcher = Watcher(query)
        thread = watcher.watch._consumer._thread
        thread.join(30)
        assert not thread.is_alive() and not watcher.watch.is_active
        assert watcher.snapshots == []
    finally:
        client.close()
        server.kill()
