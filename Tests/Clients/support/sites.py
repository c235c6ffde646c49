"""Hosted sites: deployed as the Firebase CLI does, and asked by their hosts."""

import gzip
import hashlib

import requests

FILES = {
    "/index.html": b"<h1>home</h1>" + b" " * 2000, "/about.html": b"about", "/404.html": b"not here",
    "/docs/index.html": b"docs", "/app.js": b"let a = 1;" * 100, "/pt/index.html": b"casa",
    "/i18n/pt_ALL/index.html": b"inicio", "/sp ace.txt": b"space",
}


class Site:
    """A site of a project, with the requests of the CLI and of visitors."""

    def __init__(self, server, project, name=None):
        self.server, self.project, self.name = server, project, name or project
        self.root = f"/v1beta1/projects/-/sites/{self.name}"
        self.headers = {"Authorization": "Bearer owner"}

    def send(self, method, path, body=None, status=200, **options):
        made = requests.request(
            method, self.server.url + path, json=body, headers=self.headers, timeout=30, **options,
        )
        assert made.status_code == status, made.text
        return made.json()

    def deploy(self, files=FILES, config=None, channel="live"):
        version = self.send("POST", f"{self.root}/versions", {"status": "CREATED", "labels": {"a": "b"}})["name"]
        packed = {path: gzip.compress(content, mtime=0) for path, content in files.items()}
        hashes = {path: hashlib.sha256(content).hexdigest() for path, content in packed.items()}
        populated = self.send("POST", f"/v1beta1/{version}:populateFiles", {"files": hashes})
        self.uploaded = populated["uploadRequiredHashes"]
        contents = {hashes[path]: packed[path] for path in packed}
        for needed in self.uploaded:
            made = requests.post(
                f"{populated['uploadUrl']}/{needed}", data=contents[needed], timeout=30,
                headers=self.headers | {"Content-Type": "application/octet-stream"},
            )
            assert made.status_code == 200, made.text
        self.send(
            "PATCH", f"/v1beta1/{version}?updateMask=status,config", {"status": "FINALIZED", "config": config or {}}
        )
        return self.send("POST", f"{self.root}/channels/{channel}/releases?versionName={version}", {"message": "m"})

    @property
    def host(self):
        return f"{self.name}.localhost:{self.server.port}"

    def get(self, path, host=None, method="GET", **headers):
        prepared = requests.Request(
            method, self.server.url, headers={"Host": host or self.host, "Accept-Encoding": "identity"} | headers,
        ).prepare()
        # As it is: no client makes it tidy.
        prepared.url = self.server.url + path
        with requests.Session() as session:
            return session.send(prepared, allow_redirects=False, timeout=30)
