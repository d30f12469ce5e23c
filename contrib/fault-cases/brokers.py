"""Brokers that die, stall, refuse, and limit; links of which one end is gone."""
import json
import os
import selectors
import signal
import socket
import subprocess
import threading
import time

from world import SOON, TELEVISION, THINGS, Daemon, Wrong, eventually, expect, free_port


def _volume(daemon, number):
    status, body = daemon.rest("PUT", f"{THINGS}/{TELEVISION}", {"data.volume": number})
    expect(status == 200, f"the Flare server answers {status}: {body}")


def _shows(visitor, number, within=SOON):
    visitor.awaits("things/television/data", lambda text: json.loads(text).get("volume") == number, within)


def broker_dies(world):
    """A broker that is killed under load holds what is true after each start, and commands work again."""
    broker, daemon, visitor = world.home("max_inflight_messages 4")
    number = 100
    for _ in range(world.amount(4, 60)):
        end = time.monotonic() + world.rng.uniform(0.02, 0.6)
        while time.monotonic() < end:
            number += 1
            _volume(daemon, number)
        broker.kill()
        number += 1
        _volume(daemon, number)
        time.sleep(world.rng.uniform(0, 0.5))
        broker.start()
        visitor.awaits("status", lambda text: text == "online")
        _shows(visitor, number)
        visitor.awaits("things/table-lamp/data")
        eventually("no command is answered after a restart of the broker",
                   lambda: (visitor.ask("request/ping", {}, 2) or {}).get("status") == "ok")
    daemon.expect_lives()
    daemon.stop()
    return f"{number - 100} changes, {world.amount(4, 60)} kills"


def broker_stalls(world):
    """A broker that is stopped for a while: the server goes on, the link is given up in time, and everything comes after it."""
    broker, daemon, visitor = world.home(keys={"mqtt.keepalive_seconds": "5"})
    number = 100
    for pause in world.amount([0.5, 10.5], [world.rng.uniform(0.5, 40) for _ in range(12)]):
        broker.freeze()
        try:
            end = time.monotonic() + pause
            slowest = 0
            while time.monotonic() < end:
                number += 1
                start = time.monotonic()
                _volume(daemon, number)
                slowest = max(slowest, time.monotonic() - start)
                time.sleep(0.05)
            expect(slowest < 2, f"the Flare server answers after {slowest:.1f} s while the broker stalls")
            if pause > 10:
                # The keep-alive interval and a half.
                eventually("the link is not given up", lambda: daemon.health()[0] == 503, 10)
        finally:
            broker.thaw()
        visitor.awaits("status", lambda text: text == "online")
        _shows(visitor, number)
        eventually("no command is answered after the stall",
                   lambda: (visitor.ask("request/ping", {}, 2) or {}).get("status") == "ok")
        eventually("it is not well after the stall", lambda: daemon.health()[0] == 200)
    daemon.stop()
    return f"{number - 100} changes meanwhile"


class Proxy:
    """Between a daemon and its broker: passes on, or is silent without closing anything."""

    def __init__(self, target):
        self.target, self.is_closed = target, False
        # up is towards the broker.
        self.passes = {"up": True, "down": True}
        self.accepted = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.sockets = []
        threading.Thread(target=self._run, daemon=True).start()

    def silence(self, up=False, down=False):
        self.passes = {"up": up, "down": down}

    def _run(self):
        while not self.is_closed:
            for key, _ in self.selector.select(0.05):
                if key.data is None:
                    self._accept()
                else:
                    self._pass(key.fileobj, *key.data)

    def _accept(self):
        try:
            near, _ = self.listener.accept()
        except OSError:
            return
        self.accepted += 1
        self.sockets.append(near)
        try:
            far = socket.create_connection(("127.0.0.1", self.target), 2)
        except OSError:
            near.close()
            return
        self.sockets.append(far)
        # What one connection may do is decided when it begins: a link that was cut stays cut.
        state = {"up": True, "down": True}
        self.selector.register(near, selectors.EVENT_READ, (far, "up", state))
        self.selector.register(far, selectors.EVENT_READ, (near, "down", state))

    def _pass(self, source, other, way, state):
        if not self.passes[way]:
            state[way] = False
        try:
            data = source.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.selector.unregister(source)
            # The end of a link that was cut is not passed on either.
            if state["up"] and state["down"]:
                try:
                    other.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
            return
        if state[way]:
            try:
                other.sendall(data)
            except OSError:
                pass

    def close(self):
        self.is_closed = True
        self.listener.close()
        for each in self.sockets:
            each.close()


