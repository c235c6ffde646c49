"""Write streams: the handshake, batches in order, what ends them."""

import contextlib
import queue
import uuid

import grpc
import pytest
from google.api_core import exceptions
from google.auth import credentials as google_credentials
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport

from support import rpc, rules, server as servers, streams, tokens
from support.streams import increment, update

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def names(project):
    return rpc.Names(project)


@contextlib.contextmanager
def connected(server):
    with grpc.insecure_channel(server.host) as channel:
        yield channel


@pytest.fixture
def channel(server):
    with connected(server) as made:
        yield made


@pytest.fixture
def stream(channel, names):
    made = streams.WriteStream(channel, names.database)
    yield made
    made.cancel()


def read(calls, name):
    return rpc.fields_of(calls.GetDocument(name=name))


def test_a_handshake_gives_an_id_and_a_token(stream):
    assert stream.opening.stream_id
    assert stream.opening.stream_token
    assert not stream.opening.write_results
    assert not stream.opening.commit_time


def test_a_batch_is_answered_with_results_and_time(stream, names, calls):
    answer = stream.write(update(names("c/a"), n=1), increment(names("c/b"), "n", 5))
    assert len(answer.write_results) == 2
    assert not answer.stream_id
    assert answer.commit_time == answer.write_results[0].update_time
    assert answer.write_results[1].transform_results[0].integer_value == 5
    assert read(calls, names("c/a")) == {"n": 1}
    document = calls.GetDocument(name=names("c/b"))
    assert rpc.fields_of(document) == {"n": 5}
    assert document.update_time == answer.commit_time


def test_a_delete_leaves_its_update_time_out(stream, names):
    stream.write(update(names("c/a"), n=1))
    answer = stream.write({"delete": names("c/a")})
    assert not answer.write_results[0].update_time
    assert answer.commit_time


def test_ten_batches_may_be_under_way(stream, names, calls):
    first_token = stream.token
    for number in range(10):
        stream.send(stream_token=first_token, writes=[increment(names("c/sum"), "n", number)])
    answers = [stream.receive() for _ in range(10)]
    sums = [a.write_results[0].transform_results[0].integer_value for a in answers]
    assert sums == [sum(range(n + 1)) for n in range(10)]
    times = [a.commit_time for a in answers]
    assert times == sorted(times) and len(set(times)) == 10
    assert len({a.stream_token for a in answers}) == 10
    assert read(calls, names("c/sum")) == {"n": 45}


def test_a_batch_of_more_than_ten_mebibytes_ends_the_stream_for_good(stream, names):
    half = {"a": {"string_value": "x" * (512 * 1024)}}
    writes = [{"update": {"name": names(f"c/{number}"), "fields": half}} for number in range(21)]
    assert len(stream.write(*writes[:16]).write_results) == 16
    with pytest.raises(rpc.Failure) as failure:
        stream.write(*writes)
    assert failure.value.code == grpc.StatusCode.INVALID_ARGUMENT
    assert failure.value.message == "Transaction too big. Decrease transaction size."


def test_hundreds_of_batches_keep_their_order(stream, names):
    for number in range(300):
        stream.put(update(names("c/last"), n=number), increment(names("c/count"), "n", 1))
    for number in range(300):
        answer = stream.receive()
        assert answer.write_results[1].transform_results[0].integer_value == number + 1


def test_a_later_batch_sees_the_one_before(stream, names):
    stream.put({**update(names("c/a"), n=1), "current_document": {"exists": False}})
    stream.put({**update(names("c/a"), n=2), "current_document": {"exists": True}})
    assert len(stream.receive().write_results) == 1
    assert len(stream.receive().write_results) == 1


def test_a_message_without_writes_gives_a_token_only(stream, names):
    before = stream.token
    answer = stream.write()
    assert answer.stream_token != before
    assert not answer.write_results and not answer.commit_time and not answer.stream_id


def test_the_end_comes_after_all_answers(stream, names):
    stream.put(update(names("c/a"), n=1))
    stream.put()
    stream.close()
    assert len(stream.receive().write_results) == 1
    assert not stream.receive().write_results
    assert stream.receive() is None
    assert stream.call.code() == grpc.StatusCode.OK


