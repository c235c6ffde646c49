"""Firebase's Admin SDK, which wraps the same client."""

import asyncio

import firebase_admin
import pytest
from firebase_admin import firestore, firestore_async
from google.auth.credentials import AnonymousCredentials

from support import clients


@pytest.fixture
def app(server, project):
    with clients.emulator_host(server):
        made = firebase_admin.initialize_app(
            credential=Nobody(), options={"projectId": project}, name=project
        )
        yield made
        firebase_admin.delete_app(made)


class Nobody(firebase_admin.credentials.Base):
    """No credential: the emulator variable makes the SDK send none."""

    def get_credential(self):
        return AnonymousCredentials()


def test_documents_and_queries(app):
    client = firestore.client(app)
    client.document("users/ana").set({"name": "Ana", "roles": ["admin"], "at": firestore.SERVER_TIMESTAMP})
    client.document("users/ana").update({"roles": firestore.ArrayUnion(["editor"])})
    found = client.collection("users").where(
        filter=firestore.FieldFilter("roles", "array_contains", "editor")
    )
    assert [snapshot.id for snapshot in found.stream()] == ["ana"]


def test_a_named_database(app):
    client = firestore.client(app, database_id="orders")
    client.document("o/1").set({"n": 1})
    assert not firestore.client(app).document("o/1").get().exists
    assert client.document("o/1").get().get("n") == 1


def test_the_asynchronous_client(app):
    async def body():
        client = firestore_async.client(app)
        await client.document("users/bruno").set({"name": "Bruno"})
        return (await client.document("users/bruno").get()).to_dict()

    assert asyncio.run(body()) == {"name": "Bruno"}
