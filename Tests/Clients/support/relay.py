"""A relay between clients and a server that can cut, stall and dribble connections."""

import contextlib
import random
import socket
import threading


class Relay:
    """Passes connections on to `port`, or to the socket of that path. One thread a direction; bytes are not looked at.

    `cut_after` gives, for each new connection, after how many bytes from the server it is cut (None:
    never), which may be in the middle of a frame; `cut_sent_after` after how many from the client.
    """

    def __init__(self, port, cut_after=lambda: None, cut_sent_after=lambda: None):
        self.target = port
        self.cut_after = cut_after
        self.cut_sent_after = cut_sent_after
        # Called with what came from a client before it is passed on.
        self.on_sent = lambda data: None
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.flowing = threading.Event()
        self.flowing.set()
        self.cuts = 0
        self._pairs = set()
        self._lock = threading.Lock()
        self._is_open = True
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self):
        """Passes nothing on to clients until `resume`."""
        self.flowing.clear()

    def resume(self):
        self.flowing.set()

    def cut_all(self):
        """Cuts every connection that is open now."""
        with self._lock:
            pairs = list(self._pairs)
        for pair in pairs:
            self._close(pair)

    def close(self):
        self._is_open = False
        self.listener.close()
        self.resume()
        self.cut_all()

    def _accept(self):
        while self._is_open:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = self._connect()
            except OSError:
                client.close()
                continue
            pair = (client, server)
            with self._lock:
                self._pairs.add(pair)
            if not self._is_open:
                return self._close(pair)
            directions = (client, server, self.cut_sent_after()), (server, client, self.cut_after())
            for source, sink, limit in directions:
                arguments = (pair, source, sink, limit)
                threading.Thread(target=self._pass, args=arguments, daemon=True).start()

    def _connect(self):
        if isinstance(self.target, int):
            return socket.create_connection(("127.0.0.1", self.target))
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self.target))
        return connection

    def _pass(self, pair, source, sink, limit):
        client, server = pair
        try:
            while data := source.recv(65536):
                if source is server:
                    self.flowing.wait()
                else:
                    self.on_sent(data)
                if limit is not None and len(data) >= limit:
                    sink.sendall(data[:limit])
                    self.cuts += 1
                    break
                if limit is not None:
                    limit -= len(data)
                sink.sendall(data)
        except OSError:
            pass
        self._close(pair)

    def _close(self, pair):
        with self._lock:
            self._pairs.discard(pair)
        for end in pair:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


class Spread(Relay):
    """A relay that spreads connections over servers in turn, and passes by those that take none."""

    def __init__(self, ports):
        self.ports = list(ports)
        self._turn = 0
        super().__init__(None)

    def _connect(self):
        for _ in self.ports:
            port = self.ports[self._turn % len(self.ports)]
            self._turn += 1
            with contextlib.suppress(OSError):
                return socket.create_connection(("127.0.0.1", port))
        raise OSError("no server takes connections")


def random_cuts(seed, least, most):
    """A `cut_after` that draws a number of bytes for each connection."""
    chooser = random.Random(seed)
    lock = threading.Lock()

    def draw():
        with lock:
            return chooser.randint(least, most)

    return draw