def test_a_batch_is_all_or_nothing_and_its_failure_ends_the_stream(stream, names, calls):
    stream.write(update(names("c/there"), n=1))
    stream.put(
        update(names("c/half"), n=1),
        {**update(names("c/there"), n=2), "current_document": {"exists": False}},
    )
    stream.put(update(names("c/after"), n=1))
    with pytest.raises(rpc.Failure) as failure:
        stream.receive()
    assert failure.value.code == grpc.StatusCode.ALREADY_EXISTS
    for missing in ("c/half", "c/after"):
        with pytest.raises(rpc.Failure) as gone:
            calls.GetDocument(name=names(missing))
        assert gone.value.code == grpc.StatusCode.NOT_FOUND
    assert read(calls, names("c/there")) == {"n": 1}


def test_a_failure_is_the_verdict_on_the_oldest_unanswered_batch(stream, names, calls):
    stream.put(update(names("c/good"), n=1))
    stream.send_bytes(b"\xff\xff\xff")
    assert len(stream.receive().write_results) == 1
    with pytest.raises(rpc.Failure) as failure:
        stream.receive()
    assert failure.value.code == grpc.StatusCode.INVALID_ARGUMENT
    assert read(calls, names("c/good")) == {"n": 1}


@pytest.mark.parametrize(
    "writes, code",
    [
        ([{**update("c/a", n=1), "current_document": {"exists": True}}], "NOT_FOUND"),
        (
            [{**update("c/a", n=1), "current_document": {"update_time": "2020-01-01T00:00:00Z"}}],
            "FAILED_PRECONDITION",
        ),
        ([update("c", n=1)], "INVALID_ARGUMENT"),
        ([update("c/__reserved__", n=1)], "INVALID_ARGUMENT"),
    ],
)
def test_the_codes_that_make_a_client_drop_a_batch(stream, names, writes, code):
    for write in writes:
        write["update"]["name"] = names(write["update"]["name"])
    with pytest.raises(rpc.Failure) as failure:
        stream.write(*writes)
    assert failure.value.code.name == code


@pytest.mark.parametrize(
    "fields, text",
    [
        ({}, "'database' must be set on an initial write request."),
        (
            {"writes": [{"delete": "c/a"}]},
            "'writes' must not be set on an initial write request.",
        ),
        ({"stream_id": "1"}, "Resuming streams is not supported, do not set stream ID."),
        (
            {"stream_token": b"1"},
            "Resuming streams is not supported, 'stream_token' must not be set on an initial "
            "write request.",
        ),
    ],
)
def test_what_a_handshake_must_not_be(channel, names, fields, text):
    if fields:
        fields = {"database": names.database, **fields}
    for write in fields.get("writes", []):
        write["delete"] = names(write["delete"])
    stream = streams.Stream(channel, "Write")
    stream.send(**fields)
    with pytest.raises(rpc.Failure) as failure:
        stream.next()
    assert failure.value.code == grpc.StatusCode.INVALID_ARGUMENT
    assert failure.value.message == text
    stream.cancel()


def test_another_database_is_refused(stream, names):
    stream.send(database=names.database.replace("(default)", "other"))
    with pytest.raises(rpc.Failure) as failure:
        stream.receive()
    assert failure.value.code == grpc.StatusCode.INVALID_ARGUMENT
    assert "did not match the expected database" in failure.value.message


def test_a_named_database(channel, calls, project):
    names = rpc.Names(project, "second")
    stream = streams.WriteStream(channel, names.database)
    assert len(stream.write(update(names("c/a"), n=1)).write_results) == 1
    assert read(calls, names("c/a")) == {"n": 1}
    stream.cancel()


def test_two_streams_of_one_connection_mind_their_own(channel, names, calls):
    one = streams.WriteStream(channel, names.database)
    other = streams.WriteStream(channel, names.database)
    assert one.opening.stream_id != other.opening.stream_id
    for number in range(20):
        one.put(increment(names("c/both"), "n", 1))
        other.put(increment(names("c/both"), "n", 1))
    for _ in range(20):
        one.receive()
        other.receive()
    assert read(calls, names("c/both")) == {"n": 40}
    one.cancel()
    assert len(other.write(update(names("c/a"), n=1)).write_results) == 1
    other.cancel()


def test_a_deadline_ends_the_stream(channel, names):
    stream = streams.WriteStream(channel, names.database, timeout=0.5)
    with pytest.raises(rpc.Failure) as failure:
        stream.receive()
    assert failure.value.code == grpc.StatusCode.DEADLINE_EXCEEDED


def test_credentials_that_are_none_are_refused_at_once(channel, names):
    stream = streams.Stream(channel, "Write", metadata=(("authorization", "Basic x"),))
    with pytest.raises(rpc.Failure) as failure:
        stream.next()
    assert failure.value.code == grpc.StatusCode.UNAUTHENTICATED
    stream.cancel()


