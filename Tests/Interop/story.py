#!/usr/bin/env python3
"""A day of five clients at a Flare server, each answer and each message held against flare-protocol.

    story.py HOST:PORT polling|websocket|upgrade [--strict] [--idle SECONDS]

--strict: nobody hears a message twice (flare.server.strict). --idle: so long nothing is said, and all must still be there.
Speaks the protocol of the Socket.IO library that is installed. A line for each check, at last `N passed, N failed`;
exit status 1 when one failed.
"""

import argparse
import json
import math
import os
import signal
import time

from flare_client import PROTOCOL, TRANSITIONS, TRANSPORTS, Client, host_and_port, rest, socketio

MESSAGES = 1000
TEXT = "Grüße, 障子 und 😀"


class Story:
    def __init__(self, address, transport, strict):
        self.address, self.transport, self.strict = address, transport, strict
        self.passed = self.failed = 0
        self.clients = {}

    # What holds

    def check(self, what, expected, actual):
        good = expected == actual
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good and isinstance(expected, list) and isinstance(actual, list) and len(expected) > 20:
            # From the first difference on.
            start = next((at for at, pair in enumerate(zip(expected, actual)) if pair[0] != pair[1]), len(actual))
            what += " (%d of %d alike)" % (start, len(expected))
            expected, actual = expected[start : start + 5], actual[start : start + 5]
        failure = "FAIL %s\n     expected %s\n     got      %s" % (what, expected, actual)
        print("ok   %s" % what if good else failure, flush=True)

    def hears(self, what, expected=None, **others):
        """Since the last time each client has heard the list after its name, or else `expected`; `sender` nothing else.

        The transitions of one message may come in any order, but after its position."""
        messages = {"sender": self.clients["sender"].settled()}
        messages.update((name, self.clients[name].settled()) for name in self.clients if name != "sender")
        for name, heard in messages.items():
            wanted = others.get(name, [] if name in ("sender", "plain") else expected or [])
            if self.strict:
                wanted = [message for place, message in enumerate(wanted) if message not in wanted[:place]]
            first = [message for message in heard if message[0] not in TRANSITIONS]
            rest_of_them = sorted((message for message in heard if message[0] in TRANSITIONS), key=json.dumps)
            self.check("%s: %s" % (what, name), sorted_transitions(wanted), first + rest_of_them)
            if rest_of_them:
                self.check("%s: %s, the position first" % (what, name), first, heard[: len(first)])

    def rest(self, method, path, value=None):
        return rest(self.address, method, path, value)

    def connect(self, name):
        self.clients[name] = Client(self.address, self.transport)

    def say(self, event, **message):
        self.clients["sender"].emit(event, message)

    # What happens

    def build(self):
        box = {"origin": {"x": 0, "y": 0}, "size": {"width": 10, "height": 10}}
        hall = self.rest("POST", "/environments", {"name": TEXT, "data": {"distance": 2, "on": False}})
        self.environment, path = hall["_id"], "/environments/%s" % hall["_id"]
        self.zone = self.rest("POST", path + "/zones", {"name": "West", "perimeter": box})["_id"]
        things = "%s/zones/%s/things" % (path, self.zone)
        lamp = {"name": "Lamp", "position": {"x": 2, "y": 2, "z": 0}, "data": {"color": "red", "on": False}}
        self.lamp = self.rest("POST", things, lamp)["_id"]
        self.lamp_path = "%s/%s" % (things, self.lamp)
        phone = {"name": "Phone", "position": {"x": 15, "y": 15, "z": 0}, "data": {"angle": 90}}
        self.device = self.rest("POST", path + "/devices", phone)["_id"]
        self.device_path = "%s/devices/%s" % (path, self.device)
        self.check("REST keeps text beyond ASCII", TEXT, self.rest("GET", path)["name"])
        self.check("REST lists the things", [self.lamp], [thing["_id"] for thing in self.rest("GET", things)])
        self.check("REST knows no other thing", None, self.rest("GET", "%s/%s" % (things, "f" * 24)))

    def subscribe(self):
        for name in ("sender", "all", "plain", "own", "zone"):
            self.connect(name)
        self.clients["all"].emit("subscribe", {"environment": self.environment, "all": True})
        self.clients["plain"].emit("subscribe", {"environment": self.environment})
        self.clients["own"].emit("subscribe", {"thing": self.lamp})
        self.clients["own"].emit("subscribe", {"device": self.device})
        self.clients["zone"].emit("subscribe", {"zone": self.zone, "all": True})
        self.hears("a subscription is not answered")

    def ask(self):
        self.say("getData", thing=self.lamp, key="color")
        self.say("getPosition", thing=self.lamp)
        self.hears("only who asks is answered", sender=[
            ["data", {"data": {"color": "red"}, "thing": self.lamp}],
            ["position", {"position": {"x": 2, "y": 2, "z": 0}, "thing": self.lamp}],
        ])

    def set_data(self):
        for value in ("blue", TEXT, 0.25, False, {"a": [1, None, TEXT]}, "é" * 20_000):
            self.say("setData", thing=self.lamp, key="color", value=value, sender=self.device)
            heard = [["data", {"data": {"color": value}, "thing": self.lamp, "sender": self.device}]]
            self.hears("data %s" % str(value)[:20], heard)
            self.check("data %s: stored" % str(value)[:20], value, self.rest("GET", self.lamp_path + "/data/color"))
        self.say("setData", environment=self.environment, key="on", value=True)
        heard = [["data", {"data": {"on": True}, "environment": self.environment}]]
        self.hears("data of the environment", all=heard, plain=heard)

    def twice(self):
        self.clients["all"].emit("subscribe", {"thing": self.lamp})
        self.clients["all"].settled()
        self.say("setData", thing=self.lamp, key="on", value=True)
        heard = [["data", {"data": {"on": True}, "thing": self.lamp}]]
        self.hears("who is in two rooms hears it twice", heard, all=heard * 2)
        self.clients["all"].emit("unsubscribe", {"thing": self.lamp})
        self.clients["all"].settled()
        self.say("setData", thing=self.lamp, key="on", value=False)
        self.hears("and in one room once", [["data", {"data": {"on": False}, "thing": self.lamp}]])

    def walk(self):
        near = ["near", {"thing": self.lamp, "distance": math.sqrt(2), "device": self.device}]
        far = ["far", {"thing": self.lamp, "device": self.device}]
        enter, leave = ([event, {"zone": self.zone, "device": self.device}] for event in ("enter", "exit"))

        def position(x, y, z=0):
            self.say("setPosition", device=self.device, position={"x": x, "y": y, "z": z} if z else {"x": x, "y": y})
            return ["position", {"position": {"x": x, "y": y, "z": z}, "device": self.device}]

        here = position(3, 3)
        both = [near, enter]
        self.hears("coming in", sender=both, all=[here, *both], own=[here, near, *both], zone=both)
        device = self.rest("GET", self.device_path)
        self.check("coming in: stored", (self.lamp, self.zone), (device.get("nearest"), device.get("zone")))
        here = position(3, 3.5, 0.5)
        self.hears("a step inside", [here])
        here = position(25, 5)
        both = [far, leave]
        self.hears("going out", sender=both, all=[here, *both], own=[here, far, *both], zone=[here, *both])
        device = self.rest("GET", self.device_path)
        self.check("going out: stored", (None, None), (device.get("nearest"), device.get("zone")))

    def act(self):
        self.say("performAction", thing=self.lamp, action="on", sender=self.device)
        on = ["data", {"data": {"on": True}, "thing": self.lamp, "sender": self.device}]
        self.hears("on", [["handleAction", {"action": "on", "thing": self.lamp, "sender": self.device}], on], sender=[on])
        self.say("performAction", thing=self.lamp, action="wave")
        self.hears("an action of others", [["handleAction", {"action": "wave", "thing": self.lamp}]])

    def keep_order(self):
        for value in range(1, MESSAGES + 1):
            self.say("setData", thing=self.lamp, key="count", value=value)
        heard = [["data", {"data": {"count": value}, "thing": self.lamp}] for value in range(1, MESSAGES + 1)]
        messages = {"sender": self.clients["sender"].settled()}
        for name in ("all", "own", "zone", "plain"):
            messages[name] = self.clients[name].settled()
            wanted = [] if name == "plain" else list(range(1, MESSAGES + 1))
            counts = [message[1]["data"].get("count") for message in messages[name]]
            self.check("%d messages in order: %s" % (MESSAGES, name), wanted, counts)
            self.check("%d messages whole: %s" % (MESSAGES, name), [] if name == "plain" else heard, messages[name])
        self.check("the last of them is stored", MESSAGES, self.rest("GET", self.lamp_path + "/data/count"))

    def say_odd_things(self):
        sender = self.clients["sender"]
        sender.emit("setData", {"thing": self.lamp, "key": "bytes", "value": b"\0\1\xff"})
        sender.emit("setData", {"thing": self.lamp, "key": "color"})
        sender.emit("setData", {"thing": "f" * 24, "key": "color", "value": "red"})
        sender.emit("setPosition", {"thing": self.lamp, "position": {"x": 1}})
        sender.emit("nobody knows this", {"thing": self.lamp})
        sender.emit("subscribe", {"thing": "f" * 24})
        sender.emit("initialload", "")
        sender.emit("getData", {"thing": self.lamp, "key": "bytes"})
        self.hears("what says nothing does nothing", sender=[["data", {"data": {}, "thing": self.lamp}]])
        if PROTOCOL == 4:
            try:
                socketio.Client(reconnection=False).connect("http://%s:%d" % self.address, namespaces=["/other"])
                refused = False
            except socketio.exceptions.ConnectionError:
                refused = True
            self.check("there is no other namespace", True, refused)

    def leave_and_return(self):
        self.clients["own"].emit("unsubscribe", {"thing": self.lamp})
        self.clients["own"].settled()
        self.say("setData", thing=self.lamp, key="color", value="red")
        heard = [["data", {"data": {"color": "red"}, "thing": self.lamp}]]
        self.hears("who has unsubscribed hears nothing", heard, own=[])
        begun = time.monotonic()
        self.clients.pop("own").close()
        # By polling the library's goodbye is lost at times; then it leaves with the next ping, after up to 25 s.
        patience = 40 if self.transport == "polling" else 5
        self.check("leaving is quick", True, time.monotonic() - begun < patience)
        self.say("setData", thing=self.lamp, key="color", value="green")
        self.hears("without the one who left", [["data", {"data": {"color": "green"}, "thing": self.lamp}]])
        self.connect("own")
        self.say("setData", thing=self.lamp, key="color", value="blue")
        self.hears("who returns has no subscriptions", [["data", {"data": {"color": "blue"}, "thing": self.lamp}]], own=[])
        self.clients["own"].emit("subscribe", {"thing": self.lamp})
        self.clients["own"].settled()
        self.say("setData", thing=self.lamp, key="color", value="white")
        self.hears("and can subscribe again", [["data", {"data": {"color": "white"}, "thing": self.lamp}]])

    def wait(self, seconds):
        time.sleep(seconds)
        self.say("setData", thing=self.lamp, key="color", value="grey")
        self.hears("after %d s of silence" % seconds, [["data", {"data": {"color": "grey"}, "thing": self.lamp}]])

    def end(self):
        for path in (self.lamp_path, self.device_path, "/environments/%s" % self.environment):
            self.check("deleted", False, self.rest("DELETE", path) is None)


