"""The limits of names, values, documents and requests, at them and one beyond."""

import pytest

from support.rpc import Failure, fields_of

MIB = 1024 * 1024


def text(length):
    return {"string_value": "x" * length}


def put(calls, names, path, fields):
    return calls.UpdateDocument(document={"name": names(path), "fields": fields})


def refused(calls, names, path, fields):
    with pytest.raises(Failure) as refusal:
        put(calls, names, path, fields)
    assert refusal.value.code.name == "INVALID_ARGUMENT", refusal.value
    return refusal.value.message


def document_size(names, path, values):
    """Firestore's arithmetic for a document of string fields."""
    name = 16 + sum(len(segment.encode()) + 1 for segment in path.split("/"))
    return name + 32 + sum(len(key) + 1 + length + 1 for key, length in values.items())


@pytest.mark.parametrize("surplus", [0, 1])
def test_a_document_of_one_mebibyte(calls, names, surplus):
    path = "limits/d"
    half = MIB // 2
    rest = MIB - document_size(names, path, {"a": half, "b": 0}) + surplus
    fields = {"a": text(half), "b": text(rest)}
    if surplus == 0:
        put(calls, names, path, fields)
        assert len(fields_of(calls.GetDocument(name=names(path)))["b"]) == rest
    else:
        refused(calls, names, path, fields)


