"""Writes of single documents: replace, merge, update, delete, transforms, preconditions."""

import datetime
import math

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1 import types

from support.rpc import Failure, fields_of

UTC = datetime.timezone.utc


@pytest.fixture
def document(client):
    return client.document("things/thing")


@pytest.fixture
def write(calls, names):
    """Commits writes given as dictionaries; gives the response."""

    def commit(*writes, **more):
        return calls.Commit(database=names.database, writes=list(writes), **more)

    return commit


def test_set_replaces_the_whole_document(document):
    document.set({"a": 1, "b": {"c": 2}})
    document.set({"b": {"d": 3}})
    assert document.get().to_dict() == {"b": {"d": 3}}


def test_merge_keeps_siblings(document):
    document.set({"a": 1, "b": {"c": 2, "d": {"e": 3}}, "list": [1, 2]})
    document.set({"b": {"d": {"f": 4}}, "list": [3], "new": True}, merge=True)
    assert document.get().to_dict() == {
        "a": 1,
        "b": {"c": 2, "d": {"e": 3, "f": 4}},
        "list": [3],
        "new": True,
    }


def test_merge_creates_a_missing_document(document):
    document.set({"b": {"c": 1}}, merge=True)
    assert document.get().to_dict() == {"b": {"c": 1}}


def test_merge_of_named_fields_takes_only_those(document):
    document.set({"a": 1, "b": {"c": 2, "d": 3}})
    document.set({"b": {"c": 20}}, merge=["b.c"])
    assert document.get().to_dict() == {"a": 1, "b": {"c": 20, "d": 3}}
    document.set({"b": {"c": 21}}, merge=["b"])
    assert document.get().to_dict() == {"a": 1, "b": {"c": 21}}


def test_update_changes_leaves_and_removes_fields(document):
    document.set({"a": 1, "b": {"c": 2, "d": 3}, "gone": 0})
    document.update({"b.c": 20, "b.x.y": 1, "gone": firestore.DELETE_FIELD, "b.d": firestore.DELETE_FIELD})
    assert document.get().to_dict() == {"a": 1, "b": {"c": 20, "x": {"y": 1}}}


def test_update_through_a_scalar_replaces_it(document):
    document.set({"a": 1})
    document.update({"a.b": 2})
    assert document.get().to_dict() == {"a": {"b": 2}}


def test_create_time_stays_and_update_time_moves(document):
    first = document.set({"n": 1}).update_time
    second = document.update({"n": 2}).update_time
    snapshot = document.get()
    assert first < second
    assert (snapshot.create_time, snapshot.update_time) == (first, second)
    document.delete()
    third = document.set({"n": 3}).update_time
    snapshot = document.get()
    assert second < third and snapshot.create_time == snapshot.update_time == third


def test_a_write_that_changes_nothing_keeps_the_update_time(document):
    first = document.set({"n": 1, "m": {"a": [1, 2]}}).update_time
    again = document.set({"m": {"a": [1, 2]}, "n": 1}).update_time
    assert again == first == document.get().update_time
    other_type = document.set({"n": 1.0, "m": {"a": [1, 2]}}).update_time
    assert other_type > first and type(document.get().get("n")) is float


def test_commit_times_grow(write, names):
    times = []
    for number in range(20):
        fields = {"n": {"integer_value": number}}
        reply = write({"update": {"name": names(f"things/t{number}"), "fields": fields}})
        stamp = types.CommitResponse.pb(reply).commit_time
        times.append((stamp.seconds, stamp.nanos))
        assert stamp.nanos % 1000 == 0
        result = types.CommitResponse.pb(reply).write_results[0].update_time
        assert result == stamp
    assert times == sorted(set(times))


def test_deleting_twice_and_deleting_the_missing_succeed(document):
    document.set({"a": 1})
    document.delete()
    document.delete()
    assert not document.get().exists


def test_deleting_a_document_keeps_what_is_below_it(client, document):
    below = client.document("things/thing/parts/p")
    document.set({"a": 1})
    below.set({"b": 2})
    document.delete()
    assert below.get().to_dict() == {"b": 2}


