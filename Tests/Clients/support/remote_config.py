"""Remote Config over REST, as the Firebase CLI and Google's clients send it."""

import gzip
import json

import requests


class RemoteConfig:
    """A project's template on a server; `namespace` is that of back ends where it is named."""

    def __init__(self, server, project, namespace=None, token="owner"):
        self.url = server.url
        self.project = project
        self.root = f"{self.url}/v1/projects/{project}"
        if namespace:
            self.root += f"/namespaces/{namespace}"
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = str(getattr(server, "authority", None) or "") or True
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def request(self, verb, path, headers=None, **options):
        return self.session.request(
            verb, f"{self.root}/{path}", headers={**self.headers, **(headers or {})}, timeout=30, **options
        )

    def get(self, **query):
        answer = self.request("GET", "remoteConfig", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json(), answer.headers["ETag"]

    def publish(self, template, etag="*", **query):
        answer = self.request(
            "PUT", "remoteConfig", json=template, params=query, headers={"If-Match": etag}
        )
        assert answer.status_code == 200, answer.text
        return answer.json(), answer.headers["ETag"]

    def refused(self, verb, path, status, **options):
        answer = self.request(verb, path, **options)
        assert answer.status_code == status, f"{answer.status_code}: {answer.text}"
        error = answer.json()["error"]
        assert error["code"] == status
        return error

    def evaluate(self, **client):
        answer = self.request("POST", "remoteConfig:evaluate", json=client)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def fetch(self, body=None, etag=None, key=None, project=None, raw=None, **headers):
        """A client's fetch, by default as Google's JS SDK sends it; the response whatever it is."""
        if raw is None:
            raw = json.dumps({"sdk_version": "12.0.0", "app_id": "1:42:web:ab", **(body or {})}).encode()
            # The JS SDK names an encoding that its body does not have.
            headers = {"Content-Encoding": "gzip", "If-None-Match": etag or "*", **headers}
        return self.session.post(
            f"{self.url}/v1/projects/{project or self.project}/namespaces/firebase:fetch",
            params={"key": self.project if key is None else key},
            data=raw,
            headers={"Content-Type": "application/json", **headers},
            timeout=30,
        )

    def fetch_as_ios(self, members, etag=None, **headers):
        """A fetch in iOS's relaxed JSON, packed."""
        text = "{" + ", ".join(f"{name}:{value}" for name, value in members.items()) + "}"
        if etag:
            headers["if-none-match"] = etag
        return self.fetch(
            raw=gzip.compress(text.encode()), **{"Content-Encoding": "gzip", **headers}
        )

    def listen(self, known=0, project=None):
        """An open stream of invalidations, as its response."""
        answer = self.session.post(
            f"{self.url}/v1/projects/{project or self.project}/namespaces/firebase:streamFetchInvalidations",
            params={"key": self.project},
            json={"project": self.project, "namespace": "firebase", "lastKnownVersionNumber": str(known),
                  "appId": "1:42:web:ab", "sdkVersion": "12.0.0", "appInstanceId": "cFid"},
            stream=True,
            timeout=30,
        )
        assert answer.status_code == 200, answer.text
        return answer


def next_number(parts):
    """The next number of a stream's parts, found as Google's clients find it: from brace to brace."""
    text = ""
    for part in parts:
        text += part.decode()
        if "}" in text:
            message = json.loads(text[text.index("{"): text.index("}") + 1])
            assert set(message) == {"latestTemplateVersionNumber"}, message
            return int(message["latestTemplateVersionNumber"])
    raise AssertionError("the stream has ended")
