#!/usr/bin/env python3
"""Plays the recordings of the original Flare server against another one, and says where the answers differ.

    replay.py HOST:PORT [--transport websocket|polling|upgrade] [CASE...]

CASE is a part of a file's name. Needs the library for protocol 3. A line for each case, at last `N passed, N failed`; exit
status 1 when one failed.

Not compared: the order of keys, `__v`, headers that the recording does not name, the bodies of answers other than 200, the
texts of errors (only what is wrong with which field), the order of the messages at one client, except that the position of
a device comes before what follows from it. A message too many or too few is a difference.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import queue
import re
import secrets
import threading
import traceback

import websocket

from flare_client import TRANSITIONS, TRANSPORTS, Client, exchange, host_and_port

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = (HERE / "traces", HERE.parent / "FlareServerTests" / "Traces")
BLANKS = {
    "<any>": lambda value: True,
    "<id>": lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{24}", value),
    "<date>": lambda value: isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value),
    "<string>": lambda value: isinstance(value, str),
}


class Difference(Exception):
    def __init__(self, what, expected, got):
        lines = [json.dumps(value, ensure_ascii=False, sort_keys=True)[:1000] for value in (expected, got)]
        super().__init__("%s\n     expected %s\n     got      %s" % (what, *lines))


def essence(value):
    """Without what no client reads."""
    if isinstance(value, list):
        return [essence(part) for part in value]
    if not isinstance(value, dict):
        return value
    if value.get("name") == "CastError":
        return {"name": "CastError", "path": value.get("path")}
    if value.get("name") == "ValidationError":
        return {"name": "ValidationError", "errors": sorted(value.get("errors") or ())}
    if value.get("code") == 11000:
        return {"code": 11000}
    return {key: essence(part) for key, part in value.items() if key != "__v"}


def alike(expected, got):
    if isinstance(expected, str) and expected in BLANKS:
        return bool(BLANKS[expected](got))
    if isinstance(expected, dict):
        return isinstance(got, dict) and expected.keys() == got.keys() and all(alike(expected[key], got[key]) for key in got)
    if isinstance(expected, list):
        return isinstance(got, list) and len(expected) == len(got) and all(map(alike, expected, got))
    if type(expected) in (int, float) and type(got) in (int, float):
        return math.isclose(expected, got, rel_tol=1e-9, abs_tol=1e-12)
    return type(expected) is type(got) and expected == got


def same(what, expected, got):
    if not alike(essence(expected), essence(got)):
        raise Difference(what, expected, got)


def same_messages(who, expected, got):
    missing, more = [], list(got)
    for message in expected:
        found = next((place for place, other in enumerate(more) if alike(message, other)), None)
        if found is None:
            missing.append(message)
        else:
            del more[found]
    if missing or more:
        raise Difference("messages at %s" % who, expected, got)
    transitions = [place for place, message in enumerate(got) if message[0] in TRANSITIONS]
    positions = [place for place, message in enumerate(got) if message[0] == "position" and "device" in message[1]]
    if transitions and positions and transitions[0] < positions[-1]:
        raise Difference("at %s a transition comes before the position" % who, expected, got)


def parsed(packet):
    """A packet as its head and its JSON, in which the order of keys does not count."""
    head, json_text = re.fullmatch(r"(\d+(?:/\w+,)?)(.*)", packet, re.DOTALL).groups()
    try:
        return [head, json.loads(json_text)]
    except ValueError:
        return [head, json_text]


def payload(packets):
    """The text form of protocol 3: bytes seen as characters, and counted."""
    parts = [packet.encode().decode("latin1") for packet in packets]
    return "".join("%d:%s" % (len(part), part) for part in parts).encode()


def packets_of(body):
    packets, text = [], body.decode()
    while text:
        length, _, text = text.partition(":")
        packets.append(text[: int(length)].encode("latin1").decode())
        text = text[int(length) :]
    return packets


class Case:
    def __init__(self, file, address, transport):
        self.steps = json.loads(file.read_text(encoding="utf-8"))["steps"]
        self.address, self.transport = address, transport
        self.names = {"RUN": "run" + secrets.token_hex(6), "NOSUCH": "0" * 23 + "1"}
        self.clients, self.websockets, self.waiting = {}, {}, queue.Queue()

    def run(self):
        for number, step in enumerate(self.steps, 1):
            try:
                getattr(self, "do_" + step["op"])(self.filled(step))
            except Exception as problem:
                reason = problem if isinstance(problem, Difference) else traceback.format_exc()
                raise AssertionError("step %d, %s: %s" % (number, step.get("note", step["op"]), reason)) from None
        self.hear({})
        for client in self.clients.values():
            client.close()

    def filled(self, value):
        """The value, with the names in it replaced by what they stand for."""
        if isinstance(value, list):
            return [self.filled(part) for part in value]
        if isinstance(value, dict):
            return {self.filled(key): self.filled(part) for key, part in value.items()}
        if isinstance(value, str):
            return re.sub(r"\$\{(\w+)\}", lambda name: self.names.get(name[1], name[0]), value)
        return value

    def hear(self, expected):
        for who, client in self.clients.items():
            same_messages(who, expected.get(who, []), client.settled())

    def exchange(self, step, body):
        return exchange(self.address, step["method"], step["path"], body, step.get("headers"))

    def do_rest(self, step):
        body, expect = step.get("raw"), step["expect"]
        if "json" in step:
            body = json.dumps(step["json"])
            step["headers"] = {"Content-Type": "application/json", **step.get("headers", {})}
        answer = self.exchange(step, body.encode() if body is not None else None)
        same("status", expect["status"], answer.status)
        for name, path in step.get("save", {}).items():
            value = answer.value
            for key in path.split("."):
                value = value[int(key) if isinstance(value, list) else key]
            self.names[name] = value
        expect = self.filled(expect)
        if "body" in expect:
            same("type", expect["type"], answer.type)
            if step.get("match") == "contains":
                missing = [one for one in expect["body"] if not any(alike(essence(one), essence(it)) for it in answer.value)]
                same("missing from the list", [], missing)
            else:
                same("body", expect["body"], answer.value)
        if "text" in expect:
            same("text", expect["text"], answer.body.decode())
        if "events" in step:
            self.hear(self.filled(step["events"]))

    def do_connect(self, step):
        self.clients[step["client"]] = Client(self.address, self.transport or step.get("transport", "websocket"))

    def do_disconnect(self, step):
        self.clients.pop(step["client"]).close()

    def do_emit(self, step):
        # Everybody has been heard, so that who speaks is the first to be asked whether this is done.
        speaker = step["client"]
        self.clients[speaker].emit(step["event"], *step["args"])
        self.clients = {speaker: self.clients[speaker], **self.clients}
        self.hear(step.get("events", {}))

    def do_wait(self, step):
        threading.Event().wait(step["seconds"])

    def do_http(self, step):
        body = payload(step["body"]) if "body" in step else None
        if not step.get("pending"):
            return self.look_at(self.exchange(step, body), step)
        threading.Thread(target=lambda: self.waiting.put(self.exchange(step, body)), daemon=True).start()
        # Until the server has it.
        threading.Event().wait(0.2)

    def do_pending(self, step):
        self.look_at(self.waiting.get(timeout=30), step)

    def look_at(self, answer, step):
        expect = step["expect"]
        same("status", expect["status"], answer.status)
        for name, value in expect.get("headers", {}).items():
            same("header %s" % name, value, answer.headers.get(name))
        if "packets" in expect:
            packets = packets_of(answer.body)
            same("packets", [parsed(packet) for packet in expect["packets"]], [parsed(packet) for packet in packets])
        if "json" in expect:
            same("body", expect["json"], json.loads(answer.body))
        if "text" in expect:
            same("text", expect["text"], answer.body.decode())
        for name, pattern in step.get("save", {}).items():
            self.names[name] = re.search(pattern, answer.body.decode())[1]

    def do_ws_open(self, step):
        url = "ws://%s:%d%s" % (*self.address, step["path"])
        self.websockets[step["ws"]] = websocket.create_connection(url, timeout=30)
        self.read(step)

    def do_ws_send(self, step):
        self.websockets[step["ws"]].send(step["frame"])
        self.read(step)

    def do_ws_close(self, step):
        self.websockets.pop(step["ws"]).close()

    def read(self, step):
        """The frames that are expected, and no other before the answer to a ping."""
        socket, got = self.websockets[step["ws"]], []
        while len(got) < len(step["frames"]):
            got.append(parsed(socket.recv()))
        socket.send("2")
        while (frame := parsed(socket.recv())) != ["3", ""]:
            got.append(frame)
        same("frames", [parsed(frame) for frame in step["frames"]], got)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", metavar="HOST:PORT", type=host_and_port)
    parser.add_argument("case", metavar="CASE", nargs="*", help="part of a name; all when none is given")
    parser.add_argument("--transport", choices=sorted(TRANSPORTS), help="for every client, whatever the recording says")
    options = parser.parse_args()
    files = sorted(file for folder in FOLDERS for file in folder.glob("*.json"))
    files = [file for file in files if not options.case or any(part in file.name for part in options.case)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        cases = [(file, pool.submit(Case(file, options.server, options.transport).run)) for file in files]
        for file, case in cases:
            problem = case.exception()
            failed += problem is not None
            print("FAIL %s: %s" % (file.stem, problem) if problem else "ok   %s" % file.stem, flush=True)
    print("%d passed, %d failed" % (len(cases) - failed, failed), flush=True)
    # Threads of the library may wait for something yet.
    os._exit(1 if failed or not cases else 0)


if __name__ == "__main__":
    main()
