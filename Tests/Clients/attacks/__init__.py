"""Attacks on a production server, as raw bytes over sockets; `test_attacks.py` runs them.

An attack (`registry.py` lists them) says what its connections send. `generator.py` sends that from a
process of its own, `sink.py` is a server that takes the same bytes and does nothing with them, and
`honest.py` is a client beside the attack whose answers are timed.
"""
