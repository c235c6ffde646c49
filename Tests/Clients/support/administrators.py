"""Administrators of a production server's console: made by the links that operators print."""

import base64
import hashlib
import hmac
import struct
import time

import requests

from support import secrets, server as servers

PASSWORD = "correct horse battery staple"
STEP_SECONDS = 30


def timed_code(secret, steps=0):
    """The code of an authenticator program that has the secret, some steps from now."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    mac = hmac.new(key, struct.pack(">q", int(time.time()) // STEP_SECONDS + steps), hashlib.sha1).digest()
    start = mac[-1] & 15
    number = struct.unpack(">I", mac[start:start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


def invite(server, email=None, role="owner", projects=()):
    """The set-up link that an operator gets; the role is for those projects, or for all."""
    arguments = ["invite", email, "--role", role] if email else ["open"]
    for project in projects:
        arguments += ["--project", project]
    [link] = servers.run("console", *arguments, "--data", server.data).stdout.strip().splitlines()
    origin, code = link.split("#invitation=")
    assert origin.endswith("/console")
    secrets.note(code, "invitation")
    return link


class Page:
    """What the console's page does, without a browser: a session's cookie, and tokens for calls."""

    def __init__(self, server):
        self.server = server
        self.session = requests.Session()
        self.session.verify = server.authority
        self.token = None
        self.secret = None

    def post(self, route, body=None, headers=None, **options):
        """One of the routes of signing in, as the page of this origin calls it."""
        same = {"sec-fetch-site": "same-origin"}
        return self.session.post(f"{self.server.url}/console/session/{route}", json=body or {}, headers=same | (headers or {}), verify=self.server.authority, timeout=300, **options)

    def set_up(self, link, email=None, password=PASSWORD):
        """Opens a set-up link and makes the account."""
        code = link.split("#invitation=")[1]
        invitation = self.post("invitation", {"code": code}).json()
        self.secret = secrets.note(invitation["secret"], "secret of a second factor")
        body = {"code": code, "email": email, "password": password, "factorCode": timed_code(self.secret)}
        answer = self.post("accept", body)
        assert answer.status_code == 200, answer.text
        self.recovery_codes = [secrets.note(code, "recovery code") for code in answer.json()["recoveryCodes"]]
        return self.renew()

    def renew(self):
        """Gets a token for the session."""
        answer = self.post("token")
        assert answer.status_code == 200, answer.text
        self.token = secrets.note(answer.json()["token"], "administrator's token")
        self.role = answer.json()["role"]
        return self

    def call(self, method, path, **options):
        """A call with the token, and without the cookie."""
        headers = {"authorization": f"Bearer {self.token}"} | options.pop("headers", {})
        return requests.request(method, self.server.url + path, headers=headers, verify=self.server.authority, timeout=300, **options)


def administrator(server, role, email=None, projects=()):
    """A new administrator of a role, signed in."""
    email = email or f"{role}@example.org"
    return Page(server).set_up(invite(server, email, role, projects))


def come_in(console, link, language="en", look=lambda what: None):
    """Opens a set-up link in a browser, chooses a password, gives the first code; returns the secret of the second factor.

    `look` is called with the name of each step, once it is there.
    """
    driver = console.driver
    driver.get(f"{console.server.url}/__/console/none/none")
    console.browser.run("localStorage.clear(); localStorage.setItem('brasa.language', arguments[0])", language)
    driver.get(f"{console.server.url}/console#invitation={link.split('#invitation=')[1]}")
    # The code is out of the address before anything else happens.
    console.browser.wait("return document.querySelector('main.door .secret')")
    assert "invitation" not in driver.current_url
    drawing = console.browser.run("const qr = document.querySelector('svg.qr'); return [qr.getAttribute('role'), qr.querySelectorAll('path').length, qr.getBoundingClientRect().width]")
    assert drawing[:2] == ["img", 1] and drawing[2] >= 150
    secret = secrets.note(console.browser.run("return document.querySelector('.secret').textContent").replace(" ", ""), "secret of a second factor")
    look("setting up")
    words = {"en": ("Password", "Authenticator code", "Finish", "I have saved them"), "pt-BR": ("Senha", "Código do app autenticador", "Concluir", "Já os guardei")}[language]
    password = next(one for one in console.all("textbox") if one.get_attribute("type") == "password")
    password.send_keys(PASSWORD)
    console.fill(words[1], timed_code(secret))
    console.click("button", words[2])
    console.browser.wait("return document.querySelectorAll('.codes li').length === 10")
    for code in console.browser.run("return [...document.querySelectorAll('.codes li')].map((one) => one.textContent)"):
        secrets.note(code, "recovery code")
    look("recovery codes")
    console.click("button", words[3])
    console.browser.wait("return document.querySelector('.shell main')")
    return secret
