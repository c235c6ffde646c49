"""Where a query starts and ends."""

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

from support.rpc import Failure

DESCENDING = firestore.Query.DESCENDING


@pytest.fixture
def grid(client):
    """Nine documents: x and y from 1 to 3; ids run against y."""
    batch = client.batch()
    for x in (1, 2, 3):
        for y in (1, 2, 3):
            batch.set(client.document(f"grid/{x}{4 - y}"), {"x": x, "y": y})
    batch.commit()
    return client.collection("grid")


def positions(query):
    return [f"{s.get('x')}{s.get('y')}" for s in query.stream()]


ALL = ["11", "12", "13", "21", "22", "23", "31", "32", "33"]


@pytest.mark.parametrize(
    "bound, expected",
    [
        (lambda q: q.start_at({"x": 2}), ALL[3:]),
        (lambda q: q.start_after({"x": 2}), ALL[6:]),
        (lambda q: q.end_at({"x": 2}), ALL[:6]),
        (lambda q: q.end_before({"x": 2}), ALL[:3]),
        (lambda q: q.start_at({"x": 2, "y": 2}), ALL[4:]),
        (lambda q: q.start_after({"x": 2, "y": 2}), ALL[5:]),
        (lambda q: q.end_at({"x": 2, "y": 2}), ALL[:5]),
        (lambda q: q.end_before({"x": 2, "y": 2}), ALL[:4]),
        (lambda q: q.start_at({"x": 1, "y": 3}).end_before({"x": 3, "y": 1}), ALL[2:6]),
        (lambda q: q.start_at({"x": 1.5}), ALL[3:]),
        (lambda q: q.start_at({"x": "text"}), []),
        (lambda q: q.end_at({"x": "text"}), ALL),
        (lambda q: q.start_at({"x": None}), ALL),
        (lambda q: q.start_at({"x": 3}).end_at({"x": 1}), []),
        (lambda q: q.start_after({"x": 1}).limit(2), ALL[3:5]),
        (lambda q: q.start_after({"x": 1}).offset(1).limit(2), ALL[4:6]),
    ],
)
def test_bounds_in_ascending_order(grid, bound, expected):
    assert positions(bound(grid.order_by("x").order_by("y"))) == expected


@pytest.mark.parametrize(
    "bound, expected",
    [
        (lambda q: q.start_at({"x": 2}), ["21", "22", "23", "11", "12", "13"]),
        (lambda q: q.start_after({"x": 2, "y": 2}), ["23", "11", "12", "13"]),
        (lambda q: q.end_before({"x": 2, "y": 2}), ["31", "32", "33", "21"]),
    ],
)
def test_bounds_with_mixed_directions(grid, bound, expected):
    assert positions(bound(grid.order_by("x", direction=DESCENDING).order_by("y"))) == expected


def test_documents_are_cursors(grid):
    ordered = grid.order_by("x", direction=DESCENDING)
    whole = list(ordered.stream())
    # Equal values follow the name in the direction of the last order.
    assert [s.id for s in whole] == ["33", "32", "31", "23", "22", "21", "13", "12", "11"]
    for index, snapshot in enumerate(whole):
        after = [s.id for s in ordered.start_after(snapshot).stream()]
        assert after == [s.id for s in whole[index + 1 :]]
        before = [s.id for s in ordered.end_before(snapshot).stream()]
        assert before == [s.id for s in whole[:index]]


def test_documents_are_cursors_of_filtered_queries(grid):
    query = grid.where(filter=FieldFilter("y", ">=", 2)).order_by("y")
    whole = list(query.stream())
    assert len(whole) == 6
    for index, snapshot in enumerate(whole):
        rest = [s.id for s in query.start_at(snapshot).stream()]
        assert rest == [s.id for s in whole[index:]]


def test_pages_without_an_order_go_by_name(grid):
    seen, last = [], None
    while True:
        query = grid.order_by("__name__").limit(4)
        page = list((query.start_after(last) if last else query).stream())
        if not page:
            break
        seen += [snapshot.id for snapshot in page]
        last = page[-1]
    assert seen == sorted(seen) and len(seen) == 9


def test_the_last_ones(grid):
    query = grid.order_by("x").order_by("y").limit_to_last(2)
    assert [s.id for s in query.get()] == ["32", "31"]


def test_cursors_pass_with_filters(grid):
    query = grid.where(filter=FieldFilter("x", "==", 2)).order_by("y")
    assert positions(query.start_after({"y": 1})) == ["22", "23"]
    query = grid.where(filter=FieldFilter("x", ">", 1)).order_by("x").order_by("y")
    assert positions(query.end_before({"x": 3, "y": 2})) == ["21", "22", "23", "31"]


def cursor_query(values, orders=("x",), **cursor):
    return {
        "from_": [{"collection_id": "grid"}],
        "order_by": [{"field": {"field_path": order}} for order in orders],
        "start_at": {"values": values, **cursor},
    }


def test_a_cursor_with_more_values_than_orders_is_refused(calls, names):
    values = [{"integer_value": 1}, {"integer_value": 2}]
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(parent=names.root, structured_query=cursor_query(values))
    assert refusal.value.code.name == "INVALID_ARGUMENT"


@pytest.mark.emulator_differs("its text differs")
def test_the_text_for_too_many_cursor_values(calls, names):
    values = [{"integer_value": 1}, {"integer_value": 2}]
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(parent=names.root, structured_query=cursor_query(values))
    assert refusal.value.message == "Cursor has too many values."


def test_a_name_in_a_cursor_must_be_a_reference(calls, names):
    with pytest.raises(Failure) as refusal:
        values = [{"string_value": "a"}]
        calls.RunQuery(parent=names.root, structured_query=cursor_query(values, ["__name__"]))
    assert refusal.value.code.name == "INVALID_ARGUMENT"
