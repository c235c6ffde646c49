"""Filters, orders, projections and limits, each on data where a mistake shows."""

import math

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import And, FieldFilter, Or

from support.rpc import Failure, fields_of

CITIES = {
    "SF": {"name": "San Francisco", "state": "CA", "capital": False, "population": 860000, "regions": ["west", "norcal"]},
    "LA": {"name": "Los Angeles", "state": "CA", "capital": False, "population": 3900000, "regions": ["west", "socal"]},
    "DC": {"name": "Washington D.C.", "state": None, "capital": True, "population": 680000, "regions": ["east"]},
    "TOK": {"name": "Tokyo", "state": None, "capital": True, "population": 9000000, "regions": ["kanto", "honshu"]},
    "BJ": {"name": "Beijing", "state": None, "capital": True, "population": 21500000.0, "regions": ["jingjinji", "hebei"]},
    "NIL": {"name": "Nil", "population": None, "regions": []},
    "NAN": {"name": "Nan", "population": math.nan, "regions": "west"},
    "TEXT": {"name": "Text", "population": "many", "regions": ["west", None]},
}


@pytest.fixture
def cities(client):
    batch = client.batch()
    for key, data in CITIES.items():
        batch.set(client.document(f"cities/{key}"), data)
    batch.commit()
    return client.collection("cities")


def ids(query):
    return [snapshot.id for snapshot in query.stream()]


def where(collection, *filters):
    for condition in filters:
        collection = collection.where(filter=FieldFilter(*condition))
    return collection


@pytest.mark.parametrize(
    "filters, expected",
    [
        ([("state", "==", "CA")], ["LA", "SF"]),
        ([("state", "==", None)], ["BJ", "DC", "TOK"]),
        ([("state", "!=", None)], ["LA", "SF"]),
        ([("state", "!=", "NY")], ["LA", "SF"]),
        ([("capital", "==", True)], ["BJ", "DC", "TOK"]),
        ([("capital", "<", True)], ["LA", "SF"]),
        ([("population", "==", 21500000)], ["BJ"]),
        ([("population", "==", math.nan)], ["NAN"]),
        ([("population", "==", None)], ["NIL"]),
        ([("population", "<", 860000)], ["DC"]),
        ([("population", "<=", 860000)], ["DC", "SF"]),
        ([("population", ">", 3900000.0)], ["TOK", "BJ"]),
        ([("population", ">=", 3900000)], ["LA", "TOK", "BJ"]),
        ([("population", ">", 0), ("population", "<", 1000000)], ["DC", "SF"]),
        ([("population", ">", "a")], ["TEXT"]),
        ([("population", "!=", 680000)], ["NAN", "SF", "LA", "TOK", "BJ", "TEXT"]),
        ([("population", "!=", math.nan)], ["DC", "SF", "LA", "TOK", "BJ", "TEXT"]),
        ([("population", "!=", None)], ["NAN", "DC", "SF", "LA", "TOK", "BJ", "TEXT"]),
        ([("population", "in", [680000.0, "many", 1])], ["DC", "TEXT"]),
        ([("population", "in", [None, math.nan, 680000])], ["DC"]),
        ([("population", "not-in", [680000, 860000])], ["NAN", "LA", "TOK", "BJ", "TEXT"]),
        ([("population", "not-in", [None, 680000])], []),
        ([("regions", "array_contains", "west")], ["LA", "SF", "TEXT"]),
        ([("regions", "array_contains_any", ["east", "west"])], ["DC", "LA", "SF", "TEXT"]),
        ([("regions", "==", ["west", "socal"])], ["LA"]),
        ([("regions", "==", [])], ["NIL"]),
        ([("regions", "in", [["east"], ["west"]])], ["DC"]),
        ([("regions", ">", ["kanto"])], ["TOK", "TEXT", "SF", "LA"]),
        ([("regions", "array_contains", "west"), ("state", "==", "CA")], ["LA", "SF"]),
        ([("state", "==", "CA"), ("capital", "==", False), ("name", "==", "Los Angeles")], ["LA"]),
        ([("state", "==", "CA"), ("population", ">", 1000000)], ["LA"]),
        ([("state", "in", ["CA", "NY"]), ("regions", "array_contains", "norcal")], ["SF"]),
        ([("absent", "==", 1)], []),
        ([("absent", "!=", 1)], []),
        ([("absent", "not-in", [1])], []),
    ],
    ids=str,
)
def test_filters(cities, filters, expected):
    assert ids(where(cities, *filters)) == expected


