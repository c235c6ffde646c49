"""What must not stand in any log: noted while the tests run, searched for when they are over."""

import json
import re

# The fields whose values are secrets, in requests, answers, forms and key files.
FIELDS = frozenset(
    """password newPassword oldPassword rawPassword idToken refreshToken sessionCookie
    mfaPendingCredential sharedSecretKey access_token id_token refresh_token sessionInfo oobCode
    oobLink token clientSecret client_secret private_key assertion passwordHash salt signerKey
    verificationCode oauthIdToken oauthAccessToken code_verifier""".split()
)

# Shorter ones stand in logs by chance.
LEAST = 10
_known = {}

# Where secrets are shown on purpose: development's mailbox, and the key that a first start prints.
_SHOWN = (
    re.compile(r"an email was logged instead of sent"),
    re.compile(r"^ {4}brasa-admin-"),
)


def note(secret, what="secret"):
    """Remembers one secret; of a token each part that says something."""
    if not isinstance(secret, str):
        return secret
    parts = [secret]
    if secret.startswith("-----BEGIN"):
        parts = [line for line in secret.splitlines() if not line.startswith("-----")]
    elif secret.count(".") == 2 and secret.startswith("eyJ"):
        parts = secret.split(".")[1:]
    elif "oobCode=" in secret:
        parts = re.findall(r"oobCode=([\w-]+)", secret)
    for part in parts:
        if len(part) >= LEAST:
            _known[part] = what
    return secret


def note_message(content):
    """Remembers the secrets of a message."""
    if isinstance(content, dict):
        for name, value in content.items():
            if name in FIELDS:
                note(value, name)
            elif name == "postBody" and isinstance(value, str):
                note_message(dict(part.partition("=")[::2] for part in value.split("&")))
            note_message(value)
    elif isinstance(content, list):
        for element in content:
            note_message(element)


def note_file(path):
    """Remembers the secrets of a JSON file, such as a service account's key."""
    note_message(json.loads(path.read_text()))


def leaks(lines, known=None):
    """The lines that hold a secret, with what it is."""
    known = _known if known is None else known
    begins = {}
    for secret in known:
        begins.setdefault(secret[:LEAST], []).append(secret)
    found = []
    for line in lines:
        if any(pattern.search(line) for pattern in _SHOWN):
            continue
        for offset in range(len(line) - LEAST + 1):
            for secret in begins.get(line[offset:offset + LEAST], ()):
                if line.startswith(secret, offset):
                    found.append((known[secret], line.rstrip()[:300]))
    return found
