"""A project with something of every kind, and everything of it that public APIs show."""

import base64
import hashlib
import hmac
import json

import requests

from support import rules, server as servers
from support.administrators import timed_code
from support.identity import Identity
from support.remote_config import RemoteConfig

OWNER = {"authorization": "Bearer owner"}
PASSWORD = "correct horse 7"
KEY = b"the key of another system"
RULES = "rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents { match /{any=**} { allow read: if true; } } }\n"


def text(data):
    return base64.b64encode(data).decode()


class Project:
    """A project on a development server."""

    def __init__(self, running, name):
        self.running = running
        self.name = name
        self.identity = Identity(running, name)
        self.documents = f"/v1/projects/{name}/databases/(default)/documents"

    def send(self, verb, path, body=None):
        answer = requests.request(verb, self.running.url + path, json=body, headers=OWNER, timeout=60)
        assert answer.status_code == 200, (verb, path, answer.text)
        return answer.json()

    def write(self, path, fields, database="(default)"):
        self.send("PATCH", f"/v1/projects/{self.name}/databases/{database}/documents/{path}", {"fields": fields})

    def indexes(self):
        root = f"/v1/projects/{self.name}/databases/(default)/collectionGroups/-"
        indexes = self.send("GET", f"{root}/indexes").get("indexes", [])
        fields = self.send("GET", f"{root}/fields?filter=indexConfig.usesAncestorConfig:false").get("fields", [])
        shown = [[index["name"].split("/")[-3], index["queryScope"], index["fields"]] for index in indexes]
        return sorted(map(json.dumps, shown)), sorted(
            json.dumps([field["name"].split("/", 2)[2], [[one["queryScope"], one["fields"]] for one in field["indexConfig"].get("indexes", [])]])
            for field in fields
        )

    # Filling.

    def fill(self, tmp_path):
        here = f"projects/{self.name}/databases/(default)/documents"
        reference = {"referenceValue": f"{here}/products/chair"}
        self.write("products/chair", {"name": {"stringValue": "\"referenceValue\""}, "price": {"doubleValue": 3}})
        self.write("products/table", {
            "next": reference, "list": {"arrayValue": {"values": [reference, {"mapValue": {"fields": {"in": reference}}}]}},
            "map": {"mapValue": {"fields": {"deep": {"arrayValue": {"values": [reference]}}, "text": {"stringValue": here}}}},
            "elsewhere": {"referenceValue": "projects/somebody-else/databases/(default)/documents/a/b"},
            "sibling": {"referenceValue": f"projects/{self.name}/databases/archive/documents/a/b"},
        })
        self.fill_indexes(tmp_path)
        self.fill_settings()
        rules.RulesAPI(self.running.url, self.name).deploy(RULES)
        RemoteConfig(self.running, self.name).publish({"parameters": {"colour": {"defaultValue": {"value": self.name}}}})
        for body in ({"platform": "web", "displayName": "Shop"}, {"platform": "ios", "bundleId": "com.example.shop", "teamId": "A1B2C3D4E5"}):
            self.send("POST", f"/console/api/projects/{self.name}/apps", body)
        return self.fill_accounts()

    def fill_indexes(self, tmp_path):
        file = tmp_path / f"{self.name}-indexes.json"
        file.write_text(json.dumps({
            "indexes": [{"collectionGroup": "products", "queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "DESCENDING"}]}],
            "fieldOverrides": [{"collectionGroup": "products", "fieldPath": "blob", "indexes": []},
                               {"collectionGroup": "products", "fieldPath": "tags", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]}],
        }))
        servers.run("indexes", "apply", file, "--project", self.name, "--data", self.running.data)

    def fill_settings(self):
        identity = self.identity
        mask = "signIn.anonymous.enabled,passwordPolicyConfig,client,authorizedDomains,notification"
        identity.admin(
            f"/config?updateMask={mask}", verb="PATCH", version="v2", signIn={"anonymous": {"enabled": False}},
            client={"permissions": {"disabledUserDeletion": True}}, authorizedDomains=["localhost", "shop.example"],
            passwordPolicyConfig={"passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": [{"customStrengthOptions": {"minPasswordLength": 9}}]},
            notification={"sendEmail": {"resetPasswordTemplate": {"subject": "Nova senha", "body": "Olá: %LINK%"}, "senderDisplayName": "Loja"}},
        )
        identity.admin("/defaultSupportedIdpConfigs?idpId=google.com", version="v2", enabled=True, clientId="77.apps.googleusercontent.com", clientSecret="google-client-secret-1")
        identity.admin("/oauthIdpConfigs?oauthIdpConfigId=oidc.work", version="v2", enabled=True, clientId="web", issuer="https://login.example.com", clientSecret="oidc-client-secret-1", responseType={"code": True})

    def fill_accounts(self):
        """Ana has a second factor; the others have passwords of other systems, and none."""
        identity = self.identity
        ana = identity.client("signUp", email="ana@example.com", password=PASSWORD, returnSecureToken=True)
        identity.client("sendOobCode", requestType="VERIFY_EMAIL", idToken=ana["idToken"])
        identity.client("update", oobCode=identity.codes()[0]["oobCode"])
        started = identity.client("accounts/mfaEnrollment:start", idToken=ana["idToken"], totpEnrollmentInfo={})["totpSessionInfo"]
        self.code = timed_code(started["sharedSecretKey"])
        identity.client(
            "accounts/mfaEnrollment:finalize", idToken=ana["idToken"], displayName="telephone",
            totpVerificationInfo={"sessionInfo": started["sessionInfo"], "verificationCode": self.code},
        )
        mac = hmac.new(KEY, PASSWORD.encode() + b"salt", hashlib.sha256).digest()
        identity.admin("/accounts:batchCreate", hashAlgorithm="HMAC_SHA256", signerKey=text(KEY), users=[
            {"localId": "beto", "email": "beto@example.com", "passwordHash": text(mac), "salt": text(b"salt"), "customAttributes": '{"a":1}',
             "providerUserInfo": [{"providerId": "google.com", "rawId": "g1", "email": "b@g.example", "screenName": "betinho"}],
             "emailLinkSignin": True, "createdAt": "1500000000000", "lastLoginAt": "1600000000000"},
        ])
        digest = hashlib.sha256(b"salt" + PASSWORD.encode()).digest()
        identity.admin("/accounts:batchCreate", hashAlgorithm="SHA256", rounds=1, users=[
            {"localId": "caio", "email": "caio@example.com", "passwordHash": text(digest), "salt": text(b"salt"), "disabled": False},
            {"localId": "nobody", "phoneNumber": "+5511999999999", "customAuth": True},
        ])
        return started["sharedSecretKey"]

    # Comparing.

    def everything(self):
        """What public APIs show of the project, but for times of writing and hashes, which begin anew elsewhere."""
        found = self.send("POST", f"{self.documents}:runQuery", {"structuredQuery": {"from": [{"allDescendants": True}]}})
        documents = {one["document"]["name"]: one["document"]["fields"] for one in found if "document" in one}
        config = self.identity.admin("/config", verb="GET", version="v2")
        config["signIn"].pop("hashConfig", None)
        users = self.identity.admin("/accounts:batchGet?maxResults=1000", verb="GET").get("users", [])
        for user in users:
            for name in ("passwordHash", "salt", "version"):
                user.pop(name, None)
        releases = self.send("GET", f"/v1/projects/{self.name}/releases").get("releases", [])
        sources = {one["name"]: self.send("GET", f"/v1/{one['rulesetName']}")["source"] for one in releases}
        return {
            "documents": documents, "indexes": self.indexes(), "config": config, "users": users, "rules": sources,
            "providers": [self.identity.admin(f"/{kind}", verb="GET", version="v2") for kind in ("defaultSupportedIdpConfigs", "oauthIdpConfigs")],
            "apps": self.send("GET", f"/console/api/projects/{self.name}/apps"),
            "template": RemoteConfig(self.running, self.name).get()[0].get("parameters"),
        }

    def sign_in(self, email):
        return self.identity.client("signInWithPassword", email=email, password=PASSWORD)

    def second_factor(self, pending, code):
        return self.identity.client(
            "accounts/mfaSignIn:finalize", mfaPendingCredential=pending["mfaPendingCredential"],
            mfaEnrollmentId=pending["mfaInfo"][0]["mfaEnrollmentId"], totpVerificationInfo={"verificationCode": code},
        )
