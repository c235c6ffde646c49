"""A soak: every kind of call on one production server for as long as one likes, over restarts and kills, with a
ledger of what was acknowledged. `test_soak.py` runs it.

Each worker has documents of its own, so that it knows what it must find; `world.py` says which errors
the soak itself caused.
"""
