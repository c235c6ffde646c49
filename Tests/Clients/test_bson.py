"""Values of BSON types, with Google's client."""

import base64
import queue

import pytest
from google.api_core import exceptions
from google.cloud.firestore import ArrayUnion, Increment
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.bson import (
    BSONBinary,
    BSONDecimal128,
    BSONInt32,
    BSONMaxKey,
    BSONMinKey,
    BSONObjectId,
    BSONRegex,
    BSONTimestamp,
)
from google.cloud.firestore_v1.pipeline_expressions import Constant, Count, Field

pytestmark = pytest.mark.brasa_only

VALUES = {
    "min": BSONMinKey(),
    "max": BSONMaxKey(),
    "int": BSONInt32(-7),
    "decimal": BSONDecimal128("0.10"),
    "id": BSONObjectId("507f191e810c19729de860ea"),
    "binary": BSONBinary(b"abc", 128),
    "time": BSONTimestamp(1700000000, 4),
    "regex": BSONRegex("^a", "mi"),
}

# In the order that the server must give them.
LADDER = [
    None, BSONMinKey(), False, True, float("nan"), BSONDecimal128("-Infinity"), -1, BSONInt32(0),
    BSONDecimal128("0.1"), 0.1, 1, BSONDecimal128("1.000000000000000000001"), 2.5, BSONDecimal128("1E+400"),
    BSONTimestamp(1, 1), BSONTimestamp(1, 2), "", "a", b"a", BSONBinary(b"", 1), BSONBinary(b"a", 1), BSONBinary(b"", 2),
    BSONObjectId("0" * 24), BSONObjectId("507f191e810c19729de860ea"), BSONRegex("a"), BSONRegex("a", "i"), [], {},
    BSONMaxKey(),
]


@pytest.fixture
def ladder(client):
    batch = client.batch()
    for place, value in enumerate(LADDER):
        batch.set(client.document(f"c/{place:02}"), {"v": value, "place": place})
    batch.commit()
    return client


def places(query):
    return [document.get("place") for document in query.stream()]


def test_values_come_back(client):
    client.document("c/d").set({**VALUES, "list": list(VALUES.values()), "map": {"a": VALUES}})
    stored = client.document("c/d").get().to_dict()
    assert stored == {**VALUES, "list": list(VALUES.values()), "map": {"a": VALUES}}
    assert stored["decimal"].value == "0.10"
    client.document("c/d").update({"int": BSONInt32(8), "map.a.int": BSONInt32(9)})
    assert client.document("c/d").get(["int", "map.a.int"]).to_dict() == {
        "int": BSONInt32(8),
        "map": {"a": {"int": BSONInt32(9)}},
    }


@pytest.mark.parametrize(
    "given, stored",
    [
        ({"__oid__": "507F191E810C19729DE860EA"}, BSONObjectId("507f191e810c19729de860ea")),
        ({"__decimal128__": "-inf"}, BSONDecimal128("-Infinity")),
        ({"__decimal128__": "+1.50"}, BSONDecimal128("1.50")),
        ({"__binary__": b"\x00ab"}, b"ab"),
        ({"__regex__": {"pattern": "a", "options": "xim"}}, BSONRegex("a", "imx")),
    ],
)
def test_other_spellings_are_stored_in_one(client, given, stored):
    client.document("c/d").set({"v": given})
    assert client.document("c/d").get().get("v") == stored


@pytest.mark.parametrize(
    "value, words",
    [
        ({"__oid__": "xyz"}, "24 hexadecimal digits"),
        ({"__int__": 1 << 31}, "2147483647"),
        ({"__decimal128__": "ten"}, "decimal number"),
        ({"__decimal128__": "1" * 35}, "34 digits"),
        ({"__binary__": b""}, "subtype"),
        ({"__request_timestamp__": {"seconds": -1, "increment": 0}}, "seconds"),
        ({"__request_timestamp__": {"seconds": 1}}, "increment"),
        ({"__regex__": {"pattern": "a", "options": "q"}}, "Invalid regex option"),
        ({"__min__": 1}, "null"),
        ({"__oid__": "507f191e810c19729de860ea", "more": 1}, "reserved"),
    ],
)
def test_wrong_content_is_refused(client, value, words):
    for fields in ({"v": value}, {"v": [value]}, {"v": {"w": value}}):
        with pytest.raises(exceptions.InvalidArgument, match=words):
            client.document("c/d").set(fields)
    if len(value) > 1:
        return
    with pytest.raises(exceptions.InvalidArgument):
        list(client.collection("c").where(filter=FieldFilter("v", "==", value)).stream())


