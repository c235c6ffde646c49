"""Queries that Firestore refuses, by code and text."""

import pytest

from support.rpc import Failure


def field(path):
    return {"field_path": path}


def number(value):
    return {"integer_value": value}


def numbers(count):
    return {"array_value": {"values": [number(value) for value in range(count)]}}


def compare(path, operator, value):
    return {"field_filter": {"field": field(path), "op": operator, "value": value}}


def unary(path, operator):
    return {"unary_filter": {"field": field(path), "op": operator}}


def both(*filters):
    return {"composite_filter": {"op": "AND", "filters": list(filters)}}


def either(*filters):
    return {"composite_filter": {"op": "OR", "filters": list(filters)}}


def refused(calls, names, **query):
    query.setdefault("from_", [{"collection_id": "c"}])
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(parent=names.root, structured_query=query)
    return refusal.value


def accepted(calls, names, **query):
    query.setdefault("from_", [{"collection_id": "c"}])
    return calls.RunQuery(parent=names.root, structured_query=query)


CONTAINS = compare("l", "ARRAY_CONTAINS", number(1))
NOT_IN = compare("n", "NOT_IN", numbers(2))

TEXTS = [
    ({"limit": -1}, "limit is negative"),
    ({"offset": -1}, "offset is negative"),
    (
        {"from_": [{"collection_id": "a"}, {"collection_id": "b"}]},
        "StructuredQuery.from cannot have more than one collection selector.",
    ),
    ({"where": compare("a", "IN", number(1))}, "'IN' requires an ArrayValue."),
    ({"where": compare("a", "IN", numbers(0))}, "'IN' requires an non-empty ArrayValue."),
    ({"where": compare("a", "IN", numbers(31))}, "'IN' supports up to 30 comparison values."),
    (
        {"where": compare("a", "ARRAY_CONTAINS_ANY", numbers(31))},
        "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values.",
    ),
    ({"where": compare("a", "NOT_IN", numbers(11))}, "'NOT_IN' supports up to 10 comparison values."),
    (
        {"where": both(compare("a", "NOT_EQUAL", number(1)), compare("b", "NOT_EQUAL", number(1)))},
        "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.",
    ),
    (
        {"where": both(NOT_IN, unary("b", "IS_NOT_NULL"))},
        "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.",
    ),
    (
        {"where": both(NOT_IN, compare("a", "IN", numbers(2)))},
        "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.",
    ),
    (
        {"where": either(NOT_IN, compare("a", "EQUAL", number(2)))},
        "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.",
    ),
    (
        {"where": both(CONTAINS, compare("k", "ARRAY_CONTAINS", number(2)))},
        "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.",
    ),
    (
        {"where": both(compare("a", "IN", numbers(6)), compare("b", "IN", numbers(6)))},
        "Too many disjunctions after normalization. Result had 36 disjunctions which is more than"
        " the maximum of 30",
    ),
    (
        {"where": either(*(compare("a", "EQUAL", number(value)) for value in range(31)))},
        "Too many disjunctions after normalization. Result had 31 disjunctions which is more than"
        " the maximum of 30",
    ),
    ({"where": compare("__name__", "EQUAL", {"string_value": "a"})}, "__key__ filter value must be a Key"),
    (
        {"order_by": [{"field": field("f")}, {"field": field("f")}]},
        "order by clause cannot contain duplicate fields f",
    ),
    (
        {"order_by": [{"field": field("__name__")}, {"field": field("f")}]},
        "order by clause cannot contain more fields after the key",
    ),
]


@pytest.mark.emulator_differs("its texts differ here and there")
@pytest.mark.parametrize("query, text", TEXTS, ids=[text for _, text in TEXTS])
def test_texts(calls, names, query, text):
    refusal = refused(calls, names, **query)
    assert refusal.code.name == "INVALID_ARGUMENT"
    assert text.lower() in refusal.message.lower()


@pytest.mark.parametrize(
    "query",
    [query for query, text in TEXTS if "'ARRAY_CONTAINS' filter" not in text],
    ids=[text for _, text in TEXTS if "'ARRAY_CONTAINS' filter" not in text],
)
def test_codes(calls, names, query):
    assert refused(calls, names, **query).code.name == "INVALID_ARGUMENT"


