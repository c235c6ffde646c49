"""The tree of collections and documents: listing, groups, recursive delete, partitions."""

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

from support.rpc import Failure, fields_of


@pytest.fixture
def tree(client):
    for path in [
        "cities/SF/landmarks/bridge",
        "cities/SF/landmarks/park",
        "cities/LA/landmarks/sign",
        "cities/LA/landmarks/sign/photos/p1",
        "cities/LA/landmarks/sign/photos/p2",
        "landmarks/top",
        "ghost/missing/kids/k1",
    ]:
        client.document(path).set({"id": path.split("/")[-1], "depth": path.count("/")})
    client.document("cities/SF").set({"id": "SF"})
    return client


def paths(query):
    return [snapshot.reference.path for snapshot in query.stream()]


def test_collections_of_the_root_and_of_documents(tree):
    assert [c.id for c in tree.collections()] == ["cities", "ghost", "landmarks"]
    assert [c.id for c in tree.document("cities/SF").collections()] == ["landmarks"]
    assert [c.id for c in tree.document("ghost/missing").collections()] == ["kids"]
    assert [c.id for c in tree.document("cities/none").collections()] == []
    tree.document("landmarks/top").delete()
    assert [c.id for c in tree.collections()] == ["cities", "ghost"]


def test_collection_ids_come_in_pages(calls, names, client):
    expected = [f"c{number:02}" for number in range(25)]
    for collection in expected:
        client.document(f"{collection}/d").set({})
    found, token = [], ""
    while True:
        page = calls.ListCollectionIds(parent=names.root, page_size=10, page_token=token)
        assert len(page.collection_ids) <= 10
        found += page.collection_ids
        token = page.next_page_token
        if not token:
            break
    assert found == expected


def test_missing_documents_are_listed_on_request(tree, calls, names):
    assert [d.id for d in tree.collection("cities").list_documents()] == ["LA", "SF"]
    assert [d.id for d in tree.collection("ghost").list_documents()] == ["missing"]
    reply = calls.ListDocuments(parent=names.root, collection_id="cities", show_missing=True)
    by_id = {document.name.split("/")[-1]: document for document in reply.documents}
    assert fields_of(by_id["SF"]) == {"id": "SF"} and by_id["SF"].update_time
    assert fields_of(by_id["LA"]) == {} and not by_id["LA"].update_time and not by_id["LA"].create_time
    reply = calls.ListDocuments(parent=names.root, collection_id="cities")
    assert [document.name for document in reply.documents] == [names("cities/SF")]


@pytest.mark.emulator_differs("fails on a mask with an order")
def test_documents_come_in_pages(calls, names, client):
    for number in range(23):
        client.document(f"many/{number:02}").set({"n": 22 - number, "x": number})
    for order, expected in [("", list(range(23))), ("n", list(range(22, -1, -1)))]:
        found, token = [], ""
        while True:
            page = calls.ListDocuments(
                parent=names.root,
                collection_id="many",
                page_size=5,
                page_token=token,
                order_by=order,
                mask={"field_paths": ["x"]},
            )
            assert len(page.documents) <= 5
            found += [fields_of(document)["x"] for document in page.documents]
            token = page.next_page_token
            if not token:
                break
        assert found == expected


def test_lists_are_ordered_as_asked(calls, names, client):
    for number in range(6):
        client.document(f"many/{number}").set({"g": number % 2, "n": number})
    reply = calls.ListDocuments(parent=names.root, collection_id="many", order_by="g desc, n asc")
    assert [fields_of(d)["n"] for d in reply.documents] == [1, 3, 5, 0, 2, 4]


def test_bad_page_tokens_and_sizes(calls, names, client):
    client.document("many/a").set({})
    with pytest.raises(Failure) as refusal:
        calls.ListDocuments(parent=names.root, collection_id="many", page_token="nonsense")
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    with pytest.raises(Failure) as refusal:
        calls.ListDocuments(parent=names.root, collection_id="many", page_size=-1)
    assert refusal.value.code.name == "INVALID_ARGUMENT"


def test_a_group_holds_all_collections_of_one_id(tree):
    group = tree.collection_group("landmarks")
    assert paths(group) == [
        "cities/LA/landmarks/sign",
        "cities/SF/landmarks/bridge",
        "cities/SF/landmarks/park",
        "landmarks/top",
    ]
    found = group.where(filter=FieldFilter("id", "==", "park"))
    assert paths(found) == ["cities/SF/landmarks/park"]
    deep = group.where(filter=FieldFilter("depth", ">=", 3)).order_by("depth").order_by("id")
    assert [path.split("/")[-1] for path in paths(deep)] == ["bridge", "park", "sign"]
    assert group.count().get()[0][0].value == 4
    assert paths(tree.collection_group("photos").limit(1)) == ["cities/LA/landmarks/sign/photos/p1"]


def test_a_group_below_a_document(tree, calls, names):
    query = {"from_": [{"collection_id": "landmarks", "all_descendants": True}]}
    messages = calls.RunQuery(parent=names("cities/SF"), structured_query=query)
    found = [m.document.name.removeprefix(names.root + "/") for m in messages if m.document.name]
    assert found == ["cities/SF/landmarks/bridge", "cities/SF/landmarks/park"]


def test_groups_have_cursors(tree):
    ordered = tree.collection_group("landmarks").order_by("__name__")
    whole = list(ordered.stream())
    rest = list(ordered.start_after(whole[1]).stream())
    assert [s.reference.path for s in rest] == [s.reference.path for s in whole[2:]]
    upwards = ordered.start_at({"__name__": tree.document("cities/SF/landmarks/a")})
    assert len(paths(upwards)) == 3