def test_reserved_names_of_fields_are_refused(client):
    with pytest.raises(exceptions.InvalidArgument, match="reserved"):
        client.document("c/d").set({"__oid__": "507f191e810c19729de860ea"})


def test_values_of_all_types_are_in_one_order(ladder):
    everything = list(range(len(LADDER)))
    assert places(ladder.collection("c").order_by("v")) == everything
    descending = ladder.collection("c").order_by("v", direction="DESCENDING")
    assert places(descending) == everything[::-1]
    for place, value in enumerate(LADDER[5:], 5):
        query = ladder.collection("c").order_by("v")
        assert places(query.start_at({"v": value})) == everything[place:]
        assert places(query.start_after({"v": value})) == everything[place + 1 :]
        assert places(query.end_before({"v": value})) == everything[:place]
        assert places(descending.start_after({"v": value})) == everything[:place][::-1]
        assert places(descending.end_at({"v": value})) == everything[place:][::-1]
        assert places(ladder.collection("c").where(filter=FieldFilter("v", "==", value))) == [place]


def test_numbers_of_all_types_compare_as_numbers(ladder):
    numbers = range(LADDER.index(BSONDecimal128("-Infinity")), LADDER.index(BSONDecimal128("1E+400")) + 1)
    for place in numbers:
        for operator, expected in {
            "<": [n for n in numbers if n < place],
            "<=": [n for n in numbers if n <= place],
            ">": [n for n in numbers if n > place],
            ">=": [n for n in numbers if n >= place],
        }.items():
            query = ladder.collection("c").where(filter=FieldFilter("v", operator, LADDER[place]))
            assert places(query) == expected, (operator, LADDER[place])
    other = ladder.collection("c").where(filter=FieldFilter("v", "!=", BSONDecimal128("0.1")))
    assert LADDER.index(BSONDecimal128("0.1")) not in places(other) and len(places(other)) == len(LADDER) - 2
    listed = [BSONInt32(1), BSONDecimal128("0"), BSONObjectId("0" * 24)]
    found = places(ladder.collection("c").where(filter=FieldFilter("v", "in", listed)))
    assert found == [LADDER.index(BSONInt32(0)), LADDER.index(1, 4), LADDER.index(BSONObjectId("0" * 24))]


def test_numbers_of_other_types_are_equal_by_value(client):
    client.document("c/a").set({"v": BSONInt32(3), "l": [BSONDecimal128("3.0")]})
    client.document("c/b").set({"v": 3, "l": [3.0]})
    client.document("c/d").set({"v": BSONDecimal128("3.00"), "l": [BSONInt32(3)]})
    for three in (3, 3.0, BSONInt32(3), BSONDecimal128("3.000")):
        query = client.collection("c").where(filter=FieldFilter("v", "==", three))
        assert [d.id for d in query.stream()] == ["a", "b", "d"]
        query = client.collection("c").where(filter=FieldFilter("l", "array_contains", three))
        assert [d.id for d in query.stream()] == ["a", "b", "d"]
    sums = client.collection("c").sum("v").avg("v", alias="a").get()[0]
    assert sorted(value.value for value in sums) == [3.0, 9.0]


def test_pipelines_know_the_types(ladder):
    rows = ladder.pipeline().collection("c").sort(Field.of("v").ascending()).select("place").execute()
    assert [row.get("place") for row in rows] == list(range(len(LADDER)))
    types = ladder.pipeline().collection("c").where(Field.of("v").type().equal("decimal128")).select("v").execute()
    assert {row.get("v").value for row in types} == {"-Infinity", "0.1", "1.000000000000000000001", "1E+400"}
    names = {
        row.get("place"): row.get("t")
        for row in ladder.pipeline().collection("c").select("place", Field.of("v").type().as_("t")).execute()
    }
    for value, name in {
        BSONMinKey(): "min_key", BSONMaxKey(): "max_key", BSONInt32(0): "int32", BSONTimestamp(1, 1): "request_timestamp",
        BSONObjectId("0" * 24): "object_id", BSONRegex("a"): "regex", BSONBinary(b"", 1): "bytes",
    }.items():
        assert names[LADDER.index(value)] == name
    above = ladder.pipeline().collection("c").where(Field.of("v").greater_than(Constant.of(BSONDecimal128("0.1"))))
    assert sorted(row.get("place") for row in above.execute()) == list(
        range(LADDER.index(0.1), LADDER.index(BSONDecimal128("1E+400")) + 1)
    )
    sums = ladder.pipeline().collection("c").where(Field.of("v").equal(Constant.of(BSONInt32(1)))).select(
        Field.of("v").add(Constant.of(BSONInt32(2))).as_("v")
    )
    assert [row.get("v") for row in sums.execute()] == [3]
    groups = ladder.pipeline().literals({"v": 1}, {"v": BSONInt32(1)}, {"v": BSONDecimal128("1.0")}, {"v": 1.0}).aggregate(
        Count().as_("n"), groups=["v"]
    )
    assert [row.get("n") for row in groups.execute()] == [4]


