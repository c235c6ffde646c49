"""Google's asynchronous client."""

import asyncio

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients


def run(server, project, body):
    """Runs `body(client)` in an event loop of its own."""

    async def main():
        client = clients.connect_async(server, project)
        try:
            return await asyncio.wait_for(body(client), 60)
        finally:
            await client._firestore_api.transport.close()

    # The client makes a synchronous copy of itself for bulk writes, which asks the variable again.
    with clients.emulator_host(server):
        return asyncio.run(main())


def test_documents(server, project):
    async def body(client):
        document = client.document("a/x")
        await document.create({"n": 1})
        await document.update({"n": firestore.Increment(1), "t": firestore.SERVER_TIMESTAMP})
        with pytest.raises(exceptions.AlreadyExists):
            await document.create({})
        snapshot = await document.get()
        assert snapshot.get("n") == 2 and snapshot.get("t") <= snapshot.update_time
        await document.delete()
        return (await document.get()).exists

    assert run(server, project, body) is False


def test_queries_and_aggregations(server, project):
    async def body(client):
        batch = client.batch()
        for number in range(30):
            batch.set(client.document(f"a/{number:02}"), {"n": number, "even": number % 2 == 0})
        await batch.commit()
        query = client.collection("a").where(filter=FieldFilter("even", "==", True)).order_by("n")
        page = [s.get("n") async for s in query.start_after({"n": 10}).limit(3).stream()]
        count = await query.count("c").get()
        collections = [c.id async for c in client.collections()]
        return page, count[0][0].value, collections

    assert run(server, project, body) == ([12, 14, 16], 15, ["a"])


def test_a_hundred_calls_at_once(server, project):
    async def body(client):
        documents = [client.document(f"a/{number:03}") for number in range(100)]
        await asyncio.gather(*(d.set({"n": index}) for index, d in enumerate(documents)))
        snapshots = await asyncio.gather(*(document.get() for document in documents))
        return [snapshot.get("n") for snapshot in snapshots]

    assert run(server, project, body) == list(range(100))


def test_transactions(server, project):
    async def body(client):
        document = client.document("a/x")
        await document.set({"n": 0})

        async def add():
            @firestore.async_transactional
            async def step(transaction):
                value = (await document.get(transaction=transaction)).get("n")
                transaction.update(document, {"n": value + 1})

            await step(client.transaction(max_attempts=20))

        await asyncio.gather(*(add() for _ in range(4)))
        return (await document.get()).get("n")

    assert run(server, project, body) == 4


@firestore.async_transactional
async def take(transaction, document):
    """The README's form: one function of a module, which tasks share with what it remembers of its last attempt."""
    value = (await document.get(transaction=transaction)).get("n")
    transaction.update(document, {"n": value + 1})


def test_tasks_that_share_one_transactional_function_lose_nothing(server, project):
    async def body(client):
        documents = [client.document(f"a/{number}") for number in range(10)]
        for document in documents:
            await document.set({"n": 0})
        tasks = [take(client.transaction(max_attempts=20), document) for document in documents * 3]
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        return outcomes, [(await document.get()).get("n") for document in documents]

    outcomes, values = run(server, project, body)
    assert outcomes == [None] * 30
    assert values == [3] * 10


def test_recursive_delete(server, project):
    async def body(client):
        for path in ("a/x", "a/x/b/y", "a/x/b/y/c/z", "a/w"):
            await client.document(path).set({})
        await client.recursive_delete(client.document("a/x"))
        left = [s.reference.path async for s in client.collection("a").stream()]
        group = [s.id async for s in client.collection_group("c").stream()]
        return left, group

    assert run(server, project, body) == (["a/w"], [])
