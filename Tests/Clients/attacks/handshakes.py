"""Attacks on what comes before any request."""

import ssl

from attacks.traffic import ANSWER, FOREVER, Attack


def hello():
    """The first message of a handshake."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2"])
    outgoing = ssl.MemoryBIO()
    half = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    try:
        half.do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise AssertionError("a handshake without a server")


class HalfHandshakes(Attack):
    """TLS handshakes left half: nothing at all, half a first message, or a whole one and nothing after."""

    protocol = None
    links = 4_000
    opening_rate = 2_000
    addresses = 4
    seconds = 20

    def __init__(self, project, chooser):
        super().__init__(project, chooser)
        self.hello = hello()

    def script(self, number):
        kind = number % 3
        if kind:
            yield self.hello if kind == 1 else self.hello[:len(self.hello) // 2]
        yield ANSWER
        yield FOREVER


class Noise(Attack):
    """Random bytes instead of a handshake."""

    protocol = None
    links = 64
    opening_rate = 1_000

    def script(self, number):
        yield self.chooser.randbytes(1_000)
        yield ANSWER
