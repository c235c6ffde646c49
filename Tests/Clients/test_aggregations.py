"""count, sum and avg."""

import math

import pytest
from google.api_core.exceptions import InvalidArgument
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

from support.rpc import Failure, plain


@pytest.fixture
def items(client):
    batch = client.batch()
    values = {
        "a": {"n": 1, "g": "x"},
        "b": {"n": 2.5, "g": "x"},
        "c": {"n": 4, "g": "y"},
        "d": {"n": "text", "g": "y"},
        "e": {"n": None, "g": "y"},
        "f": {"g": "y"},
    }
    for key, data in values.items():
        batch.set(client.document(f"items/{key}"), data)
    batch.commit()
    return client.collection("items")


def results(query):
    return {result.alias: result.value for row in query.get() for result in row}


def test_count(items):
    assert results(items.count("all")) == {"all": 6}
    assert results(items.where(filter=FieldFilter("g", "==", "x")).count("x")) == {"x": 2}
    assert results(items.limit(4).count("four")) == {"four": 4}
    assert results(items.order_by("n").start_at({"n": 2.5}).count("rest")) == {"rest": 3}
    assert results(items.offset(5).count("one")) == {"one": 1}
    assert results(items.where(filter=FieldFilter("g", "==", "none")).count("no")) == {"no": 0}


def test_sum_and_average_take_numbers_only(items):
    got = results(items.sum("n", "s").avg("n", "a"))
    assert got == {"s": 7.5, "a": 2.5}
    got = results(items.where(filter=FieldFilter("g", "==", "y")).sum("n", "s").avg("n", "a"))
    assert got == {"s": 4, "a": 4.0} and type(got["s"]) is int


def test_the_sum_of_nothing_is_the_integer_zero(calls, names, items):
    """Asked without the client, which shows null and the integer zero as 0.0."""
    text = {"field": {"field_path": "n"}, "op": "EQUAL", "value": {"string_value": "text"}}
    field = {"field": {"field_path": "n"}}
    aggregations = [{"alias": "s", "sum": field}, {"alias": "a", "avg": field}]
    (message,) = aggregate(calls, names, aggregations, where={"field_filter": text})
    values = message.result.aggregate_fields
    assert plain(values["s"]) == 0 and type(plain(values["s"])) is int
    assert plain(values["a"]) is None


def test_a_sum_with_a_limit_is_that_of_documents_ordered_by_the_summed_field(client):
    batch = client.batch()
    for number in range(20):
        data = {"n": 100 - number, "color": "red" if number % 2 else "blue"}
        if number % 3:
            data["m"] = number
        batch.set(client.document(f"limited/{number:02}"), data)
    batch.commit()
    all_of = client.collection("limited")
    assert results(all_of.limit(12).sum("n", "s")) == {"s": sum(range(81, 93))}
    assert results(all_of.limit(12).sum("m", "s").count("c")) == {"s": 108, "c": 12}
    assert results(all_of.limit(12).sum("n", "s").sum("m", "t")) == {"s": 1092, "t": 108}
    assert results(all_of.offset(2).limit(3).avg("n", "a")) == {"a": 84}
    assert results(all_of.order_by("color").limit(12).sum("n", "s")) == {"s": 1074}
    descending = all_of.order_by("color", direction="DESCENDING")
    assert results(descending.limit(12).sum("n", "s")) == {"s": 1098}
    red = all_of.where(filter=FieldFilter("color", "==", "red"))
    assert results(red.limit(3).sum("n", "s")) == {"s": 249}
    with pytest.raises(InvalidArgument, match="fields \\[n\\] after __name__"):
        results(all_of.order_by("__name__").limit(3).sum("n", "s"))


@pytest.mark.emulator_differs("documents without the field stay in the count")
def test_documents_without_the_field_drop_out_of_the_whole(items):
    assert results(items.count("c").sum("n", "s")) == {"c": 5, "s": 7.5}


def test_integer_sums_become_doubles_when_they_no_longer_fit(client):
    client.document("big/a").set({"n": 2**63 - 1})
    client.document("big/b").set({"n": 2**63 - 1})
    got = results(client.collection("big").sum("n", "s"))
    assert type(got["s"]) is float and got["s"] == 2.0**64
    client.document("big/c").set({"n": -(2**63) + 1})
    client.document("big/d").set({"n": -(2**63) + 1})
    assert results(client.collection("big").sum("n", "s")) == {"s": 0}


def test_nan_and_infinity_spread(client):
    client.document("odd/a").set({"n": math.inf})
    client.document("odd/b").set({"n": 1})
    assert results(client.collection("odd").sum("n", "s").avg("n", "a")) == {"s": math.inf, "a": math.inf}
    client.document("odd/c").set({"n": math.nan})
    got = results(client.collection("odd").sum("n", "s").avg("n", "a"))
    assert math.isnan(got["s"]) and math.isnan(got["a"])


def test_aggregations_over_a_filtered_range(items):
    query = items.where(filter=FieldFilter("n", ">", 1)).count("c").sum("n", "s").avg("n", "a")
    assert results(query) == {"c": 2, "s": 6.5, "a": 3.25}


def aggregate(calls, names, aggregations, **query):
    query.setdefault("from_", [{"collection_id": "items"}])
    return calls.RunAggregationQuery(
        parent=names.root,
        structured_aggregation_query={"structured_query": query, "aggregations": aggregations},
    )


def test_aliases_are_made_for_those_without(calls, names, items):
    (message,) = aggregate(
        calls,
        names,
        [{"count": {}}, {"alias": "mine", "count": {}}, {"sum": {"field": {"field_path": "n"}}}],
    )
    got = {key: plain(value) for key, value in message.result.aggregate_fields.items()}
    assert set(got) == {"field_1", "mine", "field_2"}
    assert message.read_time


@pytest.mark.parametrize("up_to, expected", [(3, 3), (100, 6), (6, 6)])
def test_counting_stops_at_up_to(calls, names, items, up_to, expected):
    (message,) = aggregate(calls, names, [{"alias": "c", "count": {"up_to": up_to}}])
    assert plain(message.result.aggregate_fields["c"]) == expected


@pytest.mark.emulator_differs("its texts differ")
@pytest.mark.parametrize(
    "aggregations, text",
    [
        ([], "Aggregations can not be empty."),
        ([{"alias": f"a{i}", "count": {}} for i in range(6)], "maximum number of aggregations"),
        ([{"alias": "a"}], "Operator field in Aggregation is not set."),
        ([{"alias": "a", "count": {}}, {"alias": "a", "count": {}}], "duplicate alias: a"),
        ([{"alias": "__x__", "count": {}}], "is reserved"),
        ([{"alias": "a", "count": {"up_to": -1}}], "greater than or equal to zero"),
    ],
    ids=["none", "six", "no operator", "twice", "reserved", "negative"],
)
def test_refused_aggregations(calls, names, aggregations, text):
    with pytest.raises(Failure) as refusal:
        aggregate(calls, names, aggregations)
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert text in refusal.value.message


def test_an_aggregation_without_a_query(calls, names):
    with pytest.raises(Failure) as refusal:
        calls.RunAggregationQuery(parent=names.root)
    assert refusal.value.code.name == "INVALID_ARGUMENT"


def test_aggregations_in_a_transaction(client, items):
    @firestore.transactional
    def run(transaction):
        found = items.count("c").get(transaction=transaction)
        transaction.set(client.document("items/g"), {"count": found[0][0].value})

    run(client.transaction())
    assert client.document("items/g").get().get("count") == 6
