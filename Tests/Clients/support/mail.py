"""aiosmtpd as the mail server that emails are handed to, and what came of it."""

import asyncio
import contextlib
import email
import email.policy
import re
import ssl
import threading

from aiosmtpd.smtp import SMTP, AuthResult

from support import secrets, server as servers

USER = "brasa@mail.example"
PASSWORD = secrets.note("smtp-password-of-the-run-4711", "SMTP password")
secrets.note("AGJyYXNhQG1haWwuZXhhbXBsZQBzbXRwLXBhc3N3b3JkLW9mLXRoZS1ydW4tNDcxMQ==", "AUTH PLAIN")


class Email:
    """One email that was taken, with how it came."""

    def __init__(self, session, envelope):
        self.sender = envelope.mail_from
        self.recipients = envelope.rcpt_tos
        self.is_encrypted = session.ssl is not None
        self.login = getattr(session, "auth_data", None)
        self.message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.text = self.message.get_body(("plain",)).get_content()
        self.html = self.message.get_body(("html",)).get_content()
        self.link = re.search(r"https?://\S+", self.text).group(0)
        secrets.note(self.link)


class MailServer:
    """One port on which mail servers of several kinds answer, one after the other.

    `is_up`, `certificate` (a directory; None offers no TLS) and `takes_login` say how from the next
    connection on. `held` makes it slow.
    """

    def __init__(self, certificate):
        self.certificate = certificate
        self.is_up = True
        self.takes_login = True
        self.emails = []
        self.connections = 0
        self.logins = []
        # The step at which conversations stop, how many did, and what lets them go on.
        self.held_step = None
        self.held_count = 0
        self._free = asyncio.Event()
        self._greetings = set()
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _listen(self):
        return await self._loop.create_server(self._connection, "127.0.0.1", 0)

    def _connection(self):
        self._count("connections")
        if not self.is_up:
            return Closing()
        return Silent(self) if self.held_step == "greeting" else self._conversation()

    def _conversation(self):
        if self.certificate is None:
            return SMTP(self, hostname="mail.example", loop=self._loop)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate / "server.pem", self.certificate / "server-key.pem")
        return SMTP(
            self, hostname="mail.example", loop=self._loop, tls_context=context, require_starttls=True,
            auth_required=True, authenticator=self._authenticate,
        )

    def _authenticate(self, server, session, envelope, mechanism, data):
        given = (data.login.decode(), data.password.decode())
        with self._changed:
            self.logins.append((session.ssl is not None, given))
            self._changed.notify_all()
        is_good = self.takes_login and given == (USER, PASSWORD)
        return AuthResult(success=is_good, handled=False, auth_data=given[0])

    async def handle_DATA(self, server, session, envelope):
        await self.reach("message")
        email = Email(session, envelope)
        with self._changed:
            self.emails.append(email)
            self._changed.notify_all()
        return "250 taken"

    @contextlib.contextmanager
    def held(self, step):
        """Stops every conversation at the step, `greeting` or `message`, until the block ends."""
        self.held_step, self.held_count = step, 0
        try:
            yield
        finally:
            self.held_step = None
            self._loop.call_soon_threadsafe(self._release)

    def _release(self):
        self._free.set()
        self._free = asyncio.Event()

    async def reach(self, step):
        """Waits if the step is held."""
        if self.held_step == step:
            self._count("held_count")
            await self._free.wait()

    def wait_until_held(self, count=1):
        with self._changed:
            assert self._changed.wait_for(lambda: self.held_count >= count, 30), "no conversation came so far"

    def greet(self, transport):
        """Begins the conversation on a connection that was held."""
        async def begin():
            await self.reach("greeting")
            if not transport.is_closing():
                conversation = self._conversation()
                transport.set_protocol(conversation)
                conversation.connection_made(transport)

        task = self._loop.create_task(begin())
        self._greetings.add(task)
        task.add_done_callback(self._greetings.discard)

    def _count(self, name):
        with self._changed:
            setattr(self, name, getattr(self, name) + 1)
            self._changed.notify_all()

    def to(self, recipient):
        return [email for email in self.emails if email.recipients == [recipient]]

    def wait_for(self, recipient, count=1):
        """The last email to that address, once there are that many."""
        with self._changed:
            found = self._changed.wait_for(lambda: len(self.to(recipient)) >= count, 30)
            assert found, f"no email to {recipient}"
        return self.to(recipient)[-1]

    def close(self):
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)


class Closing(asyncio.Protocol):
    """A server that is going down: it closes at once."""

    def connection_made(self, transport):
        transport.close()


class Silent(asyncio.Protocol):
    """A server that accepts connections and does not greet before it is released."""

    def __init__(self, server):
        self.server = server

    def connection_made(self, transport):
        self.server.greet(transport)


def environment(mail, authority, **more):
    """How a server of ours is told of it."""
    return {
        "BRASA_SMTP": f"localhost:{mail.port}", "BRASA_SMTP_FROM": "no-reply@shop.example",
        "BRASA_SMTP_NAME": "Loja da Ana", "BRASA_SMTP_USER": USER, "BRASA_SMTP_PASSWORD": PASSWORD,
        "BRASA_SMTP_CA": str(authority), **more,
    }


def wait_for_line(server, *words):
    """A line of the server's log with all those words."""
    def find():
        return next((line for line in server.lines if all(word in line for word in words)), None)

    return servers.wait_for(find, f"{words} in the log")
