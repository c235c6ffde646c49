"""Transactions from one process: isolation, retries, locks, read-only ones, tokens that ended."""

import threading

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.base_query import FieldFilter

from support.rpc import Failure, fields_of


def begin(calls, names, **options):
    return calls.BeginTransaction(database=names.database, options=options).transaction


def read(calls, names, path, transaction):
    """The document's fields or None, read inside the transaction."""
    reply = calls.BatchGetDocuments(
        database=names.database, documents=[names(path)], transaction=transaction
    )
    (item,) = [item for item in reply if types.BatchGetDocumentsResponse.pb(item).WhichOneof("result")]
    kind = types.BatchGetDocumentsResponse.pb(item).WhichOneof("result")
    return fields_of(item.found) if kind == "found" else None


def put(name, **fields):
    sent = {key: {"integer_value": value} for key, value in fields.items()}
    return {"update": {"name": name, "fields": sent}}


OPTIMISTIC = {"read_write": {"concurrency_mode": "OPTIMISTIC"}}


def test_a_transfer_between_two_accounts(client):
    left, right = client.document("accounts/left"), client.document("accounts/right")
    left.set({"amount": 100})
    right.set({"amount": 20})

    @firestore.transactional
    def transfer(transaction, amount):
        have = left.get(transaction=transaction).get("amount")
        other = right.get(transaction=transaction).get("amount")
        if have < amount:
            raise ValueError("not enough")
        transaction.update(left, {"amount": have - amount})
        transaction.update(right, {"amount": other + amount})
        return have - amount

    assert transfer(client.transaction(), 30) == 70
    with pytest.raises(ValueError):
        transfer(client.transaction(), 1000)
    amounts = {s.id: s.get("amount") for s in client.collection("accounts").stream()}
    assert amounts == {"left": 70, "right": 50}


def test_reads_of_a_transaction_do_not_see_its_own_writes(client):
    document = client.document("t/a")
    document.set({"n": 1})

    @firestore.transactional
    def run(transaction):
        before = document.get(transaction=transaction).get("n")
        transaction.set(document, {"n": before + 1})
        transaction.create(client.document("t/b"), {"n": before})
        return before

    assert run(client.transaction()) == 1
    assert document.get().get("n") == 2 and client.document("t/b").get().get("n") == 1


def test_queries_inside_a_transaction(client):
    for number in range(5):
        client.document(f"t/{number}").set({"n": number, "open": number % 2 == 0})

    @firestore.transactional
    def close_all(transaction):
        query = client.collection("t").where(filter=FieldFilter("open", "==", True))
        found = list(transaction.get(query))
        for snapshot in found:
            transaction.update(snapshot.reference, {"open": False})
        return [snapshot.id for snapshot in found]

    assert close_all(client.transaction()) == ["0", "2", "4"]
    assert close_all(client.transaction()) == []


def test_threads_that_increment_one_document_lose_nothing(client):
    document = client.document("t/counter")
    document.set({"n": 0})
    failures = []

    def work():
        @firestore.transactional
        def add(transaction):
            value = document.get(transaction=transaction).get("n")
            transaction.update(document, {"n": value + 1})

        try:
            for _ in range(5):
                add(client.transaction(max_attempts=20))
        except Exception as failure:  # the assertion below shows it
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert document.get().get("n") == 20


@firestore.transactional
def move(transaction, source, target, amount):
    """The README's form: one function of a module, which threads share with what it remembers of its last attempt."""
    have = source.get(transaction=transaction).get("amount")
    other = target.get(transaction=transaction).get("amount")
    transaction.update(source, {"amount": have - amount})
    transaction.update(target, {"amount": other + amount})


def test_threads_that_share_one_transactional_function_lose_nothing(client):
    accounts = [client.document(f"accounts/{number}") for number in range(8)]
    for account in accounts:
        account.set({"amount": 1000})
    failures = []

    def work(number):
        source, target = accounts[number], accounts[(number + 1) % 8]
        for _ in range(20):
            try:
                move(client.transaction(max_attempts=20), source, target, 1 + number)
            except Exception as failure:  # the assertion below shows it
                failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []
    amounts = [account.get().get("amount") for account in accounts]
    moved = [20 * (1 + number) if number < 6 else 0 for number in range(8)]
    assert amounts == [1000 - moved[number] + moved[number - 1] for number in range(8)]


@pytest.mark.emulator_differs("it locks whatever the mode is")
def test_an_optimistic_transaction_that_read_a_changed_document_is_aborted(calls, names):
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1)])
    transaction = begin(calls, names, **OPTIMISTIC)
    assert read(calls, names, "t/a", transaction) == {"n": 1}
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=2)], timeout=60)
    with pytest.raises(Failure) as refusal:
        calls.Commit(
            database=names.database, writes=[put(names("t/b"), n=1)], transaction=transaction
        )
    assert refusal.value.code.name == "ABORTED"
    assert fields_of(calls.GetDocument(name=names("t/a"))) == {"n": 2}


