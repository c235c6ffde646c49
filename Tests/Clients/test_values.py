"""Values: exact round trips of every type, and the one order over all of them."""

import datetime
import math
import struct

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.vector import Vector

from support.rpc import Failure, fields_of

UTC = datetime.timezone.utc


def bits(number):
    return struct.pack(">d", number)


@pytest.mark.parametrize(
    "number",
    [0, 1, -1, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)],
)
def test_integers_stay_integers(client, number):
    client.document("values/v").set({"n": number})
    read = client.document("values/v").get().get("n")
    assert type(read) is int and read == number


@pytest.mark.parametrize(
    "number",
    [
        0.0,
        -0.0,
        1.0,
        3.0,
        0.1,
        2.0**53,
        9.223372036854775807e18,
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        1.7976931348623157e308,
        math.inf,
        -math.inf,
    ],
)
def test_doubles_keep_their_bits(client, number):
    client.document("values/v").set({"n": number})
    read = client.document("values/v").get().get("n")
    assert type(read) is float and bits(read) == bits(number)


def test_nan_stays_nan(client):
    client.document("values/v").set({"n": math.nan})
    assert math.isnan(client.document("values/v").get().get("n"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "\x00",
        "a\x00b",
        "line\nbreak\ttab",
        "\u00e1e\u0301",
        "\ufeffmark",
        "\uffff",
        "\U00010000",
        "👨‍👩‍👧‍👦",
        "x" * 5000,
    ],
)
def test_strings_keep_their_code_points(client, text):
    client.document("values/v").set({"s": text})
    assert client.document("values/v").get().get("s") == text


@pytest.mark.parametrize("data", [b"", b"\x00", b"\xff\x00\x01", bytes(range(256)) * 20])
def test_bytes_stay_bytes(client, data):
    client.document("values/v").set({"b": data})
    read = client.document("values/v").get().get("b")
    assert type(read) is bytes and read == data


@pytest.mark.parametrize(
    "moment",
    [
        datetime.datetime(1, 1, 1, tzinfo=UTC),
        datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
        datetime.datetime(1970, 1, 1, tzinfo=UTC),
        datetime.datetime(2014, 6, 2, 1, 2, 3, 1, UTC),
        datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
    ],
)
def test_times_keep_their_microseconds(client, moment):
    client.document("values/v").set({"t": moment})
    assert client.document("values/v").get().get("t") == moment


@pytest.mark.parametrize(
    "seconds, nanos, kept",
    [(5, 999_999_999, 999_999_000), (5, 1_999, 1_000), (-5, 999, 0), (0, 500_000_500, 500_000_000)],
)
def test_times_are_cut_to_microseconds(calls, names, seconds, nanos, kept):
    sent = {"timestamp_value": {"seconds": seconds, "nanos": nanos}}
    write = {"update": {"name": names("values/v"), "fields": {"t": sent}}}
    calls.Commit(database=names.database, writes=[write])
    raw = types.Document.pb(calls.GetDocument(name=names("values/v"))).fields["t"].timestamp_value
    assert (raw.seconds, raw.nanos) == (seconds, kept)


def test_references_may_point_anywhere(client):
    inside = client.document("authors/adams")
    client.document("values/v").set({"r": inside, "deep": client.document("a/b/c/d")})
    read = client.document("values/v").get()
    assert read.get("r") == inside
    assert read.get("deep").path == "a/b/c/d"


def test_a_reference_may_point_into_another_database(calls, names):
    other = "projects/other/databases/elsewhere/documents/a/b"
    fields = {"r": {"reference_value": other}}
    write = {"update": {"name": names("values/v"), "fields": fields}}
    calls.Commit(database=names.database, writes=[write])
    assert fields_of(calls.GetDocument(name=names("values/v"))) == {"r": other}


@pytest.mark.parametrize("point", [(0, 0), (-90, -180), (90, 180), (-0.5, 1e-300), (51.5, -0.126)])
def test_points_keep_their_doubles(client, point):
    client.document("values/v").set({"g": firestore.GeoPoint(*point)})
    read = client.document("values/v").get().get("g")
    assert (read.latitude, read.longitude) == point


@pytest.mark.parametrize("point", [(90.5, 0), (0, 180.5), (-91, 0), (math.nan, 0)])
def test_points_off_the_globe_are_refused(calls, names, point):
    fields = {"g": {"geo_point_value": {"latitude": point[0], "longitude": point[1]}}}
    with pytest.raises(Failure) as refusal:
        calls.Commit(
            database=names.database,
            writes=[{"update": {"name": names("values/v"), "fields": fields}}],
        )
    assert refusal.value.code.name == "INVALID_ARGUMENT"


def test_vectors_stay_vectors(client):
    client.document("values/v").set({"v": Vector([1.0, -0.5, 3.25])})
    read = client.document("values/v").get().get("v")
    assert isinstance(read, Vector) and list(read) == [1.0, -0.5, 3.25]


def test_maps_and_arrays_nest(client):
    value = {
        "empty": {},
        "list": [],
        "deep": {"a": [{"b": [1, 2.0, None, {"c": [True]}]}, {}], "z": {"y": {"x": "w"}}},
        "mixed": [None, False, 1, 1.5, "s", b"b", {"m": []}],
    }
    client.document("values/v").set(value)
    read = client.document("values/v").get().to_dict()
    assert read == value
    assert [type(element) for element in read["mixed"]] == [type(e) for e in value["mixed"]]


