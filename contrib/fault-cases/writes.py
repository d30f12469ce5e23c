"""SIGKILL at random moments of writes of every kind: what was acknowledged is there after the next start.

What is acknowledged is known to be so; what was under way when the daemon died may be done or not. States of things with owners
are stored together once a minute while they go on, and one that is younger may be lost (contrib/contract/bindings.md, "States").
"""
import collections
import http.client
import json
import os
import socket
import sqlite3
import threading
import time

from world import FLAT, TELEVISION, THINGS, Wrong, eventually, expect, free_port

# How old a state must be to be stored for sure, s: the minute, and time for a busy machine.
STORED = 62.0
GONE = None


class Ledger:
    """What each thing that was written may be by now."""

    def __init__(self):
        self.allowed, self.count = {}, collections.Counter()
        self.refused = collections.Counter()
        self.lock = threading.Lock()

    def sure(self, key, value, kind):
        with self.lock:
            self.allowed[key] = [value]
            self.count[kind] += 1

    def unsure(self, key, value):
        with self.lock:
            self.allowed.setdefault(key, [GONE])
            self.allowed[key] = self.allowed[key] + [value]

    def settle(self, key, value):
        """What was unsure is known by now."""
        with self.lock:
            self.allowed[key] = [value]

    def total(self):
        return sum(self.count.values())


class Gone(Exception):
    """The daemon died before it answered."""


class Link:
    """A connection that is kept, as programs keep it."""

    def __init__(self, port, headers=None):
        self.port, self.headers, self.connection = port, headers or {}, None

    def ask(self, method, path, body=None, headers=None):
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
                self.connection.connect()
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            text = None if body is None else json.dumps(body)
            own = {"Content-Type": "application/json"} if text else {}
            self.connection.request(method, path, text, {**own, **self.headers, **(headers or {})})
            answer = self.connection.getresponse()
            data = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Gone(str(error)) from None
        return answer.status, json.loads(data) if data[:1] in "[{" and data else data

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


class Writer(threading.Thread):
    """Writes one kind of thing, one after the other, while the gate is open."""

    def __init__(self, site, kind, write):
        super().__init__(daemon=True)
        self.site, self.kind, self.write = site, kind, write
        self.rng = site.world.rng.__class__(f"{site.world.rng.random()} {kind}")
        self.idle = threading.Event()
        self.flare = Link(site.flare)
        self.web = Link(site.web, site.session)
        self.number, self.live = 0, []
        self.error, self.may_fail = None, False

    def run(self):
        while not self.site.ends:
            self.idle.set()
            self.site.gate.wait()
            self.idle.clear()
            try:
                while self.site.gate.is_set() and not self.site.ends:
                    self.write(self)
            except Gone:
                # Nothing else is written until the next start.
                while self.site.gate.is_set():
                    time.sleep(0.005)
            except Exception as error:  # pylint: disable=broad-except
                self.error = f"{self.kind}: {type(error).__name__}: {error}"
                self.site.failed.set()
                break
        self.idle.set()

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.kind[:2].lower()}{self.number}"

    def done(self, key, value, ask, good=(200, 201, 204)):
        """Writes, and keeps in the ledger what became of it."""
        try:
            status, body = ask()
        except Gone:
            self.site.ledger.unsure(key, value)
            raise
        if status in good:
            self.site.ledger.sure(key, value, self.kind)
            return body
        if status in (429, 503) or self.may_fail and status >= 500:
            self.site.ledger.refused[f"{self.kind} {status}"] += 1
            self.site.ledger.unsure(key, value)
            time.sleep(0.05)
            return None
        raise Wrong(f"{key} is answered with {status}: {body}")

    def make_or_remove(self, key_of, make, remove, most=12):
        """By turns something new and the end of the oldest."""
        if len(self.live) >= most:
            name, identifier = self.live.pop(0)
            self.done(key_of(name), GONE, lambda: remove(name, identifier))
            return
        name = self.name("f")
        body = self.done(key_of(name), "", lambda: make(name))
        if body is not None:
            self.live.append((name, body))


# The kinds


def flare_values(w):
    w.number += 1
    w.done(("volume", "Television"), w.number,
           lambda: w.flare.ask("PUT", f"{THINGS}/{TELEVISION}", {"data.volume": w.number}))


