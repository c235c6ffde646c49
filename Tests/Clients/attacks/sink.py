"""`python -m attacks.sink CERTIFICATES --bytes N`: a server that reads what it is sent and does nothing with
it, so that the same traffic costs the machine the same.

It ends a connection after N bytes, if that is not 0, as the server under attack did on average. Requests
of HTTP/1.1 get one small answer each time something arrives. Prints its port.
"""

import argparse
import selectors
import socket
import ssl

from attacks import frames

# What an attacker needs to go on: wide windows, or an answer that opens a session.
_FRAMES = frames.settings((frames.INITIAL_WINDOW_SIZE, frames.MOST)) + frames.window_update(0, frames.MOST - 65_535)
_BODY = b'29\n[[0,["c","sink","",8,14,3000]]]'
_ANSWER = b"HTTP/1.1 200 OK\r\nX-HTTP-Session-Id: sink\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)


class Taken:
    """One connection."""

    def __init__(self, sink, plain):
        plain.setblocking(False)
        self.sink = sink
        self.is_shaken = False
        self.read = 0
        self.socket = sink.tls.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        sink.selector.register(self.socket, selectors.EVENT_READ, self)

    def ready(self):
        try:
            if not self.is_shaken:
                self.socket.do_handshake()
                self.is_shaken = True
                if self.socket.selected_alpn_protocol() == "h2":
                    self.socket.send(_FRAMES)
            self._read()
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except (OSError, ValueError):
            self.close()

    def _read(self):
        piece = self.socket.recv(1 << 18)
        self.read += len(piece)
        if not piece or 0 < self.sink.bytes <= self.read:
            return self.close()
        if self.socket.selected_alpn_protocol() == "http/1.1":
            self.socket.send(_ANSWER)

    def close(self):
        self.sink.selector.unregister(self.socket)
        self.socket.close()


class Sink:
    """The server."""

    def __init__(self, certificates, most_bytes):
        self.bytes = most_bytes
        self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.tls.load_cert_chain(f"{certificates}/server.pem", f"{certificates}/server-key.pem")
        self.tls.set_alpn_protocols(["h2", "http/1.1"])
        self.selector = selectors.DefaultSelector()
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=4_096)
        self.listening.setblocking(False)
        self.selector.register(self.listening, selectors.EVENT_READ, None)

    def run(self):
        print(self.listening.getsockname()[1], flush=True)
        while True:
            for key, _ in self.selector.select():
                if key.data is None:
                    self._accept()
                else:
                    key.data.ready()

    def _accept(self):
        for _ in range(64):
            try:
                Taken(self, self.listening.accept()[0])
            except OSError:
                return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("certificates")
    parser.add_argument("--bytes", type=int, default=0)
    options = parser.parse_args()
    Sink(options.certificates, options.bytes).run()


if __name__ == "__main__":
    main()
