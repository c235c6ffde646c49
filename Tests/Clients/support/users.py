"""Google's client for signed-in users, in development and in production.

A *deployment* is a server with a project in which users are known by short names: it has their tokens and
makes clients that send them.
"""

import json

import google.auth.transport.grpc
import google.auth.transport.requests
import grpc
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports.grpc import FirestoreGrpcTransport
from google.oauth2.credentials import Credentials

from support import rest, rules, server as servers
from support.identity import Identity
from support.tokens import unsigned

PASSWORD = "correct horse 7"
# Production wants indexes for a user's products by name, and for the sum of their prices.
INDEXES = [
    {
        "collectionGroup": "products",
        "queryScope": "COLLECTION",
        "fields": [
            {"fieldPath": "userId", "order": "ASCENDING"},
            {"fieldPath": field, "order": "ASCENDING"},
        ],
    }
    for field in ("name", "price")
]


class ChannelClient(firestore.Client):
    """Google's client over a channel that sends a user's token: the emulator's environment variable would
    make it the owner."""

    def __init__(self, project, host, channel, database=None):
        super().__init__(project=project, credentials=AnonymousCredentials(), database=database)
        transport = FirestoreGrpcTransport(host=host, channel=channel)
        self._firestore_api_internal = FirestoreClient(transport=transport)
        self._channel = channel

    def close(self):
        """Closes the channel too, which Google's client does not for one that it was given."""
        super().close()
        self._channel.close()


class UserClient(ChannelClient):
    """A user of a deployment; `uid` is the user's."""

    def __init__(self, deployment, name=None, token=None, database=None):
        token = deployment.token(name) if token is None and name is not None else token
        super().__init__(deployment.project, deployment.host, deployment.channel(token), database)
        self.uid = None if name is None else deployment.uid(name)


class Development:
    """Tokens that nobody signed, over plain connections."""

    is_production = False

    def __init__(self, server, project):
        self.server = server
        self.project = project
        self.host = server.host

    def uid(self, name):
        return name

    def token(self, name):
        return unsigned(self.project, name)

    def channel(self, token):
        channel = grpc.insecure_channel(self.host)
        return channel if token is None else grpc.intercept_channel(channel, BearerTokens(token))

    def rest(self, name=None):
        """The REST surface as a user; without a name as an administrator."""
        return rest.Rest(self.server, self.project, token=self.token(name) if name else "owner")

    def deploy(self, content, release="cloud.firestore"):
        rules.RulesAPI(self.server.url, self.project).deploy(content, release)

    def clear(self):
        """Nothing to do: the project is the test's own."""


class Production:
    """Accounts that signed up, with tokens that the server signed, over TLS.

    The project is the server's; rules that are in force already are not deployed again.
    """

    is_production = True

    def __init__(self, server):
        self.server = server
        self.project = servers.PROJECT
        self.host = f"localhost:{server.port}"
        self.identity = Identity(server, self.project, verify=server.authority)
        self.accounts = {}
        self.deployed = {}
        file = server.data.parent / "indexes.json"
        file.write_text(json.dumps({"indexes": INDEXES}))
        servers.run("indexes", "apply", file, "--project", self.project, "--data", server.data)
        servers.run("databases", "create", "orders", "--project", self.project, "--data", server.data)

    def account(self, name):
        """What signing up gave: `idToken`, `refreshToken`, `localId`."""
        if name not in self.accounts:
            self.accounts[name] = self.identity.client(
                "signUp", email=f"{name}@example.com", password=PASSWORD, returnSecureToken=True
            )
        return self.accounts[name]

    def uid(self, name):
        return self.account(name)["localId"]

    def token(self, name):
        return self.account(name)["idToken"]

    def channel(self, token):
        with open(self.server.authority, "rb") as file:
            transport = grpc.ssl_channel_credentials(file.read())
        if token is None:
            return grpc.secure_channel(self.host, transport)
        return google.auth.transport.grpc.secure_authorized_channel(
            Credentials(token=token), google.auth.transport.requests.Request(), self.host,
            ssl_credentials=transport,
        )

    def rest(self, name=None):
        """The REST surface as a user; without a name as an administrator."""
        token = self.token(name) if name else self.server.administrator_key
        return rest.Rest(self.server, self.project, token=token)

    def deploy(self, content, release="cloud.firestore"):
        if self.deployed.get(release) == content:
            return
        self.deployed[release] = content
        database = release.partition("/")[2]
        file = self.server.data.parent / "deployed.rules"
        file.write_text(content)
        servers.run(
            "rules", "deploy", file, "--project", self.project, "--data", self.server.data,
            *(["--database", database] if database else []),
        )

    def clear(self):
        """Leaves no product to the next test."""
        administrator = self.rest()
        listed = administrator.documents("GET", "products").get("documents", [])
        writes = [{"delete": document["name"]} for document in listed]
        administrator.documents("POST", ":commit", json={"writes": writes})


class BearerTokens(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """Sends a token with every call, which call credentials do over TLS only."""

    def __init__(self, token):
        self.token = token

    def _with_token(self, details):
        metadata = [*(details.metadata or ()), ("authorization", f"Bearer {self.token}")]
        return details._replace(metadata=metadata)

    def intercept_unary_unary(self, continuation, details, request):
        return continuation(self._with_token(details), request)

    intercept_unary_stream = intercept_unary_unary
    intercept_stream_stream = intercept_unary_unary
