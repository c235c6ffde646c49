"""The Listen protocol itself, on streams of our own: what clients may send, and what they are owed."""

import base64
import hashlib
import threading

import grpc
import pytest

from support import bloom
from support.listening import Change, ListenStream
from support.rpc import Calls, Names, fields_of


@pytest.fixture
def channel(server):
    made = grpc.insecure_channel(server.host)
    yield made
    made.close()


@pytest.fixture
def stream(channel, names):
    made = ListenStream(channel, names.database)
    yield made
    made.cancel()


def value(number):
    return {"integer_value": number}


def write(calls, names, **documents):
    """Commits documents of the collection `c`, each a number, or None to delete it."""
    writes = []
    for key, number in documents.items():
        if number is None:
            writes.append({"delete": names(f"c/{key}")})
        else:
            writes.append({"update": {"name": names(f"c/{key}"), "fields": {"n": value(number)}}})
    return calls.Commit(database=names.database, writes=writes)


def kinds(responses):
    """What arrived, a short name each."""
    found = []
    for response in responses:
        kind = response._pb.WhichOneof("response_type")
        if kind == "target_change":
            change = response.target_change
            found.append(Change(change.target_change_type).name + (" all" if not change.target_ids else ""))
        else:
            found.append(kind)
    return found


def test_the_first_snapshot_comes_in_the_order_that_clients_need(stream, calls, names):
    write(calls, names, a=1, b=2)
    stream.add(7, stream.query("c"))
    stream.until_consistent(7)
    assert kinds(stream.responses) == [
        "ADD", "document_change", "document_change", "CURRENT", "NO_CHANGE all",
    ]
    current, consistent = stream.responses[-2].target_change, stream.responses[-1].target_change
    assert list(current.target_ids) == [7] and current.resume_token and current.read_time
    assert consistent.resume_token and consistent.read_time
    document = stream.responses[1].document_change.document
    assert document.name == names("c/a") and fields_of(document) == {"n": 1}


@pytest.mark.emulator_differs("it resets and sends all")
def test_a_change_is_followed_by_one_consistent_point(stream, calls, names):
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    before = len(stream.responses)
    answer = write(calls, names, a=1)
    stream.until_held(2, ["a"])
    assert kinds(stream.responses[before:]) == ["document_change", "NO_CHANGE all"]
    change = stream.responses[before].document_change
    assert list(change.target_ids) == [2] and not change.removed_target_ids
    assert change.document.update_time == answer.commit_time
    assert stream.responses[-1].target_change.read_time >= answer.commit_time


@pytest.mark.emulator_differs("its targets are consistent each for itself")
def test_one_commit_reaches_all_targets_before_the_next_consistent_point(stream, calls, names):
    queries = {
        2: stream.query("c"),
        4: stream.query("c", where=[("n", "GREATER_THAN", value(5))]),
        6: stream.query("c", orders=[("n", "DESCENDING")], limit=1),
        8: stream.documents("c/a"),
    }
    for target_id, query in queries.items():
        stream.add(target_id, query)
    stream.until_consistent(*queries)
    for number in range(1, 12):
        write(calls, names, a=number, b=11 - number, **{f"x{number}": number})
        stream.until_held(2, ["a", "b", *(f"x{n}" for n in range(1, number + 1))])
    # At each point at which `c` had both, all targets agreed on them.
    held = {target_id: {} for target_id in queries}
    seen = 0
    for response in stream.responses:
        kind = response._pb.WhichOneof("response_type")
        if kind == "document_change":
            change = response.document_change
            for target_id in change.target_ids:
                held[target_id][change.document.name] = fields_of(change.document)["n"]
            for target_id in change.removed_target_ids:
                held[target_id].pop(change.document.name, None)
        elif kind in ("document_delete", "document_remove"):
            change = getattr(response, kind)
            for target_id in change.removed_target_ids:
                held[target_id].pop(change.document, None)
        elif kinds([response]) == ["NO_CHANGE all"] and held[2]:
            seen += 1
            assert held[4] == {name: n for name, n in held[2].items() if n > 5}
            assert held[8] == {name: n for name, n in held[2].items() if name.endswith("/a")}
            largest = max(held[2].values())
            assert list(held[6].values()) == [largest]
    assert seen >= 11