def test_pipelines_compute_with_decimals(client):
    client.document("c/a").set({"price": BSONDecimal128("4.90"), "n": 3})
    client.document("c/b").set({"price": BSONDecimal128("0.10"), "n": 2})
    price, rows = Field.of("price"), client.pipeline().collection("c").sort(Field.of("n").ascending())
    total = rows.select(price.multiply(Field.of("n")).as_("v"), price.divide(3).as_("third")).execute()
    assert [row.get("v") for row in total] == [BSONDecimal128("0.20"), BSONDecimal128("14.70")]
    assert total[0].get("third") == BSONDecimal128("0.03333333333333333333333333333333333")
    whole = rows.select(price.round().as_("r"), price.floor().as_("f"), price.mod(2).as_("m")).execute()
    assert [row.get("r") for row in whole] == [BSONDecimal128("0"), BSONDecimal128("5")]
    assert [row.get("f") for row in whole] == [BSONDecimal128("0"), BSONDecimal128("4")]
    assert [row.get("m") for row in whole] == [BSONDecimal128("0.10"), BSONDecimal128("0.90")]
    sums = client.pipeline().collection("c").aggregate(price.sum().as_("s"), price.average().as_("a")).execute()
    assert sums[0].data() == {"s": BSONDecimal128("5.00"), "a": BSONDecimal128("2.50")}
    with pytest.raises(exceptions.InvalidArgument, match="sqrt doesn't compute with values of the type decimal128"):
        client.pipeline().collection("c").select(price.sqrt().as_("v")).execute()


def test_rest_has_the_wire_form(client, http):
    client.document("c/d").set(VALUES)
    fields = http.documents("GET", "c/d")["fields"]
    assert fields["min"] == {"mapValue": {"fields": {"__min__": {"nullValue": None}}}}
    assert fields["int"] == {"mapValue": {"fields": {"__int__": {"integerValue": "-7"}}}}
    assert fields["decimal"] == {"mapValue": {"fields": {"__decimal128__": {"stringValue": "0.10"}}}}
    binary = base64.b64encode(b"\x80abc").decode()
    assert fields["binary"] == {"mapValue": {"fields": {"__binary__": {"bytesValue": binary}}}}
    http.documents("PATCH", "c/e", json={"fields": fields})
    assert client.document("c/e").get().to_dict() == VALUES


def test_a_transform_counts_an_int32_as_an_integer(client):
    client.document("c/d").set({"n": BSONInt32(2), "l": [BSONInt32(1)]})
    client.document("c/d").update({"n": Increment(3), "l": ArrayUnion([1, BSONDecimal128("1.0"), BSONInt32(2)])})
    assert client.document("c/d").get().to_dict() == {"n": 5, "l": [BSONInt32(1), BSONInt32(2)]}


def test_an_increment_of_a_decimal_is_refused(client):
    client.document("c/d").set({"n": BSONDecimal128("0.1")})
    with pytest.raises(exceptions.InvalidArgument, match="decimal128"):
        client.document("c/d").update({"n": Increment(3)})
    assert client.document("c/d").get().to_dict() == {"n": BSONDecimal128("0.1")}


def test_a_listener_sees_the_values(client):
    query = client.collection("c").where(filter=FieldFilter("v", ">=", BSONDecimal128("0.1"))).order_by("v")
    seen = queue.Queue()
    watch = query.on_snapshot(lambda documents, changes, time: seen.put([d.get("v") for d in documents]))
    try:
        assert seen.get(timeout=30) == []
        client.document("c/a").set({"v": BSONDecimal128("0.2")})
        assert seen.get(timeout=30) == [BSONDecimal128("0.2")]
        client.document("c/b").set({"v": BSONInt32(0)})
        client.document("c/d").set({"v": BSONDecimal128("0.10")})
        assert seen.get(timeout=30) == [BSONDecimal128("0.10"), BSONDecimal128("0.2")]
    finally:
        watch.unsubscribe()