@pytest.mark.emulator_differs("it locks whatever the mode is")
def test_an_optimistic_transaction_notices_what_a_query_would_now_find(calls, names):
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1)])
    transaction = begin(calls, names, **OPTIMISTIC)
    query = {
        "from_": [{"collection_id": "t"}],
        "where": {
            "field_filter": {"field": {"field_path": "n"}, "op": "GREATER_THAN", "value": {"integer_value": 5}}
        },
    }
    found = calls.RunQuery(parent=names.root, structured_query=query, transaction=transaction)
    assert [item for item in found if item.document.name] == []
    calls.Commit(database=names.database, writes=[put(names("t/b"), n=9)])
    with pytest.raises(Failure) as refusal:
        calls.Commit(
            database=names.database, writes=[put(names("t/c"), n=1)], transaction=transaction
        )
    assert refusal.value.code.name == "ABORTED"


@pytest.mark.emulator_differs("it locks whatever the mode is")
def test_an_optimistic_transaction_does_not_mind_what_it_did_not_read(calls, names):
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1), put(names("t/x"), n=1)])
    transaction = begin(calls, names, **OPTIMISTIC)
    read(calls, names, "t/a", transaction)
    calls.Commit(database=names.database, writes=[put(names("t/x"), n=2)])
    calls.Commit(database=names.database, writes=[put(names("t/b"), n=1)], transaction=transaction)
    assert fields_of(calls.GetDocument(name=names("t/b"))) == {"n": 1}


def test_a_read_sees_one_moment(calls, names):
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1), put(names("t/b"), n=1)])
    transaction = begin(calls, names, read_only={})
    assert read(calls, names, "t/a", transaction) == {"n": 1}
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=2), put(names("t/b"), n=2)])
    assert read(calls, names, "t/b", transaction) == {"n": 1}
    found = calls.RunQuery(
        parent=names.root,
        structured_query={"from_": [{"collection_id": "t"}]},
        transaction=transaction,
    )
    assert [fields_of(item.document) for item in found if item.document.name] == [{"n": 1}] * 2
    calls.Commit(database=names.database, transaction=transaction)


def test_a_read_only_transaction_may_not_write(calls, names):
    transaction = begin(calls, names, read_only={})
    read(calls, names, "t/a", transaction)
    with pytest.raises(Failure) as refusal:
        calls.Commit(
            database=names.database, writes=[put(names("t/a"), n=1)], transaction=transaction
        )
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert "read-only transaction" in refusal.value.message
    with pytest.raises(Failure):
        calls.GetDocument(name=names("t/a"))


def test_a_writer_waits_for_a_reader_that_holds_the_document(calls, names):
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1)])
    transaction = begin(calls, names, read_write={})
    assert read(calls, names, "t/a", transaction) == {"n": 1}
    done = threading.Event()
    outcome = []

    def plain_write():
        try:
            calls.Commit(database=names.database, writes=[put(names("t/a"), n=50)], timeout=60)
            outcome.append("written")
        except Failure as failure:
            outcome.append(failure.code.name)
        done.set()

    writer = threading.Thread(target=plain_write)
    writer.start()
    # The write may not land while the document is held; how long we look is not the claim.
    assert not done.wait(0.5)
    calls.Commit(
        database=names.database, writes=[put(names("t/a"), n=2)], transaction=transaction
    )
    assert done.wait(120)
    writer.join()
    assert outcome == ["written"]
    assert fields_of(calls.GetDocument(name=names("t/a"))) == {"n": 50}


def test_a_reader_of_a_missing_document_holds_it_too(calls, names):
    transaction = begin(calls, names, read_write={})
    assert read(calls, names, "t/a", transaction) is None
    done = threading.Event()

    def create():
        calls.Commit(database=names.database, writes=[put(names("t/a"), n=50)], timeout=60)
        done.set()

    writer = threading.Thread(target=create)
    writer.start()
    assert not done.wait(0.3)
    calls.Rollback(database=names.database, transaction=transaction)
    assert done.wait(120)
    writer.join()


