"""oidc-provider-mock as the identity provider, over TLS, with what it was asked."""

import base64
import hashlib
import hmac
import json
import os
import threading
import urllib.parse
from io import BytesIO

import jwt
import oidc_provider_mock
import requests
import werkzeug.serving
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from support import secrets

# Its library looks at the scheme that the request claims, which here is https.
os.environ.setdefault("AUTHLIB_INSECURE_TRANSPORT", "1")


class Provider:
    """A provider at `https://localhost:PORT`. Codes need their PKCE proof, which the mock leaves out."""

    def __init__(self, certificate):
        self.authority = str(certificate / "authority.pem")
        self.challenges = {}
        self.refused = []
        self._server = werkzeug.serving.make_server(
            "localhost", 0, self._record, threaded=True,
            ssl_context=(str(certificate / "server.pem"), str(certificate / "server-key.pem")),
        )
        self._app = oidc_provider_mock.app()
        self.issuer = f"https://localhost:{self._server.server_port}"
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = self.authority
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def _record(self, environ, start_response):
        if environ["PATH_INFO"] == "/oauth2/token":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = BytesIO(body)
            form = dict(urllib.parse.parse_qsl(body.decode()))
            secrets.note_message(form)
            challenge = self.challenges.get(form.get("code"))
            proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            if challenge and challenge != base64.urlsafe_b64encode(proof).rstrip(b"=").decode():
                self.refused.append(form["code"])
                start_response("400 Bad Request", [("Content-Type", "application/json")])
                return [b'{"error": "invalid_grant"}']
        return self._app(environ, start_response)

    def person(self, subject, **claims):
        """What the provider tells of somebody."""
        answer = self.session.put(f"{self.issuer}/users/{subject}", json=claims, timeout=30)
        assert answer.status_code == 204, answer.text

    def consent(self, uri, subject):
        """Somebody signs in at the provider; gives the address that it leads back to."""
        answer = self.session.post(uri, data={"sub": subject}, allow_redirects=False, timeout=30)
        assert answer.status_code == 302, answer.text
        back = answer.headers["Location"]
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(uri).query))
        code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))["code"]
        self.challenges[code] = secrets.note(asked.get("code_challenge"))
        secrets.note(code, "provider's code")
        return back

    def id_token(self, subject, client="web", host=None, nonce=None):
        """An ID token that some client got for itself; `host` is how it called the provider."""
        query = {
            "client_id": client, "response_type": "code", "scope": "openid email profile",
            "redirect_uri": "https://app.example/back", **({"nonce": nonce} if nonce else {}),
        }
        back = self.consent(f"{self.issuer}/oauth2/authorize?{urllib.parse.urlencode(query)}", subject)
        code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))["code"]
        answer = self.session.post(
            f"{self.issuer}/oauth2/token", timeout=30, headers={"Host": host} if host else {},
            data={
                "grant_type": "authorization_code", "code": code, "client_id": client,
                "redirect_uri": query["redirect_uri"], "client_secret": "any",
            },
        )
        assert answer.status_code == 200, answer.text
        return secrets.note(answer.json()["id_token"])

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def jwt_of_another_key(claims, header):
    """The same claims, signed by a key that the provider does not have."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return secrets.note(jwt.encode(claims, key, algorithm="RS256", headers=header))


def symmetric(claims, header, key):
    """The same claims under the public key taken for a shared secret."""
    pem = jwt.PyJWK(key).key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    parts = [{**header, "alg": "HS256"}, claims]
    text = b".".join(_encoded(json.dumps(part).encode()) for part in parts)
    signature = hmac.new(pem, text, hashlib.sha256).digest()
    return b".".join((text, _encoded(signature))).decode()


def _encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")