def test_documents_that_are_there_and_that_are_not(stream, calls, names):
    write(calls, names, a=1)
    stream.add(1, stream.documents("c/a"))
    stream.add(3, stream.documents("c/missing"))
    stream.until_consistent(1, 3)
    assert stream.ids(1) == ["a"] and stream.ids(3) == []
    deletes = [r.document_delete for r in stream.responses if r._pb.HasField("document_delete")]
    assert all(d.document == names("c/missing") and list(d.removed_target_ids) == [3] for d in deletes)
    write(calls, names, a=None, missing=1)
    stream.until_held(1, [])
    stream.until_held(3, ["missing"])


def test_a_target_of_several_documents(stream, calls, names):
    write(calls, names, a=1, b=2)
    stream.add(5, stream.documents("c/a", "c/b", "c/none"))
    stream.until_consistent(5)
    assert stream.ids(5) == ["a", "b"]
    write(calls, names, none=3, a=None)
    stream.until_held(5, ["b", "none"])


def test_a_removed_target_is_acknowledged_once_and_then_silent(stream, calls, names):
    stream.add(2, stream.query("c"))
    stream.add(4, stream.query("other"))
    stream.until_consistent(2, 4)
    stream.remove(2)
    stream.until(lambda: stream.targets[2].is_removed)
    before = len(stream.responses)
    write(calls, names, a=1)
    calls.Commit(
        database=names.database, writes=[{"update": {"name": names("other/x"), "fields": {}}}]
    )
    stream.until_held(4, ["x"])
    assert not any(2 in r.document_change.target_ids for r in stream.responses[before:])
    # The number may be used again.
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    assert stream.ids(2) == ["a"]


def test_removing_what_is_unknown_is_ignored(stream, calls, names):
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    stream.send({"database": names.database, "remove_target": 99})
    write(calls, names, a=1)
    stream.until_held(2, ["a"])


@pytest.mark.emulator_differs("it says nothing")
def test_the_same_number_twice_ends_the_stream(stream):
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    stream.send({
        "database": stream.database,
        "add_target": {"target_id": 2, **stream.query("other")},
    })
    code, message = stream.until_ended()
    assert code == "INVALID_ARGUMENT" and message


@pytest.mark.emulator_differs("it ignores once")
def test_once_is_removed_by_the_server(stream, calls, names):
    write(calls, names, a=1)
    stream.add(2, stream.query("c"), once=True)
    stream.add(4, stream.query("c"))
    stream.until_consistent(4)
    target = stream.targets[2]
    stream.until(lambda: target.is_removed)
    assert target.consistent.keys() == {names("c/a")} and target.cause is None
    before = len(stream.responses)
    write(calls, names, b=1)
    stream.until_held(4, ["a", "b"])
    assert all(2 not in r.document_change.target_ids for r in stream.responses[before:])


def test_number_zero_lets_the_server_choose(stream, calls, names):
    write(calls, names, a=1)
    # What it chose is unknown until its ADD.
    stream.targets = _AnyTarget(stream)
    stream.send({"database": stream.database, "add_target": stream.query("c")})
    stream.until(lambda: "NO_CHANGE all" in kinds(stream.responses))
    added = stream.responses[0].target_change
    assert added.target_change_type == Change.ADD and len(added.target_ids) == 1
    changes = [r.document_change for r in stream.responses if r._pb.HasField("document_change")]
    assert [list(change.target_ids) for change in changes] == [list(added.target_ids)]


class _AnyTarget(dict):
    """Targets that begin when they are first heard of."""

    def __init__(self, stream):
        super().__init__()
        self.stream = stream

    def __missing__(self, target_id):
        from support.listening import Target

        self[target_id] = Target()
        return self[target_id]


# Errors


def refusal(stream, target_id):
    """The cause with which the server ends a target."""
    stream.until(lambda: stream.targets[target_id].cause is not None)
    return stream.targets[target_id].cause