def test_or_joins_and_removes_doubles(cities):
    query = cities.where(
        filter=Or(
            [
                FieldFilter("state", "==", "CA"),
                FieldFilter("regions", "array_contains", "west"),
                And([FieldFilter("capital", "==", True), FieldFilter("population", "<", 700000)]),
            ]
        )
    )
    found = ids(query)
    # The inequality orders by population and drops documents without one.
    assert found == ["DC", "SF", "LA", "TEXT"]
    assert ids(query.limit(2)) == ["DC", "SF"]


def test_or_without_an_inequality_goes_by_name(cities):
    query = cities.where(
        filter=Or([FieldFilter("name", "==", "Tokyo"), FieldFilter("capital", "==", False)])
    )
    assert ids(query) == ["LA", "SF", "TOK"]


def test_or_inside_and(cities):
    query = cities.where(
        filter=And(
            [
                Or([FieldFilter("state", "==", "CA"), FieldFilter("capital", "==", True)]),
                Or([FieldFilter("name", "in", ["Tokyo", "Los Angeles"]), FieldFilter("population", "==", 680000)]),
            ]
        )
    )
    assert ids(query) == ["DC", "LA", "TOK"]


@pytest.mark.parametrize(
    "orders, expected",
    [
        (["population"], ["NIL", "NAN", "DC", "SF", "LA", "TOK", "BJ", "TEXT"]),
        (["-population"], ["TEXT", "BJ", "TOK", "LA", "SF", "DC", "NAN", "NIL"]),
        (["state", "name"], ["BJ", "TOK", "DC", "LA", "SF"]),
        (["state", "-name"], ["DC", "TOK", "BJ", "SF", "LA"]),
        (["-state", "name"], ["LA", "SF", "BJ", "TOK", "DC"]),
        (["-state"], ["SF", "LA", "TOK", "DC", "BJ"]),
        (["state"], ["BJ", "DC", "TOK", "LA", "SF"]),
        (["capital", "-population"], ["LA", "SF", "BJ", "TOK", "DC"]),
        (["absent"], []),
        (["__name__"], sorted(CITIES)),
    ],
    ids=str,
)
def test_orders(cities, orders, expected):
    query = cities
    for order in orders:
        direction = firestore.Query.DESCENDING if order[0] == "-" else firestore.Query.ASCENDING
        query = query.order_by(order.lstrip("-"), direction=direction)
    assert ids(query) == expected


@pytest.mark.emulator_differs("no descending scan of keys")
def test_names_in_descending_order(cities):
    query = cities.order_by("__name__", direction=firestore.Query.DESCENDING)
    assert ids(query) == sorted(CITIES, reverse=True)
    assert ids(query.limit(2)) == ["TOK", "TEXT"]


def test_a_filter_with_an_order_on_another_field(cities):
    query = where(cities, ("capital", "==", True)).order_by("name")
    assert ids(query) == ["BJ", "TOK", "DC"]
    query = where(cities, ("population", ">", 0)).order_by("name")
    assert ids(query) == ["BJ", "LA", "SF", "TOK", "DC"]


def test_inequalities_on_several_fields(cities):
    query = where(cities, ("population", ">", 700000), ("name", "<", "T"))
    # Implicit orders: the inequality fields by their path, so name first.
    assert ids(query) == ["BJ", "LA", "SF"]
    query = query.order_by("population", direction=firestore.Query.DESCENDING)
    assert ids(query) == ["BJ", "LA", "SF"]


def test_limits_and_offsets(cities):
    by_name = cities.order_by("name")
    names = ids(by_name)
    assert ids(by_name.limit(3)) == names[:3]
    assert ids(by_name.offset(2).limit(3)) == names[2:5]
    assert ids(by_name.offset(100)) == []
    assert [s.id for s in by_name.limit_to_last(2).get()] == names[-2:]


def test_projections_keep_structure(client):
    client.document("p/a").set({"a": {"b": 1, "c": {"d": 2}}, "e": [1], "f": None})
    client.document("p/b").set({"a": 5})
    selected = client.collection("p").select(["a.b", "f", "missing"])
    assert [s.to_dict() for s in selected.stream()] == [{"a": {"b": 1}, "f": None}, {}]
    only_names = client.collection("p").select([])
    found = list(only_names.stream())
    assert [(s.id, s.to_dict()) for s in found] == [("a", {}), ("b", {})]
    assert all(s.update_time and s.create_time for s in found)


