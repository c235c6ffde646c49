"""What no client sends: garbage in the messages, in the frames, and on the connection."""

import random
import socket
import struct

import grpc
import pytest
from google.cloud.firestore_v1 import types

from support.rpc import SERVICE, Failure, varint


@pytest.mark.emulator_differs("answers UNKNOWN")
@pytest.mark.parametrize(
    "body",
    [
        b"\xff",
        b"\x0a\xff\xff\xff\xff\x0f",
        b"\x0a\x05ab",
        b"\x08\x01\x08",
        b"\xff" * 100,
        b"\x0a\x02\xc3\x28",
        b"\x0b" * 1000,
        b"\x00\x00",
    ],
    ids=lambda body: repr(body[:8]),
)
@pytest.mark.parametrize("method", ["Commit", "RunQuery", "BatchGetDocuments", "GetDocument"])
def test_messages_that_are_no_messages(calls, method, body):
    streams = method in ("RunQuery", "BatchGetDocuments")
    with pytest.raises(Failure) as refusal:
        calls.raw(SERVICE + method, body, streams=streams)
    # gRPC's own libraries answer INTERNAL where the message does not parse.
    assert refusal.value.code.name in ("INVALID_ARGUMENT", "INTERNAL")


@pytest.mark.emulator_differs("answers UNKNOWN")
def test_nesting_without_end(calls, names):
    # A value in a map in a value in a map ..., below a write's document.
    value = b""
    for _ in range(20_000):
        entry = b"\x12" + varint(len(value)) + value
        fields = b"\x0a" + varint(len(entry)) + entry
        value = b"\x32" + varint(len(fields)) + fields
        if len(value) > 500_000:
            break
    entry = b"\x12" + varint(len(value)) + value
    name = names("c/d").encode()
    document = b"\x0a" + varint(len(name)) + name + b"\x12" + varint(len(entry)) + entry
    write = b"\x0a" + varint(len(document)) + document
    database = names.database.encode()
    head = b"\x0a" + varint(len(database)) + database
    with pytest.raises(Failure) as refusal:
        calls.raw(SERVICE + "Commit", head + b"\x12" + varint(len(write)) + write)
    assert refusal.value.code.name in ("INVALID_ARGUMENT", "INTERNAL", "RESOURCE_EXHAUSTED")


@pytest.mark.emulator_differs("answers UNKNOWN")
def test_damaged_commits_never_end_the_server(calls, names, client):
    """Mutations of a good commit never end the server and never write outside the database."""
    good = types.CommitRequest.serialize(
        types.CommitRequest(
            database=names.database,
            writes=[
                {
                    "update": {
                        "name": names("damage/d"),
                        "fields": {
                            "a": {"map_value": {"fields": {"b": {"double_value": 1.5}}}},
                            "l": {"array_value": {"values": [{"string_value": "x"}]}},
                        },
                    },
                    "update_mask": {"field_paths": ["a.b", "l"]},
                    "current_document": {"exists": False},
                }
            ],
        )
    )
    seed = 20261121
    chooser = random.Random(seed)
    for step in range(400):
        body = bytearray(good)
        for _ in range(chooser.randint(1, 4)):
            offset = chooser.randrange(len(body))
            kind = chooser.randrange(3)
            if kind == 0:
                body[offset] = chooser.randrange(256)
            elif kind == 1:
                del body[offset]
            else:
                body.insert(offset, chooser.randrange(256))
        try:
            calls.raw(SERVICE + "Commit", bytes(body))
        except Failure as failure:
            assert failure.code.name not in ("UNKNOWN", "UNAVAILABLE"), (seed, step, failure)
    client.document("damage/after").set({"n": 1})
    assert client.document("damage/after").get().get("n") == 1


@pytest.mark.parametrize(
    "path",
    ["/google.firestore.v1.Firestore/Nonsense", "/nonsense.Service/Commit", "/google.firestore.v1.Firestore/"],
)
def test_unknown_methods(calls, path):
    with pytest.raises(Failure) as refusal:
        calls.raw(path, b"")
    assert refusal.value.code.name == "UNIMPLEMENTED"


@pytest.mark.brasa_only
def test_searches_in_pipelines_are_refused_by_name(calls, names):
    with pytest.raises(Failure) as refusal:
        calls.ExecutePipeline(
            database=names.database,
            structured_pipeline={"pipeline": {"stages": [{"name": "database"}, {"name": "search"}]}},
        )
    assert refusal.value.code.name == "UNIMPLEMENTED"
    assert "search" in refusal.value.message


def test_a_passed_deadline_ends_the_call(calls, names, client):
    for number in range(3):
        client.document(f"c/{number}").set({"a": "x" * 1000})
    with pytest.raises(Failure) as refusal:
        calls.RunQuery(
            parent=names.root, structured_query={"from_": [{"collection_id": "c"}]}, timeout=0.000001
        )
    assert refusal.value.code.name == "DEADLINE_EXCEEDED"


def test_a_cancelled_stream_leaves_the_connection_usable(server, client, names):
    batch = client.batch()
    for number in range(500):
        batch.set(client.document(f"c/{number}"), {"a": "x" * 4000})
    batch.commit()
    with grpc.insecure_channel(server.host) as channel:
        call = channel.unary_stream(
            SERVICE + "RunQuery",
            request_serializer=types.RunQueryRequest.serialize,
            response_deserializer=types.RunQueryResponse.deserialize,
        )
        request = types.RunQueryRequest(
            parent=names.root, structured_query={"from_": [{"collection_id": "c"}]}
        )
        for _ in range(20):
            answer = call(request, timeout=30)
            next(answer)
            answer.cancel()
        assert len([m for m in call(request, timeout=30) if m.document.name]) == 500


def test_compressed_messages_are_refused_or_understood(server, names):
    with grpc.insecure_channel(server.host, compression=grpc.Compression.Gzip) as channel:
        call = channel.unary_unary(
            SERVICE + "GetDocument",
            request_serializer=types.GetDocumentRequest.serialize,
            response_deserializer=types.Document.deserialize,
        )
        with pytest.raises(grpc.RpcError) as refusal:
            call(types.GetDocumentRequest(name=names("c/" + "a" * 500)), timeout=30)
        assert refusal.value.code() in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.NOT_FOUND)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00" * 64,
        b"GET",
        b"NONSENSE / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + b"a" * 100_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 40,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + struct.pack(">I", 0x00FFFFFF)[1:] + b"\x00" * 6,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=lambda sent: repr(sent[:24]),
)
def test_connections_that_speak_nonsense_are_closed(server, client, sent):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while chunk := connection.recv(65536):
                received += chunk
                assert len(received) < 1_000_000
        except ConnectionError:
            pass
    client.document("c/after").set({"n": 1})
    assert client.document("c/after").get().exists


def test_oversize_bodies_are_refused(http):
    answer = http.request(
        "POST", f"{http.root}:commit", data=b'{"writes":[' + b" " * (20 * 1024 * 1024) + b"]}", timeout=60
    )
    assert answer.status_code in (400, 413)
