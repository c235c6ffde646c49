"""What the processes of the contention tests run. Started fresh, so that each has its own channel."""

import random

from google.cloud import firestore

from support import clients


class Address:
    """Enough of a server for `connect`."""

    def __init__(self, host):
        self.host = host


def report(target, arguments, outcome):
    """Runs a worker and puts what it gives, or the text of its failure, into the queue."""
    try:
        outcome.put(target(*arguments))
    except Exception as failure:  # the test shows it
        outcome.put(f"{type(failure).__name__}: {failure}")


def increment(host, project, path, times):
    """Adds one to a counter by read and write, `times` times; reports how often it succeeded."""
    client = clients.connect(Address(host), project)
    document = client.document(path)

    @firestore.transactional
    def add(transaction):
        value = document.get(transaction=transaction).get("n")
        transaction.update(document, {"n": value + 1})

    done = 0
    for _ in range(times):
        add(client.transaction(max_attempts=30))
        done += 1
    return done


def transfer(host, project, accounts, times, seed):
    """Moves one coin between random accounts; what all hold together must never change."""
    client = clients.connect(Address(host), project)
    chooser = random.Random(seed)

    @firestore.transactional
    def move(transaction, source, target):
        have = source.get(transaction=transaction).get("coins")
        other = target.get(transaction=transaction).get("coins")
        if have > 0:
            transaction.update(source, {"coins": have - 1})
            transaction.update(target, {"coins": other + 1})

    for _ in range(times):
        source, target = chooser.sample(range(accounts), 2)
        move(
            client.transaction(max_attempts=30),
            client.document(f"accounts/{source}"),
            client.document(f"accounts/{target}"),
        )
    return times


def claim(host, project, tasks, worker):
    """Takes open tasks, found by a query inside the transaction, until none is left."""
    client = clients.connect(Address(host), project)
    query = client.collection("tasks").where(
        filter=firestore.FieldFilter("owner", "==", "")
    ).limit(1)

    @firestore.transactional
    def take(transaction):
        found = list(transaction.get(query))
        if not found:
            return None
        transaction.update(found[0].reference, {"owner": worker})
        return found[0].id

    taken = []
    for _ in range(tasks + 1):
        task = take(client.transaction(max_attempts=50))
        if task is None:
            break
        taken.append(task)
    return taken
