"""Compares the functions that have run with those that the release's linker puts first.

  order.py PROGRAM LIST [--record] DUMP…

PROGRAM has symbols, LIST is contrib/link-order.txt, and each DUMP is callgrind's, with its strings not compressed. Prints
rows of bench; with --record it also writes the list. What a dump names and the program has not, such as functions of a
shared library, does not count. Exit status: 0, or 1 when nothing has run.
"""
import re
import subprocess
import sys

# A list that knows fewer of them no longer does what it is for: record it again.
ENOUGH = 90


def functions(program):
    """The names of all functions of the program."""
    table = subprocess.run(["nm", "--defined-only", program], check=True, capture_output=True, text=True).stdout
    return {words[2] for words in map(str.split, table.splitlines()) if len(words) == 3 and words[1] in "tTwW"}


def ran(dumps):
    """The names of all functions that have run. Callgrind numbers those that call themselves: name'2."""
    names = set()
    for dump in dumps:
        with open(dump, errors="replace") as file:
            names.update(re.sub(r"'\d+$", "", line[3:].rstrip("\n")) for line in file if line.startswith("fn="))
    return names


def main():
    program, listed = sys.argv[1:3]
    dumps = [argument for argument in sys.argv[3:] if argument != "--record"]
    found = sorted(ran(dumps) & functions(program))
    if not found:
        print("order: no function of the program has run", file=sys.stderr)
        return 1
    try:
        with open(listed) as file:
            known = set(file.read().split())
    except FileNotFoundError:
        known = set()
    percent = 100 * len(known.intersection(found)) / len(found)
    verdict = "yes" if percent >= ENOUGH else "**no**"
    print(f"| functions that a start and some work run | – | {len(found):,} | – | – | – |")
    print(f"| of them in contrib/link-order.txt | – | {percent:.1f} % | – | > {ENOUGH} % | {verdict} |")
    if "--record" in sys.argv:
        with open(listed, "w") as file:
            file.writelines(name + "\n" for name in found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