@pytest.mark.emulator_differs("it ends the stream")
@pytest.mark.parametrize(
    "query",
    [
        {"limit": -1},
        {"offset": -1},
        {"order_by": [{"field": {"field_path": ""}}]},
        {"where": {"field_filter": {"field": {"field_path": "n"}, "op": "IN", "value": value(1)}}},
    ],
    ids=["limit", "offset", "order", "in"],
)
def test_a_bad_query_ends_its_target_only(stream, calls, names, query):
    stream.add(2, stream.query("c"))
    structured = {"from_": [{"collection_id": "c"}], **query}
    if "limit" in structured:
        structured["limit"] = {"value": structured["limit"]}
    stream.add(4, {"query": {"parent": stream.root, "structured_query": structured}})
    cause = refusal(stream, 4)
    assert cause.code == 3 and cause.message
    write(calls, names, a=1)
    stream.until_held(2, ["a"])


@pytest.mark.brasa_only
def test_a_missing_index_ends_its_target_with_the_link(tmp_path):
    from support import server as servers

    server = servers.Brasa(tmp_path / "data", "--require-indexes").start()
    channel = grpc.insecure_channel(server.host)
    stream = ListenStream(channel, Names("p").database)
    try:
        stream.add(2, stream.query("c"))
        stream.add(4, stream.query("c", where=[("a", "EQUAL", value(1))], orders=[("b", "ASCENDING")]))
        cause = refusal(stream, 4)
        assert cause.code == 9 and cause.message.startswith("The query requires an index"), cause
        stream.until_consistent(2)
    finally:
        stream.cancel()
        channel.close()
        server.kill()


@pytest.mark.parametrize(
    "body",
    [b"\xff", b"\x0a\xff", b"\x12\x05\x28", b"\x0a\x04\xff\xff\xff\xff"],
    ids=["tag", "length", "cut", "text"],
)
def test_garbage_ends_the_stream_with_a_status(server, channel, names, calls, body):
    stream = ListenStream(channel, names.database)
    stream.send(body)
    code, _ = stream.until_ended()
    assert code in ("INVALID_ARGUMENT", "INTERNAL", "UNKNOWN", "CANCELLED"), code
    write(calls, names, a=1)


@pytest.mark.emulator_differs("it says nothing to some")
@pytest.mark.parametrize(
    "request_of",
    [
        lambda stream: {"database": stream.database},
        lambda stream: {"database": "nonsense", "add_target": {"target_id": 1, **stream.query("c")}},
        lambda stream: {"database": stream.database, "add_target": {"target_id": 1}},
    ],
    ids=["nothing asked", "no database", "no content"],
)
def test_what_makes_no_sense_gets_an_answer(channel, names, request_of):
    stream = ListenStream(channel, names.database)
    stream.targets = _AnyTarget(stream)
    stream.send(request_of(stream))

    def is_refused():
        return stream.status or any(target.cause for target in stream.targets.values())

    stream.until(is_refused)
    stream.cancel()


@pytest.mark.emulator_differs("it goes on with the first")
def test_a_stream_has_one_database(stream, calls, names):
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    other = Names("somebody-else").database
    stream.send({"database": other, "remove_target": 2})
    code, _ = stream.until_ended()
    assert code == "INVALID_ARGUMENT"


# Ends


def test_half_closing_ends_the_stream(stream):
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    stream.half_close()
    code, _ = stream.until_ended()
    assert code == "OK"


def test_a_stream_without_any_request_ends(channel, names):
    stream = ListenStream(channel, names.database)
    stream.half_close()
    stream.until_ended()


@pytest.mark.slow
@pytest.mark.emulator_differs("it has no heartbeat")
def test_a_quiet_stream_beats(stream):
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    before, read_time = stream.consistent_count, stream.read_time
    # Twice in a little over a minute: proxies cut what is quiet for one.
    stream.until(lambda: stream.consistent_count > before + 1, seconds=75)
    assert stream.read_time > read_time
    assert stream.status is None


# Resuming


@pytest.fixture
def resumed(channel, names):
    """Opens a stream that goes on where another ended: `resumed(other, 2, content, …)`."""
    opened = []

    def resume(held, token, content, **more):
        stream = ListenStream(channel, names.database)
        opened.append(stream)
        target = stream.add(2, content, held=held, resume_token=token, **more)
        stream.until_consistent(2)
        return stream, target

    yield resume
    for stream in opened:
        stream.cancel()


def leave(stream, content):
    """Listens, leaves, and gives what a client keeps: documents and token."""
    target = stream.add(2, content)
    stream.until_consistent(2)
    stream.cancel()
    return target.consistent, target.token


