"""Bidirectional calls, message by message, through Google's gRPC runtime."""

import queue

import grpc
from google.cloud.firestore_v1 import types

from support import rpc

_END = object()


class Stream:
    """A call of Write or Listen: `send` a message, `next` answer, `close` our side."""

    types = {
        "Write": (types.WriteRequest, types.WriteResponse),
        "Listen": (types.ListenRequest, types.ListenResponse),
    }

    def __init__(self, channel, method, metadata=rpc.OWNER, timeout=600):
        self.request_type, response_type = self.types[method]
        self.outgoing = queue.Queue()
        call = channel.stream_stream(
            rpc.SERVICE + method,
            request_serializer=bytes,
            response_deserializer=response_type.deserialize,
        )
        self.call = call(iter(self.outgoing.get, _END), timeout=timeout, metadata=metadata)

    def send(self, **fields):
        self.send_bytes(self.request_type.serialize(self.request_type(fields)))

    def send_bytes(self, message):
        self.outgoing.put(message)

    def next(self):
        """The next answer; None at a good end, `Failure` at a bad one."""
        try:
            return next(self.call)
        except StopIteration:
            return None
        except grpc.RpcError as error:
            raise rpc.Failure(error) from None

    def close(self):
        """Ends our side of the call."""
        self.outgoing.put(_END)

    def cancel(self):
        self.call.cancel()
        self.outgoing.put(_END)


class WriteStream(Stream):
    """A Write stream that sends back the last token that it got."""

    def __init__(self, channel, database, metadata=rpc.OWNER, timeout=600):
        super().__init__(channel, "Write", metadata, timeout)
        self.token = b""
        self.send(database=database)
        self.opening = self.receive()

    def receive(self):
        answer = self.next()
        if answer is not None:
            assert answer.stream_token, "every answer has a token"
            self.token = answer.stream_token
        return answer

    def put(self, *writes, **fields):
        """Sends a batch without waiting for its answer."""
        self.send(stream_token=self.token, writes=list(writes), **fields)

    def write(self, *writes, **fields):
        """Sends a batch and waits for its answer."""
        self.put(*writes, **fields)
        return self.receive()


def update(name, **options):
    """A write that sets integer fields: `update(name, n=1)`."""
    fields = {key: {"integer_value": value} for key, value in options.items()}
    return {"update": {"name": name, "fields": fields}}


def increment(name, field, amount):
    """A write that adds to a field."""
    transform = {"field_path": field, "increment": {"integer_value": amount}}
    return {"update": {"name": name}, "update_mask": {"field_paths": []}, "update_transforms": [transform]}
