"""Attacks by callers who take what is not theirs: installations, names, room for uploads."""

import base64
import hashlib
import itertools
import re
import time
import urllib.parse

import requests

from attacks.exchange import Exchange
from support import rules
from support.analytics import Analytics, batch, event
from support.identity import Identity
from support.remote_config import RemoteConfig

APP = "1:42:ios:ab"


def _text(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _installation(secret):
    """The installation's id that a secret proves."""
    digest = hashlib.sha256(secret).digest()
    return _text(bytes([digest[0] & 0x0F | 0x70]) + digest[1:17])[:22]


class InventedInstallations(Exchange):
    """Events and fetches with the public API key under invented ids, and under a known one that proves itself elsewhere."""

    # An app may make its id of a secret, so the attack knows the id and not the secret.
    secret = bytes(range(32))
    known = _installation(secret)

    def script(self, number):
        for attempt in itertools.count(1):
            invented = "c" + self.chooser.randbytes(16).hex()[:21]
            yield from self.ask("fetch", self.fetch(invented))
            yield from self.ask("fetch", self.fetch(self.known))
            yield from self.ask("events", self.events(invented, 1))
            yield from self.ask("events", self.events(self.known, attempt))

    def fetch(self, installation):
        path = f"/v1/projects/{self.project}/namespaces/firebase:fetch?key={self.project}"
        return self.request("POST", path, {"sdk_version": "12.0.0", "app_id": APP, "app_instance_id": installation})

    def events(self, installation, number):
        now = int(time.time() * 1000)
        events = [{"name": "forged", "timeMicros": now * 1000, "params": {}}] * 10
        body = {"appInstanceId": installation, "batchNumber": number, "sentTimeMillis": now, "userId": "mallory", "events": events}
        path = f"/v1/projects/{self.project}/apps/{APP}/events:batch"
        return self.request("POST", path, body, x_goog_api_key=self.project)

    @classmethod
    def prepare(cls, victim):
        """An experiment, and an installation with an event of its own; gives the installation's token."""
        variants = [{"variantId": name, "weight": 1, "value": name} for name in "ab"]
        value = {"experimentValue": {"experimentId": "e", "variantValue": variants}}
        cls.config(victim).publish({"parameters": {"k": {"defaultValue": value}}})
        analytics = cls.analytics(victim)
        made, token = analytics.install(fid=cls.known, fidSecret=_text(cls.secret))
        assert made == cls.known
        assert analytics.accepted(batch(made, event("real"), number=1, userId="ana"), token=token) == {"accepted": 1}
        return token

    @classmethod
    def config(cls, victim):
        return RemoteConfig(victim.server, victim.project, token=victim.key)

    @classmethod
    def analytics(cls, victim):
        return Analytics(victim.server, victim.project, APP, victim.key)

    @classmethod
    def complaints(cls, traffic, victim):
        found = []
        [report] = cls.config(victim).request("GET", "remoteConfig/experiments").json()["experiments"]
        if assigned := sum(variant["assigned"] for variant in report["variants"]):
            found.append(f"{assigned} invented installations are in the experiment")
        analytics = cls.analytics(victim)
        sent = analytics.accepted(batch(cls.known, event("real"), number=2, userId="ana"), token=victim.prepared)
        if sent != {"accepted": 1}:
            found.append(f"the installation's own batch: {sent}")
        analytics.report("erase", "POST", body={"userId": "mallory"})
        left = [one["event"] for one in analytics.report("timeline", instance=cls.known)["events"]]
        if left != ["real"] * 2:
            found.append(f"the installation has {left[:5]}")
        return found + [one for one in traffic["responses"] if one not in ("fetch 200", "events 200", "events 429")]


class StrayNames(Exchange):
    """Names that are another project's by their form, and keys, asked for by strangers and by an app's user."""

    # A third of the connections sign up, and an address signs up a hundred times an hour.
    links = 30
    other = "delta"

    def script(self, number):
        headers = {}
        if number % 3 == 1:
            found = yield from self.sign_up(f"stray-{number}")
            headers = {"authorization": f"Bearer {found.get('idToken', 'none')}"}
        elif number % 3 == 2:
            headers = {"authorization": f"Bearer {self.chooser.randbytes(32).hex()}"}
        calls = list(self.calls())
        self.chooser.shuffle(calls)
        for verb, path, content in itertools.cycle(calls):
            yield from self.ask(f"{verb} {path}", self.request(verb, path, content, **headers))

    def calls(self):
        own, other = self.project, self.other
        for name in (f"{other}.appspot.com", f"{other}.firebasestorage.app", f"staging.{other}.appspot.com", f"{own}.appspot.com"):
            for project in (own, other):
                yield "POST", f"/storage/v1/b?project={project}", {"name": name}
            yield "PUT", f"/{name}", None
            yield "POST", f"/upload/storage/v1/b/{name}/o?uploadType=media&name=o", b"mine"
            yield "POST", f"/v0/b/{name}/o?name=o", b"mine"
        for project in (own, other):
            keys, apps, sites = (f"/{part}/projects/{project}" for part in ("storage/v1", "v1beta1", "v1beta1"))
            yield "GET", f"{keys}/hmacKeys", None
            yield "POST", f"{keys}/hmacKeys?serviceAccountEmail=backend@{project}.iam.brasa", None
            yield "POST", f"{apps}/webApps", {"displayName": "mine"}
            yield "POST", f"{apps}/iosApps", {"bundleId": "org.example.mine"}
            yield "POST", f"{apps}/androidApps", {"packageName": "org.example.mine"}
            yield "POST", f"{sites}/sites?siteId={other}", {}
            yield "POST", f"{sites}/sites/{project}/customDomains?customDomainId={other}.example.org", {}
            yield "PUT", f"/v1/projects/{project}/topics/mine", {}
            yield "POST", f"/v1/projects/{project}/topics/mine:publish", {"messages": [{"data": "eA=="}]}
            yield "POST", f"/v1/projects/{project}/serverKeys", {"name": "mine"}
            yield "POST", f"/v1/projects/{project}/databases?databaseId=mine", {"type": "FIRESTORE_NATIVE", "locationId": "nam5"}

    @classmethod
    def prepare(cls, victim):
        return cls.names(victim)

    @classmethod
    def names(cls, victim):
        """The names that the projects have, as the administrator sees them."""
        session = requests.Session()
        session.trust_env, session.verify = False, victim.server.authority
        session.headers["Authorization"] = f"Bearer {victim.key}"
        found = {}
        for project in (victim.project, cls.other):
            for path in (
                f"/storage/v1/b?project={project}", f"/storage/v1/projects/{project}/hmacKeys",
                f"/v1beta1/projects/{project}:searchApps", f"/v1beta1/projects/{project}/sites",
                f"/v1/projects/{project}/topics", f"/v1/projects/{project}/serverKeys", f"/v1/projects/{project}/databases",
            ):
                answer = session.get(victim.server.url + path, timeout=30)
                found[path] = (answer.status_code, answer.text)
        return found

    @classmethod
    def complaints(cls, traffic, victim):
        after = cls.names(victim)
        found = [f"{path}: {victim.prepared[path]} became {after[path]}" for path in after if after[path] != victim.prepared[path]]
        taken = [one for one in traffic["responses"] if not one.startswith("sign-up") and one[-3:] not in ("401", "403", "404")]
        return found + [f"not refused: {one}" for one in taken]


class UploadFlood(Exchange):
    """Resumable uploads that users of one address and strangers begin and leave, and invented ones that they continue."""

    users = 8
    seconds = 20
    # The uploads that a user may have begun.
    most_uploads = 100
    # The server keeps the files of so many uploads open, the last ones.
    kept_descriptors = 128
    part = bytes(256 << 10)

    def script(self, number):
        user = yield from self.one_of(self.users, number)
        token = user.get("idToken", "none")
        for attempt in itertools.count():
            begun = yield from self.ask("begin", self.begin(f"{number}/{attempt}", authorization=f"Bearer {token}"))
            if begun.status == 200 and attempt % 20 == 0:
                yield from self.ask("part", self.go_on(begun, "upload", self.part))
            if attempt % 10 == 0:
                yield from self.ask("stranger", self.begin(f"{number}/{attempt}"))
                invented = urllib.parse.quote(self.chooser.randbytes(24).hex())
                path = f"/v0/b/{self.project}.appspot.com/o?name={number}&upload_id={invented}&upload_protocol=resumable"
                yield from self.ask("invented", self.step(path, "upload, finalize", b"mine"))

    def begin(self, name, **headers):
        path = f"/v0/b/{self.project}.appspot.com/o?name={urllib.parse.quote(name, safe='')}"
        return self.step(path, "start", b"{}", **headers)

    def go_on(self, begun, command, content):
        found = re.search(rb"\r\nx-goog-upload-url: *\S+?(/v0/\S+)", begun.head, re.IGNORECASE)
        return self.step(found[1].decode() if found else "/none", command, content)

    def step(self, path, command, content, **headers):
        return self.request(
            "POST", path, content, x_goog_upload_protocol="resumable", x_goog_upload_command=command, x_goog_upload_offset=0, **headers,
        )

    @classmethod
    def prepare(cls, victim):
        """Rules that let each user upload."""
        body = "match /b/{bucket}/o/{name=**} { allow write: if request.auth != null; }"
        content = f"rules_version = '2';\nservice firebase.storage {{ {body} }}"
        api = rules.RulesAPI(victim.server.url, victim.project, victim.key, victim.server.authority)
        api.deploy(content, f"firebase.storage/{victim.project}.appspot.com")

    @classmethod
    def complaints(cls, traffic, victim):
        responses = traffic["responses"]
        found = [one for one in responses if one.split()[0] in ("stranger", "invented") and not one.split()[1].startswith("4")]
        users, begun = responses.get("sign-up 200", 0), responses.get("begin 200", 0)
        if not 0 < begun <= users * cls.most_uploads:
            found.append(f"{users} users began {begun} uploads")
        return found + cls.honest_upload(victim)

    @classmethod
    def honest_upload(cls, victim):
        """What hinders an honest user's upload afterwards."""
        identity = Identity(victim.server, victim.project, verify=victim.server.authority)
        user = identity.client("signInWithPassword", email="honest@example.com", password="correct horse 7")
        headers = {"authorization": f"Bearer {user['idToken']}", "x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start"}
        url = f"{victim.server.url}/v0/b/{victim.project}.appspot.com/o?name=honest"
        begun = identity.session.post(url, json={}, headers=headers, timeout=30)
        if begun.status_code != 200:
            return [f"an honest upload: {begun.status_code} {begun.text}"]
        finish = {"x-goog-upload-command": "upload, finalize", "x-goog-upload-offset": "0"}
        ended = identity.session.post(begun.headers["x-goog-upload-url"], b"mine", headers=finish, timeout=30)
        return [] if ended.status_code == 200 else [f"the end of an honest upload: {ended.status_code} {ended.text}"]
