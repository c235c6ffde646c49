"""The server of a soak, and the clients that reach it."""

import hashlib
import threading
import weakref

import google.api_core.exceptions
import grpc
import requests

from support import rest, rules, server as servers
from support.identity import Identity, Refused
from support.users import BearerTokens, ChannelClient

CALL_SECONDS = 120
# What calls end with; a value error is gRPC's word for a channel that was closed.
ERRORS = (
    google.api_core.exceptions.GoogleAPIError, grpc.RpcError, requests.RequestException, Refused, ValueError,
)


class Interrupted(Exception):
    """A call that the soak cut off by ending the server: what it did is not known."""


class World:
    """The running server, its project and the administrator's key; shared by all workers."""

    def __init__(self, server, seed):
        self.server = server
        self.seed = seed
        self.project = servers.PROJECT
        self.database = f"projects/{self.project}/databases/(default)"
        self.key = server.administrator_key
        # Set before the server is told to end: calls that fail from then on tell nothing.
        self.is_ending = threading.Event()
        self.calls = {}
        self._channels = weakref.WeakSet()
        self._lock = threading.Lock()

    def attempt(self, kind, call):
        """What the call gives; any error that the soak did not cause fails it."""
        try:
            found = call()
        except ERRORS as error:
            if self.is_ending.is_set():
                raise Interrupted(kind) from error
            raise AssertionError(f"{kind}: {error!r}") from error
        except AssertionError as error:
            # Some helpers check the code of the answer that they get.
            if self.is_ending.is_set():
                raise Interrupted(kind) from error
            raise
        # What is not Google's client gives refusals as answers.
        if self.is_ending.is_set() and getattr(found, "status_code", None) == 503:
            raise Interrupted(kind)
        with self._lock:
            self.calls[kind] = self.calls.get(kind, 0) + 1
        return found

    def channel(self):
        """A connection of its own over TLS."""
        with open(self.server.authority, "rb") as file:
            credentials = grpc.ssl_channel_credentials(file.read())
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", 64 << 20)]
        channel = grpc.secure_channel(f"localhost:{self.server.port}", credentials, options=options)
        with self._lock:
            self._channels.add(channel)
        return channel

    def close_channels(self):
        """Ends calls that Google's client would repeat until its deadline."""
        with self._lock:
            channels = list(self._channels)
        for channel in channels:
            channel.close()

    def client(self, token=None):
        """Google's client, as an administrator or with a user's token."""
        channel = grpc.intercept_channel(self.channel(), BearerTokens(token or self.key))
        return ChannelClient(self.project, f"localhost:{self.server.port}", channel)

    def rest(self, token):
        return rest.Rest(self.server, self.project, token=token)

    def identity(self):
        return Identity(self.server, self.project, verify=self.server.authority)

    def rules(self):
        return rules.RulesAPI(self.server.url, self.project, self.key, self.server.authority)

    @property
    def metadata(self):
        return (("authorization", f"Bearer {self.key}"),)


def payload(name, revision, size):
    """The bytes that a document of that name and revision holds; no two alike, so nothing compresses."""
    return hashlib.shake_128(f"{name} {revision}".encode()).digest(size)