def half_open_links(world):
    """Links that fall silent without an end, both ways or one way, are given up in time, and the next one is used."""
    broker = world.broker()
    proxy = Proxy(broker.port)
    world.closers.append(proxy.close)
    daemon = world.daemon(proxy.port, {"mqtt.keepalive_seconds": "5"}).take_place().start()
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online")
    number = 100
    slowest = 0
    ways = [{}, {"up": True}, {"down": True}]
    for way in world.amount([ways[world.rng.randrange(3)]], ways * 3):
        links = proxy.accepted
        proxy.silence(**way)
        start = time.monotonic()
        try:
            eventually(f"a link that is silent ({way or 'both ways'}) is not given up", lambda: daemon.health()[0] == 503, 25)
            slowest = max(slowest, time.monotonic() - start)
            number += 1
            _volume(daemon, number)
            # New links are silent, too, for a while.
            time.sleep(world.rng.uniform(0, world.amount(1, 10)))
        finally:
            proxy.silence(up=True, down=True)
        visitor.awaits("status", lambda text: text == "online")
        _shows(visitor, number, 40)
        expect(proxy.accepted > links, "no new link was made")
        eventually("no command is answered afterwards", lambda: (visitor.ask("request/ping", {}, 2) or {}).get("status") == "ok")
    daemon.stop()
    return f"given up after {slowest:.1f} s at most, with a keep-alive of 5 s"


def silent_broker(world):
    """Something that accepts connections and says nothing: attempts are few, the server goes on, the broker is found when it comes."""
    port = free_port()
    listener = socket.create_server(("127.0.0.1", port))
    daemon = world.daemon(port).take_place().start()
    start, processor = time.monotonic(), daemon.processor_seconds()
    attempts = 0
    listener.settimeout(0.1)
    held = []
    while time.monotonic() < start + world.amount(4, 60):
        try:
            held.append(listener.accept()[0])
            attempts += 1
        except TimeoutError:
            _volume(daemon, attempts)
    took = daemon.processor_seconds() - processor
    expect(attempts <= 10 + (time.monotonic() - start) * 2, f"{attempts} connections in {time.monotonic() - start:.0f} s")
    expect(took < 2 + (time.monotonic() - start) / 4, f"it uses {took:.1f} s of the processor meanwhile")
    status, text = daemon.health()
    expect(status == 503, f"/healthz is {status}: {text}")
    for each in held:
        each.close()
    listener.close()
    broker = world.broker(port=port)
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online", 60)
    daemon.stop()
    return f"{attempts} connections"