@pytest.mark.emulator_differs("it resets and sends all")
def test_nothing_is_sent_again_where_nothing_changed(stream, calls, names, resumed):
    write(calls, names, a=1, b=2)
    held, token = leave(stream, stream.query("c"))
    again, target = resumed(held, token, again_query("c", names))
    assert target.documents_sent == 0 and target.resets == 0
    assert again.ids(2) == ["a", "b"]
    # And it goes on from there.
    write(calls, names, a=5)
    again.until(lambda: target.documents_sent == 1)


def again_query(collection, names, **more):
    return ListenStream.query(_Root(names.root), collection, **more)


class _Root:
    def __init__(self, root):
        self.root = root


@pytest.mark.emulator_differs("it resets and sends all")
@pytest.mark.parametrize("how", ["token", "read time"])
def test_the_difference_is_sent_on_resume(stream, calls, names, resumed, channel, how):
    write(calls, names, stays=1, changes=2, goes=3, leaves=4)
    query = stream.query("c", where=[("n", "LESS_THAN", value(100))])
    held, token = leave(stream, query)
    read_time = stream.responses[-1].target_change.read_time
    write(calls, names, changes=20, goes=None, leaves=200, comes=5, never=500)
    if how == "token":
        again, target = resumed(held, token, query)
    else:
        again = ListenStream(channel, names.database)
        target = again.add(2, query, held=held, read_time=read_time)
        again.until_consistent(2)
    assert again.ids(2) == ["changes", "comes", "stays"], kinds(again.responses)
    assert target.resets == 0 and target.documents_sent == 2
    assert not any("never" in str(r) for r in again.responses), "a document that it never held"
    for count, had in target.filters:
        assert count == had
    again.cancel()


@pytest.mark.emulator_differs("it resets and sends all")
def test_a_window_resumes(stream, calls, names, resumed):
    write(calls, names, **{f"d{n}": n for n in range(10)})
    query = stream.query("c", orders=[("n", "ASCENDING")], limit=3)
    held, token = leave(stream, query)
    write(calls, names, d0=None, d2=50)
    again, target = resumed(held, token, query)
    assert again.ids(2) == ["d1", "d3", "d4"] and target.resets == 0


