"""The way from an app's host to a server, which a test can cut and hold."""

import asyncio
import ssl
import threading


def trusting(certificates):
    """What a client takes who trusts the authority of a folder; nothing for a server in plain text."""
    return certificates and ssl.create_default_context(cafile=certificates / "authority.pem")


class Wire:
    """Carries what comes to a port of its own to the server's, and back.

    Cut, it drops every connection and takes no new one, as a host without a network. `hold_request` and
    `hold_answer` wait for a request with some text: from then on the request, or its answer, does not get
    through. To see that text it speaks TLS on both sides where the server does, with the server's certificate.
    """

    def __init__(self, port, certificates=None):
        self.port_behind = port
        self.certificates = certificates
        self.port = 0
        self.held = None
        self.keeps_request = False
        self.seen = threading.Event()
        self.open = set()
        started = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.live(started)))
        self.thread.start()
        started.wait()
        self.join()

    @property
    def address(self):
        return f"{'https' if self.certificates else 'http'}://127.0.0.1:{self.port}"

    def join(self):
        """Takes connections; after `cut` on the same port."""
        self.held = None
        self.perform(self.listen())

    def cut(self):
        self.perform(self.drop())

    def close(self):
        self.cut()
        self.loop.call_soon_threadsafe(self.ended.set)
        self.thread.join()

    def hold_answer(self, text):
        """Lets a request with the text through, and nothing of its connection back."""
        self.seen.clear()
        self.held, self.keeps_request = text, False

    def hold_request(self, text):
        """Lets no request with the text through."""
        self.seen.clear()
        self.held, self.keeps_request = text, True

    # What follows runs in the wire's own thread.

    async def live(self, started):
        self.loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        started.set()
        await self.ended.wait()

    def perform(self, work):
        asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def listen(self):
        self.is_cut = False
        tls = None
        if self.certificates:
            tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            tls.load_cert_chain(
                self.certificates / "server.pem", self.certificates / "server-key.pem"
            )
        self.listener = await asyncio.start_server(self.carry, "127.0.0.1", self.port, ssl=tls)
        self.port = self.listener.sockets[0].getsockname()[1]

    async def drop(self):
        self.is_cut = True
        self.listener.close()
        for writer in self.open:
            writer.transport.abort()

    async def carry(self, near_reader, near_writer):
        # A cut also ends what is about to be connected.
        self.open.add(near_writer)
        try:
            far_reader, far_writer = await asyncio.open_connection(
                "127.0.0.1", self.port_behind, ssl=trusting(self.certificates)
            )
        except OSError:
            near_writer.transport.abort()
            self.open.remove(near_writer)
            return
        ends = {near_writer, far_writer}
        self.open |= ends
        if self.is_cut or near_writer.transport.is_closing():
            for writer in ends:
                writer.transport.abort()
        silent = asyncio.Event()
        await asyncio.gather(
            self.carry_requests(near_reader, far_writer, silent),
            self.carry_answers(far_reader, near_writer, silent),
        )
        self.open -= ends

    async def carry_requests(self, reader, writer, silent):
        try:
            while piece := await reader.read(65536):
                if self.held and self.held in piece:
                    silent.set()
                    self.seen.set()
                if not (silent.is_set() and self.keeps_request):
                    writer.write(piece)
                    await writer.drain()
        except OSError:
            pass
        writer.close()

    async def carry_answers(self, reader, writer, silent):
        try:
            while piece := await reader.read(65536):
                if not silent.is_set():
                    writer.write(piece)
                    await writer.drain()
        except OSError:
            pass
        writer.close()