@pytest.mark.emulator_differs("it knows no deadlock, only a time-out")
def test_a_deadlock_aborts_one_of_the_two(calls, names):
    """Both read both documents; each then writes one. Exactly one may fail, and only as ABORTED."""
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=0), put(names("t/b"), n=0)])
    transactions = [begin(calls, names, read_write={}) for _ in range(2)]
    for transaction in transactions:
        read(calls, names, "t/a", transaction)
        read(calls, names, "t/b", transaction)
    outcomes = {}

    def commit(index, path):
        try:
            write = put(names(path), n=index + 1)
            calls.Commit(
                database=names.database, writes=[write], transaction=transactions[index], timeout=60
            )
            outcomes[index] = "committed"
        except Failure as failure:
            outcomes[index] = failure.code.name

    threads = [
        threading.Thread(target=commit, args=(0, "t/a")),
        threading.Thread(target=commit, args=(1, "t/b")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    assert sorted(outcomes.values()) == ["ABORTED", "committed"]


def test_an_aborted_attempt_may_be_retried_by_its_token(calls, names):
    first = begin(calls, names, read_write={})
    calls.Rollback(database=names.database, transaction=first)
    second = begin(calls, names, read_write={"retry_transaction": first})
    assert second and second != first
    read(calls, names, "t/a", second)
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1)], transaction=second)
    assert fields_of(calls.GetDocument(name=names("t/a"))) == {"n": 1}


@pytest.mark.parametrize("token", [b"nonsense", b"\x00" * 40])
def test_unknown_tokens(calls, names, token):
    for call in (
        lambda: calls.Commit(database=names.database, transaction=token, writes=[put(names("t/a"), n=1)]),
        lambda: read(calls, names, "t/a", token),
    ):
        with pytest.raises(Failure) as refusal:
            call()
        assert refusal.value.code.name == "INVALID_ARGUMENT"


@pytest.mark.emulator_differs("its texts differ")
def test_the_text_for_an_unknown_token(calls, names):
    with pytest.raises(Failure) as refusal:
        calls.Commit(database=names.database, transaction=b"nonsense")
    assert refusal.value.message == "Invalid transaction."


@pytest.mark.emulator_differs("other codes after the end")
def test_a_token_after_its_end(calls, names):
    transaction = begin(calls, names, read_write={})
    read(calls, names, "t/a", transaction)
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1)], transaction=transaction)
    with pytest.raises(Failure) as refusal:
        calls.Commit(database=names.database, writes=[put(names("t/a"), n=2)], transaction=transaction)
    assert refusal.value.code.name == "ABORTED"
    expired = "The referenced transaction has expired or is no longer valid."
    assert refusal.value.message == expired
    with pytest.raises(Failure) as refusal:
        calls.Rollback(database=names.database, transaction=transaction)
    assert refusal.value.code.name == "ABORTED"
    assert fields_of(calls.GetDocument(name=names("t/a"))) == {"n": 1}


def test_rolling_back_twice_succeeds(calls, names):
    transaction = begin(calls, names, read_write={})
    calls.Rollback(database=names.database, transaction=transaction)
    calls.Rollback(database=names.database, transaction=transaction)


def test_a_failed_precondition_fails_the_transaction(client):
    client.document("t/a").set({"n": 1})

    @firestore.transactional
    def run(transaction):
        client.document("t/a").get(transaction=transaction)
        transaction.create(client.document("t/a"), {"n": 2})
        transaction.set(client.document("t/b"), {"n": 2})

    with pytest.raises(exceptions.AlreadyExists):
        run(client.transaction())
    assert [s.id for s in client.collection("t").stream()] == ["a"]


def test_a_transaction_begun_by_a_read_names_itself_in_the_first_message(calls, names):
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=1)])
    messages = calls.RunQuery(
        parent=names.root,
        structured_query={"from_": [{"collection_id": "t"}]},
        new_transaction={"read_write": {}},
    )
    assert messages[0].transaction
    assert all(not message.transaction for message in messages[1:])
    assert [m.document.name for m in messages if m.document.name] == [names("t/a")]
    token = messages[0].transaction
    calls.Commit(database=names.database, writes=[put(names("t/a"), n=2)], transaction=token)

    messages = calls.BatchGetDocuments(
        database=names.database, documents=[names("t/a")], new_transaction={"read_only": {}}
    )
    assert messages[0].transaction
    calls.Rollback(database=names.database, transaction=messages[0].transaction)


def test_a_transaction_begun_by_a_query_without_results(calls, names):
    messages = calls.RunQuery(
        parent=names.root,
        structured_query={"from_": [{"collection_id": "nothing"}]},
        new_transaction={"read_write": {}},
    )
    assert messages[0].transaction
    calls.Rollback(database=names.database, transaction=messages[0].transaction)


def test_a_read_only_transaction_by_the_client(client):
    client.document("t/a").set({"n": 1})

    @firestore.transactional
    def run(transaction):
        return client.document("t/a").get(transaction=transaction).get("n")

    assert run(client.transaction(read_only=True)) == 1
