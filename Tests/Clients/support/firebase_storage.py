"""Firebase's dialect of Cloud Storage in its wire forms, as the SDKs for the web and for iOS send them."""

import json
from urllib.parse import parse_qs, quote, urlsplit

import requests

OWN_FOLDER = """
rules_version = '2';
service firebase.storage {
  match /b/{bucket}/o {
    match /users/{uid}/{imageId} {
      allow read, write: if request.auth != null && request.auth.uid == uid;
    }
    match /users/{uid} { allow list: if request.auth.uid == uid; }
  }
}
"""


class Storage:
    """One bucket for one caller: `token` is nothing, `owner` or an ID token."""

    def __init__(self, server, bucket, token=None, verify=True):
        self.server, self.bucket, self.token, self.verify = server, bucket, token, verify
        self.root = f"{server.url}/v0/b/{bucket}/o"

    def url(self, name):
        return f"{self.root}/{quote(name, safe='')}"

    def send(self, method, url, headers=None, **options):
        headers = dict(headers or {})
        if self.token:
            headers.setdefault("Authorization", f"Firebase {self.token}")
        return requests.request(
            method, url, headers=headers, verify=self.verify, timeout=30, allow_redirects=False, **options
        )

    # One request each

    def metadata(self, name, **parameters):
        return self.send("GET", self.url(name), params=parameters)

    def download(self, name, headers=None, **parameters):
        return self.send("GET", self.url(name), headers, params={"alt": "media", **parameters})

    def update(self, name, changes, **options):
        return self.send("PATCH", self.url(name), json=changes, **options)

    def delete(self, name):
        return self.send("DELETE", self.url(name))

    def list(self, prefix="", delimiter="/", **parameters):
        return self.send("GET", self.root, params={"prefix": prefix, "delimiter": delimiter, **parameters})

    def upload(self, name, content, type="image/png", boundary="0123456789", **metadata):
        """As the SDK for the web uploads what is small: metadata and content in one body."""
        head = json.dumps({"name": name, "contentType": type, **metadata}).encode()
        body = b"".join([
            b"--", boundary.encode(), b"\r\nContent-Type: application/json; charset=utf-8\r\n\r\n", head,
            b"\r\n--", boundary.encode(), b"\r\nContent-Type: ", type.encode(), b"\r\n\r\n", content,
            b"\r\n--", boundary.encode(), b"--",
        ])
        return self.send(
            "POST", self.root, {
                "X-Goog-Upload-Protocol": "multipart",
                "Content-Type": f"multipart/related; boundary={boundary}",
            }, params={"name": name}, data=body,
        )

    def upload_raw(self, name, content, type="text/plain"):
        return self.send("POST", self.root, {"Content-Type": type}, params={"name": name}, data=content)

    # Resumable

    def start(self, name, size=None, type="image/png", ios=False, **metadata):
        kind = "" if ios else "Header-"
        headers = {
            "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
            f"X-Goog-Upload-{kind}Content-Type": type, "Content-Type": "application/json; charset=utf-8",
        }
        if size is not None:
            headers[f"X-Goog-Upload-{kind}Content-Length"] = str(size)
        parameters = {"name": name, **({"uploadType": "resumable"} if ios else {})}
        body = json.dumps({"name": name, "contentType": type, **metadata})
        return self.send("POST", self.root, headers, params=parameters, data=body)

    def chunk(self, url, content, offset, finalize=False, ios=False):
        """A chunk; the one of iOS has no credentials."""
        headers = {
            "X-Goog-Upload-Command": "upload, finalize" if finalize else "upload",
            "X-Goog-Upload-Offset": str(offset),
        }
        if ios:
            return requests.put(url, content, headers=headers, verify=self.verify, timeout=30)
        return self.send("POST", url, headers, data=content)

    def command(self, url, command):
        return self.send("POST", url, {"X-Goog-Upload-Command": command})


def set_rules(server, source, bucket):
    answer = requests.put(
        f"{server.url}/internal/setRules",
        json={"rules": {"files": [{"name": "storage.rules", "content": source, "resource": bucket}]}},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text


def upload_id(url):
    return parse_qs(urlsplit(url).query)["upload_id"][0]