def test_names_are_filters_too(client):
    for key in ["a", "b", "ba", "c"]:
        client.document(f"n/{key}").set({"k": key})
    collection = client.collection("n")

    def by_name(operator, value):
        return ids(collection.where(filter=FieldFilter("__name__", operator, value)))

    assert by_name("==", collection.document("b")) == ["b"]
    assert by_name(">", collection.document("a")) == ["b", "ba", "c"]
    assert by_name("in", [collection.document("c"), collection.document("a")]) == ["a", "c"]
    prefix = collection.where(filter=FieldFilter("__name__", ">=", collection.document("b")))
    prefix = prefix.where(filter=FieldFilter("__name__", "<", collection.document("c")))
    assert ids(prefix) == ["b", "ba"]


def test_nested_and_quoted_fields_are_queried(client):
    client.document("q/a").set({"m": {"x y": 1, "dot.ted": 2}, "back`tick": 3})
    client.document("q/b").set({"m": {"x y": 9}})
    collection = client.collection("q")
    assert ids(where(collection, (client.field_path("m", "x y"), ">", 5))) == ["b"]
    assert ids(where(collection, (client.field_path("m", "dot.ted"), "==", 2))) == ["a"]
    assert ids(where(collection, (client.field_path("back`tick"), "==", 3))) == ["a"]


def test_maps_are_compared_whole(client):
    client.document("m/a").set({"v": {"x": 1}})
    client.document("m/b").set({"v": {"x": 1, "y": 2}})
    client.document("m/c").set({"v": {"x": 1.0}})
    collection = client.collection("m")
    assert ids(where(collection, ("v", "==", {"x": 1}))) == ["a", "c"]
    assert ids(where(collection, ("v", ">", {"x": 1}))) == ["b"]


def test_references_are_compared_by_path(client):
    for key in "abc":
        client.document(f"r/{key}").set({"to": client.document(f"users/{key}")})
    collection = client.collection("r")
    assert ids(where(collection, ("to", "==", client.document("users/b")))) == ["b"]
    assert ids(where(collection, ("to", ">", client.document("users/a")))) == ["b", "c"]


def test_queries_stay_in_their_collection(client):
    client.document("c/1").set({"v": 1})
    client.document("c/1/c/2").set({"v": 1})
    client.document("c2/1").set({"v": 1})
    client.document("c/3/sub/x").set({"v": 1})
    assert ids(client.collection("c")) == ["1"]
    assert ids(where(client.collection("c"), ("v", "==", 1))) == ["1"]
    assert ids(client.collection("c/1/c")) == ["2"]
    assert ids(client.collection("c/3/sub")) == ["x"]


def test_updates_and_deletes_show_in_every_query(client):
    document = client.document("u/a")
    collection = client.collection("u")
    document.set({"v": 1, "w": [1]})
    document.update({"v": 2, "w": firestore.ArrayUnion([2])})
    assert ids(where(collection, ("v", "==", 1))) == []
    assert ids(where(collection, ("v", "==", 2))) == ["a"]
    assert ids(where(collection, ("w", "array_contains", 2), ("v", ">", 1))) == ["a"]
    document.set({"x": 1})
    assert ids(collection.order_by("v")) == [] and ids(collection.order_by("x")) == ["a"]
    document.delete()
    assert ids(collection) == [] and ids(collection.order_by("x")) == []


def test_results_carry_one_read_time(calls, names, cities):
    messages = calls.RunQuery(parent=names.root, structured_query={"from_": [{"collection_id": "cities"}]})
    assert len({message.read_time for message in messages}) == 1
    assert [m.document.name.split("/")[-1] for m in messages if m.document.name] == sorted(CITIES)


def test_an_empty_result_is_one_message_with_a_read_time(calls, names):
    messages = calls.RunQuery(parent=names.root, structured_query={"from_": [{"collection_id": "no"}]})
    assert len(messages) == 1
    assert messages[0].read_time and not messages[0].document.name


@pytest.mark.emulator_differs("it counts them in every message")
def test_skipped_results_are_counted(calls, names, cities):
    query = {"from_": [{"collection_id": "cities"}], "offset": 3}
    messages = calls.RunQuery(parent=names.root, structured_query=query)
    assert sum(message.skipped_results for message in messages) == 3
    assert len([m for m in messages if m.document.name]) == len(CITIES) - 3


def test_a_query_of_every_collection_under_a_parent(calls, names, client):
    client.document("a/1").set({"v": 1})
    client.document("b/1").set({"v": 1})
    client.document("a/1/c/1").set({"v": 1})
    messages = calls.RunQuery(parent=names.root, structured_query={"from_": [{"all_descendants": True}]})
    paths = [m.document.name.removeprefix(names.root + "/") for m in messages if m.document.name]
    assert paths == ["a/1", "a/1/c/1", "b/1"]
    messages = calls.RunQuery(parent=names("a/1"), structured_query={"from_": [{"all_descendants": True}]})
    below = [m.document.name.removeprefix(names.root + "/") for m in messages if m.document.name]
    assert below[-1] == "a/1/c/1" and "b/1" not in below


