"""Web Push as others implement it: what we encrypt opens with theirs, and theirs with ours."""

import os
import random
import time

import http_ece
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02
from pywebpush import WebPusher

from support import push

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(not push.PROGRAM.exists(), reason=f"{push.PROGRAM} is not built"),
]

SIZES = [0, 1, 15, 16, 17, 100, 1000, 3992, 3993]


@pytest.fixture(scope="module")
def codec():
    with push.Program("codec") as program:
        yield program


def point(key):
    return key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


@pytest.mark.parametrize("size", SIZES)
def test_what_we_encrypt_opens_with_http_ece(codec, size):
    key, secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
    content = random.randbytes(size)
    answer = codec.ask(
        command="encrypt", p256dh=push.encode(point(key)), auth=push.encode(secret),
        content=push.encode(content),
    )
    body = push.decode(answer["body"])
    assert len(body) == size + 103
    assert http_ece.decrypt(body, private_key=key, auth_secret=secret, version="aes128gcm") == content


@pytest.mark.parametrize("size", SIZES[1:])
def test_what_pywebpush_encrypts_opens_with_ours(codec, size):
    keys = codec.ask(command="receiver")
    pusher = WebPusher({"endpoint": "https://push.example/1", "keys": {n: keys[n] for n in ("p256dh", "auth")}})
    content = random.randbytes(size)
    body = pusher.encode(content)["body"]
    answer = codec.ask(
        command="decrypt", private=keys["private"], auth=keys["auth"], body=push.encode(body)
    )
    assert push.decode(answer["content"]) == content


@pytest.mark.parametrize("record_size", [30, 100, 4096])
def test_records_of_other_sizes_open_too(codec, record_size):
    keys = codec.ask(command="receiver")
    sender, content = ec.generate_private_key(ec.SECP256R1()), random.randbytes(1000)
    body = http_ece.encrypt(
        content, private_key=sender, dh=push.decode(keys["p256dh"]), rs=record_size,
        auth_secret=push.decode(keys["auth"]), version="aes128gcm",
    )
    answer = codec.ask(
        command="decrypt", private=keys["private"], auth=keys["auth"], body=push.encode(body)
    )
    assert push.decode(answer["content"]) == content


def test_our_vapid_header_convinces_py_vapid_and_pyjwt(codec):
    origin, subject, expiry = "https://push.example:8443", "mailto:a@example.org", int(time.time()) + 3600
    header = codec.ask(command="vapid", origin=origin, subject=subject, expiry=expiry)["authorization"]
    scheme, _, fields = header.partition(" ")
    values = dict(field.split("=", 1) for field in fields.replace(" ", "").split(","))
    assert scheme == "vapid" and set(values) == {"t", "k"}
    # py-vapid reads no space behind the comma, which RFC 8292 has.
    assert Vapid02.verify(header.replace(", ", ",")) is True
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), push.decode(values["k"]))
    assert jwt.decode(values["t"], key, algorithms=["ES256"], audience=origin) == {
        "aud": origin, "exp": expiry, "sub": subject,
    }
