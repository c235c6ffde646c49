"""An authenticator in software: makes passkeys and signs with them, rightly or with one thing wrong."""

import base64
import hashlib
import json
import os
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, CREDENTIAL = 0x01, 0x04, 0x40


def text(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def cbor(value):
    """A value in CBOR, as far as authenticators need it."""
    def head(kind, number):
        if number < 24:
            return bytes([kind << 5 | number])
        return bytes([kind << 5 | 24, number]) if number < 256 else bytes([kind << 5 | 25]) + struct.pack(">H", number)

    match value:
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes():
            return head(2, len(value)) + value
        case str():
            return head(3, len(value.encode())) + value.encode()
        case dict():
            return head(5, len(value)) + b"".join(cbor(key) + cbor(one) for key, one in value.items())
    raise TypeError(type(value))


class Authenticator:
    """One passkey for pages of an origin."""

    def __init__(self, origin, host):
        self.origin = origin
        self.host = host
        self.id = os.urandom(32)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.count = 0

    def client_data(self, ceremony, challenge, **changes):
        data = {"type": f"webauthn.{ceremony}", "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(data | changes).encode()

    def data(self, flags=PRESENT | VERIFIED, host=None, count=None):
        self.count += 1
        digest = hashlib.sha256((host or self.host).encode()).digest()
        return digest + bytes([flags]) + struct.pack(">I", self.count if count is None else count)

    def cose(self, **changes):
        point = self.key.public_key().public_numbers()
        numbers = {"kty": 2, "alg": -7, "crv": 1, "x": point.x.to_bytes(32), "y": point.y.to_bytes(32)} | changes
        return {label: numbers[name] for label, name in ((1, "kty"), (3, "alg"), (-1, "crv"), (-2, "x"), (-3, "y"))}

    def make(self, challenge, name="A key", client=None, flags=PRESENT | VERIFIED | CREDENTIAL, host=None, cose=None):
        """What a page sends of a new passkey."""
        credential = bytes(16) + struct.pack(">H", len(self.id)) + self.id + cbor(self.cose(**(cose or {})))
        attestation = {"fmt": "none", "attStmt": {}, "authData": self.data(flags, host) + credential}
        return {"name": name, "clientData": text(self.client_data("create", challenge, **(client or {}))), "attestation": text(cbor(attestation))}

    def sign(self, challenge, user, client=None, flags=PRESENT | VERIFIED, host=None, count=None, key=None):
        """What a page sends of a signature."""
        client_data = self.client_data("get", challenge, **(client or {}))
        data = self.data(flags, host, count)
        signature = (key or self.key).sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        return {"id": text(self.id), "user": user, "clientData": text(client_data), "authenticatorData": text(data), "signature": text(signature)}
