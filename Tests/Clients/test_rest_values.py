"""The JSON of every value type: what is sent comes back, and what clients may send is understood."""

import json

import pytest

from support.rpc import Names

# What is sent, and what comes back where that differs.
VALUES = {
    "null": {"nullValue": None},
    "true": {"booleanValue": True},
    "false": {"booleanValue": False},
    "zero": {"integerValue": "0"},
    "integer": {"integerValue": "-42"},
    "greatest": {"integerValue": "9223372036854775807"},
    "least": {"integerValue": "-9223372036854775808"},
    "beyond a double": {"integerValue": "9007199254740993"},
    "double": {"doubleValue": 1.5},
    "whole double": {"doubleValue": 3},
    "tiny": {"doubleValue": 5e-324},
    "huge": {"doubleValue": 1.7976931348623157e308},
    "nan": {"doubleValue": "NaN"},
    "infinity": {"doubleValue": "Infinity"},
    "minus infinity": {"doubleValue": "-Infinity"},
    "time": {"timestampValue": "2014-06-02T12:30:15.123456Z"},
    "whole time": {"timestampValue": "1969-12-31T23:59:59Z"},
    "milli time": {"timestampValue": "2020-02-29T00:00:00.250Z"},
    "first time": {"timestampValue": "0001-01-01T00:00:00Z"},
    "last time": {"timestampValue": "9999-12-31T23:59:59.999999Z"},
    "empty text": {"stringValue": ""},
    "text": {"stringValue": "ação \u0000 \" \\ / \u2028 😀"},
    "bytes": {"bytesValue": "AP+/fg=="},
    "no bytes": {"bytesValue": ""},
    "place": {"geoPointValue": {"latitude": -23.5, "longitude": 46.25}},
    "array": {"arrayValue": {"values": [{"nullValue": None}, {"integerValue": "1"}, {"mapValue": {}}]}},
    "empty array": {"arrayValue": {}},
    "map": {"mapValue": {"fields": {"a.b": {"mapValue": {"fields": {"c": {"doubleValue": 0.1}}}}}}},
    "empty map": {"mapValue": {}},
    "vector": {
        "mapValue": {
            "fields": {
                "__type__": {"stringValue": "__vector__"},
                "value": {"arrayValue": {"values": [{"doubleValue": 1}, {"doubleValue": -0.5}]}},
            }
        }
    },
}


def stored(http, value):
    """The value as the server shows it after a write, and again after a read."""
    written = http.documents("PATCH", "v/x", json={"fields": {"v": value}})
    assert http.documents("GET", "v/x") == written
    return written["fields"]["v"]


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_come_back_as_sent(http, value):
    assert stored(http, value) == value


def test_all_values_in_one_document(http):
    written = http.documents("PATCH", "v/x", json={"fields": VALUES})
    assert written["fields"] == VALUES
    again = http.documents("PATCH", "v/y", json={"fields": written["fields"]})
    assert again["fields"] == VALUES


def test_references(http, project):
    inside = http.name("a/b")
    assert stored(http, {"referenceValue": inside}) == {"referenceValue": inside}
    elsewhere = Names("other", "database")("a/b")
    assert stored(http, {"referenceValue": elsewhere}) == {"referenceValue": elsewhere}


@pytest.mark.parametrize(
    "sent, shown",
    [
        ({"nullValue": "NULL_VALUE"}, {"nullValue": None}),
        ({"integerValue": 7}, {"integerValue": "7"}),
        ({"integerValue": "7.0"}, {"integerValue": "7"}),
        ({"doubleValue": "2.5"}, {"doubleValue": 2.5}),
        ({"bytesValue": "AP-_fg"}, {"bytesValue": "AP+/fg=="}),
        ({"timestampValue": "2020-01-01T02:00:00+02:00"}, {"timestampValue": "2020-01-01T00:00:00Z"}),
        ({"timestampValue": "2020-01-01T00:00:00.123456789Z"}, {"timestampValue": "2020-01-01T00:00:00.123456Z"}),
        ({"timestampValue": "2020-01-01T00:00:00.120Z"}, {"timestampValue": "2020-01-01T00:00:00.120Z"}),
        ({"geoPointValue": {}}, {"geoPointValue": {}}),
        ({"geoPointValue": {"latitude": 0, "longitude": 1}}, {"geoPointValue": {"longitude": 1}}),
        ({"arrayValue": {"values": []}}, {"arrayValue": {}}),
        ({"mapValue": {"fields": {}}}, {"mapValue": {}}),
    ],
    ids=str,
)
@pytest.mark.emulator_differs("shows some otherwise")
def test_other_spellings(http, sent, shown):
    assert stored(http, sent) == shown


@pytest.mark.emulator_differs("loses the sign")
def test_minus_zero_keeps_its_sign(http):
    answer = http.request(
        "PATCH", http.name("v/x"), data='{"fields":{"v":{"doubleValue":-0.0}}}'
    )
    assert answer.status_code == 200
    value = json.loads(http.request("GET", http.name("v/x")).text, parse_float=str, parse_int=str)
    assert value["fields"]["v"]["doubleValue"] in ("-0", "-0.0")


def test_both_surfaces_show_one_document(http, client):
    # The client rounds the very last microsecond up when it writes what it read.
    fields = {key: value for key, value in VALUES.items() if key != "last time"}
    http.documents("PATCH", "v/x", json={"fields": fields})
    client.document("v/y").set(client.document("v/x").get().to_dict())
    assert http.documents("GET", "v/y")["fields"] == fields
