"""The service's RPCs one by one, with Google's messages but without its client's own checks."""

import grpc
from google.cloud.firestore_v1 import types
from google.protobuf.empty_pb2 import Empty

SERVICE = "/google.firestore.v1.Firestore/"

# Name: (request, response, does the server stream?)
METHODS = {
    "GetDocument": (types.GetDocumentRequest, types.Document, False),
    "ListDocuments": (types.ListDocumentsRequest, types.ListDocumentsResponse, False),
    "UpdateDocument": (types.UpdateDocumentRequest, types.Document, False),
    "DeleteDocument": (types.DeleteDocumentRequest, None, False),
    "CreateDocument": (types.CreateDocumentRequest, types.Document, False),
    "BatchGetDocuments": (types.BatchGetDocumentsRequest, types.BatchGetDocumentsResponse, True),
    "BeginTransaction": (types.BeginTransactionRequest, types.BeginTransactionResponse, False),
    "Commit": (types.CommitRequest, types.CommitResponse, False),
    "Rollback": (types.RollbackRequest, None, False),
    "RunQuery": (types.RunQueryRequest, types.RunQueryResponse, True),
    "RunAggregationQuery": (
        types.RunAggregationQueryRequest,
        types.RunAggregationQueryResponse,
        True,
    ),
    "ExecutePipeline": (types.ExecutePipelineRequest, types.ExecutePipelineResponse, True),
    "PartitionQuery": (types.PartitionQueryRequest, types.PartitionQueryResponse, False),
    "ListCollectionIds": (types.ListCollectionIdsRequest, types.ListCollectionIdsResponse, False),
    "BatchWrite": (types.BatchWriteRequest, types.BatchWriteResponse, False),
}

OWNER = (("authorization", "Bearer owner"),)


class Failure(Exception):
    """A call's status, as gRPC carries it."""

    def __init__(self, error):
        self.code = error.code()
        self.message = error.details() or ""
        self.trailers = dict(error.trailing_metadata() or ())
        super().__init__(f"{self.code.name}: {self.message}")


class Calls:
    """Calls by name: `calls.Commit({...})` gives the response, or a list of them."""

    def __init__(self, host, metadata=OWNER):
        size = 64 * 1024 * 1024
        options = [
            ("grpc.max_send_message_length", size),
            ("grpc.max_receive_message_length", size),
        ]
        self.channel = grpc.insecure_channel(host, options=options)
        self.metadata = metadata

    def close(self):
        self.channel.close()

    def __getattr__(self, name):
        if name not in METHODS:
            raise AttributeError(name)
        request_type, response_type, streams = METHODS[name]

        def call(request=None, timeout=30, metadata=None, **fields):
            message = request if request is not None else fields
            if isinstance(message, dict):
                message = request_type(message)
            return self.raw(
                SERVICE + name,
                request_type.serialize(message),
                response_type.deserialize if response_type else Empty.FromString,
                streams=streams,
                timeout=timeout,
                metadata=metadata,
            )

        return call

    def raw(self, path, body, deserialize=bytes, streams=False, timeout=30, metadata=None):
        """Sends `body` as the one request message of any method."""
        kind = self.channel.unary_stream if streams else self.channel.unary_unary
        method = kind(path, request_serializer=bytes, response_deserializer=deserialize)
        sent = self.metadata if metadata is None else metadata
        try:
            answer = method(body, timeout=timeout, metadata=sent)
            return list(answer) if streams else answer
        except grpc.RpcError as error:
            raise Failure(error) from None


class Names:
    """The resource names of one database."""

    def __init__(self, project, database="(default)"):
        self.database = f"projects/{project}/databases/{database}"
        self.root = f"{self.database}/documents"

    def __call__(self, path):
        return f"{self.root}/{path}"


def fields_of(document):
    """A document's fields as Python values of the plain kinds."""
    return {name: plain(value) for name, value in document.fields.items()}


def plain(value):
    """A value message as a Python value; kinds that Python lacks stay as their messages."""
    kind = value._pb.WhichOneof("value_type")
    if kind == "null_value":
        return None
    if kind == "array_value":
        return [plain(element) for element in value.array_value.values]
    if kind == "map_value":
        return {name: plain(member) for name, member in value.map_value.fields.items()}
    return getattr(value, kind)


def varint(number):
    """A number as protobuf writes it."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