def test_an_equality_on_the_key_beside_inequalities_on_other_fields(calls, names):
    key = {"reference_value": names("c/a")}
    equal, more = compare("__name__", "EQUAL", key), compare("n", "GREATER_THAN", number(1))
    one_of = compare("__name__", "IN", {"array_value": {"values": [key]}})
    for where in (both(equal, more), either(equal, more), both(one_of, more)):
        refusal = refused(calls, names, where=where)
        assert refusal.code.name == "INVALID_ARGUMENT"
        assert refusal.message == (
            "Equality on key is not allowed if there are other inequality fields and key does not"
            " appear in inequalities."
        )
    accepted(calls, names, where=both(equal, more, compare("__name__", "GREATER_THAN", key)))


@pytest.mark.emulator_differs("allows more inequality fields")
def test_eleven_inequality_fields(calls, names):
    conditions = [compare(f"f{index:02}", "GREATER_THAN", number(1)) for index in range(11)]
    refusal = refused(calls, names, where=both(*conditions))
    assert refusal.code.name == "INVALID_ARGUMENT"
    assert "The query contains 11 distinct inequality fields" in refusal.message
    assert "more than 10 distinct inequality fields" in refusal.message


@pytest.mark.emulator_differs("counts otherwise")
def test_more_than_a_hundred_parts(calls, names):
    conditions = [compare(f"f{index:03}", "EQUAL", number(1)) for index in range(101)]
    refusal = refused(calls, names, where=both(*conditions))
    assert refusal.code.name == "INVALID_ARGUMENT"
    assert "may not have more than 100 filters + sort orders + ancestor total" in refusal.message


@pytest.mark.parametrize(
    "where",
    [
        compare("a", "IN", numbers(30)),
        compare("a", "ARRAY_CONTAINS_ANY", numbers(30)),
        compare("a", "NOT_IN", numbers(10)),
        both(compare("a", "IN", numbers(5)), compare("b", "IN", numbers(6))),
        either(*(compare("a", "EQUAL", number(value)) for value in range(30))),
        both(*(compare(f"f{index:02}", "GREATER_THAN", number(1)) for index in range(10))),
        either(CONTAINS, compare("k", "ARRAY_CONTAINS", number(2))),
        both(CONTAINS, compare("a", "IN", numbers(10))),
        both(NOT_IN, compare("a", "EQUAL", number(1))),
    ],
)
def test_at_the_limit(calls, names, where):
    assert len(accepted(calls, names, where=where)) == 1


@pytest.mark.parametrize("path", ["", "a..b", ".a", "a.", "a b", "`a", "__x__", "1a", "a-b", "a.`"])
def test_bad_field_paths(calls, names, path):
    assert refused(calls, names, where=compare(path, "EQUAL", number(1))).code.name == "INVALID_ARGUMENT"
    assert refused(calls, names, order_by=[{"field": field(path)}]).code.name == "INVALID_ARGUMENT"


@pytest.mark.emulator_differs("it lets some through")
@pytest.mark.parametrize(
    "query",
    [
        {"where": compare("a", "OPERATOR_UNSPECIFIED", number(1))},
        {"where": compare("a", 99, number(1))},
        {"where": unary("a", "OPERATOR_UNSPECIFIED")},
        {"where": unary("a", 99)},
        {"where": {"composite_filter": {"op": "OPERATOR_UNSPECIFIED", "filters": [CONTAINS, CONTAINS]}}},
        {"where": {}},
        {"where": {"field_filter": {"op": "EQUAL", "value": number(1)}}},
        {"where": {"field_filter": {"field": field("a"), "op": "EQUAL"}}},
    ],
)
def test_incomplete_and_unknown_filters(calls, names, query):
    assert refused(calls, names, **query).code.name == "INVALID_ARGUMENT"


def test_a_request_without_a_query(calls, names):
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(parent=names.root)
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert "structured quer" in refusal.value.message.lower()


@pytest.mark.parametrize("query", [
    {"where": compare("a", "EQUAL", number(1))},
    {"order_by": [{"field": field("a")}]},
])
def test_kindless_queries_know_names_only(calls, names, query):
    assert refused(calls, names, from_=[], **query).code.name == "INVALID_ARGUMENT"


@pytest.mark.parametrize("parent", ["", "projects/p", "projects/p/databases/(default)", "documents"])
def test_bad_parents(calls, parent):
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(parent=parent, structured_query={"from_": [{"collection_id": "c"}]})
    assert refusal.value.code.name == "INVALID_ARGUMENT"


def test_a_collection_is_no_parent(calls, names):
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(parent=names("c"), structured_query={"from_": [{"collection_id": "c"}]})
    assert refusal.value.code.name == "INVALID_ARGUMENT"