def flare_objects(w):
    w.make_or_remove(lambda name: ("object", name), lambda name: w.flare.ask("POST", THINGS, {"name": name, "data": {"a": 1}}),
                     lambda name, body: w.flare.ask("DELETE", f"{THINGS}/{body['_id']}"))


def flare_zones(w):
    path = f"/environments/{FLAT}/zones"
    w.make_or_remove(lambda name: ("zone", name), lambda name: w.flare.ask("POST", path, {"name": name}),
                     lambda name, body: w.flare.ask("DELETE", f"{path}/{body['_id']}"), 4)


def flare_devices(w):
    path = f"/environments/{FLAT}/devices"
    w.make_or_remove(lambda name: ("device", name), lambda name: w.flare.ask("POST", path, {"name": name}),
                     lambda name, body: w.flare.ask("DELETE", f"{path}/{body['_id']}"), 4)


def mqtt_sets(w):
    w.number += 1
    try:
        number = w.site.visitor.send("things/table-lamp/set", {"brightness": 1 + w.number % 255})
    except OSError:
        time.sleep(0.05)
        return

    def ask():
        end = time.monotonic() + 15
        while time.monotonic() < end:
            answer = w.site.visitor.answer(number, 0.2)
            if answer:
                # That it is replaced by a newer one cannot be: this is the only writer.
                return (200, answer) if answer["status"] == "ok" else (503, answer)
            if not w.site.gate.is_set():
                raise Gone
        raise Wrong("a set over MQTT is not answered")

    w.done(("brightness", "Table lamp"), 1 + w.number % 255, ask)


def web_sets(w):
    w.number += 1
    level = (1 + w.number % 99) / 100
    w.done(("level", "Kitchen light"), level, lambda: w.web.ask("POST", "/api/things/kitchen-light/set", {"level": level}))


def web_places(w):
    if w.live and w.rng.random() < 0.4:
        name, _ = w.rng.choice(w.live)
        w.number += 1
        w.done(("placed", name), w.number, lambda: w.web.ask("PATCH", f"/api/things/{name}", {"data": {"a": w.number}}))
        return
    if len(w.live) >= 6:
        name, _ = w.live.pop(0)
        w.done(("placed", name), GONE, lambda: w.web.ask("DELETE", f"/api/things/{name}"))
        return
    name = w.name("p")
    if w.done(("placed", name), 0, lambda: w.web.ask("POST", "/api/things", {"name": name, "zone": "kitchen", "data": {"a": 0}})):
        w.live.append((name, None))


def environments(w):
    w.make_or_remove(lambda name: ("environment", name), lambda name: w.web.ask("POST", "/api/environments", {"name": name}),
                     lambda name, _: w.web.ask("DELETE", f"/api/environments/{name}"), 4)


def users(w):
    if w.live and w.rng.random() < 0.3:
        name, _ = w.rng.choice(w.live)
        w.number += 1
        text = f"Name {w.number}"
        w.done(("user", name), text, lambda: w.web.ask("PATCH", f"/api/users/{name}", {"display": text}))
        return
    w.make_or_remove(lambda name: ("user", name), lambda name: w.web.ask("POST", "/api/users", {"name": name}),
                     lambda name, _: w.web.ask("DELETE", f"/api/users/{name}"))


def groups(w):
    if w.live and w.rng.random() < 0.4:
        name, _ = w.rng.choice(w.live)
        w.done(("group", name), "guest", lambda: w.web.ask("POST", f"/api/groups/{name}/members", {"members": ["guest"]}))
        return
    w.make_or_remove(lambda name: ("group", name), lambda name: w.web.ask("POST", "/api/groups", {"name": name}),
                     lambda name, _: w.web.ask("DELETE", f"/api/groups/{name}"))


def _made(w, path, key_of, body, most=8):
    """What is known by a number that the daemon gives: what was under way when it died is unknown."""
    if len(w.live) >= most:
        identifier = w.live.pop(0)
        w.done(key_of(identifier), GONE, lambda: w.web.ask("DELETE", f"{path}/{identifier}"))
        return
    status, answer = w.web.ask("POST", path, body)
    if w.may_fail and status >= 500:
        w.site.ledger.refused[f"{w.kind} {status}"] += 1
        time.sleep(0.05)
        return
    if status != 201:
        raise Wrong(f"POST {path} is answered with {status}: {answer}")
    w.site.ledger.sure(key_of(answer["id"]), "", w.kind)
    w.live.append(answer["id"])