def test_recursive_delete_of_a_document(tree):
    deleted = tree.recursive_delete(tree.document("cities/LA"))
    assert deleted >= 3
    assert paths(tree.collection_group("landmarks")) == [
        "cities/SF/landmarks/bridge",
        "cities/SF/landmarks/park",
        "landmarks/top",
    ]
    assert paths(tree.collection_group("photos")) == []
    assert [d.id for d in tree.collection("cities").list_documents()] == ["SF"]


def test_recursive_delete_of_a_collection(tree):
    tree.recursive_delete(tree.collection("cities"))
    assert [c.id for c in tree.collections()] == ["ghost", "landmarks"]
    assert paths(tree.collection_group("landmarks")) == ["landmarks/top"]


def test_recursive_delete_keeps_collections_that_only_begin_alike(client):
    for path in ["a/1", "a/1/a/2", "ab/1", "a!/1", "a/10/b/1", "a/1/b/1"]:
        client.document(path).set({"p": path})
    client.recursive_delete(client.document("a/1"))
    left = [path for c in client.collections() for path in paths(c)]
    assert left == ["a!/1", "ab/1"]
    assert client.document("a/10/b/1").get().exists


def test_the_sentinels_of_recursive_queries(calls, names, tree):
    """What Google's server clients send to read a collection and everything below it."""
    bounds = [
        ("GREATER_THAN_OR_EQUAL", "cities/__id-9223372036854775808__"),
        ("LESS_THAN", "cities\0/__id-9223372036854775808__"),
    ]
    filters = [
        {
            "field_filter": {
                "field": {"field_path": "__name__"},
                "op": operator,
                "value": {"reference_value": names(path)},
            }
        }
        for operator, path in bounds
    ]
    query = {
        "from_": [{"all_descendants": True}],
        "where": {"composite_filter": {"op": "AND", "filters": filters}},
        "select": {"fields": [{"field_path": "__name__"}]},
    }
    messages = calls.RunQuery(parent=names.root, structured_query=query)
    found = [m.document.name.removeprefix(names.root + "/") for m in messages if m.document.name]
    assert found == [
        "cities/LA/landmarks/sign",
        "cities/LA/landmarks/sign/photos/p1",
        "cities/LA/landmarks/sign/photos/p2",
        "cities/SF",
        "cities/SF/landmarks/bridge",
        "cities/SF/landmarks/park",
    ]


@pytest.mark.emulator_differs("no partitions")
def test_partitions_cover_a_group_without_gaps(client):
    for start in range(0, 600, 300):
        batch = client.batch()
        for number in range(start, start + 300):
            batch.set(client.document(f"p{number % 5}/x/parts/{number:04}"), {"n": number})
        batch.commit()
    group = client.collection_group("parts")
    partitions = list(group.get_partitions(4))
    assert 1 <= len(partitions) <= 4
    seen = [s.get("n") for partition in partitions for s in partition.query().stream()]
    assert sorted(seen) == list(range(600)) and len(seen) == 600


@pytest.mark.emulator_differs("no partitions")
@pytest.mark.parametrize("count", [0, -1])
def test_partition_counts_are_positive(calls, names, count):
    query = {
        "from_": [{"collection_id": "parts", "all_descendants": True}],
        "order_by": [{"field": {"field_path": "__name__"}, "direction": "ASCENDING"}],
    }
    with pytest.raises(Failure) as refusal:
        calls.PartitionQuery(parent=names.root, structured_query=query, partition_count=count)
    assert refusal.value.code.name == "INVALID_ARGUMENT"


@pytest.mark.emulator_differs("no partitions")
def test_partitions_of_other_queries_are_refused(calls, names):
    ordered = [{"field": {"field_path": "__name__"}, "direction": "ASCENDING"}]
    group = {"from_": [{"collection_id": "parts", "all_descendants": True}]}
    for query in [
        {**group, "order_by": ordered, "limit": 3},
        {"from_": [{"collection_id": "parts"}], "order_by": ordered},
        {**group, "order_by": [{"field": {"field_path": "n"}, "direction": "ASCENDING"}]},
    ]:
        with pytest.raises(Failure) as refusal:
            calls.PartitionQuery(parent=names.root, structured_query=query, partition_count=3)
        assert refusal.value.code.name == "INVALID_ARGUMENT"


def test_numeric_ids_sort_before_all_others(client):
    for key in ["b", "__id7__", "__id-3__", "a", "__id10__"]:
        client.document(f"ids/{key}").set({"k": key})
    assert [s.id for s in client.collection("ids").stream()] == ["__id-3__", "__id7__", "__id10__", "a", "b"]
    assert client.document("ids/__id7__").get().get("k") == "__id7__"


def test_ids_sort_by_their_bytes(client):
    keys = ["a", "A", "é", "z", "\uffff", "\U00010000", "10", "9", " ", "a b", "~", "a:b", "%2F"]
    for key in keys:
        client.document(f"ids/{key}").set({"k": key})
    assert [s.id for s in client.collection("ids").stream()] == sorted(keys, key=lambda k: k.encode())
    ordered = client.collection("ids").order_by("__name__").start_at(
        {"__name__": client.document("ids/z")}
    )
    assert [s.id for s in ordered.stream()][0] == "z"
    assert client.collection("ids").where(
        filter=firestore.FieldFilter("k", "==", "\U00010000")
    ).get()[0].id == "\U00010000"