def sorted_transitions(messages):
    """The transitions last, in an order that does not depend on the server."""
    first = [message for message in messages if message[0] not in TRANSITIONS]
    return first + sorted((message for message in messages if message[0] in TRANSITIONS), key=json.dumps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", metavar="HOST:PORT", type=host_and_port)
    parser.add_argument("transport", choices=sorted(TRANSPORTS))
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--idle", type=int, default=0, metavar="SECONDS")
    options = parser.parse_args()
    signal.alarm(240 + options.idle)
    print("protocol %d by %s" % (PROTOCOL, options.transport), flush=True)
    story = Story(options.server, options.transport, options.strict)
    try:
        chapters = [story.build, story.subscribe, story.ask, story.set_data, story.twice, story.walk, story.act]
        chapters += [story.keep_order, story.say_odd_things, story.leave_and_return]
        for chapter in chapters:
            chapter()
        if options.idle:
            story.wait(options.idle)
        story.end()
    except (OSError, TimeoutError, socketio.exceptions.SocketIOError) as problem:
        story.check("nothing goes wrong", None, problem)
    print("%d passed, %d failed" % (story.passed, story.failed), flush=True)
    # Threads of the library may wait for something yet.
    os._exit(1 if story.failed else 0)


if __name__ == "__main__":
    main()
