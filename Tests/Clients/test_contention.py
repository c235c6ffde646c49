"""Transactions of several processes on the same documents."""

import multiprocessing

from support import workers

PROCESSES = 3


def run(target, arguments):
    """Runs the target in one process per argument list and gives what they gave."""
    context = multiprocessing.get_context("spawn")
    outcome = context.Queue()
    processes = [
        context.Process(target=workers.report, args=(target, each, outcome))
        for each in arguments
    ]
    for process in processes:
        process.start()
    try:
        results = [outcome.get(timeout=120) for _ in processes]
    finally:
        for process in processes:
            process.join(30)
            if process.is_alive():
                process.kill()
    assert [process.exitcode for process in processes] == [0] * len(processes)
    return results


def test_processes_that_increment_one_counter_lose_nothing(server, client, project):
    client.document("t/counter").set({"n": 0})
    times = 10
    each = (server.host, project, "t/counter", times)
    assert run(workers.increment, [each] * PROCESSES) == [times] * PROCESSES
    assert client.document("t/counter").get().get("n") == times * PROCESSES


def test_coins_are_neither_made_nor_lost(server, client, project):
    accounts = 4
    for number in range(accounts):
        client.document(f"accounts/{number}").set({"coins": 10})
    each = [(server.host, project, accounts, 10, seed) for seed in range(PROCESSES)]
    assert run(workers.transfer, each) == [10] * PROCESSES
    coins = [snapshot.get("coins") for snapshot in client.collection("accounts").stream()]
    assert sum(coins) == 10 * accounts and min(coins) >= 0


def test_each_task_is_claimed_by_one_worker(server, client, project):
    tasks = 12
    for number in range(tasks):
        client.document(f"tasks/{number:02}").set({"owner": ""})
    each = [(server.host, project, tasks, f"worker{index}") for index in range(PROCESSES)]
    taken = run(workers.claim, each)
    assert all(isinstance(each, list) for each in taken), taken
    assert sorted(sum(taken, [])) == [f"{number:02}" for number in range(tasks)]
    owners = {s.id: s.get("owner") for s in client.collection("tasks").stream()}
    assert "" not in owners.values()
