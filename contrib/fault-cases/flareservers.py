"""Flare servers elsewhere that hang and lie, and one that dies."""
import json
import os
import socket
import threading
import time

from world import SOON, TELEVISION, THINGS, Daemon, Wrong, eventually, expect, free_port, freeze, thaw

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
HELLO = '0{"sid":"abc","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000}'


def _http(body, head=OK):
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _polling(text):
    """A packet of Engine.IO 3 in the body of a polling answer."""
    return _http(f"{len(text)}:{text}".encode(), b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=UTF-8\r\n")


def _slowly(link, data, pause, stopped):
    for each in data:
        if stopped.is_set():
            return
        link.sendall(bytes([each]))
        time.sleep(pause)


def _endlessly(link, head, part, stopped):
    link.sendall(head)
    while not stopped.is_set():
        link.sendall(part)


ENVIRONMENTS = json.dumps([{"_id": "54726c617400000000000001", "name": "Flat"}]).encode()

# Each gets a connection whose first request was read, and may answer, stay silent, or end it.
LIES = {
    "silence": lambda link, stopped: stopped.wait(),
    "the end": lambda link, stopped: None,
    "slow headers": lambda link, stopped: _slowly(link, OK + b"X: " + b"y" * 100_000, 0.02, stopped),
    "slow body": lambda link, stopped: _slowly(link, _http(ENVIRONMENTS), 0.05, stopped),
    "endless headers": lambda link, stopped: _endlessly(link, OK, b"X-More: " + b"y" * 1000 + b"\r\n", stopped),
    "an endless header": lambda link, stopped: _endlessly(link, OK + b"X-Long: ", b"y" * 65536, stopped),
    "an endless body": lambda link, stopped: _endlessly(link, OK + b"\r\n[", b"1," * 32768, stopped),
    "endless chunks": lambda link, stopped: _endlessly(link, OK + b"Transfer-Encoding: chunked\r\n\r\n",
                                                       b"10000\r\n" + b" " * 65536 + b"\r\n", stopped),
    "a length of terabytes": lambda link, stopped: _endlessly(link, OK + b"Content-Length: 9000000000000\r\n\r\n[", b"1," * 32768, stopped),
    "too long a length": lambda link, stopped: (link.sendall(OK + b"Content-Length: 5000\r\n\r\n" + ENVIRONMENTS), stopped.wait()),
    "too short a length": lambda link, stopped: link.sendall(OK + b"Content-Length: 7\r\n\r\n" + ENVIRONMENTS),
    "a length below zero": lambda link, stopped: link.sendall(OK + b"Content-Length: -1\r\n\r\n" + ENVIRONMENTS),
    "two lengths": lambda link, stopped: link.sendall(OK + b"Content-Length: 2\r\nContent-Length: 70\r\n\r\n" + ENVIRONMENTS),
    "wrong chunks": lambda link, stopped: link.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + ENVIRONMENTS),
    "500": lambda link, stopped: link.sendall(_http(b'{"error":"oops"}', b"HTTP/1.1 500 Internal Server Error\r\n")),
    "503 for an hour": lambda link, stopped: link.sendall(_http(b"", b"HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\n")),
    "another place": lambda link, stopped: link.sendall(_http(b"", b"HTTP/1.1 301 Moved\r\nLocation: /\r\n")),
    "broken JSON": lambda link, stopped: link.sendall(_http(b'[{"_id":"5472')),
    "JSON of something else": lambda link, stopped: link.sendall(_http(b'{"a":[null,1e999,"\\ud800"],"_id":7}')),
    "deep JSON": lambda link, stopped: link.sendall(_http(b"[" * 200_000)),
    "bytes that are no text": lambda link, stopped: link.sendall(_http(bytes(range(256)) * 40)),
    "a page": lambda link, stopped: link.sendall(_http(b"<html>hello</html>", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")),
    "no HTTP": lambda link, stopped: link.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "a session and then silence": lambda link, stopped: (link.sendall(_polling(HELLO)), stopped.wait()),
    "a session of nonsense": lambda link, stopped: link.sendall(_polling('0{"sid":7,"pingInterval":-1,"pingTimeout":"x"}')),
    "an upgrade and then silence": lambda link, stopped: (
        link.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), stopped.wait()),
}


class Liar:
    """A server of which each connection is answered with the same lie."""

    def __init__(self, port, lie):
        self.lie, self.connections = lie, 0
        self.stopped = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", port))
        self.links = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.links.append(link)
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link):
        try:
            link.settimeout(30)
            link.recv(65536)
            self.lie(link, self.stopped)
        except OSError:
            pass
        finally:
            link.close()

    def close(self):
        self.stopped.set()
        # Not close alone: accept would hold the port.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for link in self.links:
            try:
                link.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Server(Daemon):
    """The program as a Flare server alone, with a folder of its own."""

    def __init__(self, world, port):
        super().__init__(world, 1, {"flare.server.listen": f"127.0.0.1:{port}", "web.listen": "null"}, verb="serve")
        self.state = world.path("server")
        self.runtime = world.path("server-run")
        os.makedirs(self.runtime, exist_ok=True)
        # So that the verbs of the daemon do not find it.
        self.environment = {"RUNTIME_DIRECTORY": self.runtime}


