"""`brasa users`, beside a running server and on a directory at rest."""

import json
import re

import pytest

from support import server as servers
from support.identity import Identity, Refused

pytestmark = pytest.mark.brasa_only

PROJECT = "shop-users"
SIGNER = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
HASH = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="


@pytest.fixture(params=["running", "resting"])
def deployment(request, tmp_path):
    """A directory, with or without a server on it; gives `users` and a way to sign in."""
    server = servers.Brasa(tmp_path / "data").start()
    if request.param == "resting":
        server.stop()

    def users(*arguments, **options):
        done = servers.run(
            "users", *arguments, "--project", PROJECT, "--data", server.data, **options
        )
        return done.stdout if options.get("check", True) else done

    def sign_in(email, password):
        if not server.is_running:
            server.start()
        return Identity(server, PROJECT).client("signInWithPassword", email=email, password=password)

    yield users, sign_in, tmp_path
    if server.is_running:
        server.stop()


def test_methods_of_signing_in(deployment):
    users, sign_in, _ = deployment
    users("create", "--email", "ana@example.com", "--password-stdin", input="long enough 1\n")
    assert "password  on" in users("methods")
    assert users("methods", "password", "off") == "password  off\n"
    assert "password  off" in users("methods") and "email-link  on" in users("methods")
    with pytest.raises(Refused, match="PASSWORD_LOGIN_DISABLED"):
        sign_in("ana@example.com", "long enough 1")
    assert users("methods", "password", "on") == "password  on\n"
    assert sign_in("ana@example.com", "long enough 1")["idToken"]
    refused = users("methods", "anonymous", check=False)
    assert refused.returncode != 0 and "Say on or off." in refused.stderr
    refused = users("methods", "carrier-pigeon", "on", check=False)
    assert refused.returncode != 0 and "anonymous" in refused.stderr


def test_an_accounts_life(deployment):
    users, sign_in, _ = deployment
    assert users("create", "--uid", "ana", "--email", "Ana@Example.com", "--display-name", "Ana",
                 "--email-verified", "--password-stdin", input="long enough 1\n") == "created ana\n"
    assert users() == "ana  ana@example.com  Ana\n1 account\n"
    shown = json.loads(users("show", "ANA@example.com"))
    assert shown["localId"] == "ana" and shown["emailVerified"] is True
    assert "long enough 1" not in json.dumps(shown) and shown["passwordHash"] == "UkVEQUNURUQ="
    assert users("set-claims", "ana", '{"admin": true}') == 'ana has the claims {"admin": true}\n'
    assert users("disable", "ana") == "disabled ana\n"
    assert "disabled" in users("list")
    assert users("enable", "ana") == "enabled ana\n"
    refused = users("delete", "ana", check=False)
    assert refused.returncode != 0 and "--force" in refused.stderr
    refused = users("set-claims", "ana", '{"iss": 1}', check=False)
    assert refused.returncode != 0 and "FORBIDDEN_CLAIM : iss" in refused.stderr
    assert users("delete", "ana", "--force") == "deleted ana\n"
    refused = users("show", "ana", check=False)
    assert refused.returncode != 0 and "There is no account ana." in refused.stderr


def test_import_and_export(deployment):
    users, sign_in, directory = deployment
    original = {
        "users": [
            {"localId": "old", "email": "old@example.com", "emailVerified": True,
             "passwordHash": HASH, "salt": "42xEC+ixf3L2lw==", "displayName": "Old",
             "createdAt": "1500000000000", "lastSignedInAt": "1600000000000", "disabled": False,
             "customAttributes": '{"a":1}',
             "providerUserInfo": [{"providerId": "google.com", "rawId": "g1", "email": "o@g.example"}]},
            {"localId": "bad", "email": "no address", "providerUserInfo": []},
        ]
    }
    source = directory / "users.json"
    source.write_text(json.dumps(original))
    said = users(
        "import", source, "--hash-algo", "SCRYPT", "--hash-key", SIGNER, "--salt-separator", "Bw==",
        "--rounds", "8", "--mem-cost", "14", check=False,
    )
    assert said.stdout == "bad: email is invalid\nimported 1 account, 1 refused\n" and said.returncode == 1
    assert "1 without their imported hashes" in users("export", directory / "first.json")
    assert sign_in("old@example.com", "user1password")["localId"] == "old"
    assert users("export", directory / "second.json") == "exported 1 account\n"
    [exported] = json.loads((directory / "second.json").read_text())["users"]
    assert (directory / "second.json").stat().st_mode & 0o077 == 0
    for name in ("localId", "email", "emailVerified", "displayName", "createdAt", "customAttributes",
                 "providerUserInfo"):
        assert exported[name] == original["users"][0][name]
    parameters = dict(re.findall(r"--([a-z-]+)=(.*)", users("parameters")))
    users("delete", "old", "--force")
    options = [part for name, value in parameters.items() for part in (f"--{name}", value)]
    users("import", directory / "second.json", *options)
    assert sign_in("old@example.com", "user1password")["localId"] == "old"
