"""Reads what callgrind and strace have counted, and compares it with what is recorded.

  instructions.py FOLDER RECORDED "FEW MANY" KIND… [--record | --against WORDS]

FOLDER has callgrind's dumps, three of each kind in turn: of a warm-up, of FEW and of MANY pieces of the same work; and in
`calls` the lines of a trace after each. The difference of the last two is what one more costs. Exit status: 0 when no
figure is more than 5 % above that recorded, and no number of system calls three times as high, else 1. What is not recorded is
compared with nothing. Without `calls` no system calls are counted.

With --against, what is recorded is a command of another place in the same run, and each KIND is compared with that; the words
say what both are. Exit status: 0.
"""
import collections
import json
import re
import sys

MALLOC = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}
COUNTING = re.compile(r"swift_(retain|release)(_n)?$")
# Of a command; the others have none.
MARKS = {"instructions": 360_000, "allocations": 180, "retains and releases": 4_000, "system calls": 12, "code, KiB": 280}
# Instructions of a command against one in another place.
MARK_AGAINST = 1.05
TOLERANCE = 1.05
# How often a thread finds nothing to read depends on who else uses the processor.
TOLERANCE_OF_CALLS = 3


def read(path):
    """The sums of a dump, and how often each line of code (64 bytes) ran."""
    sums, code, names = collections.Counter(), collections.Counter(), {}
    address, is_call, callee = 0, False, ""
    def name(text):
        key, _, given = text.partition(" ")
        if given:
            names[key] = given
        return names.get(key, key)
    with open(path, errors="replace") as file:
        for line in file:
            first = line[0]
            if first in "0123456789+-*":
                words = line.split()
                if first == "+":
                    address += int(words[0][1:])
                elif first == "-":
                    address -= int(words[0][1:])
                elif first != "*":
                    address = int(words[0], 0)
                if not is_call and len(words) > 2:
                    code[address] += int(words[2])
                is_call = False
            elif line.startswith("cfn="):
                callee = re.sub(r"'\d+$", "", name(line[4:].rstrip("\n")))
            elif line.startswith("calls="):
                calls, is_call = int(line[6:].split()[0]), True
                if callee in MALLOC:
                    sums["allocations"] += calls
                elif COUNTING.match(callee):
                    sums["retains and releases"] += calls
            elif line.startswith("fn="):
                name(line[3:].rstrip("\n"))
            elif line.startswith("summary:"):
                sums["instructions"] += int(line.split()[1])
    lines = collections.Counter()
    for address, count in code.items():
        lines[address >> 6] = max(lines[address >> 6], count)
    return sums, lines


def measure(folder, calls, kind, few, many):
    """What one more costs of the work whose warm-up was the dump `kind`."""
    (less, less_lines), (more, more_lines) = (read(f"{folder}/counted.{kind + turn}") for turn in (1, 2))
    if calls:
        less["system calls"], more["system calls"] = (calls[kind + turn] - calls[kind + turn - 1] for turn in (0, 1))
    keys = [key for key in MARKS if key != "code, KiB" and (calls or key != "system calls")]
    figures = {key: round((more[key] - less[key]) / (many - few), 1) for key in keys}
    # What runs in two of five at least belongs to the work; what runs less often happens beside it.
    touched = [line for line, count in more_lines.items() if count - less_lines[line] >= 0.4 * (many - few)]
    return {**figures, "instructions": round(figures["instructions"]), "code, KiB": round(len(touched) * 64 / 1024, 1)}


def compare(measured, other, words):
    for name, figures in measured.items():
        for key, value in figures.items():
            before, has_mark = other[key], name == "command" and key == "instructions"
            ratio = value / before if before else 0
            met = "–" if not has_mark else "yes" if ratio <= MARK_AGAINST else "**no**"
            aim = f"≤ {MARK_AGAINST}" if has_mark else "–"
            print(f"| a {name.replace('-', ' ')} {words}: {key} | {before:,} | {value:,} | {ratio:.2f} | {aim} | {met} |")


def main():
    arguments, against = sys.argv[1:], None
    if "--against" in arguments:
        place = arguments.index("--against")
        against = arguments[place + 1]
        del arguments[place:place + 2]
    record = "--record" in arguments
    folder, path, turns, *kinds = [word for word in arguments if word != "--record"]
    few, many = map(int, turns.split())
    try:
        with open(f"{folder}/calls") as file:
            calls = [int(line) for line in file]
    except FileNotFoundError:
        calls = []
    measured = {kind: measure(folder, calls, 3 * index + 1, few, many) for index, kind in enumerate(kinds)}
    try:
        with open(path) as file:
            recorded = json.load(file)
    except FileNotFoundError:
        recorded = {}
    if against:
        compare(measured, recorded["command"], against)
        return
    worse = []
    for name, figures in measured.items():
        for key, value in figures.items():
            before, mark = recorded.get(name, {}).get(key), MARKS[key] if name == "command" else None
            ratio = f"{value / before:.2f}" if before else "–"
            met = "–" if mark is None else "yes" if value <= mark else "**no**"
            print(f"| a {name}: {key} | {'–' if before is None else f'{before:,}'} | {value:,} | {ratio} | {f'≤ {mark:,}' if mark else '–'} | {met} |")
            tolerance = TOLERANCE_OF_CALLS if key == "system calls" else TOLERANCE
            if before is not None and value > before * tolerance:
                worse.append(f"a {name} takes {value:,} {key}, {path} has {before:,}")
    if record:
        with open(path, "w") as file:
            json.dump(measured, file, indent=2)
            file.write("\n")
    elif worse:
        sys.exit("\n".join(worse) + "\nmake it cheaper, or if it must be: contrib/bench instructions --record")


main()
