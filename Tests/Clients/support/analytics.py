"""Analytics as apps, servers and administrators use it."""

import gzip
import itertools
import json
import time

import requests

from support import secrets

_numbers = itertools.count(1)


def micros(seconds_ago=0):
    return int((time.time() - seconds_ago) * 1_000_000)


def param(value):
    if isinstance(value, list):
        return {"items": [{name: param(inner) for name, inner in item.items()} for item in value]}
    kind = {str: "stringValue", int: "intValue", float: "doubleValue"}[type(value)]
    return {kind: value}


def event(name, params=None, at=None, sequence=0):
    return {
        "name": name,
        "timeMicros": micros() if at is None else at,
        "sequence": sequence,
        "params": {key: param(value) for key, value in (params or {}).items()},
    }


def batch(instance, *events, number=None, **others):
    made = {
        "appInstanceId": instance,
        "batchNumber": next(_numbers) if number is None else number,
        "sentTimeMillis": micros() // 1_000,
        "device": {
            "platform": "IOS", "model": "iPhone17,2", "osVersion": "26.1", "appVersion": "1.4.0",
            "language": "pt-BR", "country": "BR", "timeZoneOffsetSeconds": -10800,
        },
        "events": list(events),
    }
    return {**made, **others}


class Analytics:
    """Requests of one project, without the checks of a client."""

    def __init__(self, server, project, app="1:42:ios:ab", administrator="owner"):
        self.url, self.project, self.app = server.url, project, app
        self.administrator = {"Authorization": f"Bearer {administrator}"}
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = getattr(server, "authority", True)
        self.key = {"x-goog-api-key": project}

    def install(self, app=None, **others):
        """A new installation of the app, as the server knows it: its id and its token."""
        answer = self.session.post(
            f"{self.url}/v1/projects/{self.project}/installations", headers=self.key, timeout=30,
            json={"appId": app or self.app, "authVersion": "FIS_v2", "sdkVersion": "w:0.6", **others},
        )
        assert answer.status_code == 200, answer.text
        secrets.note_message(answer.json())
        return answer.json()["fid"], answer.json()["authToken"]["token"]

    def send(self, body, packed=False, key=None, token=None, app=None):
        proof = {"X-Goog-Firebase-Installations-Auth": token} if token else {}
        data = json.dumps(body).encode()
        return self.session.post(
            f"{self.url}/v1/projects/{self.project}/apps/{app or self.app}/events:batch",
            data=gzip.compress(data) if packed else data,
            headers={"Content-Type": "application/json", **(self.key if key is None else key), **proof},
            timeout=30,
        )

    def accepted(self, body, **options):
        answer = self.send(body, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def collect(self, body, path="mp/collect", headers=None, **query):
        query = {"firebase_app_id": self.app, "api_secret": self.project, **query}
        return self.session.post(f"{self.url}/{path}", json=body, params=query, headers=headers, timeout=30)

    def validation(self, body, **query):
        answer = self.collect(body, "debug/mp/collect", **query)
        assert answer.status_code == 200, answer.text
        return [(m["fieldPath"], m["validationCode"]) for m in answer.json()["validationMessages"]]

    def report(self, path, verb="GET", status=200, body=None, **query):
        answer = self.session.request(
            verb,
            f"{self.url}/v1/projects/{self.project}/analytics/{path}",
            params=query,
            json=body,
            headers=self.administrator,
            timeout=60,
        )
        assert answer.status_code == status, f"{answer.status_code}: {answer.text}"
        return answer.json()