def test_googles_client_writes(server, names, calls):
    """The gapic layer, as Google's libraries are made of it."""
    with connected(server) as channel:
        client = FirestoreClient(transport=FirestoreGrpcTransport(channel=channel))
        requests = queue.Queue()
        requests.put({"database": names.database})
        answers = client.write(requests=iter(requests.get, None), metadata=rpc.OWNER, timeout=60)
        token = next(answers).stream_token
        for number in range(5):
            requests.put({"stream_token": token, "writes": [update(names(f"g/{number}"), n=number)]})
            answer = next(answers)
            token = answer.stream_token
            assert len(answer.write_results) == 1
        requests.put({"stream_token": token, "writes": [{"delete": names("g")}]})
        with pytest.raises(exceptions.InvalidArgument):
            next(answers)
        requests.put(None)
    assert read(calls, names("g/4")) == {"n": 4}


def labelled(key):
    return {"labels": {"brasa-idempotency-key": key}}


def test_a_batch_with_a_key_is_applied_once(channel, names, calls):
    key = labelled(str(uuid.uuid4()))
    streams_of_both = [streams.WriteStream(channel, names.database) for _ in range(2)]
    answers = [
        stream.write(increment(names("k/a"), "n", 1), **key)
        for stream in streams_of_both
        for _ in range(2)
    ]
    assert read(calls, names("k/a")) == {"n": 1}
    assert len({answer.commit_time for answer in answers}) == 1
    assert all(answer.write_results == answers[0].write_results for answer in answers)
    again = streams_of_both[0].write(increment(names("k/a"), "n", 1), **labelled(str(uuid.uuid4())))
    assert again.write_results[0].transform_results[0].integer_value == 2
    for stream in streams_of_both:
        stream.cancel()


def test_a_key_is_its_callers_and_is_repeated_whatever_the_rules_say_by_then(
    server, channel, project, names, calls
):
    body = "match /k/{{id}} {{ allow write: if request.auth.uid in [{}]; }}"
    assert rules.put(server, project, rules.service(body.format("'ann', 'bob'"))).status_code == 200
    key, answers = labelled("the-same"), []
    for uid in ("ann", "bob", "ann"):
        metadata = (("authorization", f"Bearer {tokens.unsigned(project, uid)}"),)
        stream = streams.WriteStream(channel, names.database, metadata=metadata)
        answers.append(stream.write(increment(names("k/b"), "n", 1), **key))
        if uid == "bob":
            denying = rules.service(body.format("'bob'"))
            assert rules.put(server, project, denying).status_code == 200
        stream.cancel()
    assert read(calls, names("k/b")) == {"n": 2}
    counts = [answer.write_results[0].transform_results[0].integer_value for answer in answers]
    assert counts == [1, 2, 1]


@pytest.mark.parametrize("key", ["", "x" * 129])
def test_a_key_has_a_length(stream, names, key):
    with pytest.raises(rpc.Failure) as failure:
        stream.write(update(names("k/c"), n=1), **labelled(key))
    assert failure.value.code == grpc.StatusCode.INVALID_ARGUMENT


def test_a_key_outlives_a_kill(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    try:
        names, key, answers = rpc.Names("kill"), labelled(str(uuid.uuid4())), []
        for _ in range(3):
            with connected(server) as channel:
                stream = streams.WriteStream(channel, names.database)
                answers.append(stream.write(increment(names("k/a"), "n", 1), **key))
                server.kill()
                stream.cancel()
            server.start()
        assert len({answer.commit_time for answer in answers}) == 1
        assert all(answer.write_results == answers[0].write_results for answer in answers)
        assert answers[0].write_results[0].transform_results[0].integer_value == 1
        assert server.stop() == 0
        done = servers.run("verify", "--data", server.data, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    finally:
        server.kill()


def test_a_stop_ends_streams_with_unavailable(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    try:
        names = rpc.Names("stop")
        with connected(server) as channel:
            idle = streams.WriteStream(channel, names.database)
            busy = streams.WriteStream(channel, names.database)
            busy.write(update(names("c/a"), n=1))
            assert server.stop() == 0
            for stream in (idle, busy):
                with pytest.raises(rpc.Failure) as failure:
                    stream.receive()
                assert failure.value.code == grpc.StatusCode.UNAVAILABLE
                stream.cancel()
    finally:
        server.kill()
