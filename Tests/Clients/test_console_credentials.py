"""How administrators come in beside password and code: recovery codes and passkeys."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from support import passkeys, secrets, server as servers
from support.administrators import PASSWORD, Page, administrator, come_in, invite
from support.looks import LANGUAGES
from support.passkeys import CREDENTIAL, PRESENT, VERIFIED, Authenticator

pytestmark = pytest.mark.brasa_only

OWN = "/console/api/me"


def begin(production, email, password=PASSWORD):
    """A page after the first factor, and what the second one goes with."""
    page = Page(production)
    answer = page.post("sign-in", {"email": email, "password": password})
    assert answer.status_code == 200, answer.text
    return page, {name: secrets.note(value, "pending") for name, value in answer.json().items()}


# Recovery codes


def test_each_recovery_code_stands_in_once(production):
    own = administrator(production, "viewer", "lost@example.org")
    assert len(set(own.recovery_codes)) == 10 and all(len(code) == 19 for code in own.recovery_codes)
    first, second, *_ = own.recovery_codes
    page, pending = begin(production, "lost@example.org")
    assert page.post("factor", pending | {"code": "aaaa-bbbb-cccc-dddd"}).status_code == 401
    assert page.post("factor", pending | {"code": first}).status_code == 200
    assert page.renew().call("GET", OWN).json() == {"hasSecondFactor": True, "recoveryCodes": 9, "passkeys": []}
    page, pending = begin(production, "lost@example.org")
    assert page.post("factor", pending | {"code": first}).status_code == 401
    # However it was written down.
    assert page.post("factor", pending | {"code": second.upper().replace("-", " ")}).status_code == 200
    assert page.renew().role == "viewer"


def test_new_codes_take_the_password_and_end_the_old_ones(production):
    own = administrator(production, "viewer", "codes@example.org")
    assert own.call("POST", f"{OWN}/recovery-codes", json={}).status_code == 400
    assert own.call("POST", f"{OWN}/recovery-codes", json={"password": "not the password"}).status_code == 400
    made = own.call("POST", f"{OWN}/recovery-codes", json={"password": PASSWORD}).json()["codes"]
    assert len({secrets.note(code, "recovery code") for code in made} - set(own.recovery_codes)) == 10
    page, pending = begin(production, "codes@example.org")
    assert page.post("factor", pending | {"code": own.recovery_codes[0]}).status_code == 401
    assert page.post("factor", pending | {"code": made[0]}).status_code == 200


def test_codes_go_with_the_second_factor_that_they_stood_in_for(production):
    old = administrator(production, "editor", "moved@example.org").recovery_codes
    Page(production).set_up(invite(production, "moved@example.org", "editor"))
    page, pending = begin(production, "moved@example.org")
    assert page.post("factor", pending | {"code": old[0]}).status_code == 401


def test_codes_are_in_the_trail_by_name_alone(production):
    owner = administrator(production, "owner", "trail@example.org")
    page, pending = begin(production, "trail@example.org")
    assert page.post("factor", pending | {"code": owner.recovery_codes[0]}).status_code == 200
    entries = [one for one in owner.call("GET", "/console/api/audit").json()["entries"] if one["administrator"] == "trail@example.org"]
    assert entries[0]["action"] == "recovery code" and owner.recovery_codes[0] not in str(entries)


# Passkeys


@pytest.fixture
def holder(production, request):
    """A signed-in viewer of the test's own."""
    return administrator(production, "viewer", f"{request.node.originalname.removeprefix('test_')[:40]}-{id(request)}@example.org")


@pytest.fixture
def authenticator(production):
    return Authenticator(production.url, production.url.split("//")[1].split(":")[0])


