"""Tokens as development mode takes them, which nobody signed; and forged ones, which the server's own
key signed."""

import base64
import hashlib
import hmac
import json
import re
import time

import jwt
from cryptography.hazmat.primitives import serialization

from support import secrets


def _part(value):
    text = json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def unsigned(project, uid, **claims):
    """What the emulators' clients send for a signed-in user."""
    now = int(time.time())
    body = {
        "iss": f"https://securetoken.google.com/{project}",
        "aud": project,
        "sub": uid,
        "user_id": uid,
        "iat": now,
        "auth_time": now,
        "exp": now + 3600,
        "firebase": {"sign_in_provider": "custom", "identities": {}},
        **claims,
    }
    return secrets.note(f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(body)}.", "unsigned token")


def signing_key(data):
    """The private key with which a server signs tokens, out of its data directory: PKCS #8, as the
    store's log has it. Only for saying what not even a good signature excuses."""
    beginning = re.compile(
        rb"\x30\x82(..)\x02\x01\x00\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x04\x82",
        re.DOTALL,
    )
    for path in sorted(data.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        if found := beginning.search(content):
            length = 4 + int.from_bytes(found.group(1), "big")
            return serialization.load_der_private_key(content[found.start():][:length], None)
    raise AssertionError(f"no signing key below {data}")


def forged(key, token, algorithm="RS256", **changes):
    """A token with other claims than that one, signed with a key; None takes a claim away."""
    claims = jwt.decode(token, options={"verify_signature": False}) | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    header = jwt.get_unverified_header(token)
    del header["alg"]
    # PyJWT keeps callers from claims that are malformed; here they are the point.
    return jwt.api_jws.encode(
        json.dumps(claims).encode(), key, algorithm=algorithm, headers=header
    )


def confused(public_key, token):
    """A token whose secret is the public key: for who lets the token choose the algorithm."""
    header = {**jwt.get_unverified_header(token), "alg": "HS256"}
    content = f"{_part(header)}.{token.split('.')[1]}"
    mac = hmac.new(public_key, content.encode(), hashlib.sha256).digest()
    return f"{content}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
