"""Where responses end, on every route that the server says it has: raw sockets, HTTP/1.1, HTTP/1.0 and HTTP/2."""

import re
import socket
import ssl
import time

import pytest

from attacks import frames
from support import server as servers

pytestmark = pytest.mark.brasa_only

OWNER = "Authorization: Bearer owner"


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """A path of each route, by the lines that a server writes when it starts."""
    told = servers.Brasa(tmp_path_factory.mktemp("paths") / "data", "--log-level", "debug").start()
    told.stop()
    found = set()
    for line in told.lines:
        if " serving " not in line:
            continue
        listed = re.search(r'paths=(?:"([^"]*)"|(\S+))', line)
        found |= {path for path in (listed.group(1) or listed.group(2)).split(" ") if path.startswith("/")}
    assert len(found) > 200, len(found)
    filled = {re.sub(r"\{[^}]*\}", "x", path.replace("{path=**}", "x/y")) for path in found}
    return sorted(filled | {"/nowhere", "/no-bucket/no-object", "/v0/b/no-bucket/o/x", "/storage/v1/b/no/o/x?alt=media"})


def connect(server):
    made = socket.create_connection(("127.0.0.1", server.port))
    made.settimeout(30)
    return made


def read_until(connection, received, mark):
    while mark not in received:
        piece = connection.recv(65_536)
        assert piece, received[-200:]
        received += piece
    return received


@pytest.mark.parametrize("authorization", [None, OWNER])
def test_nothing_follows_a_response_to_head_on_any_route(server, paths, authorization):
    """What follows is taken for the next response, by a node of a cluster for that to another client."""
    fields = ["Host: localhost", *([authorization] if authorization else [])]
    health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    wrong = []
    with connect(server) as connection:
        for path in paths:
            head = "\r\n".join([f"HEAD {path} HTTP/1.1", *fields]) + "\r\n\r\n"
            connection.sendall(head.encode() + health)
            received = read_until(connection, b"", b"\r\n\r\nok\n")
            first, rest = received.split(b"\r\n\r\n", 1)
            assert first.startswith(b"HTTP/1.1 "), first
            if not rest.startswith(b"HTTP/1.1 200 OK\r\n"):
                wrong.append((path, rest[:60]))
    assert wrong == []


@pytest.mark.parametrize("authorization", [None, OWNER])
def test_a_response_to_head_has_no_data_over_http2(server, paths, authorization):
    fields = [("authorization", authorization.split(": ")[1])] if authorization else []
    reader, ended, wrong = frames.FrameReader(), set(), []
    with connect(server) as connection:
        connection.sendall(frames.opening())
        for index, path in enumerate(paths):
            stream = 2 * index + 1
            connection.sendall(frames.headers(stream, frames.block("HEAD", path, *fields), is_last=True))
            while stream not in ended:
                piece = connection.recv(65_536)
                assert piece, path
                for kind, flags, number, payload in reader.feed(piece):
                    if kind == frames.DATA and payload or kind == frames.RST_STREAM:
                        wrong.append((path, kind, payload[:60]))
                    if kind in (frames.DATA, frames.HEADERS) and flags & frames.END_STREAM or kind == frames.RST_STREAM:
                        ended.add(number)
    assert wrong == []


def test_a_client_of_http_1_0_gets_no_chunks_on_any_route(server, paths):
    for path in paths:
        # These go on for as long as somebody listens.
        if "/channel" in path or "stream" in path.lower():
            continue
        with connect(server) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\n{OWNER}\r\n\r\n".encode())
            received = b""
            while piece := connection.recv(65_536):
                received += piece
        head = received.split(b"\r\n\r\n", 1)[0].lower()
        assert b"chunked" not in head and b"\r\nconnection: close" in head, (path, head)


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH"])
def test_chunks_that_are_none_are_the_clients_fault_on_every_route(server, paths, verb):
    wrong = []
    for path in paths:
        with connect(server) as connection:
            head = f"{verb} {path} HTTP/1.1\r\nHost: localhost\r\n{OWNER}\r\nContent-Type: application/json\r\n"
            connection.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n")
            received = b""
            while piece := connection.recv(65_536):
                received += piece
        status = int(received.split(b" ", 2)[1])
        if status >= 500 and status != 501 or received.count(b"HTTP/1.1 ") != 1:
            wrong.append((path, received[:200]))
    assert wrong == []


@pytest.mark.parametrize("path", ["/nowhere", "/v1/projects/p/messages:send", "/storage/v1/b", "/v1/accounts:signUp?key=p"])
def test_a_refused_body_holds_up_nobody(server, path):
    """The client says that it closes, and sends on: it hears at once, and the refusal whole."""
    size = 20_000_000
    began = time.monotonic()
    with connect(server) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
        connection.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode())
        connection.sendall(b"x" * size)
        received = b""
        while piece := connection.recv(65_536):
            received += piece
    assert re.match(rb"HTTP/1.1 4\d\d ", received) and re.search(rb'"error"|<Error>', received)
    # A server that waits for the client to go waits for half a minute.
    assert time.monotonic() - began < 20


def over_tls(production, request):
    """Everything that the server sends, until it closes in order: a cut connection is an error."""
    context = ssl.create_default_context(cafile=production.authority)
    with socket.create_connection(("127.0.0.1", production.port)) as connection:
        connection.settimeout(30)
        with context.wrap_socket(connection, server_hostname="localhost", suppress_ragged_eofs=False) as secure:
            secure.sendall(request)
            received = b""
            while piece := secure.recv(65_536):
                received += piece
    return received


def test_connections_over_tls_end_in_order_too(production):
    last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert over_tls(production, last).endswith(b"\r\n\r\nok\n")
    assert over_tls(production, b"GET /healthz HTTP/1.0\r\n\r\n").endswith(b"\r\n\r\nok\n")
    assert over_tls(production, b"HEAD /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n" + last).count(b"HTTP/1.1 ") == 2
    refused = over_tls(production, b"GET /healthz HTTP/1.1\r\n\r\n" + last)
    assert refused.startswith(b"HTTP/1.1 400 ") and refused.count(b"HTTP/1.1 4") == 1
    large = b"POST /v1/accounts:signUp?key=shop HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 8000000\r\n\r\n"
    refused = over_tls(production, large + b"x" * 8_000_000)
    assert re.match(rb"HTTP/1.1 4\d\d ", refused) and b'"error"' in refused