def test_many_documents_stream_completely(client):
    for start in range(0, 3000, 1000):
        batch = client.batch()
        for number in range(start, start + 1000):
            batch.set(client.document(f"many/{number:05}"), {"n": number % 7, "text": "x" * 300})
        batch.commit()
    collection = client.collection("many")
    assert ids(collection) == [f"{number:05}" for number in range(3000)]
    assert ids(where(collection, ("n", "==", 3))) == [f"{n:05}" for n in range(3, 3000, 7)]
    ordered = [(s.get("n"), s.id) for s in collection.order_by("n").stream()]
    assert ordered == sorted((n % 7, f"{n:05}") for n in range(3000))


def test_bytes_and_times_are_compared_within_their_type(client):
    client.document("x/a").set({"v": b"\x01"})
    client.document("x/b").set({"v": b"\x01\x00"})
    client.document("x/c").set({"v": "\x02"})
    assert ids(where(client.collection("x"), ("v", ">", b"\x01"))) == ["b"]
    assert ids(where(client.collection("x"), ("v", "<", b"\x02"))) == ["a", "b"]


def test_a_document_may_be_read_with_a_mask(calls, names, client):
    client.document("x/a").set({"a": {"b": 1, "c": 2}, "d": 3})
    document = calls.GetDocument(name=names("x/a"), mask={"field_paths": ["a.b", "nope"]})
    assert fields_of(document) == {"a": {"b": 1}}
    document = calls.GetDocument(name=names("x/a"), mask={"field_paths": []})
    assert fields_of(document) in ({}, {"a": {"b": 1, "c": 2}, "d": 3})


def test_get_all_answers_each_document_once(client):
    client.document("x/a").set({"n": 1})
    asked = [client.document(f"x/{key}") for key in ("a", "missing", "a")]
    answers = {snapshot.id: snapshot for snapshot in client.get_all(asked)}
    assert answers["a"].to_dict() == {"n": 1} and not answers["missing"].exists
    assert answers["a"].read_time == answers["missing"].read_time


@pytest.mark.emulator_differs("answers in the order of the request")
def test_batch_get_answers_found_documents_before_missing_ones(calls, names, client):
    for key in "ab":
        client.document(f"x/{key}").set({"n": 1})
    asked = [names(f"x/{key}") for key in ("z", "b", "y", "a", "z", "b")]
    messages = calls.BatchGetDocuments(database=names.database, documents=asked)
    answered = [m.found.name or m.missing for m in messages]
    assert answered == [names(f"x/{key}") for key in ("b", "a", "z", "y")]


def test_batch_get_answers_doubles_once(calls, names):
    asked = [names("x/a"), names("x/a"), names("x/b")]
    messages = calls.BatchGetDocuments(database=names.database, documents=asked)
    assert sorted(m.missing for m in messages if m.missing) == [names("x/a"), names("x/b")]
    assert all(message.read_time for message in messages if message.missing)


@pytest.mark.emulator_differs("it reads across databases")
def test_batch_get_refuses_another_database(calls, names):
    foreign = "projects/other/databases/(default)/documents/x/a"
    with pytest.raises(Failure) as refusal:
        calls.BatchGetDocuments(database=names.database, documents=[foreign])
    assert refusal.value.code.name == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "field, operator, operand",
    [
        ("regions", "ARRAY_CONTAINS", {"null_value": 0}),
        ("regions", "ARRAY_CONTAINS", {"array_value": {"values": []}}),
        ("population", "EQUAL", {"null_value": 0}),
        ("population", "EQUAL", {"double_value": math.nan}),
        ("population", "LESS_THAN", {"null_value": 0}),
        ("population", "GREATER_THAN_OR_EQUAL", {"double_value": math.nan}),
    ],
    ids=str,
)
@pytest.mark.emulator_differs("it refuses some of these")
def test_null_and_nan_as_operands_match_nothing(calls, names, cities, field, operator, operand):
    condition = {"field": {"field_path": field}, "op": operator, "value": operand}
    query = {"from_": [{"collection_id": "cities"}], "where": {"field_filter": condition}}
    messages = calls.RunQuery(parent=names.root, structured_query=query)
    assert [message.document.name for message in messages] == [""]