def test_an_empty_mask_creates_an_empty_document_and_changes_no_other(write, calls, names):
    update = {"name": names("things/a"), "fields": {"x": {"integer_value": 1}}}
    write({"update": update, "update_mask": {"field_paths": []}})
    assert fields_of(calls.GetDocument(name=names("things/a"))) == {}
    write({"update": update})
    write({"update": {"name": names("things/a"), "fields": {}}, "update_mask": {}})
    assert fields_of(calls.GetDocument(name=names("things/a"))) == {"x": 1}


def test_masked_fields_that_are_absent_are_removed(write, calls, names):
    fields = {"a": {"integer_value": 1}, "b": {"integer_value": 2}, "c": {"integer_value": 3}}
    write({"update": {"name": names("things/a"), "fields": fields}})
    fields = {"a": {"integer_value": 10}, "c": {"integer_value": 30}}
    mask = {"field_paths": ["a", "b"]}
    write({"update": {"name": names("things/a"), "fields": fields}, "update_mask": mask})
    assert fields_of(calls.GetDocument(name=names("things/a"))) == {"a": 10, "c": 3}


# Transforms


def test_increments_add_by_type(document):
    document.set({"i": 1, "d": 1.5, "s": "text"})
    document.update(
        {
            "i": firestore.Increment(2),
            "d": firestore.Increment(2),
            "s": firestore.Increment(5),
            "new": firestore.Increment(-1.25),
            "deep.er": firestore.Increment(7),
        }
    )
    value = document.get().to_dict()
    assert value == {"i": 3, "d": 3.5, "s": 5, "new": -1.25, "deep": {"er": 7}}
    assert [type(value[key]) for key in "ids"] == [int, float, int]
    document.update({"i": firestore.Increment(0.5)})
    assert document.get().get("i") == 3.5


def test_increments_stop_at_the_ends_of_the_integers(document):
    document.set({"high": 2**63 - 2, "low": -(2**63) + 1})
    for _ in range(2):
        document.update({"high": firestore.Increment(5), "low": firestore.Increment(-5)})
        assert document.get().to_dict() == {"high": 2**63 - 1, "low": -(2**63)}


def test_maximum_and_minimum_keep_the_greater_and_the_lesser(document):
    document.set({"a": 5, "b": 5, "c": "text"})
    document.update({"a": firestore.Maximum(7), "b": firestore.Minimum(3), "c": firestore.Maximum(1)})
    assert document.get().to_dict() == {"a": 7, "b": 3, "c": 1}
    document.update({"a": firestore.Maximum(6), "b": firestore.Minimum(4.5), "d": firestore.Minimum(9)})
    assert document.get().to_dict() == {"a": 7, "b": 3, "c": 1, "d": 9}


def test_an_equal_maximum_keeps_the_stored_type(document):
    document.set({"a": 3, "b": 3.0, "z": -0.0})
    document.update({"a": firestore.Maximum(3.0), "b": firestore.Minimum(3), "z": firestore.Maximum(0)})
    value = document.get().to_dict()
    assert (type(value["a"]), type(value["b"])) == (int, float)
    assert type(value["z"]) is float and math.copysign(1, value["z"]) == -1


def test_array_union_and_remove_use_the_equality_of_values(document):
    document.set({"list": [1, "a", None], "scalar": 5})
    document.update({"list": firestore.ArrayUnion([1.0, "b", None, "b", {"m": 1}])})
    assert document.get().get("list") == [1, "a", None, "b", {"m": 1}]
    document.update({"list": firestore.ArrayRemove([1.0, {"m": 1.0}, "absent"])})
    assert document.get().get("list") == ["a", None, "b"]
    document.update({"scalar": firestore.ArrayUnion([1]), "new": firestore.ArrayRemove([1])})
    assert document.get().to_dict() == {"list": ["a", None, "b"], "scalar": [1], "new": []}


def test_server_times_of_one_commit_are_one_time(client):
    batch = client.batch()
    for key in "ab":
        stamps = {"t": firestore.SERVER_TIMESTAMP, "deep": {"t": firestore.SERVER_TIMESTAMP}}
        batch.set(client.document(f"things/{key}"), stamps)
    results = batch.commit()
    values = [client.document(f"things/{key}").get().to_dict() for key in "ab"]
    assert values[0] == values[1] and values[0]["t"] == values[0]["deep"]["t"]
    assert values[0]["t"].nanosecond % 1_000_000 == 0
    assert values[0]["t"] <= results[0].update_time
    assert results[0].update_time == results[1].update_time


def transform(path, **operation):
    return {"field_path": path, **operation}


