"""Nearest neighbours, exact."""

import pytest
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.query_profile import ExplainOptions
from google.cloud.firestore_v1.vector import Vector

from support.rpc import Failure

POINTS = {
    "origin": [0.0, 0.0],
    "east": [1.0, 0.0],
    "far-east": [10.0, 0.0],
    "north": [0.0, 2.0],
    "west": [-1.0, 0.0],
}


@pytest.fixture
def points(client):
    for key, value in POINTS.items():
        client.document(f"points/{key}").set({"v": Vector(value), "odd": len(key) % 2 == 1})
    client.document("points/other-dimension").set({"v": Vector([1.0, 2.0, 3.0])})
    client.document("points/no-vector").set({"v": [1.0, 0.0]})
    return client.collection("points")


def near(collection, measure, limit=10, at=(1.0, 0.5), **more):
    query = collection.find_nearest("v", Vector(list(at)), limit, measure, **more)
    return list(query.stream())


def ids(snapshots):
    return [snapshot.id for snapshot in snapshots]


def test_euclidean(points):
    assert ids(near(points, DistanceMeasure.EUCLIDEAN, 3)) == ["east", "origin", "north"]
    everything = near(points, DistanceMeasure.EUCLIDEAN)
    assert ids(everything) == ["east", "origin", "north", "west", "far-east"]


@pytest.mark.emulator_differs("explains nothing")
def test_an_explained_search_counts_what_it_returned(points):
    search = points.find_nearest("v", Vector([1.0, 0.5]), 2, DistanceMeasure.EUCLIDEAN)
    results = search.get(explain_options=ExplainOptions(analyze=True))
    assert ids(results) == ["east", "origin"]
    stats = results.get_explain_metrics().execution_stats
    assert stats.results_returned == 2
    # Two documents, and one operation for the five vectors of the dimension.
    assert stats.read_operations == 3
    assert stats.debug_stats["billing_details"]["index_entries_billable"] == "5"


def test_cosine(points):
    points.document("origin").delete()
    found = near(points, DistanceMeasure.COSINE, at=(1.0, 0.25))
    assert ids(found)[0:2] in (["east", "far-east"], ["far-east", "east"])
    assert ids(found)[2:] == ["north", "west"]


def test_dot_product(points):
    assert ids(near(points, DistanceMeasure.DOT_PRODUCT))[:2] == ["far-east", "east"]


def test_the_distance_is_given_on_request(points):
    found = near(points, DistanceMeasure.EUCLIDEAN, 2, at=(1.0, 0.0), distance_result_field="d")
    assert [(s.id, s.get("d")) for s in found] == [("east", 0.0), ("origin", 1.0)]


def test_a_threshold_ends_the_list(points):
    at = (1.0, 0.0)
    found = near(points, DistanceMeasure.EUCLIDEAN, at=at, distance_threshold=1.0)
    assert ids(found) == ["east", "origin"]
    found = near(points, DistanceMeasure.DOT_PRODUCT, at=at, distance_threshold=1.0)
    assert ids(found) == ["far-east", "east"]


def test_filters_come_first(points):
    odd = points.where(filter=FieldFilter("odd", "==", True))
    found = near(odd, DistanceMeasure.EUCLIDEAN)
    assert set(ids(found)) == {key for key in POINTS if len(key) % 2 == 1}


@pytest.mark.parametrize("limit", [0, 1001])
def test_limits(calls, names, limit):
    query = {
        "from_": [{"collection_id": "points"}],
        "find_nearest": {
            "vector_field": {"field_path": "v"},
            "query_vector": vector([1.0, 2.0]),
            "distance_measure": "EUCLIDEAN",
            "limit": limit,
        },
    }
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(parent=names.root, structured_query=query)
    assert refusal.value.code.name == "INVALID_ARGUMENT"


def vector(numbers):
    values = {"array_value": {"values": [{"double_value": n} for n in numbers]}}
    return {"map_value": {"fields": {"__type__": {"string_value": "__vector__"}, "value": values}}}


@pytest.mark.emulator_differs("its texts differ")
@pytest.mark.parametrize(
    "fields, text",
    [
        ({"__type__": {"string_value": "__vector__"}}, "Vector map is missing key 'value'."),
        (
            {"__type__": {"string_value": "__vector__"}, "value": {"string_value": "x"}},
            "Vector value type must be an array.",
        ),
        (
            {**vector([1.0])["map_value"]["fields"], "more": {"integer_value": 1}},
            "Vector value map has extraneous entries.",
        ),
        (vector([])["map_value"]["fields"], "Cannot have a zero length vector."),
        (vector([0.5] * 2049)["map_value"]["fields"], "Vectors must be at most 2048 dimensions."),
        (
            {
                "__type__": {"string_value": "__vector__"},
                "value": {"array_value": {"values": [{"integer_value": 1}]}},
            },
            "Vector must only contain values of type 'double'",
        ),
        (vector([float("nan")])["map_value"]["fields"], "Vector cannot contain NaN values."),
    ],
    ids=["no value", "no array", "more keys", "empty", "too long", "integer", "nan"],
)
def test_misshapen_vectors(calls, names, fields, text):
    document = {"name": names("points/a"), "fields": {"v": {"map_value": {"fields": fields}}}}
    with pytest.raises(Failure) as refusal:
        calls.UpdateDocument(document=document)
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert text in refusal.value.message
