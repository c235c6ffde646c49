"""Tokens as development mode takes them: JSON Web Tokens that nobody signed."""

import base64
import json
import time

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
