"""Reads the scripts of the pages as the oldest browsers do (Chrome 64, Safari 11.3): ES2017 with import() and objects with ... in them.

Arguments: the folder of the scripts, and perhaps others. The parser knows nothing newer; what the language has got since
as functions is looked for by name. Exit status: 0 passed, 1 something is newer.
"""
import glob
import re
import sys

import esprima

# What came after Chrome 64 or Safari 11.3. A file may use it where it asks first whether it is there.
NEWER = re.compile(
    r"\.(?:flat|flatMap|matchAll|replaceAll|trimStart|trimEnd|replaceChildren|toggleAttribute|findLast|toSorted|toReversed"
    r"|showModal|checkVisibility|randomUUID|description)\("
    r"|\b(?:Object\.(?:fromEntries|hasOwn|groupBy)|Promise\.(?:allSettled|any|withResolvers)|AbortSignal\.|globalThis"
    r"|queueMicrotask|structuredClone|BigInt|WeakRef|Intl\.(?:RelativeTimeFormat|ListFormat|DisplayNames|PluralRules)"
    r"|requestIdleCallback|BroadcastChannel|navigator\.locks)\b"
    r"|(?<!window\.AbortController && )new AbortController|\(\?<")
# Scripts that browsers without modules read, too.
OLDEST = ["oldest.js"]
OLDEST_NEWER = re.compile(r"=>|`|\b(?:const|let|class|async|await|import|export)\b")


def problems(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    name = path.rsplit("/", 1)[-1]
    try:
        (esprima.parseScript if name in OLDEST else esprima.parseModule)(text)
    except esprima.Error as error:
        yield f"{name}: {error}"
        return
    code = re.sub(r"^\s*(?://|\*|/\*).*$", "", text, flags=re.M)
    newer = OLDEST_NEWER if name in OLDEST else NEWER
    for number, line in enumerate(code.split("\n"), 1):
        line = re.sub(r"//.*$|\"(?:[^\"\\]|\\.)*\"", "", line)
        for match in newer.finditer(line):
            yield f"{name}, line {number}: {match.group(0)}"


found = [problem for folder in sys.argv[1:] for path in sorted(glob.glob(f"{folder}/*.js")) for problem in problems(path)]
print("\n".join(found) or "everything can be read")
sys.exit(1 if found or len(sys.argv) < 2 else 0)
