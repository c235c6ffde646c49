"""Somebody who signed in over REST, and how he reaches the database: Google's client, listeners, REST."""

import grpc

from support import rest
from support.listening import ListenStream
from support.users import BearerTokens, ChannelClient


class Person:
    """A user of one deployment: `host`, `project`, `identity`, `authority` (None without TLS).

    Without a password an anonymous one: hashing costs a quarter of a second in a debug build.
    """

    def __init__(self, deployment, email=None, password=None):
        self.deployment = deployment
        self.email, self.password = email, password
        self._open = []
        credentials = {"email": email, "password": password} if password else {}
        self.take(deployment.identity.client("signUp", **credentials))

    def take(self, session):
        """Goes on with the tokens of an answer."""
        self.uid = session.get("localId") or session.get("user_id")
        self.token = session.get("idToken") or session["id_token"]
        self.refresh_token = session.get("refreshToken") or session["refresh_token"]
        return self

    def sign_in(self):
        return self.take(
            self.deployment.identity.client("signInWithPassword", email=self.email, password=self.password)
        )

    def channel(self):
        options = [("grpc.use_local_subchannel_pool", 1)]
        deployment = self.deployment
        if deployment.authority is None:
            made = grpc.insecure_channel(deployment.host, options=options)
        else:
            credentials = grpc.ssl_channel_credentials(deployment.authority.read_bytes())
            made = grpc.secure_channel(deployment.host, credentials, options=options)
        self._open.append(made)
        return made

    def client(self):
        """Google's client with the token of now."""
        channel = grpc.intercept_channel(self.channel(), BearerTokens(self.token))
        return ChannelClient(self.deployment.project, self.deployment.host, channel)

    def rest(self):
        made = rest.Rest(self.deployment, self.deployment.project, token=self.token)
        made.session.verify = str(self.deployment.authority) if self.deployment.authority else True
        return made

    def listen(self):
        """A stream of the user's own products that is consistent."""
        database = f"projects/{self.deployment.project}/databases/(default)"
        metadata = (("authorization", f"Bearer {self.token}"),)
        stream = ListenStream(self.channel(), database, metadata=metadata)
        where = [("userId", "EQUAL", {"string_value": self.uid})]
        stream.add(2, stream.query("products", where=where))
        stream.until_consistent(2)
        self._open.append(stream.call)
        return stream

    def close(self):
        for one in reversed(self._open):
            one.cancel() if hasattr(one, "cancel") else one.close()
