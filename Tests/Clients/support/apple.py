"""Apple's sign-in for the web as its documentation has it, with its checks: a stand-in at `https://appleid.apple.com`.

At `https://www.googleapis.com` it has the keys of Google's ID tokens.

It listens on port 443 of this machine, so it needs a network of its own whose `/etc/hosts` leads the name here.
"""

import html
import json
import re
import threading
import time
import urllib.parse

import jwt
import werkzeug.serving
from cryptography.hazmat.primitives.asymmetric import rsa
from werkzeug.wrappers import Request, Response

from support import secrets

ISSUER = "https://appleid.apple.com"
HALF_A_YEAR = 15_777_000


class Apple:
    """One developer team with one service id. A person's name is told once."""

    def __init__(self, certificate, redirect, team="A1B2C3D4E5", key_id="K1L2M3N4P5", client="com.example.shop.web"):
        self.team, self.key_id, self.client, self.redirect = team, key_id, client, redirect
        # The public half of the key that the developer downloaded.
        self.developer_key = None
        self.refusals = []
        # Claims that replace those of the next ID tokens.
        self.changes = {}
        self._told = set()
        self._codes = {}
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._server = werkzeug.serving.make_server(
            "127.0.0.1", 443, Request.application(self._answer), threaded=True,
            ssl_context=(str(certificate / "server.pem"), str(certificate / "server-key.pem")),
        )
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def google_token(self, client, subject):
        """An ID token of Google's for a client, which signs with the same key here."""
        now = int(time.time())
        claims = {"iss": "https://accounts.google.com", "aud": client, "azp": client, "sub": subject, "iat": now, "exp": now + 3_600}
        return secrets.note(jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": "apple-1"}))

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request):
        calls = {("POST", "/auth/authorize"): self._consent, ("POST", "/auth/token"): self._redeem, ("GET", "/auth/keys"): self._keys, ("GET", "/oauth2/v3/certs"): self._keys}
        call = calls.get((request.method, request.path))
        return call(request) if call else Response(status=404)

    def _refuse(self, error, reason):
        self.refusals.append(reason)
        return Response(json.dumps({"error": error}), status=400, content_type="application/json")

    def _consent(self, request):
        """A person signs in with the form of Apple's page; the page that follows posts the response to the client."""
        asked = request.args
        if asked.get("client_id") != self.client or asked.get("response_type") != "code":
            return self._refuse("invalid_client", "client")
        if asked.get("redirect_uri") != self.redirect or not self.redirect.startswith("https://"):
            return self._refuse("invalid_request", "redirect of the request")
        scopes = set(asked.get("scope", "").split())
        if not scopes <= {"name", "email"} or (scopes and asked.get("response_mode") != "form_post"):
            return self._refuse("invalid_request", "scope")
        subject = request.form["sub"]
        code = secrets.note(f"c.{len(self._codes)}.{time.time_ns()}", "Apple's code")
        self._codes[code] = {"sub": subject, "nonce": asked.get("nonce"), "end": time.time() + 300, "email": request.form.get("email")}
        fields = {"code": code, "state": asked.get("state", "")}
        if "name" in scopes and subject not in self._told:
            self._told.add(subject)
            fields["user"] = json.dumps({"name": {"firstName": request.form["first"], "lastName": request.form["last"]}, "email": request.form.get("email")})
        inputs = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
        return Response(f'<form method="post" action="{html.escape(self.redirect)}">{inputs}</form>', content_type="text/html")

    def _redeem(self, request):
        form = request.form
        secrets.note_message(dict(form))
        if form.get("grant_type") != "authorization_code" or form.get("client_id") != self.client:
            return self._refuse("invalid_client", "client")
        try:
            self._check_secret(form.get("client_secret", ""))
        except (jwt.InvalidTokenError, AssertionError) as problem:
            return self._refuse("invalid_client", f"secret: {problem}")
        grant = self._codes.pop(form.get("code"), None)
        if not grant or grant["end"] < time.time():
            return self._refuse("invalid_grant", "code")
        if form.get("redirect_uri") != self.redirect:
            return self._refuse("invalid_grant", "redirect")
        now = int(time.time())
        claims = {
            "iss": ISSUER, "aud": self.client, "sub": grant["sub"], "iat": now, "exp": now + 86_400, "auth_time": now, "nonce_supported": True,
            **({"nonce": grant["nonce"]} if grant["nonce"] else {}), **({"email": grant["email"], "email_verified": "true"} if grant["email"] else {}),
        } | self.changes
        token = secrets.note(jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": "apple-1"}))
        answer = {"access_token": secrets.note(f"a.{time.time_ns()}"), "token_type": "Bearer", "expires_in": 3600, "refresh_token": secrets.note(f"r.{time.time_ns()}"), "id_token": token}
        return Response(json.dumps(answer), content_type="application/json")

    def _check_secret(self, text):
        """The client secret: signed by the developer's key, for this client and this issuer, for half a year at most."""
        header = jwt.get_unverified_header(text)
        assert header["alg"] == "ES256" and header["kid"] == self.key_id, header
        claims = jwt.decode(
            text, self.developer_key, algorithms=["ES256"], audience=ISSUER, issuer=self.team, options={"require": ["iss", "iat", "exp", "aud", "sub"]})
        assert claims["sub"] == self.client, claims
        assert claims["exp"] - time.time() <= HALF_A_YEAR, claims

    def _keys(self, _request):
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return Response(json.dumps({"keys": [{**key, "kid": "apple-1", "use": "sig", "alg": "RS256"}]}), content_type="application/json")


def posted(page):
    """Where a page's form goes and what is in it, as a browser reads it."""
    address = html.unescape(re.search(r'action="([^"]*)"', page).group(1))
    return address, {name: html.unescape(value) for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', page)}


def fields_of(address):
    """The fields of an address's query."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