@pytest.mark.parametrize("tamper", ["cut", "flipped", "foreign", "long"])
def test_a_token_of_no_use_resets_or_is_refused(stream, calls, names, channel, tamper):
    write(calls, names, a=1, b=2)
    held, token = leave(stream, stream.query("c"))
    bad = {
        "cut": token[: len(token) // 2],
        "flipped": bytes([token[0] ^ 0xFF, *token[1:]]),
        "foreign": b"not one of yours",
        "long": token * 200,
    }[tamper]
    write(calls, names, a=None)
    again = ListenStream(channel, names.database)
    target = again.add(2, stream.query("c"), held=held, resume_token=bad)
    again.until(lambda: target.cause is not None or (target.is_current and again.consistent_count > 0))
    if target.cause is None:
        again.until_consistent(2)
        assert target.resets >= 1 and again.ids(2) == ["b"]
    else:
        assert target.cause.code == 3
    again.cancel()


@pytest.mark.parametrize("other", ["condition", "limit", "documents"])
def test_the_token_of_a_stream_serves_each_of_its_targets(stream, calls, names, resumed, other):
    """Clients keep the token of the stream's last consistent point for every target."""
    write(calls, names, a=1, b=2, c=3)
    content, expected = {
        "condition": (stream.query("c", where=[("n", "GREATER_THAN", value(1))]), ["a", "c"]),
        "limit": (stream.query("c", orders=[("n", "DESCENDING")], limit=1), ["a"]),
        "documents": (stream.documents("c/a", "c/b"), ["a"]),
    }[other]
    stream.add(4, content)
    stream.until_consistent(4)
    _, token = leave(stream, stream.query("c"))
    held = stream.targets[4].consistent
    write(calls, names, a=9, b=None)
    again, target = resumed(held, token, content)
    assert again.ids(2) == expected, kinds(again.responses)


def test_a_token_of_another_database_is_of_no_use(channel, calls, project, names, stream):
    write(calls, names, a=1)
    _, token = leave(stream, stream.query("c"))
    there = Names(project, "second-db")
    calls.Commit(
        database=there.database,
        writes=[{"update": {"name": there("c/z"), "fields": {"n": value(1)}}}],
    )
    again = ListenStream(channel, there.database)
    again.add(2, again.query("c"), resume_token=token)
    again.until_consistent(2)
    assert again.ids(2) == ["z"]
    again.cancel()


@pytest.mark.emulator_differs("it resets and sends all")
def test_the_number_that_a_client_expects_is_counted(stream, calls, names, channel):
    """A client that lost a document while it was away hears of it by the count."""
    write(calls, names, a=1, b=2, c=3)
    held, token = leave(stream, stream.query("c"))
    write(calls, names, a=10)
    again = ListenStream(channel, names.database)
    target = again.add(2, stream.query("c"), held=held, resume_token=token, expected_count=3)
    again.until_consistent(2)
    assert again.ids(2) == ["a", "b", "c"]
    assert all(count == had == 3 for count, had in target.filters)
    again.cancel()


def test_our_filters_are_googles():
    """Google publishes filters of its server; this is the one of 500 names at one in 10,000."""
    names = [f"projects/project-1/databases/database-1/documents/coll/doc{n}" for n in range(500)]
    assert bloom.bitmap_of(names[:1], 8, 11) == base64.b64decode("mwE=")
    assert hashlib.sha256(bloom.bitmap_of(names, 13, 9_587)).hexdigest() == (
        "b650865069cc7e8bd9dc0a80236e4cb131a88bc5823a3c487ef636682031c92f"
    )


def held_anew(channel, calls, names, content, kept, token):
    """Comes back with what was kept, and follows the filter as clients for the web do."""
    again = ListenStream(channel, names.database)
    documents = {name: None for name in kept}
    target = again.add(
        2, content, held=documents, resume_token=token, expected_count=len(documents))
    again.until_consistent(2)
    assert target.resets == 0
    filter = target.last_filter
    names_filter = None
    if filter._pb.HasField("unchanged_names"):
        names_filter = bloom.BloomFilter(filter.unchanged_names)
    again.cancel()
    return bloom.after_filter(names_filter, filter.count, kept, target.held), names_filter, target


@pytest.mark.emulator_differs("it resets and sends all")
@pytest.mark.parametrize("count", [0, 1, 2, 3, 50, 700])
def test_who_holds_what_is_gone_learns_which(stream, calls, names, channel, count):
    """Documents in a client's cache that the server never told it to drop: the filter finds them."""
    write(calls, names, **{f"d{number}": number for number in range(count)})
    query = stream.query("c", where=[("n", "LESS_THAN", value(10_000))])
    held, token = leave(stream, query)
    ghosts = {names(f"c/ghost{number}") for number in range(1 + count // 10)}
    if count > 2:
        write(calls, names, d0=None, d1=20_000, d2=-1, new=5)
    found, names_filter, target = held_anew(
        channel, calls, names, query, set(held) | ghosts, token)
    expected = {names(f"c/d{number}") for number in range(count)}
    if count > 2:
        expected = (expected - {names("c/d0"), names("c/d1")}) | {names("c/new")}
    assert found == expected
    assert all(names_filter.may_hold(name) for name in expected)
    assert target.documents_sent == (2 if count > 2 else 0)


@pytest.mark.emulator_differs("it resets and sends all")
def test_who_holds_just_what_it_should_gets_no_names(stream, calls, names, channel):
    write(calls, names, a=1, b=2)
    held, token = leave(stream, stream.query("c"))
    write(calls, names, a=None, c=3, d=4)
    found, names_filter, _ = held_anew(
        channel, calls, names, again_query("c", names), set(held), token)
    assert found == {names(f"c/{key}") for key in "bcd"}
    assert names_filter is None


@pytest.mark.emulator_differs("its tokens are times alone")
def test_a_token_of_another_query_resets(stream, calls, names, channel):
    write(calls, names, a=1, b=2)
    _, token = leave(stream, stream.query("c"))
    again = ListenStream(channel, names.database)
    target = again.add(2, again.query("c", orders=[("n", "ASCENDING")]), resume_token=token)
    again.until_consistent(2)
    assert target.resets == 1 and again.ids(2) == ["a", "b"]
    again.cancel()


@pytest.mark.emulator_differs("its tokens are times alone")
def test_no_token_is_given_while_a_target_has_come_in_part(stream, calls, names):
    """A client keeps a stream's token for each target, and must not for one that it has in part."""
    text = {"string_value": "x" * 100_000}
    for start in range(0, 60, 20):
        writes = [
            {"update": {"name": names(f"large/d{number}"), "fields": {"text": text}}}
            for number in range(start, start + 20)
        ]
        calls.Commit(database=names.database, writes=writes)
    stream.add(2, stream.query("c"))
    stream.until_consistent(2)
    is_over = threading.Event()

    def keep_writing():
        number = 0
        while not is_over.is_set():
            number += 1
            write(calls, names, a=number)

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        target = stream.add(4, stream.query("large"))
        stream.until_consistent(2, 4)
    finally:
        is_over.set()
        writer.join()
    assert len(target.consistent) == 60
    told = current = False
    for response in stream.responses:
        change = response.target_change
        if response._pb.WhichOneof("response_type") != "target_change":
            continue
        told = told or (change.target_change_type == 1 and 4 in change.target_ids)
        current = current or (change.target_change_type == 3 and 4 in change.target_ids)
        if change.target_change_type == 0 and told and not current:
            # The other target may have one of its own.
            assert not change.resume_token or list(change.target_ids) == [2]


@pytest.mark.brasa_only
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_tokens_outlive_a_restart(tmp_path, how):
    from support import server as servers

    server = servers.Brasa(tmp_path / "data").start()
    names = Names("p")
    try:
        calls = Calls(server.host)
        write(calls, names, a=1, b=2)
        channel = grpc.insecure_channel(server.host)
        stream = ListenStream(channel, names.database)
        query = stream.query("c")
        held, token = leave(stream, query)
        write(calls, names, b=None)
        calls.close()
        channel.close()
        server.stop() if how == "stop" else server.kill()
        server.start()
        calls, channel = Calls(server.host), grpc.insecure_channel(server.host)
        again = ListenStream(channel, names.database)
        target = again.add(2, query, held=held, resume_token=token)
        again.until_consistent(2)
        assert again.ids(2) == ["a"]
        assert target.resets == 0 and target.documents_sent == 0
        write(calls, names, c=3)
        again.until_held(2, ["a", "c"])
        again.cancel()
        calls.close()
        channel.close()
        assert server.stop() == 0
    finally:
        server.kill()


@pytest.mark.brasa_only
def test_a_database_that_is_made_anew_forgets_its_tokens(server, project, channel, calls, names):
    import requests

    write(calls, names, a=1, b=2)
    stream = ListenStream(channel, names.database)
    query = stream.query("c")
    held, token = leave(stream, query)
    wiped = requests.delete(f"{server.url}/emulator/v1/{names.root}", timeout=30)
    assert wiped.status_code == 200, wiped.text
    write(calls, names, z=1)
    again = ListenStream(channel, names.database)
    target = again.add(2, query, held=held, resume_token=token)
    again.until_consistent(2)
    assert again.ids(2) == ["z"] and target.resets == 1
    again.cancel()


@pytest.mark.brasa_only
def test_wiping_a_database_empties_its_listeners(server, channel, calls, names, stream):
    import requests

    write(calls, names, a=1, b=2)
    stream.add(2, stream.query("c"))
    stream.until_held(2, ["a", "b"])
    assert requests.delete(f"{server.url}/emulator/v1/{names.root}", timeout=30).status_code == 200
    stream.until_held(2, [])
    write(calls, names, z=1)
    stream.until_held(2, ["z"])


def test_a_credential_of_no_worth_ends_the_stream(channel, names):
    stream = ListenStream(channel, names.database, metadata=(("authorization", "Bearer nonsense"),))
    stream.add(2, stream.query("c"))
    code, _ = stream.until_ended()
    assert code in ("INVALID_ARGUMENT", "UNAUTHENTICATED", "PERMISSION_DENIED")


def test_many_targets_on_one_stream(stream, calls, names):
    for number in range(1, 401):
        stream.add(number, stream.query("c", where=[("n", "EQUAL", value(number))]))
    stream.until_consistent(*range(1, 401), seconds=60)
    write(calls, names, **{f"d{number}": number for number in range(1, 401, 50)})
    for number in range(1, 401, 50):
        stream.until_held(number, [f"d{number}"])
    assert sum(target.documents_sent for target in stream.targets.values()) == 8
