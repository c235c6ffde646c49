"""Google's client over a proxy that spreads requests: each call goes to the next one of several servers."""

import itertools

import grpc
from google.cloud import firestore


class SpreadChannel(grpc.Channel):
    """Channels to several servers as one; calls take them in turn."""

    def __init__(self, channels):
        self.channels = list(channels)
        self._turn = itertools.count()

    def next(self):
        return self.channels[next(self._turn) % len(self.channels)]

    def subscribe(self, callback, try_to_connect=False):
        self.channels[0].subscribe(callback, try_to_connect)

    def unsubscribe(self, callback):
        self.channels[0].unsubscribe(callback)

    def unary_unary(self, *arguments, **options):
        return _Method(self, "unary_unary", arguments, options)

    def unary_stream(self, *arguments, **options):
        return _Method(self, "unary_stream", arguments, options)

    def stream_unary(self, *arguments, **options):
        return _Method(self, "stream_unary", arguments, options)

    def stream_stream(self, *arguments, **options):
        return _Method(self, "stream_stream", arguments, options)

    def close(self):
        for channel in self.channels:
            channel.close()

    def __exit__(self, *_):
        self.close()

    def __enter__(self):
        return self


class _Method:
    def __init__(self, channel, kind, arguments, options):
        self._made = {each: getattr(each, kind)(*arguments, **options) for each in channel.channels}
        self._channel = channel

    def __call__(self, *arguments, **options):
        return self._made[self._channel.next()](*arguments, **options)

    def with_call(self, *arguments, **options):
        return self._made[self._channel.next()].with_call(*arguments, **options)

    def future(self, *arguments, **options):
        return self._made[self._channel.next()].future(*arguments, **options)


class _Client(firestore.Client):
    servers = ()

    def _emulator_channel(self, transport):
        options = [("Authorization", "Bearer owner")]
        self.channel = SpreadChannel(grpc.insecure_channel(each.host, options=options) for each in self.servers)
        return self.channel


def connect(servers, project):
    """Google's synchronous client; `client.channel` is its channel once it has made a call."""
    from support import clients

    servers = list(servers)
    with clients.emulator_host(servers[0]):
        client = _Client(project=project)
    client.servers = servers
    return client
