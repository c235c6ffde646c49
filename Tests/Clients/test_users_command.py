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
    assert refused.returncode != 0 and "Add on or off." in refused.stderr
    refused = users("methods", "phone", "on", check=False)
    assert refused.returncode == 64 and "does not support sign-in by telephone number" in refused.stderr
    refused = users("methods", "carrier-pigeon", "on", check=False)
    assert refused.returncode != 0 and "anonymous" in refused.stderr


def test_providers_of_signing_in(deployment):
    users, _, tmp_path = deployment
    secret = "secret-of-github"
    assert users("methods", "github.com", "on", "--client-id", "Iv1.8a61", "--secret-stdin", input=f"{secret}\n") == "github.com  on  client Iv1.8a61\n"
    assert users("methods", "github.com", "off") == "github.com  off  client Iv1.8a61\n"
    users("methods", "oidc.corp", "on", "--client-id", "web", "--issuer", "https://login.example.com")
    listed = users("methods")
    assert "github.com  off  client Iv1.8a61" in listed and "oidc.corp  on  client web" in listed and secret not in listed
    for wrong, reason in (
        (("twitter.com", "on", "--client-id", "x"), "OAuth 1.0a"), (("google.com", "on"), "--client-id"),
        (("oidc.other", "on", "--client-id", "x"), "--issuer"), (("saml.corp", "on"), "SAML"),
        (("microsoft.com", "on", "--client-id", "x", "--tenant", "evil.example"), "tenant"),
        (("apple.com", "on", "--client-id", "x", "--team-id", "short", "--key-id", "K1L2M3N4P5"), "team ID"),
        (("password", "on", "--client-id", "x"), "Only providers"),
    ):
        refused = users("methods", *wrong, check=False)
        assert refused.returncode != 0 and reason in refused.stderr, refused.stderr
    assert "twitter.com" not in users("methods") and "apple.com" not in users("methods")


def test_the_policy_for_passwords(deployment):
    users, sign_in, _ = deployment
    assert users("policy") == (
        "minimum length  6\nmaximum length  4096\nrequired  nothing\ncommon passwords  allowed\n"
    )
    changed = users("policy", "--minimum-length", "10", "--require", "digit,lowercase", "--refuse-common")
    assert changed == (
        "minimum length  10\nmaximum length  4096\nrequired  lowercase,digit\ncommon passwords  refused\n"
    )
    # What an administrator sets need not fit it, but be of six characters.
    users("create", "--email", "ana@example.com", "--password-stdin", input="123456\n")
    refused = users("create", "--email", "bia@example.com", "--password-stdin", input="12345\n", check=False)
    assert refused.returncode != 0 and "at least 6 characters" in refused.stderr
    assert sign_in("ana@example.com", "123456")["idToken"]
    assert "required  nothing\ncommon passwords  allowed" in users("policy", "--require", "nothing", "--no-refuse-common")
    for wrong in (("--minimum-length", "5"), ("--require", "emoji"), ("--maximum-length", "5000")):
        refused = users("policy", *wrong, check=False)
        assert refused.returncode != 0 and ("length" in refused.stderr or "lowercase" in refused.stderr)


def test_passwords_that_cannot_be_kept_are_told(deployment):
    users, sign_in, directory = deployment
    fake = "fakeHash:salt=fakeSaltAbc:password=secret12"
    source = directory / "users.json"
    source.write_text(json.dumps({"users": [
        {"localId": "a", "email": "a@example.com", "passwordHash": HASH, "salt": "42xEC+ixf3L2lw=="},
        {"localId": "b", "email": "b@example.com", "passwordHash": fake, "salt": "fakeSaltAbc"},
        {"localId": "c", "email": "c@example.com", "providerUserInfo": [{"providerId": "google.com"}]},
        {"localId": "d", "email": "d@example.com"},
    ]}))
    said = users("import", source, check=False)
    assert said.returncode == 1
    assert "a: INVALID_HASH_ALGORITHM" in said.stdout and "--hash-algo" in said.stdout
    assert "c: INVALID_PROVIDER_ID : federatedId or" in said.stdout
    listed = users("list")
    assert "d@example.com" in listed and "a@example.com" not in listed and "c@example.com" not in listed
    if "2 refused" in said.stdout:
        # A development server takes what its emulator's test accounts show anyway.
        assert sign_in("b@example.com", "secret12")["localId"] == "b"
    else:
        assert "b: INVALID_HASH_PARAMETER : The passwordHash is of the Auth emulator" in said.stdout


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
    assert users("export", directory / "second.json").startswith("exported 1 account\n")
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
