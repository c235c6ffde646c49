"""Google's clients, pointed at a server as its documentation says: by environment variable."""

import contextlib
import os

from google.cloud import firestore


@contextlib.contextmanager
def emulator_host(server):
    """Sets FIRESTORE_EMULATOR_HOST while a client is made; clients read it only then."""
    before = os.environ.get("FIRESTORE_EMULATOR_HOST")
    os.environ["FIRESTORE_EMULATOR_HOST"] = server.host
    try:
        yield
    finally:
        if before is None:
            del os.environ["FIRESTORE_EMULATOR_HOST"]
        else:
            os.environ["FIRESTORE_EMULATOR_HOST"] = before


def connect(server, project, database=None):
    """Google's synchronous client."""
    with emulator_host(server):
        return firestore.Client(project=project, database=database)


def connect_async(server, project, database=None):
    """Google's asynchronous client."""
    with emulator_host(server):
        return firestore.AsyncClient(project=project, database=database)
