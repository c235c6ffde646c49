"""Many connections of one attack on one thread: each sends what its script says, as its socket takes it."""

import collections
import heapq
import itertools
import selectors
import socket
import ssl
import time

# What a script gives besides bytes to send and seconds to pause: it is given what arrives next, or all
# that arrived since it asked last.
ANSWER, ARRIVED = object(), object()
# How long a script waits for an answer; then it goes on with none.
ANSWER_SECONDS = 2
FOREVER = float("inf")
KEPT_BYTES = 1 << 16
# TLS sends a record at a time.
RECORDS_AT_ONCE = 16
CONNECT_SECONDS = 30


class Attack:
    """What one kind of attacker does. The class is its own description: `__doc__` is a row of the table.

    `script` is a generator for one connection: it gives bytes to send, seconds to pause, or `ANSWER` or
    `ARRIVED`, for which it is given bytes. A connection whose script or server ended it is replaced.
    """

    # Connections held at once, and how many are opened a second.
    links = 32
    opening_rate = 200
    # From how many addresses, and whether each is in a network of its own.
    addresses = 1
    has_networks = False
    # What TLS agrees on; None is no TLS at all, the script's bytes go to the socket.
    protocol = "h2"
    # Whether answers are read.
    reads = True
    # How long the attack lasts, and what arguments the server gets.
    seconds = 15
    server_arguments = ()
    # Rules that the server has in force; none is deny-all.
    rules = None
    # The descriptors that the server may have, where that is not the machine's to say.
    descriptors = None
    # Descriptors that the server keeps afterwards, within a bound of its own.
    kept_descriptors = 0
    # What an honest client's write holds beside its number, whether it signs in too, and whether it
    # signs in from addresses where nobody was before as well.
    written_bytes = 0
    signs_in = False
    moves = False

    def __init__(self, project, chooser):
        self.project = project
        self.database = f"projects/{project}/databases/(default)"
        self.chooser = chooser
        # Responses by kind and status, where the script reads them.
        self.responses = collections.Counter()

    def script(self, number):
        raise NotImplementedError

    def address(self, number):
        """The address of a connection."""
        part = 1 + number % self.addresses
        return f"127.1.{part}.1" if self.has_networks else f"127.0.1.{part}"

    @classmethod
    def prepare(cls, victim):
        """Makes what the attack is aimed at; `victim.prepared` keeps the result."""

    @classmethod
    def complaints(cls, traffic, victim):
        """What else is wrong after the attack, each a sentence."""
        return []

    @classmethod
    def description(cls):
        return " ".join(cls.__doc__.split())


