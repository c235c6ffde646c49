"""What is passed on to the primary when something goes wrong on its way."""

import contextlib
import signal
import socket

import pytest
import requests

from attacks import frames
from support import cluster, messaging, postgres, rpc, server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]
TARGETS = [
    "/v0/b/{bucket}/o?prefix=a|b", "/v0/b/{bucket}/o?prefix=a[b]^{{c}}\"d", "/v0/b/{bucket}/o/a[1]|{{x}}.txt?alt=media", "/v0/b/{bucket}/o/a%5B1%5D%7C%7Bx%7D.txt?alt=media",
    "/v0/b/{bucket}/o/a%2Fb%2fc?alt=media", "/v0/b/{bucket}/o/x%2?alt=media", "/storage/v1/b/{bucket}/o?prefix=%zz", "/storage/v1/b/{bucket}/o?", "/storage/v1/b/{bucket}/o/?",
]
NAME = "a[1]|{x}.txt"


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    made = cluster.Cluster(tmp_path_factory.mktemp("cluster"), candidates=1).start()
    yield made
    made.close()


def head(method, target, node, *fields):
    return "\r\n".join([f"{method} {target} HTTP/1.1", f"Host: {node.host}", *fields, "", ""]).encode()


def answer_of(connection):
    """The status and the body of an answer, behind which the connection closes."""
    data = b""
    while part := connection.recv(65536):
        data += part
    top, _, body = data.partition(b"\r\n\r\n")
    return int(top.split()[1]), body


@contextlib.contextmanager
def upload(node, project, name, length, sent):
    """The connection of an upload of which so many bytes are sent."""
    target = f"/upload/storage/v1/b/{project}.appspot.com/o?uploadType=media&name={name}"
    with socket.create_connection(("127.0.0.1", node.port), timeout=120) as connection:
        connection.sendall(head("POST", target, node, "Authorization: Bearer owner", f"Content-Length: {length}", "Connection: close") + b"q" * sent)
        yield connection


def metric(node, name):
    [line] = [line for line in node.metrics if line.startswith(f"{name} ")]
    return float(line.split()[-1])


def wait_until_passed(node, count):
    servers.wait_for(lambda: metric(node, "brasa_passed_requests") == count, f"{count} requests on their way")


def test_targets_mean_the_same_on_each_node(together, project):
    """Also those that a strict client would have written otherwise."""
    primary, other = together.nodes
    bucket = f"{project}.appspot.com"
    answer = requests.post(f"{other.url}/v0/b/{bucket}/o", b"found", params={"name": NAME, "uploadType": "media"}, headers=dict(rpc.OWNER), timeout=30)
    assert answer.status_code == 200, answer.text
    found = 0
    for target in TARGETS:
        answers = []
        for node in (primary, other):
            with socket.create_connection(("127.0.0.1", node.port), timeout=30) as connection:
                connection.sendall(head("GET", target.format(bucket=bucket), node, "Authorization: Bearer owner", "Connection: close"))
                answers.append(answer_of(connection))
        assert answers[0][0] == answers[1][0] != 403, (target, answers)
        found += answers[1] == (200, b"found")
    assert found == 2


@pytest.mark.parametrize("is_http2", [False, True])
def test_who_leaves_before_his_refusal_leaves_nothing_behind(together, project, is_http2):
    primary, other = together.nodes
    target = f"/v0/b/{project}.appspot.com/o?name=left&uploadType=media"
    before = metric(other, "brasa_client_memory_request_bytes")
    for _ in range(20 if is_http2 else 200):
        with socket.create_connection(("127.0.0.1", other.port), timeout=30) as connection:
            if is_http2:
                block = frames.block("POST", target, ("content-length", "4"))
                calls = [frames.headers(number, block) + frames.data(number, b"body", True) + frames.reset(number) for number in range(1, 20, 2)]
                # Its answer says that all before it was seen.
                connection.sendall(frames.opening() + b"".join(calls) + frames.frame(frames.PING, payload=b"all seen"))
                seen = b""
                while b"all seen" not in seen:
                    part = connection.recv(65536)
                    assert part
                    seen += part
            else:
                connection.sendall(head("POST", target, other, "Content-Length: 4") + b"body")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    wait_until_passed(other, 0)
    servers.wait_for(lambda: metric(other, "brasa_client_memory_request_bytes") <= before + 10_000, "the end of what was held")


def test_a_node_that_stops_ends_what_it_passes_on(tmp_path, project):
    """An upload comes to its end, and the stream of a device is ended at once."""
    made = cluster.Cluster(tmp_path, candidates=1).start()
    primary, other = made.nodes
    try:
        device = messaging.Device(other, project)
        device.register()
        with device.connect() as stream, upload(other, project, "late", 4_000_000, 1_000_000) as connection:
            wait_until_passed(other, 1)
            other.process.send_signal(signal.SIGTERM)
            with pytest.raises(EOFError):
                stream.line()
            assert other.is_running
            connection.sendall(b"q" * 3_000_000)
            status, body = answer_of(connection)
            assert status == 200, body
        assert other.process.wait(30) == 0
        stored = requests.get(f"{primary.url}/v0/b/{project}.appspot.com/o/late?alt=media", headers=dict(rpc.OWNER), timeout=30)
        assert stored.content == b"q" * 4_000_000
    finally:
        made.close()


def test_what_is_under_way_to_a_home_node_that_hangs_is_refused_when_another_is_home(tmp_path, project):
    """An upload that has come whole, one that still comes, and a stream."""
    made = cluster.Cluster(tmp_path, count=3, candidates=2)
    (tmp_path / "files").mkdir()
    for node in made.nodes[:2]:
        node.data.mkdir(mode=0o700)
        (node.data / "files").symlink_to(tmp_path / "files")
    made.start()
    first, second, other = made.nodes
    try:
        servers.wait_for(lambda: made.primary() is first, "the primary")
        device = messaging.Device(other, project)
        device.register()
        with device.connect() as stream, upload(other, project, "whole", 4_000_000, 1_000_000) as whole, upload(other, project, "part", 4_000_000, 1_000_000) as part:
            wait_until_passed(other, 2)
            first.process.send_signal(signal.SIGSTOP)
            whole.sendall(b"q" * 3_000_000)
            part.sendall(b"q" * 1_000_000)
            status, body = answer_of(whole)
            assert status == 503, body
            part.sendall(b"q" * 2_000_000)
            status, body = answer_of(part)
            assert status == 503, body
            with pytest.raises(EOFError):
                stream.line()
        assert made.primary() is second
        wait_until_passed(other, 0)
        with upload(other, project, "whole", 5, 5) as again:
            assert answer_of(again)[0] == 200
    finally:
        made.close()
