"""The links of errors to the index that a query needs."""

import base64


def index_parameter(project, collection="products", name="indexes/_", scope=b"\x10\x01", fields=((b"userId", b"\x10\x01"), (b"price", b"\x10\x02"))):
    """An index as the link in an error has it: an `Index` message in Base64."""
    def part(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    path = f"projects/{project}/databases/(default)/collectionGroups/{collection}/{name}"
    encoded = part(1, path.encode()) + scope + b"".join(part(3, part(1, field) + mode) for field, mode in fields)
    return base64.urlsafe_b64encode(encoded).rstrip(b"=").decode()