def test_transform_results_follow_the_order_of_transforms(write, calls, names):
    name = names("things/a")
    write({"update": {"name": name, "fields": {"n": {"integer_value": 1}}}})
    reply = write(
        {
            "update": {"name": name, "fields": {"x": {"integer_value": 5}}},
            "update_mask": {"field_paths": ["x"]},
            "update_transforms": [
                transform("n", increment={"integer_value": 2}),
                transform("l", append_missing_elements={"values": [{"integer_value": 1}]}),
                transform("x", maximum={"double_value": 7.5}),
                transform("n", increment={"integer_value": 10}),
                transform("l", remove_all_from_array={"values": []}),
                transform("t", set_to_server_value="REQUEST_TIME"),
            ],
        },
        {"delete": names("things/other")},
    )
    results = types.CommitResponse.pb(reply).write_results
    kinds = [value.WhichOneof("value_type") for value in results[0].transform_results]
    assert kinds == [
        "integer_value",
        "null_value",
        "double_value",
        "integer_value",
        "null_value",
        "timestamp_value",
    ]
    numbers = results[0].transform_results
    assert (numbers[0].integer_value, numbers[2].double_value) == (3, 7.5)
    assert numbers[3].integer_value == 13
    assert not results[1].HasField("update_time") and not results[1].transform_results
    stored = fields_of(calls.GetDocument(name=name))
    del stored["t"]
    assert stored == {"n": 13, "x": 7.5, "l": [1]}


def test_a_lone_transform_creates_the_document(write, calls, names):
    name = names("things/a")
    steps = [transform("a.b", increment={"integer_value": 4})]
    write({"transform": {"document": name, "field_transforms": steps}})
    write({"transform": {"document": name, "field_transforms": steps}})
    assert fields_of(calls.GetDocument(name=name)) == {"a": {"b": 8}}


@pytest.mark.parametrize("operand", [{"string_value": "1"}, {"null_value": 0}, {"boolean_value": True}])
@pytest.mark.parametrize("operation", ["increment", "maximum", "minimum"])
def test_transforms_take_numbers_only(write, names, operation, operand):
    steps = [transform("a", **{operation: operand})]
    with pytest.raises(Failure) as refusal:
        write({"update": {"name": names("things/a")}, "update_transforms": steps})
    assert refusal.value.code.name == "INVALID_ARGUMENT"


# Preconditions


def precondition_cases(stamp):
    missing, present = {"exists": False}, {"exists": True}
    return missing, present, {"update_time": stamp}


@pytest.mark.parametrize("operation", ["update", "delete", "transform"])
def test_exists_true_refuses_a_missing_document(write, names, operation):
    name = names("things/a")
    body = {
        "update": {"update": {"name": name, "fields": {}}},
        "delete": {"delete": name},
        "transform": {
            "transform": {
                "document": name,
                "field_transforms": [transform("a", increment={"integer_value": 1})],
            }
        },
    }[operation]
    with pytest.raises(Failure) as refusal:
        write({**body, "current_document": {"exists": True}})
    assert refusal.value.code.name == "NOT_FOUND"


@pytest.mark.emulator_differs("its texts name entities")
def test_exists_texts(write, names):
    name = names("things/a")
    update = {"update": {"name": name, "fields": {}}}
    with pytest.raises(Failure) as refusal:
        write({**update, "current_document": {"exists": True}})
    assert refusal.value.message == f"No document to update: {name}"
    write(update)
    with pytest.raises(Failure) as refusal:
        write({**update, "current_document": {"exists": False}})
    assert refusal.value.code.name == "ALREADY_EXISTS"
    assert refusal.value.message == f"Document already exists: {name}"


def micros(moment):
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def test_update_time_must_match_to_the_microsecond(client, document):
    first = document.set({"n": 1}).update_time
    option = client.write_option(last_update_time=first)
    second = document.update({"n": 2}, option).update_time
    with pytest.raises(exceptions.FailedPrecondition) as refusal:
        document.update({"n": 3}, option)
    if refusal.value.message and "stored version" in refusal.value.message:
        assert f"the stored version ({micros(second)})" in refusal.value.message
        assert f"required base version ({micros(first)})" in refusal.value.message
    assert document.get().get("n") == 2
    with pytest.raises(exceptions.FailedPrecondition):
        document.delete(option)
    document.delete(client.write_option(last_update_time=second))
    assert not document.get().exists