def _remote(world, broker, port, **more):
    return world.daemon(broker.port, {
        "flare.mode": "remote", "flare.remote.url": f"http://127.0.0.1:{port}", "flare.remote.reconnect_max_seconds": "1",
        "flare.remote.timeout_seconds": "2", "flare.remote.poll_seconds": "1", **more})


def _is_well_with(daemon, visitor, server, number):
    visitor.awaits("things/television/availability", lambda text: text == "online", 60)
    eventually(lambda: f"a command is not confirmed: {daemon.log()[-400:]}",
               lambda: (visitor.ask("things/television/set", {"volume": number}, 5) or {}).get("status") == "ok")
    status, body = server.rest("GET", f"{THINGS}/{TELEVISION}")
    expect(status == 200 and body["data"]["volume"] == number, f"the server has {body}")


def flare_server_lies(world):
    """Flare servers that hang, lie, and never end: the daemon stays small and answers, says what is wrong, and finds the true one."""
    broker, port = world.broker(), free_port()
    server = Server(world, port).take_place()
    chosen = list(LIES)
    if world.short:
        chosen = sorted(world.rng.sample(chosen, 7), key=list(LIES).index)
    number, largest = 100, 0
    for stream in world.amount([world.rng.choice(["true", "false"])], ["true", "false"]):
        daemon = _remote(world, broker, port, **{"flare.remote.stream": stream}).start()
        visitor = world.visitor(broker.port)
        visitor.awaits("status", lambda text: text == "online")
        for name in chosen:
            liar = Liar(port, LIES[name])
            try:
                processor, start = daemon.processor_seconds(), time.monotonic()
                time.sleep(world.amount(1.2, 8))
                expect(daemon.lives(), f"it has ended with {daemon.process.returncode}")
                begun = time.monotonic()
                answer = visitor.ask("request/ping", {}, 5)
                expect(answer and answer["status"] == "ok", f"a ping is answered with {answer}")
                expect(time.monotonic() - begun < 2, f"a ping is answered after {time.monotonic() - begun:.1f} s")
                status, text = daemon.health()
                expect(status == 503 and "Flare" in text, f"/healthz is {status}: {text}")
                answer = visitor.ask("things/television/set", {"volume": 1}, 12)
                expect(answer and answer["status"] == "error", f"a set is answered with {answer}")
                memory = daemon.memory()[0] / 1024
                largest = max(largest, memory)
                expect(memory < 200, f"it has {memory:.0f} MB")
                rate = liar.connections / (time.monotonic() - start)
                expect(rate < 30, f"{rate:.0f} connections a second")
                busy = (daemon.processor_seconds() - processor) / (time.monotonic() - start)
                expect(busy < 1.2, f"it takes {busy:.1f} of a processor")
            except (Wrong, OSError) as wrong:
                raise Wrong(f"{name}, stream {stream}: {wrong}; {daemon.log()[-400:]}") from None
            finally:
                liar.close()
            if name == chosen[-1] or not world.short and world.rng.random() < 0.3:
                # The true server, where the liar was.
                number += 1
                server.start()
                _is_well_with(daemon, visitor, server, number)
                server.kill()
                visitor.awaits("things/television/availability", lambda text: text == "offline")
        daemon.stop()
        visitor.close()
    return f"{len(chosen)} lies, {largest:.0f} MB at most"


def flare_server_dies(world):
    """A Flare server that is killed and stopped at random moments: what was confirmed is there, and the daemon finds it again."""
    broker, port = world.broker(), free_port()
    server = Server(world, port).take_place().start()
    daemon = _remote(world, broker, port).start()
    visitor = world.visitor(broker.port)
    _is_well_with(daemon, visitor, server, 100)
    number, confirmed = 100, 100
    for turn in range(world.amount(4, 60)):
        end = time.monotonic() + world.rng.uniform(0.02, 0.5)
        unsure = []
        while time.monotonic() < end:
            number += 1
            answer = visitor.ask("things/television/set", {"volume": number}, 10)
            if answer and answer["status"] == "ok":
                confirmed, unsure = number, []
            else:
                unsure.append(number)
        if turn % 4 == 3:
            # It hangs, and then goes on.
            freeze(server.process)
            number += 1
            answer = visitor.ask("things/television/set", {"volume": number}, 15)
            thaw(server.process)
            expect(answer and answer["status"] == "error", f"a set at a server that hangs is answered with {answer}")
            unsure.append(number)
        else:
            server.kill()
            time.sleep(world.rng.uniform(0, 0.3))
            server.start()
        eventually("it is not read again", lambda: visitor.topics.get("things/television/availability") == "online", SOON)
        value = server.rest("GET", f"{THINGS}/{TELEVISION}")[1]["data"]["volume"]
        expect(value == confirmed or value in unsure, f"the server has {value}; confirmed was {confirmed}")
        number += 1
        _is_well_with(daemon, visitor, server, number)
        confirmed = number
    daemon.stop()
    return f"{number - 100} writes"


CASES = [flare_server_lies, flare_server_dies]