def test_field_names_may_hold_anything(client):
    value = {
        "dot.ted": 1,
        "back`tick": 2,
        "back\\slash": 3,
        "with space": 4,
        "ünï": 5,
        "1digit": 6,
        "😀": {"in.ner": 7},
        "__half": 8,
    }
    client.document("values/v").set(value)
    assert client.document("values/v").get().to_dict() == value
    path = client.field_path("😀", "in.ner")
    client.document("values/v").update({path: 70})
    assert client.document("values/v").get().get(path) == 70


def test_unnormalised_text_makes_different_ids_and_names(client):
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    client.document(f"values/{composed}").set({composed: 1, decomposed: 2})
    assert not client.document(f"values/{decomposed}").get().exists
    client.document(f"values/{decomposed}").set({decomposed: 3})
    found = {s.id: s.to_dict() for s in client.collection("values").stream()}
    assert found == {composed: {composed: 1, decomposed: 2}, decomposed: {decomposed: 3}}


# One value of each rank in the order; values in one tuple are equal and follow the document id.
def ladder(client):
    reference = client.document
    moment = datetime.datetime
    return [
        (None,),
        (False,),
        (True,),
        (math.nan,),
        (-math.inf,),
        (-1.7976931348623157e308,),
        (-(2**63), float(-(2**63))),
        (-1.5,),
        (-1, -1.0),
        (-5e-324,),
        (0, 0.0, -0.0),
        (5e-324,),
        (1, 1.0),
        (2**53, 2.0**53),
        (2**53 + 1,),
        (2.0**53 + 2, 2**53 + 2),
        (2**63 - 1,),
        (2.0**63,),
        (math.inf,),
        (moment(1, 1, 1, tzinfo=UTC),),
        (moment(2020, 1, 1, tzinfo=UTC),),
        (moment(2020, 1, 1, 0, 0, 0, 1, UTC),),
        ("",),
        ("\x00",),
        ("a",),
        ("a\x00",),
        ("aa",),
        ("b",),
        ("é",),
        ("\uffff",),
        ("\U00010000",),
        (b"",),
        (b"\x00",),
        (b"\x00\x00",),
        (b"\x01",),
        (b"\xff",),
        (reference("a/b"),),
        (reference("a/b/c/d"),),
        (reference("a/c"),),
        (reference("b/a"),),
        (firestore.GeoPoint(-90, 0),),
        (firestore.GeoPoint(0, -1),),
        (firestore.GeoPoint(0, 1),),
        (firestore.GeoPoint(1, -180),),
        ([],),
        ([None],),
        ([1],),
        ([1, 2],),
        ([1, "a"],),
        ([2],),
        (["a"],),
        (Vector([9.0]),),
        (Vector([1.0, 1.0]),),
        (Vector([1.0, 2.0]),),
        ({},),
        ({"a": 1},),
        ({"a": 1, "b": 0},),
        ({"a": 2},),
        ({"b": 0},),
        ({"é": 0},),
    ]


def write_ladder(client):
    ranks = {}
    batch = client.batch()
    for rank, equals in enumerate(ladder(client)):
        for index, value in enumerate(equals):
            # Ids run against the order of the values, so that only the values can give it.
            key = f"{999 - rank:03}-{index}"
            ranks[key] = rank
            batch.set(client.document(f"ladder/{key}"), {"v": value, "m": {"v": value}})
    batch.commit()
    return ranks


@pytest.mark.parametrize("field", ["v", "m.v"])
def test_values_of_all_types_have_one_order(client, field):
    ranks = write_ladder(client)
    up = [s.id for s in client.collection("ladder").order_by(field).stream()]
    assert [ranks[key] for key in up] == sorted(ranks.values())
    assert up == sorted(ranks, key=lambda key: (ranks[key], key))
    down = client.collection("ladder").order_by(field, direction=firestore.Query.DESCENDING)
    assert [s.id for s in down.stream()] == up[::-1]


def test_a_cursor_may_stand_at_a_value_of_any_type(client):
    ranks = write_ladder(client)
    ordered = sorted(ranks, key=lambda key: (ranks[key], key))
    collection = client.collection("ladder").order_by("v")
    for rank, equals in enumerate(ladder(client)):
        if isinstance(equals[0], float) and math.isnan(equals[0]):
            continue
        expected = [key for key in ordered if ranks[key] >= rank]
        got = [s.id for s in collection.start_at({"v": equals[0]}).stream()]
        assert got == expected, equals
        expected = [key for key in ordered if ranks[key] < rank]
        got = [s.id for s in collection.end_before({"v": equals[-1]}).stream()]
        assert got == expected, equals


def test_equality_follows_the_order(client):
    ranks = write_ladder(client)
    collection = client.collection("ladder")
    for rank, equals in enumerate(ladder(client)):
        expected = sorted(key for key in ranks if ranks[key] == rank)
        for value in equals:
            found = collection.where(filter=firestore.FieldFilter("v", "==", value)).stream()
            assert [s.id for s in found] == expected, value


@pytest.mark.emulator_differs("it refuses filter values above 1,500 bytes")
def test_long_values_are_ordered_by_their_beginning_and_told_apart(client):
    stem = "x" * 1600
    batch = client.batch()
    for suffix in "cab":
        batch.set(client.document(f"long/{suffix}"), {"s": stem + suffix})
    batch.commit()
    for suffix in "abc":
        same = client.collection("long").where(
            filter=firestore.FieldFilter("s", "==", stem + suffix)
        )
        assert [s.id for s in same.stream()] == [suffix]
    above = client.collection("long").where(filter=firestore.FieldFilter("s", ">", stem + "a"))
    assert sorted(s.id for s in above.stream()) == ["b", "c"]