def grants(w):
    w.number += 1
    # The same grant is not given twice, so one differs from the other by its end.
    _made(w, "/api/grants", lambda number: ("grant", number),
          {"who": "guest", "scope": "thing:table-lamp", "access": "read", "ends": f"20{40 + w.number % 50}-01-01T00:{w.number // 3000 % 60:02}:{w.number % 60:02}Z"})


def tokens(w):
    w.name("t")
    _made(w, "/api/tokens", lambda number: ("token", number), {"user": "guest", "name": f"t{w.number}"})


def contacts(w):
    w.name("c")
    _made(w, "/api/contacts", lambda number: ("contact", number), {"name": f"c{w.number}", "email": "a@example.org"})


def rules(w):
    if w.live and w.rng.random() < 0.4:
        index = w.rng.randrange(len(w.live))
        name, state = w.live[index]
        state = "off" if state == "on" else "on"
        w.live[index] = (name, state)
        w.done(("rule", name), state, lambda: w.web.ask("POST", f"/api/rules/{name}/{state}", {}))
        return
    if len(w.live) >= 8:
        name, _ = w.live.pop(0)
        w.done(("rule", name), GONE, lambda: w.web.ask("DELETE", f"/api/rules/{name}"))
        return
    name = w.name("r")
    rule = {"title": name, "when": [{"on": "cron", "cron": "0 7 * * *"}], "then": [{"set": {"on": True}, "target": "thing:table-lamp"}]}
    if w.done(("rule", name), "on", lambda: w.web.ask("POST", "/api/rules", rule)):
        w.live.append((name, "on"))


def bindings(w):
    w.make_or_remove(lambda name: ("binding", name),
                     lambda name: w.web.ask("POST", "/api/bindings/onboard", {"vendorThingID": name, "thingPassword": "secret", "thingType": "x"}),
                     lambda name, body: w.web.ask("DELETE", f"/api/bindings/{body['thingID']}"), 5)


def states(w):
    """Each of several things reports in turn, within what a thing may."""
    w.number += 1
    thing, token = w.site.reporters[w.number % len(w.site.reporters)]
    time.sleep(0.02)
    try:
        status, body = w.web.ask("PUT", f"/thing-if/apps/house/targets/thing:{thing}/states", {"n": w.number},
                                 {"Authorization": f"Bearer {token}", "Cookie": ""})
    except Gone:
        w.site.reports[thing].append((time.monotonic(), w.number, False))
        raise
    if status == 429 or w.may_fail and status >= 500:
        w.site.ledger.refused[f"{w.kind} {status}"] += 1
        return
    expect(status in (200, 201, 204), f"a state is answered with {status}: {body}")
    w.site.reports[thing].append((time.monotonic(), w.number, not w.site.fails))
    w.site.ledger.count[w.kind] += 1


def verbs(w):
    """Each verb is a program that asks the daemon over its socket."""
    name = w.name("v")
    daemon, ledger = w.site.daemon, w.site.ledger
    which = w.number % 4
    if which == 0:
        key, words = ("user", name), ["user", "add", name]
    elif which == 1:
        key = ("rule", name)
        words = ["rule", "add", "--title", name, "--thing", "television", "--when", "volume>=1000000", "--set", "on=false"]
    elif which == 2:
        key, words = ("binding", name), ["thing", "onboard", "--vendor-thing-id", name, "--password-file", w.site.password]
    else:
        key = ("environment", name)
        zones = [{"name": f"{name} {number}", "things": [{"name": f"Thing {number}"}]} for number in range(3)]
        words = ["import", w.site.world.write(f"{name}.json", json.dumps({"environments": [{"name": name, "zones": zones}]}))]
    status, output = daemon.run(*words, "--state", daemon.state)
    value = "on" if key[0] == "rule" else ""
    if status == 0:
        ledger.sure(key, value, w.kind)
    else:
        ledger.unsure(key, value)
        if w.site.gate.is_set() and daemon.lives() and status not in (69, 75):
            raise Wrong(f"{' '.join(words)} ends with {status}: {output}")
        time.sleep(0.05)


