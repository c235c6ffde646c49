"""Security rules for the tests, and the ways in which clients deploy them."""

import requests

# The rules of the seed's product list: whoever is signed in creates, owners do everything else.
# Products keep their owner.
PRODUCTS = """\
rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /products/{id} {
      allow create: if request.auth != null
        && request.resource.data.userId == request.auth.uid;
      allow read, delete: if request.auth != null && resource.data.userId == request.auth.uid;
      allow update: if request.auth != null && resource.data.userId == request.auth.uid
        && request.resource.data.userId == resource.data.userId;
    }
  }
}
"""


def service(body, version="2"):
    """Rules of Firestore's documents around match blocks."""
    return (
        f"rules_version = '{version}';\nservice cloud.firestore {{\n"
        f"match /databases/{{database}}/documents {{\n{body}\n}}\n}}\n"
    )


class RulesAPI:
    """Calls of `firebaserules.googleapis.com`, in the shape in which the Admin SDK for Node and the
    Firebase CLI send them; Python's Admin SDK has no module for rules."""

    def __init__(self, url, project, token="owner", verify=True):
        self.url = url
        self.project = project
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = verify
        if token is not None:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def request(self, verb, path, **options):
        options.setdefault("timeout", 30)
        return self.session.request(verb, f"{self.url}/v1/projects/{self.project}{path}", **options)

    def call(self, verb, path, **options):
        answer = self.request(verb, path, **options)
        assert answer.status_code == 200, f"{answer.status_code}: {answer.text}"
        return answer.json()

    def create_ruleset(self, content, name="firestore.rules"):
        body = {"source": {"files": [{"name": name, "content": content}]}}
        return self.call("POST", "/rulesets", json=body)

    def release(self, ruleset, name="cloud.firestore"):
        """`updateRelease` of the Admin SDK."""
        full = f"projects/{self.project}/releases/{name}"
        body = {"release": {"name": full, "rulesetName": ruleset["name"]}}
        return self.call("PATCH", f"/releases/{name}", json=body)

    def deploy(self, content, name="cloud.firestore"):
        ruleset = self.create_ruleset(content)
        self.release(ruleset, name)
        return ruleset


def put(server, project, content):
    """What @firebase/rules-unit-testing sends to the emulator; gives the response."""
    return requests.put(
        f"{server.url}/emulator/v1/projects/{project}:securityRules",
        json={"rules": {"files": [{"content": content}]}},
        timeout=30,
    )
