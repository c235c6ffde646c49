"""All attacks, by name."""

from attacks import accounts, calls, handshakes, http1, http2, rights, webchannel
from attacks.traffic import Attack


def all_attacks():
    """Every attack of the modules, in their order."""
    found = {}
    for module in (webchannel, http2, http1, handshakes, calls, accounts, rights):
        for name, one in vars(module).items():
            is_attack = isinstance(one, type) and issubclass(one, Attack) and one.__module__ == module.__name__
            if is_attack and "script" in dir(one) and one.script is not Attack.script:
                found[name] = one
    return found