class Link:
    """One connection, from its opening to its end."""

    def __init__(self, traffic, number):
        self.traffic = traffic
        self.script = traffic.attack.script(number)
        self.pending = memoryview(b"")
        self.arrived = b""
        self.waits_for_answer = False
        self.is_open = True
        self.is_shaken = False
        self.until = time.monotonic() + CONNECT_SECONDS
        attack = traffic.attack
        plain = socket.socket()
        plain.setblocking(False)
        plain.bind((attack.address(number), 0))
        plain.connect_ex(("127.0.0.1", traffic.port))
        self.is_secure = attack.protocol is not None
        if self.is_secure:
            plain = traffic.tls.wrap_socket(plain, do_handshake_on_connect=False, suppress_ragged_eofs=True)
        self.socket = plain
        self.interest = selectors.EVENT_READ | selectors.EVENT_WRITE
        traffic.selector.register(plain, self.interest, self)
        traffic.wake_at(self.until, self)

    def ready(self, events):
        try:
            if not self.is_shaken:
                self._shake()
            if self.is_shaken and self.is_open:
                self._exchange(events)
        except (BlockingIOError, ssl.SSLWantReadError):
            self._watch(selectors.EVENT_READ)
        except ssl.SSLWantWriteError:
            self._watch(selectors.EVENT_READ | selectors.EVENT_WRITE)
        except (OSError, ValueError):
            self.traffic.ended(self, by_server=True)

    def _shake(self):
        if self.is_secure:
            self.socket.do_handshake()
        elif error := self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(error, "connect")
        self.is_shaken = True
        self.traffic.shaken += 1
        self.until = None
        self._continue()

    def _exchange(self, events):
        if events & selectors.EVENT_READ and self.traffic.attack.reads:
            self._read()
        if self.is_open and self.pending:
            self._write()
        self._watch_what_matters()

    def _read(self):
        try:
            piece = self.socket.recv(1 << 18)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        if not piece:
            raise ConnectionResetError
        self.traffic.received += len(piece)
        self.arrived = (self.arrived + piece)[-KEPT_BYTES:]
        if self.waits_for_answer:
            self.waits_for_answer, self.until = False, None
            self._hand_over()

    def _hand_over(self):
        arrived, self.arrived = self.arrived, b""
        self._continue(arrived)

    def _write(self):
        for _ in range(RECORDS_AT_ONCE):
            try:
                sent = self.socket.send(self.pending)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            self.traffic.sent += sent
            self.pending = self.pending[sent:]
            if not self.pending:
                break
        if not self.pending:
            self._continue()

    def _continue(self, answer=None):
        """Goes on to what the script wants next."""
        try:
            wanted = self.script.send(answer)
        except StopIteration:
            return self.traffic.ended(self, by_server=False)
        if wanted is ARRIVED and self.arrived:
            self._hand_over()
        elif wanted is ANSWER or wanted is ARRIVED:
            self.arrived = b""
            self.waits_for_answer = True
            self._sleep(ANSWER_SECONDS)
        elif isinstance(wanted, (int, float)):
            self._sleep(wanted)
        else:
            self.pending = memoryview(wanted)

    def _sleep(self, seconds):
        if seconds != FOREVER:
            self.until = time.monotonic() + seconds
            self.traffic.wake_at(self.until, self)

    def wake(self, due):
        """The time came for which the script waits."""
        if not self.is_open or self.until != due:
            return
        if not self.is_shaken:
            return self.traffic.ended(self, by_server=True)
        waited, self.waits_for_answer, self.until = self.waits_for_answer, False, None
        self._continue(b"" if waited else None)
        if self.is_open:
            self._watch_what_matters()

    def _watch_what_matters(self):
        if not self.is_open:
            return
        reads = selectors.EVENT_READ if self.traffic.attack.reads else 0
        self._watch(reads | (selectors.EVENT_WRITE if self.pending else 0))

    def _watch(self, interest):
        if interest == self.interest:
            return
        if self.interest == 0:
            self.traffic.selector.register(self.socket, interest, self)
        elif interest == 0:
            self.traffic.selector.unregister(self.socket)
        else:
            self.traffic.selector.modify(self.socket, interest, self)
        self.interest = interest

    def close(self):
        self.is_open = False
        self.script.close()
        if self.interest:
            self.traffic.selector.unregister(self.socket)
        self.socket.close()


class Traffic:
    """An attack's connections, and what they sent so far."""

    def __init__(self, attack, port):
        self.attack, self.port = attack, port
        self.selector = selectors.DefaultSelector()
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE
        if attack.protocol:
            self.tls.set_alpn_protocols([attack.protocol])
        self.open = set()
        self.opened = self.shaken = self.closed_by_server = self.most_open = 0
        self.sent = self.received = 0
        self._timers = []
        self._order = itertools.count()

    def wake_at(self, due, link):
        heapq.heappush(self._timers, (due, next(self._order), link))

    def run(self, seconds):
        begun = time.monotonic()
        while (now := time.monotonic()) < begun + seconds:
            self._open_more(now - begun)
            self._wake_due(now)
            for key, events in self.selector.select(self._pause(now)):
                if key.data.is_open:
                    key.data.ready(events)
        for link in list(self.open):
            link.close()

    def _open_more(self, elapsed):
        allowed = 1 + int(elapsed * self.attack.opening_rate) - self.opened
        for _ in range(min(allowed, self.attack.links - len(self.open), 32)):
            self.opened += 1
            try:
                self.open.add(Link(self, self.opened))
            except OSError:
                self.closed_by_server += 1
        self.most_open = max(self.most_open, len(self.open))

    def _wake_due(self, now):
        while self._timers and self._timers[0][0] <= now:
            due, _, link = heapq.heappop(self._timers)
            link.wake(due)

    def _pause(self, now):
        wanted = 0.05 if not self._timers else min(0.05, max(0, self._timers[0][0] - now))
        is_opening = len(self.open) < self.attack.links
        return min(wanted, 1 / self.attack.opening_rate) if is_opening else wanted

    def ended(self, link, by_server):
        self.open.discard(link)
        self.closed_by_server += by_server
        link.close()

    def report(self):
        return {
            "opened": self.opened, "shaken": self.shaken, "most_open": self.most_open,
            "closed_by_server": self.closed_by_server, "sent": self.sent, "received": self.received,
            "responses": dict(self.attack.responses),
        }