def hasty_broker(world):
    """Something that ends each connection at once, by turns well and with a reset: attempts are few, and the broker is found."""
    port = free_port()
    listener = socket.create_server(("127.0.0.1", port))
    daemon = world.daemon(port).take_place().start()
    start, attempts = time.monotonic(), 0
    listener.settimeout(0.1)
    greetings = [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x20\x02\x00\x05", b"\x20\x03\x00\x87\x00", b"\xff" * 64, b"\x30\xff\xff\xff\x7f"]
    while time.monotonic() < start + world.amount(4, 60):
        try:
            link = listener.accept()[0]
        except TimeoutError:
            continue
        attempts += 1
        try:
            link.settimeout(0.5)
            if world.rng.random() < 0.5:
                link.recv(1024)
            link.sendall(world.rng.choice(greetings))
            if world.rng.random() < 0.5:
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        except OSError:
            pass
        link.close()
    expect(attempts <= 20 + (time.monotonic() - start) * 4, f"{attempts} attempts in {time.monotonic() - start:.0f} s")
    _volume(daemon, 7)
    listener.close()
    broker = world.broker(port=port)
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online", 60)
    _shows(visitor, 7)
    daemon.stop()
    return f"{attempts} attempts"


def _passwords(world, **users):
    path = world.write("passwords", "".join(f"{name}:{word}\n" for name, word in users.items()))
    os.chmod(path, 0o600)
    end = subprocess.run(["mosquitto_passwd", "-U", path], capture_output=True, text=True)
    expect(end.returncode == 0, f"mosquitto_passwd: {end.stderr}")
    return path


def broker_refuses_password(world):
    """A wrong password is told without it, and a right one is used; also when the broker forgets it while the daemon runs."""
    passwords = _passwords(world, walker="right", visitor="seen")
    broker = world.broker("allow_anonymous false", f"password_file {passwords}")
    secret = world.write("secret", "wrong-secret")
    os.chmod(secret, 0o600)
    daemon = world.daemon(broker.port, {"mqtt.username": "walker", "mqtt.password_file": secret}).take_place().start()
    visitor = world.visitor(broker.port, user="visitor", password="seen")

    def refused():
        status, text = daemon.health()
        return status == 503 and "password" in text

    for _ in range(world.amount(1, 8)):
        eventually(lambda: f"/healthz does not say why: {daemon.health()}", refused)
        expect("wrong-secret" not in daemon.log(), "the log has the password")
        world.write("secret", "right")
        os.kill(daemon.process.pid, signal.SIGHUP)
        visitor.awaits("status", lambda text: text == "online")
        if not world.short:
            # The alert ends when the link has lasted for some seconds.
            eventually(lambda: f"it is not well with the right password: {daemon.health()}", lambda: daemon.health()[0] == 200)
        world.write("secret", "wrong-secret")
        _passwords(world, walker="another", visitor="seen")
        broker.kill()
        broker.start()
        eventually(lambda: f"/healthz does not say why: {daemon.health()}", refused)
        # The broker learns the old one again.
        _passwords(world, walker="right", visitor="seen")
        broker.kill()
        broker.start()
        visitor.awaits("status", lambda text: text == "online")
        os.kill(daemon.process.pid, signal.SIGHUP)
    daemon.stop()


# Limits, and a word of the line in /healthz that says so.
LIMITS = {
    "max_qos 0": "QoS",
    "max_qos 1": None,
    "retain_available false": "retained",
    "max_inflight_messages 1": None,
    "max_queued_messages 1": None,
    "max_keepalive 10": None,
    "max_topic_alias 0": None,
    "max_packet_size 1500": "message_size_limit",
    "message_size_limit 1500": "message_size_limit",
    "upgrade_outgoing_qos true": None,
    "max_connections 4": None,
}


def broker_limits(world):
    """Each limit of mosquitto, with MQTT 5 and 3.1.1: commands work, changes are seen, and what is left out is an alert."""
    limits = dict(LIMITS)
    chosen = [(limit, version) for limit in limits for version in ("5", "3.1.1")]
    # It takes three links of MQTT 3.1.1 to find out that a size is the reason.
    slow = ("max_packet_size 1500", "3.1.1")
    if world.short:
        chosen.remove(slow)
        chosen = [each for each in chosen if each[1] == "5" or world.rng.random() < 0.3]
    daemon = None
    for limit, version in chosen:
        broker = world.broker(limit)
        keys = {"mqtt.version": version, "discovery.enabled": "true"}
        daemon = Daemon(world, broker.port, keys)
        if not os.path.exists(daemon.state):
            daemon.take_place()
        daemon.start()
        visitor = world.visitor(broker.port)
        try:
            within = 90 if (limit, version) == slow else SOON
            eventually("no command is answered", lambda: (visitor.ask("request/ping", {}, 2) or {}).get("status") == "ok", within)
            number = world.rng.randrange(1000)
            visitor.expect_ok("things/television/set", {"volume": number})
            told = limits[limit]
            # Mosquitto drops what is too large then, and says that it has it.
            if told and (limit, version) != ("message_size_limit 1500", "3.1.1"):
                eventually(lambda: f"/healthz does not say {told}: {daemon.health()}", lambda: told in daemon.health()[1], within)
            if "retain" not in limit and "max_packet" not in limit:
                _shows(visitor, number)
            daemon.expect_lives()
            daemon.stop()
        except Wrong as wrong:
            raise Wrong(f"{limit}, MQTT {version}: {wrong}") from None
        finally:
            visitor.close()
            daemon.kill()
            broker.kill()
    return f"{len(chosen)} limits"


CASES = [broker_dies, broker_stalls, half_open_links, silent_broker, hasty_broker, broker_refuses_password, broker_limits]
