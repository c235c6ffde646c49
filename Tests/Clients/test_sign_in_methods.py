"""The settings of sign-ins: over the API and on the console's page in headless Chromium."""

import urllib.parse

import pytest
import requests

from support.identity import Identity

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}


class Settings:
    """What administrators' clients ask of one project."""

    def __init__(self, server, project):
        self.root = f"{server.url}/v2/projects/{project}"

    def ask(self, method, path, **body):
        answer = requests.request(method, self.root + path, json=body or None, headers=OWNER, timeout=30)
        return answer.status_code, answer.json()

    def get(self, path):
        status, answer = self.ask("GET", path)
        assert status == 200, answer
        return answer


@pytest.fixture
def settings(server, project):
    return Settings(server, project)


def save(console):
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")


def test_a_provider_that_cannot_be_served_is_refused_where_it_is_set_up(settings):
    for provider, reason in (("twitter.com", "OAuth 1.0a"), ("yahoo.com", "not supported")):
        status, answer = settings.ask("POST", f"/defaultSupportedIdpConfigs?idpId={provider}", enabled=True, clientId="x", clientSecret="y")
        assert status == 400 and reason in answer["error"]["message"], answer
        assert settings.ask("GET", f"/defaultSupportedIdpConfigs/{provider}")[0] != 200


@pytest.mark.parametrize("collection, parameter, provider, code", [
    ("inboundSamlConfigs", "inboundSamlConfigId", "saml.corp", "OPERATION_NOT_ALLOWED : Sign-in by SAML"),
    ("oauthIdpConfigs", "oauthIdpConfigId", "saml.corp", "INVALID_PROVIDER_ID"),
    ("defaultSupportedIdpConfigs", "idpId", "saml.corp", "INVALID_PROVIDER_ID"),
    ("defaultSupportedIdpConfigs", "idpId", "gc.apple.com", "OPERATION_NOT_ALLOWED"),
    ("defaultSupportedIdpConfigs", "idpId", "phone", "INVALID_PROVIDER_ID"),
])
def test_other_kinds_of_provider_are_refused_in_every_collection(settings, collection, parameter, provider, code):
    for body in ({"enabled": True}, {"enabled": False, "displayName": "Corp"}, {"enabled": True, "clientId": "x", "issuer": "https://login.example.com"}):
        if "clientId" not in body and collection != "inboundSamlConfigs":
            continue
        if collection == "defaultSupportedIdpConfigs":
            body.pop("issuer", None)
        status, answer = settings.ask("POST", f"/{collection}?{parameter}={provider}", **body)
        assert status == 400 and answer["error"]["message"].startswith(code), answer
        assert settings.ask("GET", f"/{collection}/{provider}")[0] != 200


@pytest.mark.parametrize("provider, page, more", [
    ("google.com", "https://accounts.google.com/o/oauth2/v2/auth?", {}),
    ("github.com", "https://github.com/login/oauth/authorize?", {}),
    ("microsoft.com", "https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?", {"tenant": "organizations"}),
    ("facebook.com", "https://www.facebook.com/v21.0/dialog/oauth?", {}),
])
def test_a_sign_in_begins_at_the_provider(server, project, settings, provider, page, more):
    status, answer = settings.ask("POST", f"/defaultSupportedIdpConfigs?idpId={provider}", enabled=True, clientId="client-7", clientSecret="y", **more)
    assert status == 200, answer
    begun = Identity(server, project).client("createAuthUri", providerId=provider, continueUri=f"{server.url}/__/auth/handler")
    assert begun["authUri"].startswith(page) and "client_id=client-7" in begun["authUri"]
    assert "code_challenge=" in begun["authUri"] and "state=" in begun["authUri"]


def test_apples_form_goes_on_in_the_address(server):
    answer = requests.post(
        f"{server.url}/__/auth/handler", data={"code": "c 1", "state": "s", "id_token": "secret", "evil": "x"}, allow_redirects=False, timeout=30,
    )
    assert answer.status_code == 303
    page, _, query = answer.headers["location"].partition("?")
    assert page == "handler" and urllib.parse.parse_qs(query) == {"code": ["c 1"], "state": ["s"]}


def test_templates_of_mails(server, project, settings):
    mask = "notification.sendEmail.resetPasswordTemplate"
    template = {"subject": "New password for %APP_NAME%", "body": "Open %LINK%"}
    status, answer = settings.ask("PATCH", f"/config?updateMask={mask}", notification={"sendEmail": {"resetPasswordTemplate": template}})
    assert status == 200 and answer["notification"]["sendEmail"]["resetPasswordTemplate"] == template
    for wrong in ({"body": "no link"}, {"subject": "two\nlines"}, {"subject": "x" * 501}, {"body": "%LINK%" + "x" * 20_000}):
        status, answer = settings.ask("PATCH", f"/config?updateMask={mask}", notification={"sendEmail": {"resetPasswordTemplate": wrong}})
        assert status == 400, answer
    assert settings.get("/config")["notification"]["sendEmail"]["resetPasswordTemplate"] == template


def test_a_provider_is_set_up_changed_and_removed_on_the_page(console, settings):
    console.open("settings/methods")
    console.sees("No providers set up yet.")
    console.click("button", "Add provider")
    console.choose("Provider", "github.com")
    console.fill("Client id", "Iv1.8a61")
    console.browser.run(
        "const box = document.querySelector('dialog input[type=password]'); box.value = 'secret-of-github'; box.dispatchEvent(new Event('input'))")
    save(console)
    console.sees("Iv1.8a61")
    stored = settings.get("/defaultSupportedIdpConfigs/github.com")
    assert stored["enabled"] is True and stored["clientId"] == "Iv1.8a61"
    console.click("button", "Provider github.com")
    console.fill("Client id", "Iv1.other")
    save(console)
    console.sees("Iv1.other")
    changed = settings.get("/defaultSupportedIdpConfigs/github.com")
    # An empty field keeps the secret.
    assert changed == {**stored, "clientId": "Iv1.other"}
    console.click("button", "Remove github.com")
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button.danger').click()")
    console.sees("No providers set up yet.")


@pytest.mark.parametrize("language, title", [("en", "Sign-in methods"), ("pt-BR", "Métodos de login")])
def test_the_page_speaks_both_languages(console, language, title):
    console.open("settings/methods", language)
    console.sees(title)
    assert "methods." not in console.browser.run("return document.querySelector('.body').innerText")


def test_domains_and_methods_on_the_page(console, settings):
    console.open("settings/methods")
    console.click("button", "Add domain")
    console.browser.run("const boxes = document.querySelectorAll('fieldset input'); boxes[boxes.length - 1].value = 'shop.example.org'")
    console.click("button", "Save domains")
    console.sees("Saved")
    assert "shop.example.org" in settings.get("/config")["authorizedDomains"]
    before = settings.get("/config")["signIn"]["anonymous"]["enabled"]
    console.click("checkbox", "Anonymous accounts")
    console.until(lambda: settings.get("/config")["signIn"]["anonymous"]["enabled"] is not before, "the box changed nothing")