KINDS = {"Flare values": flare_values, "Flare objects": flare_objects, "Zones": flare_zones, "Devices": flare_devices,
         "MQTT": mqtt_sets, "Web": web_sets, "Places": web_places, "Environments": environments, "Users": users, "Groups": groups,
         "Grants": grants, "Tokens": tokens, "Contacts": contacts, "Rules": rules, "Bindings": bindings, "States": states,
         "Verbs": verbs}


class Site:
    """A daemon on fixed ports, and what writers share."""

    def __init__(self, world, **keys):
        self.world, self.ledger = world, Ledger()
        self.flare, self.web = free_port(), free_port()
        self.password = world.write("password", "secret")
        os.chmod(self.password, 0o600)
        os.chmod(world.write("app-key", "the key of the app"), 0o600)
        self.broker = world.broker()
        self.daemon = world.daemon(self.broker.port, {
            "flare.server.listen": f"127.0.0.1:{self.flare}", "web.listen": f"127.0.0.1:{self.web}", "bindings.app_id": "house",
            "bindings.app_key_file": world.path("app-key"), "people.log_rows": "1000", **keys})
        self.gate, self.failed, self.ends = threading.Event(), threading.Event(), False
        # Whether nothing can be stored now: states are kept until they can be.
        self.fails = False
        self.reports = collections.defaultdict(list)

    def open(self, kinds):
        self.daemon.take_place().start()
        self.visitor = self.world.visitor(self.broker.port)
        self.visitor.awaits("status", lambda text: text == "online")
        self.session = self.daemon.session()
        self.link = Link(self.web, self.session)
        expect(self.link.ask("POST", "/api/users", {"name": "guest"})[0] == 201, "no user can be made")
        self.reporters = []
        for number in range(6):
            status, body = self.link.ask("POST", "/api/bindings/onboard", {
                "vendorThingID": f"reporter-{number}", "thingPassword": "secret", "thingType": "x"})
            expect(status == 200, f"an onboarding is answered with {status}: {body}")
            self.reporters.append((body["thingID"], body["accessToken"]))
        # The place has values before the first write, which may still be there if that write is never answered.
        for key, value in self.now().items():
            if key[0] in ("brightness", "level", "volume"):
                self.ledger.settle(key, value)
        self.writers = [Writer(self, kind, KINDS[kind]) for kind in kinds]
        for writer in self.writers:
            writer.start()

    def rest_writers(self):
        self.gate.clear()
        for writer in self.writers:
            expect(writer.idle.wait(60), f"the writer of {writer.kind} hangs")
            writer.flare.close()
            writer.web.close()
        self.link.close()
        self.expect_no_error()

    def expect_no_error(self):
        for writer in self.writers:
            if writer.error:
                raise Wrong(f"{writer.error}; {self.daemon.log()[-300:]}")

    def close(self):
        self.ends = True
        self.gate.set()

    def now(self):
        """All that the daemon has, as the ledger has it."""
        def read(path):
            status, body = self.link.ask("GET", path)
            expect(status == 200, f"GET {path} is answered with {status}: {body}")
            return body

        flare = Link(self.flare)
        found = {}
        for zone in flare.ask("GET", f"/environments/{FLAT}/zones")[1]:
            found["zone", zone["name"]] = ""
            for thing in flare.ask("GET", f"/environments/{FLAT}/zones/{zone['_id']}/things")[1]:
                data = thing.get("data", {})
                name = thing["name"]
                if name == "Television":
                    found["volume", name] = data["volume"]
                elif name == "Table lamp":
                    found["brightness", name] = round(data["brightness"] * 255)
                elif name == "Kitchen light":
                    found["level", name] = round(data["brightness"], 3)
                elif name.startswith("p"):
                    found["placed", name] = data.get("a")
                else:
                    found["object", name] = ""
        for device in flare.ask("GET", f"/environments/{FLAT}/devices")[1]:
            found["device", device["name"]] = ""
        # Not from the web: its list is empty for some milliseconds of a start, until the place is read.
        for environment in flare.ask("GET", "/environments")[1]:
            found["environment", environment["name"]] = ""
        flare.close()
        for user in read("/api/users"):
            found["user", user["name"]] = user["display"]
        for group in read("/api/groups"):
            found["group", group["name"]] = "guest" if group["members"] else ""
        for grant in read("/api/grants"):
            found["grant", grant["id"]] = ""
        for token in read("/api/tokens"):
            found["token", token["id"]] = ""
        for contact in read("/api/contacts"):
            found["contact", contact["id"]] = ""
        for rule in read("/api/rules")["rules"]:
            found["rule", rule["slug"]] = "on" if rule["enabled"] else "off"
        for binding in read("/api/bindings")["bindings"]:
            found["binding", binding["vendor"]] = ""
        return found

    def expect_nothing_lost(self, moment, stored=STORED, died=True):
        """All that was acknowledged is there; of states, those that were older than `stored` at the moment."""
        found = self.now()
        lost = [f"{' '.join(map(str, key))}: {found.get(key, 'gone')!r}, not {' or '.join(repr('gone' if v is GONE else v) for v in values)}"
                for key, values in self.ledger.allowed.items() if found.get(key, GONE) not in values]
        expect(not lost, f"{len(lost)} lost: {'; '.join(lost[:5])}")
        for key in list(self.ledger.allowed):
            value = found.get(key, GONE)
            if value is GONE and isinstance(key[1], str):
                # It is gone for good, and its name does not come again.
                del self.ledger.allowed[key]
            else:
                self.ledger.settle(key, value)
        self.expect_states(moment - stored, died)

    def expect_states(self, before, died):
        for thing, token in self.reporters:
            reports = self.reports[thing]
            if not reports:
                continue
            status, body = self.link.ask("GET", f"/thing-if/apps/house/targets/thing:{thing}/states", None,
                                         {"Authorization": f"Bearer {token}", "Cookie": ""})
            old = [number for moment, number, is_sure in reports if is_sure and moment < before]
            if old:
                expect(status == 200, f"the state of {thing} is answered with {status}: {body}")
                expect(body.get("n", 0) >= old[-1], f"the state of {thing} is {body}; {old[-1]} was acknowledged long before")
            # Younger ones may be lost now, and do not come back.
            reports[:] = [(0 if died else time.monotonic(), body["n"], True)] if status == 200 and "n" in body else []

    def problems(self):
        """What SQLite finds wrong in the databases of a daemon that does not run."""
        wrong = []
        for name in sorted(os.listdir(self.daemon.state)):
            if name.endswith(".db"):
                with sqlite3.connect(f"file:{os.path.join(self.daemon.state, name)}", uri=True) as database:
                    answer = database.execute("PRAGMA integrity_check").fetchall()
                    answer += database.execute("PRAGMA foreign_key_check").fetchall()
                database.close()
                if answer != [("ok",)]:
                    wrong.append(f"{name}: {answer[:3]}")
        return wrong


