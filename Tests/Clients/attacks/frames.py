"""HTTP/2 frames (RFC 9113) and just enough of HPACK (RFC 7541) to write requests, by hand: what
libraries for HTTP/2 refuse to send is the point."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, ACK = 0x1, 0x4, 0x1
INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = 0x4, 0x5
FRAME_BYTES = 16_384
MOST = 2**31 - 1

_SERVICE = "/google.firestore.v1.Firestore/"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">BHBBL", len(payload) >> 16, len(payload) & 0xFFFF, kind, flags, stream) + payload


def settings(*pairs):
    return frame(SETTINGS, payload=b"".join(struct.pack(">HL", *pair) for pair in pairs))


def greeting(*pairs):
    """What a client sends first: the preface, its settings and a wide window for the connection."""
    return PREFACE + settings(*pairs) + window_update(0, MOST - 65_535)


def opening(*pairs):
    """The greeting of a client that does not look at what the server wants, and acknowledges it."""
    return greeting(*pairs) + frame(SETTINGS, ACK)


def window_update(stream, increment):
    return frame(WINDOW_UPDATE, stream=stream, payload=struct.pack(">L", increment))


def reset(stream, code=8):
    return frame(RST_STREAM, stream=stream, payload=struct.pack(">L", code))


def data(stream, payload, is_last=False):
    return frame(DATA, END_STREAM if is_last else 0, stream, payload)


def headers(stream, block, is_last=False):
    return frame(HEADERS, END_HEADERS | (END_STREAM if is_last else 0), stream, block)


def _integer(number, bits, pattern):
    limit = (1 << bits) - 1
    if number < limit:
        return bytes([pattern | number])
    out = [pattern | limit]
    number -= limit
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def literal(name, value, is_indexed=False):
    """A field written out; indexed, it joins the dynamic table."""
    parts = [part if isinstance(part, bytes) else part.encode() for part in (name, value)]
    return (b"\x40" if is_indexed else b"\x00") + b"".join(_integer(len(p), 7, 0) + p for p in parts)


def indexed(index):
    return _integer(index, 7, 0x80)


def block(method, path, *fields):
    """A request's header block that touches no table."""
    first = [(":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost")]
    return b"".join(literal(*field) for field in [*first, *fields])


def call_block(method, *fields):
    """The header block of a gRPC call of Firestore's service."""
    fixed = [("content-type", "application/grpc"), ("te", "trailers")]
    return block("POST", _SERVICE + method, *fixed, *fields)


def message(content):
    """A gRPC message, whole."""
    return b"\0" + struct.pack(">L", len(content)) + content


def text_field(number, text):
    """A protobuf field of text or bytes."""
    content = text.encode() if isinstance(text, str) else text
    return _integer(number << 3 | 2, 7, 0) + _varint(len(content)) + content


def _varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


class FrameReader:
    """Cuts what arrives into frames: `(kind, flags, stream, payload)`."""

    def __init__(self):
        self._rest = bytearray()

    def feed(self, piece):
        self._rest += piece
        found, at = [], 0
        while len(self._rest) - at >= 9:
            high, low, kind, flags, stream = struct.unpack_from(">BHBBL", self._rest, at)
            size = high << 16 | low
            if len(self._rest) - at < 9 + size:
                break
            found.append((kind, flags, stream & MOST, bytes(self._rest[at + 9:at + 9 + size])))
            at += 9 + size
        del self._rest[:at]
        return found


class Windows:
    """How much a client may send: what the server granted, less what was sent."""

    def __init__(self):
        self.reader = FrameReader()
        self.connection = 65_535
        self.initial = 65_535
        self.streams = {}

    def take(self, stream, wanted):
        """As many of the wanted bytes as may be sent now, taken off the windows."""
        window = self.streams.get(stream, self.initial)
        granted = max(0, min(wanted, window, self.connection, FRAME_BYTES))
        self.streams[stream] = window - granted
        self.connection -= granted
        return granted

    def feed(self, piece):
        """Takes the server's frames; gives what they want answered."""
        answer = b""
        for kind, flags, stream, payload in self.reader.feed(piece):
            if kind == SETTINGS and not flags & ACK:
                self._apply(payload)
                answer += frame(SETTINGS, ACK)
            elif kind == WINDOW_UPDATE:
                (increment,) = struct.unpack(">L", payload)
                if stream == 0:
                    self.connection += increment
                else:
                    self.streams[stream] = self.streams.get(stream, self.initial) + increment
            elif kind == PING and not flags & ACK:
                answer += frame(PING, ACK, payload=payload)
        return answer

    def _apply(self, payload):
        for at in range(0, len(payload), 6):
            name, value = struct.unpack_from(">HL", payload, at)
            if name == INITIAL_WINDOW_SIZE:
                for stream in self.streams:
                    self.streams[stream] += value - self.initial
                self.initial = value
