"""`python -m attacks.generator NAME --port P --project ID --seconds S --seed N`: sends an attack's traffic,
then prints what it sent as a line of JSON."""

import argparse
import json
import random

from attacks.registry import all_attacks
from attacks.traffic import Traffic


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--project", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    attack = all_attacks()[options.name](options.project, random.Random(options.seed))
    traffic = Traffic(attack, options.port)
    traffic.run(options.seconds)
    print(json.dumps(traffic.report()), flush=True)


if __name__ == "__main__":
    main()
