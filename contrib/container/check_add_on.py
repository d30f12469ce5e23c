#!/usr/bin/env python3
"""Checks the files of an add-on: its configuration against add-on.schema.json, and the others against the configuration.

  check_add_on.py FOLDER

Needs PyYAML and jsonschema. Exit status: 0 passed, 1 failed; each fault is a line.
"""

import json
import os
import re
import struct
import sys

import jsonschema
import yaml

HERE = os.path.dirname(os.path.realpath(__file__))
folder = sys.argv[1]
faults = []


def check(value, text):
    if not value:
        faults.append(text)
    return value


def load(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return yaml.safe_load(file)


def text(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def size(name):
    """Width and height of a PNG."""
    with open(os.path.join(folder, name), "rb") as file:
        head = file.read(24)
    return struct.unpack(">II", head[16:24]) if head.startswith(b"\x89PNG\r\n\x1a\n") else None


def is_valid(value, kind):
    """Whether an option's value is one of its schema's type, as the Supervisor reads it."""
    kind = kind.rstrip("?")
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "port":
        return isinstance(value, int) and 1 <= value <= 65535
    if kind.startswith("list("):
        return str(value) in kind[5:-1].split("|")
    if kind.startswith("match("):
        return re.match(kind[6:-1], str(value)) is not None
    limits = re.fullmatch(r"(str|password|int|float)(?:\((.*),(.*)\))?", kind)
    if not limits:
        return isinstance(value, str)
    base, least, most = limits.groups()
    if base in ("str", "password"):
        number = len(value) if isinstance(value, str) else -1
    else:
        number = value if isinstance(value, (int, float)) else None
    return number is not None and number >= float(least or 0 if base in ("str", "password") else least or "-inf") \
        and number <= float(most or "inf")


config = load("config.yaml")
with open(os.path.join(HERE, "add-on.schema.json"), encoding="utf-8") as file:
    validator = jsonschema.Draft202012Validator(json.load(file))
for error in sorted(validator.iter_errors(config), key=str):
    faults.append(f"config.yaml: {'.'.join(map(str, error.path)) or 'the file'}: {error.message}")

options, schema = config.get("options", {}), config.get("schema", {})
for name, value in options.items():
    if check(name in schema, f"option {name}: has a default and no schema"):
        check(not schema[name].endswith("?"), f"option {name}: is optional, and has a default")
        check(is_valid(value, schema[name]), f"option {name}: its default {value!r} is not {schema[name]}")
for name, kind in schema.items():
    check(kind.endswith("?") or name in options, f"option {name}: needs a default, or a ?")
    # Not all of them: a dialog with a hundred fields helps nobody.
    check(re.search(rf"\b{name}\b", text("run")), f"option {name}: run does not use it")
for name in re.findall(r"^[^#\n]*?\b(?:use|option) ([a-z_]+)", text("run"), re.MULTILINE):
    check(name in schema, f"run: uses the option {name}, which is not in the schema")

languages = sorted(os.listdir(os.path.join(folder, "translations")))
check("en.yaml" in languages, "translations: English is missing")
for file in languages:
    named = load(f"translations/{file}").get("configuration", {})
    for name in sorted(set(schema) ^ set(named)):
        faults.append(f"translations/{file}: {name} is {'missing' if name in schema else 'no option'}")
    for name, words in named.items():
        check(words.get("name") and words.get("description"), f"translations/{file}: {name}: name or description is missing")

icon, logo = size("icon.png"), size("logo.png")
check(icon == (128, 128), f"icon.png is {icon}")
check(logo and logo[0] <= 500 and logo[1] <= 200, f"logo.png is {logo}")
for name in ("DOCS.md", "README.md", "CHANGELOG.md", "Dockerfile"):
    check(os.path.exists(os.path.join(folder, name)), f"{name} is missing")
check(f"## {config['version']}\n" in text("CHANGELOG.md"), f"CHANGELOG.md does not have {config['version']}")
check(f"listen {config.get('ingress_port', 8099)};" in text("nginx.conf"), "nginx.conf does not listen at ingress_port")
check(os.access(os.path.join(folder, "run"), os.X_OK), "run cannot be executed")

for fault in faults:
    print(f"check_add_on: {fault}", file=sys.stderr)
sys.exit(1 if faults else 0)