@pytest.mark.emulator_differs("another text")
def test_the_text_for_a_document_that_is_too_large(calls, names):
    message = refused(calls, names, "limits/d", {"a": text(MIB // 2), "b": text(MIB // 2 + 100)})
    size = document_size(names, "limits/d", {"a": MIB // 2, "b": MIB // 2 + 100})
    assert message == (
        f"Document '{names('limits/d')}' cannot be written because its size ({size:,} bytes)"
        " exceeds the maximum allowed size of 1,048,576 bytes."
    )


def test_a_value_that_is_too_large(calls, names):
    assert "longer than 1048487 bytes" in refused(calls, names, "limits/d", {"s": text(1048488)})


def nested(depth):
    value = {"integer_value": 1}
    for _ in range(depth):
        value = {"map_value": {"fields": {"m": value}}}
    return value


def test_twenty_levels_of_maps(calls, names):
    put(calls, names, "limits/d", {"m": nested(19)})
    refused(calls, names, "limits/d", {"m": nested(30)})


@pytest.mark.emulator_differs("another text")
def test_the_text_for_a_value_that_is_too_deep(calls, names):
    message = refused(calls, names, "limits/d", {"m": nested(21)})
    assert message == "Property m contains an invalid nested entity."


@pytest.mark.emulator_differs("another text")
def test_an_array_in_an_array(calls, names):
    inner = {"array_value": {"values": [{"array_value": {}}]}}
    message = refused(calls, names, "limits/d", {"a": inner})
    assert "nested array" in message.lower()


def test_ids_of_fifteen_hundred_bytes(calls, names):
    for key in ("x" * 1500, "é" * 750):
        put(calls, names, f"limits/{key}", {})
        assert calls.GetDocument(name=names(f"limits/{key}")).name == names(f"limits/{key}")
        refused(calls, names, f"limits/{key}x", {})
        refused(calls, names, f"{key}x/d", {})


def test_field_names_of_fifteen_hundred_bytes(calls, names):
    put(calls, names, "limits/d", {"x" * 1500: text(1)})
    refused(calls, names, "limits/d", {"x" * 1501: text(1)})


@pytest.mark.emulator_differs("allows four underscores")
@pytest.mark.parametrize(
    "name, good",
    [
        ("__x__", False),
        ("____", False),
        ("__", True),
        ("__x", True),
        ("_x__", True),
        ("", False),
    ],
)
def test_reserved_field_names(calls, names, name, good):
    for fields in ({name: text(1)}, {"m": {"map_value": {"fields": {name: text(1)}}}}):
        if good:
            put(calls, names, "limits/d", fields)
        else:
            refused(calls, names, "limits/d", fields)


@pytest.mark.emulator_differs("allows four underscores")
@pytest.mark.parametrize("key", [".", "..", "__x__", "____", "__id__", "__idx__", "__id99999999999999999999__"])
def test_reserved_ids(calls, names, key):
    refused(calls, names, f"limits/{key}", {})
    if not key.startswith("__id"):
        refused(calls, names, f"{key}/d", {})


@pytest.mark.emulator_differs("other texts")
@pytest.mark.parametrize(
    "path, message",
    [
        ("limits/__x__", 'Resource id "__x__" is invalid because it is reserved.'),
        ("limits/__idx__", "A long document ID string must be formatted like '__id{LONG}__'"),
    ],
)
def test_the_texts_for_reserved_ids(calls, names, path, message):
    assert refused(calls, names, path, {}).startswith(message)


@pytest.mark.parametrize("key", ["...", "_", "__", "__x", "x__", "__id7__", " ", "a b", "-", "ü", "*", "%"])
def test_unusual_ids_that_are_allowed(calls, names, key):
    put(calls, names, f"limits/{key}", {"n": text(1)})
    assert calls.GetDocument(name=names(f"limits/{key}")).name == names(f"limits/{key}")


@pytest.mark.parametrize(
    "tail",
    ["", "c", "c/d/e", "/c/d", "c//d", "c/d/", "c/d/e/", "c/"],
)
def test_misshapen_document_names(calls, names, tail):
    for call in (
        lambda name: calls.GetDocument(name=name),
        lambda name: calls.UpdateDocument(document={"name": name}),
        lambda name: calls.DeleteDocument(name=name),
        lambda name: calls.Commit(database=names.database, writes=[{"delete": name}]),
        lambda name: calls.BatchGetDocuments(database=names.database, documents=[name]),
    ):
        with pytest.raises(Failure) as refusal:
            call(f"{names.root}/{tail}")
        assert refusal.value.code.name == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "name",
    ["", "x", "projects", "projects/p/databases/(default)", "projects/p/documents/c/d", "/", "a" * 10000],
)
def test_names_of_nothing(calls, name):
    with pytest.raises(Failure) as refusal:
        calls.GetDocument(name=name)
    assert refusal.value.code.name == "INVALID_ARGUMENT"


@pytest.mark.emulator_differs("no such limit")
def test_forty_thousand_index_entries(calls, names):
    """Every element of an array costs an entry, and so does the array."""
    many = {"array_value": {"values": [{"integer_value": number} for number in range(39_000)]}}
    put(calls, names, "limits/d", {"a": many})
    more = {"array_value": {"values": [{"integer_value": number} for number in range(41_000)]}}
    message = refused(calls, names, "limits/d", {"a": more})
    assert message == "too many index entries for entity"


@pytest.mark.emulator_differs("accepts some")
def test_odd_masks(calls, names):
    for paths in (["__name__"], [""], ["a..b"]):
        with pytest.raises(Failure) as refusal:
            calls.UpdateDocument(
                document={"name": names("limits/d"), "fields": {"a": text(1)}},
                update_mask={"field_paths": paths},
            )
        assert refusal.value.code.name == "INVALID_ARGUMENT", paths


TOO_BIG = "Transaction too big. Decrease transaction size."
PAYLOAD = "Request payload size exceeds the limit: "


def halves(names, count):
    """Writes of half a mebibyte each."""
    return [
        {"update": {"name": names(f"limits/{number}"), "fields": {"a": text(MIB // 2)}}} for number in range(count)
    ]


@pytest.mark.emulator_differs("no such limit")
@pytest.mark.parametrize("method", ["Commit", "BatchWrite"])
def test_what_writes_more_than_ten_mebibytes_is_refused_for_good(calls, names, method):
    write = getattr(calls, method)
    write(database=names.database, writes=halves(names, 16), timeout=60)
    for count, message in ((21, TOO_BIG), (24, PAYLOAD + "11534336 bytes."), (40, PAYLOAD)):
        with pytest.raises(Failure) as refusal:
            write(database=names.database, writes=halves(names, count), timeout=60)
        # Not RESOURCE_EXHAUSTED, at which Google's clients send the same again for a minute.
        assert refusal.value.code.name == "INVALID_ARGUMENT"
        assert refusal.value.message.startswith(message)
    with pytest.raises(Failure):
        calls.GetDocument(name=names("limits/20"))


@pytest.mark.brasa_only
@pytest.mark.parametrize("verb", ["commit", "batchWrite"])
def test_rest_refuses_more_than_ten_mebibytes(http, verb):
    def body(count):
        half = {"a": {"stringValue": "x" * (MIB // 2)}}
        updates = [{"name": http.name(f"limits/{number}"), "fields": half} for number in range(count)]
        return {"writes": [{"update": update} for update in updates]}

    http.documents("POST", f":{verb}", json=body(16))
    for count, message in ((21, TOO_BIG), (24, PAYLOAD + "11534336 bytes."), (40, PAYLOAD)):
        error = http.refused("POST", f"{http.root}:{verb}", 400, json=body(count))
        assert error["status"] == "INVALID_ARGUMENT"
        assert error["message"].startswith(message)


def test_results_of_many_mebibytes_stream(calls, names):
    for number in range(24):
        put(calls, names, f"large/{number:02}", {"a": text(MIB - 300)})
    messages = calls.RunQuery(
        parent=names.root, structured_query={"from_": [{"collection_id": "large"}]}, timeout=120
    )
    found = [message.document.name[-2:] for message in messages if message.document.name]
    assert found == [f"{number:02}" for number in range(24)]