def kill_during_writes(world):
    """SIGKILL at random moments of 10,000 writes of every kind: nothing that was acknowledged is lost, no database is damaged."""
    site = Site(world)
    world.closers.append(site.close)
    site.open(KINDS)
    wanted, kills = world.amount(1500, 10_000), 0
    longest = world.amount(0.5, 2)
    while site.ledger.total() < wanted or kills < world.amount(6, 60):
        site.gate.set()
        if site.failed.wait(world.rng.uniform(0.02, longest)):
            site.expect_no_error()
        site.daemon.expect_lives()
        killed = time.monotonic()
        site.daemon.kill()
        kills += 1
        site.rest_writers()
        if world.rng.random() < 0.2:
            # Also while it starts.
            site.daemon.start(waits=False)
            time.sleep(world.rng.uniform(0, 0.15))
            site.daemon.kill()
            kills += 1
        if world.rng.random() < 0.2:
            problems = site.problems()
            expect(not problems, f"damaged: {problems}")
        site.daemon.start()
        site.expect_nothing_lost(killed)
        eventually("it does not find its broker", lambda: site.visitor.topics.get("status") == "online")
    idle = [kind for kind in KINDS if not site.ledger.count[kind]]
    expect(not idle, f"nothing was written of {', '.join(idle)}")
    site.daemon.stop()
    problems = site.problems()
    expect(not problems, f"damaged: {problems}")
    few = ", ".join(f"{count} {kind}" for kind, count in sorted(site.ledger.count.items()))
    refused = f"; refused for a while: {dict(site.ledger.refused)}" if site.ledger.refused else ""
    return f"{site.ledger.total()} writes ({few}), {kills} kills{refused}"


CASES = [kill_during_writes]
