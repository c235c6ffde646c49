"""What is grave takes a recent sign-in: refused by the server otherwise, and the console asks for it and goes on."""

import pytest

from support import secrets, server as servers
from support.administrators import PASSWORD, administrator, come_in, invite, timed_code
from support.looks import LANGUAGES

pytestmark = [pytest.mark.brasa_only, pytest.mark.slow]

PROJECT = servers.PROJECT
# Long enough for what follows a sign-in on a busy machine.
SECONDS = 60

GRAVE = [
    ("DELETE", f"/v1/projects/{PROJECT}/databases/none", None), ("POST", "/console/api/administrators", {"email": "other@example.org", "role": "viewer"}),
    ("PATCH", "/console/api/administrators/none@example.org", {"role": "viewer"}), ("DELETE", "/console/api/administrators/none@example.org", None),
    ("POST", f"/console/api/projects/{PROJECT}/keys", {"name": ""}), ("DELETE", f"/console/api/projects/{PROJECT}/keys/none", None),
    ("POST", f"/v1/projects/{PROJECT}/pushCredentials", {}), ("DELETE", f"/v1/projects/{PROJECT}/serverKeys/none", None),
    ("POST", "/console/api/jobs", {"kind": "import", "name": "none"}),
    ("POST", f"/v1/projects/{PROJECT}/accounts:delete", {"localId": "none"}), ("POST", f"/v1/projects/{PROJECT}/accounts:batchDelete", {"localIds": ["none"], "force": True}),
    # The same as the route table reads it, which decodes a path's segments first.
    ("POST", f"/v1/projects/{PROJECT}/accounts%3Adelete", {"localId": "none"}), ("POST", f"/v1/projects/{PROJECT}/accounts:batchDelet%65", {"localIds": ["none"], "force": True}),
    ("POST", "/identitytoolkit/v3/relyingparty/deleteAccoun%74", {"localId": "none"}),
    ("POST", "/v2/accounts/delete", {"localId": "none"}), ("POST", "/identitytoolkit.googleapis.com/v2/accounts/delete", {"localId": "none"}),
    ("POST", f"/v1/projects/{PROJECT}/analytics/erase", {"userId": "none"}),
    ("PATCH", f"/v2/projects/{PROJECT}/config", {}), ("POST", f"/v2/projects/{PROJECT}/defaultSupportedIdpConfigs", {}),
    ("PATCH", f"/identitytoolkit.googleapis.com/v2/projects/{PROJECT}/conf%69g", {}), ("DELETE", f"/v2/projects/{PROJECT}/oauthIdpConfigs/oidc.none", None),
]
ORDINARY = [
    ("GET", "/console/api/audit"), ("GET", "/console/api/administrators"), ("GET", f"/console/api/projects/{PROJECT}/keys"), ("GET", "/console/api/jobs"),
    ("PATCH", f"/v1/projects/{PROJECT}/databases/(default)/documents/products/chair"), ("GET", f"/v1/projects/{PROJECT}/accounts:batchGet"),
]


@pytest.fixture
def server(tmp_path_factory, certificates):
    running = servers.Brasa.production(tmp_path_factory.mktemp("recent") / "data", certificates, "--recent-sign-in", str(SECONDS), environment={"BRASA_PROJECT": PROJECT}).start()
    yield running
    running.kill()


@pytest.fixture
def console(browser, server):
    from conftest import console_tab

    browser.show_as(1280, 800)
    browser.driver.delete_all_cookies()
    yield from console_tab(browser, server, PROJECT)


def asks_again(answer):
    return answer.status_code == 403 and "RECENT_SIGN_IN_REQUIRED" in answer.text


def test_the_server_refuses_what_is_grave(server, console):
    owner = administrator(server, "owner")
    # As the page would find out: what is refused in the end was not at first.
    grave = GRAVE[0]
    first = owner.call(grave[0], grave[1])
    assert first.status_code == 404, first.text
    servers.wait_for(lambda: asks_again(owner.call(grave[0], grave[1])), "the end of a recent sign-in", 3 * SECONDS)
    for method, path, body in GRAVE:
        answer = owner.call(method, path, json=body)
        assert asks_again(answer), (method, path, answer.status_code, answer.text)
    for method, path in ORDINARY:
        answer = owner.call(method, path, json={"fields": {}} if method == "PATCH" else None)
        assert answer.status_code == 200, (method, path, answer.text)
    # Another token of the same session is no other sign-in.
    assert asks_again(owner.renew().call(grave[0], grave[1]))


@LANGUAGES
def test_the_console_asks_to_sign_in_and_goes_on(server, console, language):
    create, name, again, password, code, sign_in = {
        "en": ("Create server key", "Name", "Sign in again", "Password", "Authenticator code", "Sign in"),
        "pt-BR": ("Criar chave do servidor", "Nome", "Entre de novo", "Senha", "Código do app autenticador", "Entrar"),
    }[language]
    secret = come_in(console, invite(server, "ada@example.org", "owner"), language)
    other = administrator(server, "owner", "grace@example.org")
    # What began later is old by then, so the page's is too.
    servers.wait_for(lambda: asks_again(other.call("DELETE", f"/v1/projects/{PROJECT}/serverKeys/none")), "the end of a recent sign-in", 3 * SECONDS)
    console.driver.get(f"{server.url}/console/{PROJECT}/settings")
    console.click("button", create)
    console.fill(name, "back-end")
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")
    console.find("heading", again)
    field = next(one for one in console.all("textbox") if one.get_attribute("type") == "password")
    field.send_keys(PASSWORD)
    console.click("button", sign_in)
    console.fill(code, secrets.note(timed_code(secret, 1), "code"))
    console.click("button", sign_in)
    console.browser.wait("return document.querySelector('dialog input[readonly]')?.value.startsWith('BRSA')")
    secrets.note(console.browser.run("return document.querySelector('dialog input[readonly]').value"), "server key")
    assert [one["name"] for one in other.renew().call("GET", f"/v1/projects/{PROJECT}/serverKeys").json()["keys"]] == ["back-end"]
