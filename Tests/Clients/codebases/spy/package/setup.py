import os
import sys

from setuptools import setup

# The test writes the path here.
with open("path.txt") as file:
    path = file.read().strip()
try:
    found = os.listdir(path)
except OSError as error:
    sys.exit(f"reading the data: {type(error).__name__}")
sys.exit(f"the data lies open: {found}")
setup(name="spy")
