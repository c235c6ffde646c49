"""Functions as a program without packages, which starts at once and tells a receiver what it was called with."""

import json
import pathlib
import shutil

from support import events, server as servers

PROGRAM = pathlib.Path(__file__).parents[1] / "codebases" / "program" / "functions"
WRITTEN = "google.cloud.firestore.document.v1.written"


def written(pattern, **options):
    """An endpoint for the changes of documents."""
    return {
        "eventTrigger": {
            "eventType": WRITTEN, "retry": True, "eventFilters": {"database": "(default)", "namespace": "(default)"},
            "eventFilterPathPatterns": {"document": pattern},
        },
    } | options


def source(folder, receiver, release, **endpoints):
    """A folder to deploy: a program of that release, with those endpoints; `hello` is always there."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(PROGRAM, folder / "functions")
    made = {"hello": {"httpsTrigger": {}}} | endpoints
    for name, endpoint in made.items():
        endpoint.setdefault("entryPoint", name)
        endpoint.setdefault("platform", "gcfv2")
    manifest = {"specVersion": "v1alpha1", "endpoints": made, "params": [], "requiredAPIs": []}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / ".env").write_text(f"RELEASE={release}\nLEDGER={receiver.url if receiver else 'http://127.0.0.1:1'}\n")
    return folder


def deploy(server, folder, project="shop", *words, check=True, environment=None):
    """`brasa functions deploy`, beside the server."""
    words = ["deploy", folder, *words, "--project", project, "--data", server.data]
    return servers.run("functions", *words, check=check, timeout=300, environment=environment)


def seen(receiver):
    """What the functions were called with."""
    return [events.data(request) for request, _ in list(receiver.requests)]


def documents(receiver):
    """The documents that the functions were called for."""
    return {one["document"] for one in seen(receiver)}