def options(page):
    answer = page.call("POST", f"{OWN}/passkeys/challenge", json={"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    return answer.json()


def register(page, authenticator):
    """Makes a passkey; gives what the authenticator keeps of the user."""
    found = options(page)
    answer = page.call("POST", f"{OWN}/passkeys", json=authenticator.make(found["challenge"]))
    assert answer.status_code == 200, answer.text
    return found["user"]


def challenge(production):
    return Page(production).post("challenge").json()["challenge"]


def sign_in(production, proof):
    page = Page(production)
    return page, page.post("passkey", proof)


def test_a_passkey_is_both_factors(production, holder, authenticator):
    user = register(holder, authenticator)
    page, answer = sign_in(production, authenticator.sign(challenge(production), user))
    assert answer.status_code == 200 and page.renew().role == "viewer"
    [shown] = page.call("GET", OWN).json()["passkeys"]
    assert shown["name"] == "A key" and shown["host"] == authenticator.host and shown["lastUsedAt"] >= shown["createdAt"]
    assert options(holder)["known"] == [shown["id"]]
    assert page.call("DELETE", f"{OWN}/passkeys/{shown['id']}").status_code == 200
    assert page.call("DELETE", f"{OWN}/passkeys/{shown['id']}").status_code == 404
    assert sign_in(production, authenticator.sign(challenge(production), user))[1].status_code == 401


WRONG_REGISTRATIONS = {
    "another origin": {"client": {"origin": "https://evil.example"}},
    "a signature": {"client": {"type": "webauthn.get"}},
    "a frame of another page": {"client": {"crossOrigin": True}},
    "another host": {"host": "evil.example"},
    "nobody before it": {"flags": VERIFIED | CREDENTIAL},
    "no PIN": {"flags": PRESENT | CREDENTIAL},
    "no credential": {"flags": PRESENT | VERIFIED},
    "another algorithm": {"cose": {"alg": -257}},
    "another curve": {"cose": {"crv": 2}},
    "no point of the curve": {"cose": {"x": bytes(32)}},
    "a short point": {"cose": {"x": bytes(31)}},
}


@pytest.mark.parametrize("wrong", WRONG_REGISTRATIONS)
def test_what_is_no_passkey_of_this_server_is_refused(holder, authenticator, wrong):
    made = authenticator.make(options(holder)["challenge"], **WRONG_REGISTRATIONS[wrong])
    assert holder.call("POST", f"{OWN}/passkeys", json=made).status_code == 400
    assert holder.call("GET", OWN).json()["passkeys"] == []


def test_a_challenge_is_for_one_purpose_and_once(production, holder, authenticator):
    assert holder.call("POST", f"{OWN}/passkeys", json=authenticator.make(challenge(production))).status_code == 400
    found = options(holder)
    assert holder.call("POST", f"{OWN}/passkeys", json=authenticator.make(found["challenge"])).status_code == 200
    another = Authenticator(authenticator.origin, authenticator.host)
    assert holder.call("POST", f"{OWN}/passkeys", json=another.make(found["challenge"])).status_code == 400
    # The challenge of another administrator.
    other = administrator(production, "viewer", f"other-{id(holder)}@example.org")
    assert holder.call("POST", f"{OWN}/passkeys", json=another.make(options(other)["challenge"])).status_code == 400
    signed = authenticator.sign(challenge(production), found["user"])
    assert [sign_in(production, signed)[1].status_code for _ in range(2)] == [200, 401]
    for bad in ("", "AAAA", options(holder)["challenge"], challenge(production)[:-4] + "AAAA"):
        assert sign_in(production, authenticator.sign(bad, found["user"]))[1].status_code == 401


WRONG_SIGNATURES = {
    "another origin": {"client": {"origin": "https://evil.example"}},
    "another ceremony": {"client": {"type": "webauthn.create"}},
    "a frame of another page": {"client": {"crossOrigin": True}},
    "another host": {"host": "evil.example"},
    "nobody before it": {"flags": VERIFIED},
    "no PIN": {"flags": PRESENT},
    "another key": {"key": ec.generate_private_key(ec.SECP256R1())},
    "a copy that has signed less often": {"count": 1},
    "no counter any more": {"count": 0},
}


@pytest.mark.parametrize("wrong", WRONG_SIGNATURES)
def test_what_a_passkey_did_not_sign_is_refused(production, holder, authenticator, wrong):
    user = register(holder, authenticator)
    authenticator.count += 5
    assert sign_in(production, authenticator.sign(challenge(production), user))[1].status_code == 200
    page, answer = sign_in(production, authenticator.sign(challenge(production), user, **WRONG_SIGNATURES[wrong]))
    assert answer.status_code == 401 and page.post("token").status_code == 401
    assert sign_in(production, authenticator.sign(challenge(production), user))[1].status_code == 200


def test_a_passkey_is_nobody_elses(production, holder, authenticator):
    register(holder, authenticator)
    other = administrator(production, "owner", f"target-{id(holder)}@example.org")
    for user in (options(other)["user"], passkeys.text(b"nobody"), ""):
        assert sign_in(production, authenticator.sign(challenge(production), user))[1].status_code == 401


def test_adding_a_passkey_takes_the_password_and_a_new_link_ends_it(production, authenticator):
    own = administrator(production, "editor", "again@example.org")
    assert own.call("POST", f"{OWN}/passkeys/challenge", json={"password": "not the password"}).status_code == 400
    user = register(own, authenticator)
    Page(production).set_up(invite(production, "again@example.org", "editor"))
    assert sign_in(production, authenticator.sign(challenge(production), user))[1].status_code == 401


def test_hostile_bytes_are_refused(production, holder, authenticator):
    found = options(holder)
    good = authenticator.make(found["challenge"])
    attestation = base64.urlsafe_b64decode(good["attestation"] + "==")
    deep = b"\x81" * 10_000 + b"\x00"
    for bad in (b"", attestation[:-1], attestation + b"\x00", deep, b"\xbb" + b"\xff" * 8, b"\x5b" + b"\x7f" * 8 + b"x", b"\x9f\x00\xff", b"\xff"):
        assert holder.call("POST", f"{OWN}/passkeys", json=good | {"attestation": passkeys.text(bad)}).status_code == 400
    for field in ("clientData", "attestation", "name"):
        assert holder.call("POST", f"{OWN}/passkeys", json={name: value for name, value in good.items() if name != field}).status_code == 400
        assert holder.call("POST", f"{OWN}/passkeys", json=good | {field: 7}).status_code == 400
    assert holder.call("POST", f"{OWN}/passkeys", json=good | {"clientData": "!"}).status_code == 400
    assert holder.call("POST", f"{OWN}/passkeys", json=good).status_code == 200


# In a browser


class ByName(servers.Brasa):
    """A production server on its own machine, reached by a name: passkeys belong to no address."""

    @property
    def url(self):
        return f"http://localhost:{self.port}"


@pytest.fixture
def by_name(tmp_path):
    running = ByName(tmp_path / "data", development=False, environment={"BRASA_PROJECT": servers.PROJECT}).start()
    yield running
    running.kill()


@pytest.fixture
def virtual_authenticator(browser):
    """An authenticator of the browser, which has whoever asks in front of it."""
    commands = browser.driver.execute_cdp_cmd
    commands("WebAuthn.enable", {})
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
    made = commands("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]
    yield lambda: commands("WebAuthn.getCredentials", {"authenticatorId": made})["credentials"]
    commands("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": made})
    commands("WebAuthn.disable", {})


WORDS = {
    "en": ("Add passkey", "Password", "Passkey added", "Sign out", "Sign in with a passkey", "Create new codes", "Close"),
    "pt-BR": ("Adicionar chave de acesso", "Senha", "Chave de acesso adicionada", "Sair", "Entrar com uma chave de acesso", "Criar novos códigos", "Fechar"),
}


@LANGUAGES
def test_a_passkey_is_made_and_signs_in(browser, by_name, virtual_authenticator, language):
    from support.console import Console

    add, password, added, sign_out, sign_in_with, new_codes, close = WORDS[language]
    browser.show_as(1280, 900)
    browser.driver.delete_all_cookies()
    browser.complaints()
    console = Console(browser, by_name, servers.PROJECT)
    come_in(console, invite(by_name, "first@example.org", "owner"), language)
    browser.driver.get(f"{by_name.url}/console/{servers.PROJECT}/settings/me")
    console.click("button", new_codes)
    console.fill(password, PASSWORD)
    console.click("button", new_codes)
    browser.wait("return document.querySelectorAll('dialog .codes li').length === 10")
    for code in browser.run("return [...document.querySelectorAll('.codes li')].map((one) => one.textContent)"):
        secrets.note(code, "recovery code")
    console.click("button", close)
    console.click("button", add)
    console.fill(password, PASSWORD)
    console.click("button", add)
    console.sees(added)
    console.click("button", {"en": "Account", "pt-BR": "Conta"}[language])
    console.click("button", sign_out)
    console.click("button", sign_in_with)
    browser.wait("return document.querySelector('.shell main')")
    [kept] = virtual_authenticator()
    assert kept["rpId"] == "localhost" and kept["isResidentCredential"] and kept["signCount"] >= 2
    assert console.violations() == []
