"""The REST surface, through `requests`, as a browser or curl uses it."""

import urllib.parse

import requests


class Rest:
    """Requests below `/v1` of one database."""

    def __init__(self, server, project, database="(default)", token="owner"):
        self.base = server.url
        self.database = f"projects/{project}/databases/{database}"
        self.root = f"{self.database}/documents"
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = getattr(server, "authority", True)
        if token is not None:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def name(self, path):
        return f"{self.root}/{path}"

    def request(self, verb, path, **options):
        """`path` is what follows `/v1/`; gives the response whatever its status is."""
        options.setdefault("timeout", 120)
        if "params" in options:
            pairs = urllib.parse.urlencode(options.pop("params"), True, quote_via=urllib.parse.quote)
            path = f"{path}?{pairs}"
        return self.session.request(verb, f"{self.base}/v1/{path}", **options)

    def call(self, verb, path, **options):
        """The JSON of a response that must be a success."""
        answer = self.request(verb, path, **options)
        assert answer.status_code == 200, f"{answer.status_code}: {answer.text}"
        assert answer.headers["Content-Type"].startswith("application/json"), answer.headers
        return answer.json()

    def documents(self, verb, path="", **options):
        """A request on `documents/<path>`, or on `documents:<verb>` when `path` starts with a colon."""
        joined = self.root + path if path.startswith(":") else f"{self.root}/{path}"
        return self.call(verb, joined, **options)

    def refused(self, verb, path, status, **options):
        """The `error` member of a response that must be an error of that HTTP status."""
        answer = self.request(verb, path, **options)
        assert answer.status_code == status, f"{answer.status_code}: {answer.text}"
        body = answer.json()
        if isinstance(body, list):
            assert len(body) == 1, body
            body = body[0]
        assert set(body) == {"error"}, body
        assert body["error"]["code"] == status, body
        return body["error"]