def test_an_update_time_of_the_future_is_an_invalid_argument(client, document):
    stamp = document.set({"n": 1}).update_time
    option = client.write_option(last_update_time=stamp + datetime.timedelta(hours=1))
    with pytest.raises(exceptions.InvalidArgument):
        document.update({"n": 2}, option)
    with pytest.raises(exceptions.InvalidArgument):
        document.delete(option)
    assert document.get().to_dict() == {"n": 1}


def test_an_update_after_a_delete_in_one_commit_is_an_invalid_argument(client, document):
    document.set({"n": 1})
    batch = client.batch()
    batch.delete(document)
    batch.update(document, {"n": 2})
    with pytest.raises(exceptions.InvalidArgument) as refusal:
        batch.commit()
    assert refusal.value.message == "Cannot delete then update an entity in the same request."
    assert document.get().to_dict() == {"n": 1}


@pytest.mark.parametrize("paths", [["m", "m.a"], ["m.a", "m"], ["m", "m"]])
def test_an_update_mask_may_name_a_field_and_its_parent_and_a_field_twice(write, document, names, paths):
    document.set({"m": {"a": 1, "b": 2}, "n": 1})
    fields = {"m": {"map_value": {"fields": {"a": {"integer_value": 5}}}}}
    write({
        "update": {"name": document._document_path, "fields": fields},
        "update_mask": {"field_paths": paths},
    })
    assert document.get().to_dict() == {"m": {"a": 5}, "n": 1}


def test_update_time_on_a_missing_document_fails(write, names):
    with pytest.raises(Failure) as refusal:
        write(
            {
                "update": {"name": names("things/a"), "fields": {}},
                "current_document": {"update_time": {"seconds": 1_700_000_000}},
            }
        )
    assert refusal.value.code.name == "FAILED_PRECONDITION"


@pytest.mark.emulator_differs("its text differs")
def test_update_time_text_on_a_missing_document(write, names):
    stamp = {"seconds": 1_700_000_000}
    with pytest.raises(Failure) as refusal:
        write({"delete": names("things/a"), "current_document": {"update_time": stamp}})
    assert refusal.value.message == (
        "the stored version (0) does not match the required base version (1700000000000000)"
    )


# The single-document RPCs


def test_create_document_makes_an_id_when_none_is_given(calls, names):
    made = calls.CreateDocument(
        parent=names.root, collection_id="things", document={"fields": {"a": {"integer_value": 1}}}
    )
    assert made.name.startswith(names("things/")) and len(made.name.split("/")[-1]) == 20
    assert fields_of(calls.GetDocument(name=made.name)) == {"a": 1}


def test_create_document_refuses_an_id_that_is_taken(calls, names):
    request = {"parent": names.root, "collection_id": "things", "document_id": "a", "document": {}}
    made = calls.CreateDocument(request)
    assert made.name == names("things/a") and made.create_time == made.update_time
    with pytest.raises(Failure) as refusal:
        calls.CreateDocument(request)
    assert refusal.value.code.name == "ALREADY_EXISTS"


def test_update_document_gives_the_document_through_its_mask(calls, names):
    fields = {"a": {"integer_value": 1}, "b": {"integer_value": 2}}
    document = {"name": names("things/a"), "fields": fields}
    whole = calls.UpdateDocument(document=document)
    assert fields_of(whole) == {"a": 1, "b": 2}
    part = calls.UpdateDocument(
        document={"name": names("things/a"), "fields": {"b": {"integer_value": 3}}},
        update_mask={"field_paths": ["b"]},
        mask={"field_paths": ["a"]},
    )
    assert fields_of(part) == {"a": 1}
    assert fields_of(calls.GetDocument(name=names("things/a"))) == {"a": 1, "b": 3}


def test_delete_document_honours_its_precondition(calls, names):
    with pytest.raises(Failure) as refusal:
        calls.DeleteDocument(name=names("things/a"), current_document={"exists": True})
    assert refusal.value.code.name == "NOT_FOUND"
    calls.UpdateDocument(document={"name": names("things/a")})
    calls.DeleteDocument(name=names("things/a"), current_document={"exists": True})
    with pytest.raises(Failure) as refusal:
        calls.GetDocument(name=names("things/a"))
    assert refusal.value.code.name == "NOT_FOUND"
