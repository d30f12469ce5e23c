"""What cases share: a folder, a mosquitto, a daemon, and somebody who watches; all of it ends with the case."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import http.client

from mqttclient import Client

# How long something may take that is to happen soon, s. Generous, as machines are busy; nothing waits that long in vain.
SOON = 30


class Wrong(Exception):
    """The program did something else than it should."""


class Missing(Exception):
    """This machine has not what a case needs."""


def expect(holds, words):
    if not holds:
        raise Wrong(words)


def eventually(words, question, within=SOON, pause=0.05):
    """The first true answer to a question."""
    end = time.monotonic() + within
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Wrong(f"{words() if callable(words) else words} (not within {within} s)")
        time.sleep(pause)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def freeze(process):
    """Stops a process; each of its threads has stopped then."""
    os.kill(process.pid, signal.SIGSTOP)

    def has_stopped():
        for thread in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{thread}/stat", encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] != "T":
                    return False
        return True

    eventually("it does not stop", has_stopped, pause=0.001)


def thaw(process):
    os.kill(process.pid, signal.SIGCONT)


FLAT = "54726c617400000000000001"
LIVING = "54726c617400000000000010"
KITCHEN = "54726c617400000000000011"
TELEVISION = "54726c617400000000000101"
THINGS = f"/environments/{FLAT}/zones/{LIVING}/things"


def place():
    """A flat with two rooms, a lamp in each, and a television."""

    def thing(number, name, x, **data):
        return {"_id": f"54726c6174000000000001{number:02}", "name": name, "position": {"x": x, "y": 2, "z": 1}, "data": data}

    def room(number, name, x, things):
        return {"_id": f"54726c61740000000000001{number}", "name": name, "data": {"major": number + 1}, "things": things,
                "perimeter": {"origin": {"x": x, "y": 0, "z": 0}, "size": {"width": 5, "height": 4, "depth": 3}}}

    return {"environments": [{"_id": FLAT, "name": "Flat", "data": {"distance": 2}, "zones": [
        room(0, "Living room", 0, [thing(0, "Table lamp", 1.5, on=True, color="orange", brightness=0.6, minor=1),
                                   thing(1, "Television", 4, on=False, source="hdmi1", volume=12, minor=2)]),
        room(1, "Kitchen", 5, [thing(2, "Kitchen light", 8, on=False, color="white", brightness=0.8, minor=3)])]}]}


class Broker:
    """A mosquitto on a port of its own."""

    def __init__(self, world, lines=(), port=None, name="broker"):
        self.world, self.name, self.port = world, name, port or free_port()
        self.lines = list(lines)
        self.process = None

    def start(self, lines=None):
        if lines is not None:
            self.lines = list(lines)
        program = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if not program:
            raise Missing("mosquitto")
        # A listener line of its own comes first: options behind it are its own.
        text = ["user root" if os.geteuid() == 0 else "", "set_tcp_nodelay true", f"listener {self.port} 127.0.0.1"]
        if not any(line.startswith("allow_anonymous") for line in self.lines):
            text.append("allow_anonymous true")
        path = self.world.write(f"{self.name}.conf", "\n".join(text + self.lines) + "\n")
        self.process = self.world.start_process([program, "-c", path], f"{self.name}.log")
        eventually(lambda: f"mosquitto does not start: {self.log()[-500:]}", self._answers, 10)
        return self

    def _answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return self.process.poll() is not None and self._fail()

    def _fail(self):
        raise Wrong(f"mosquitto has ended: {self.log()[-500:]}")

    def log(self):
        return self.world.read(f"{self.name}.log")

    def kill(self):
        self.world.end_process(self.process)
        self.process = None

    def freeze(self):
        freeze(self.process)

    def thaw(self):
        thaw(self.process)


class Daemon:
    """The program with a node and a state folder of its own, started and ended as often as one likes."""

    def __init__(self, world, port, keys=None, node="faults", verb="run"):
        self.world, self.node, self.verb = world, node, verb
        self.root = f"trilateral/{node}"
        self.state = world.path("state")
        self.process, self.runs, self.environment = None, 0, {}
        self.before = []
        self.keys = {
            "mqtt.host": "127.0.0.1", "mqtt.port": str(port), "mqtt.node": node, "mqtt.reconnect_min_seconds": "0.1",
            "mqtt.reconnect_max_seconds": "1", "flare.server.listen": "127.0.0.1:0", "web.listen": "127.0.0.1:0",
            "flare.server.trusted_networks": "127.0.0.0/8", "device.name": "Walker", "sensors.beacons.adapter": "none",
            "sensors.gps.gpsd": "null", "sensors.compass.iio_folder": world.path("iio"), "discovery.enabled": "false",
            "mqtt.health_interval_seconds": "5", **(keys or {})}

    def variables(self):
        """The environment of the program: nothing of this machine's user counts."""
        own = {"TERM": "xterm", "HOME": self.world.folder, "RUNTIME_DIRECTORY": self.world.path("run"),
               "PATH": os.environ.get("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")}
        keys = {"TRILATERAL_" + "".join(c.upper() if c != "." else "_" for c in key): value for key, value in self.keys.items()}
        return {**own, **keys, **self.environment}

    def run(self, *words, within=SOON, text=None):
        """Runs a verb to its end: exit code and output."""
        try:
            end = subprocess.run([self.world.program, *words], env=self.variables(), input=text, capture_output=True, text=True,
                                 timeout=within)
        except subprocess.TimeoutExpired:
            raise Wrong(f"trilateral {' '.join(words)} does not end") from None
        return end.returncode, end.stdout + end.stderr

    def verb_ok(self, *words, **options):
        status, output = self.run(*words, "--state", self.state, **options)
        expect(status == 0, f"trilateral {' '.join(words)} ends with {status}: {output.strip()[-300:]}")
        return output.strip()

    def take_place(self, model=None):
        self.verb_ok("import", self.world.write("place.json", json.dumps(model or place())))
        return self

    def start(self, waits=True, arguments=None):
        self.world.runs += 1
        self.runs = self.world.runs
        os.makedirs(self.world.path("run"), exist_ok=True)
        words = [self.world.program, *(arguments or [self.verb]), "--state", self.state]
        self.process = self.world.start_process([*self.before, *words], f"daemon-{self.runs}.log", self.variables())
        if waits:
            self.awaits_ports()
        return self

    def awaits_ports(self):
        eventually(lambda: f"it does not start: {self.log()[-600:]}", lambda: self._is_ready(), SOON, 0.01)

    def _is_ready(self):
        if self.process.poll() is not None:
            raise Wrong(f"it ends with {self.process.returncode} at its start: {self.log()[-600:]}")
        log = self.log()
        return "Flare server: http" in log and ("web: http" in log or self.keys.get("web.listen") == "null")

    def log(self):
        return self.world.read(f"daemon-{self.runs}.log")

    def address(self, what):
        scheme, rest = self.log().split(f"{what}: http", 1)[1].split("://", 1)
        return scheme == "s", int(re.match(r"\d+", rest.split("127.0.0.1:", 1)[1]).group())

    def lives(self):
        return self.process is not None and self.process.poll() is None

    def expect_lives(self):
        expect(self.lives(), f"it has ended with {self.process and self.process.returncode}: {self.log()[-800:]}")

    def kill(self):
        self.world.end_process(self.process)

    def stop(self, within=10):
        """SIGTERM; it has to end well."""
        self.expect_lives()
        self.process.terminate()
        try:
            status = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise Wrong(f"it does not end within {within} s of SIGTERM") from None
        expect(status == 0, f"it ends with {status} after SIGTERM: {self.log()[-500:]}")

    def memory(self):
        """Resident and anonymous memory, KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["VmRSS"].split()[0]), int(lines["RssAnon"].split()[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # HTTP

    def http(self, method, path, body=None, what="Flare server", headers=None, within=15):
        """Status and body, decoded if it is JSON."""
        _, port = self.address(what)
        return request(port, method, path, body, headers, within)

    def rest(self, method, path, body=None):
        return self.http(method, path, body)

    def web(self, method, path, body=None, headers=None, within=15):
        return self.http(method, path, body, "web", headers, within)

    def session(self):
        """The header of somebody who has signed in as the owner."""
        link = self.verb_ok("sign-in")
        _, port = self.address("web")
        connection = http_connection(port, 15)
        secret = link.split("link=", 1)[1].split("&")[0].strip()
        connection.request("POST", "/api/session", json.dumps({"link": secret}), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        cookie = answer.getheader("Set-Cookie")
        connection.close()
        expect(answer.status == 200 and cookie, f"a sign-in is answered with {answer.status}")
        return {"Cookie": cookie.split(";")[0]}

    def health(self):
        """Status and text of /healthz."""
        status, text = self.web("GET", "/healthz", within=5)
        return status, text if isinstance(text, str) else json.dumps(text)


def http_connection(port, within):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=within)


def request(port, method, path, body=None, headers=None, within=15):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=within)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {**({"Content-Type": "application/json"} if text else {}), **(headers or {})})
        answer = connection.getresponse()
        data = answer.read().decode("utf-8", "replace")
        try:
            return answer.status, json.loads(data)
        except ValueError:
            return answer.status, data
    except http.client.HTTPException as error:
        raise ConnectionError(f"{type(error).__name__} {error}") from error
    finally:
        connection.close()


class World:
    """What a case has: a folder, its randomness, and processes and mounts that end with it."""

    def __init__(self, name, program, rng, short):
        self.name, self.program, self.rng, self.short = name, program, rng, short
        self.folder = tempfile.mkdtemp(prefix="trilateral-faults-")
        self.processes, self.mounts, self.closers = [], [], []
        self.runs = 0

    def amount(self, short, full):
        return short if self.short else full

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def preload(self, name):
        """Compiles a C file beside this one to a library that is loaded before all others."""
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise Missing("a C compiler")
        source = os.path.join(os.path.dirname(os.path.realpath(__file__)), f"{name}.c")
        library = self.path(f"{name}.so")
        end = subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], capture_output=True, text=True)
        expect(end.returncode == 0, f"{name}.c: {end.stderr}")
        return library

    def start_process(self, words, output, environment=None):
        # It ends with this process, whatever ends that. Only the main thread starts processes that stay.
        ending = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with open(self.path(output), "ab") as file:
            process = subprocess.Popen([*ending, *words], stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment)
        self.processes.append(process)
        return process

    def end_process(self, process):
        if process is None:
            return
        if process.poll() is None:
            process.kill()
        process.wait()
        if process in self.processes:
            self.processes.remove(process)

    def mount(self, folder, options):
        """A file system in memory."""
        if os.geteuid() != 0:
            raise Missing("root, to mount a file system")
        os.makedirs(folder, exist_ok=True)
        end = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True)
        if end.returncode:
            raise Missing(f"the right to mount: {end.stderr.strip()}")
        self.mounts.append(folder)

    def remount(self, folder, options):
        end = subprocess.run(["mount", "-o", f"remount,{options}", folder], capture_output=True, text=True)
        expect(end.returncode == 0, f"mount: {end.stderr.strip()}")

    def broker(self, *lines, **options):
        return Broker(self, lines, **options).start()

    def daemon(self, port, keys=None, **options):
        return Daemon(self, port, keys, **options)

    def visitor(self, port, root="trilateral/faults", **options):
        visitor = Client(port, root, **options)
        self.closers.append(visitor.close)
        return visitor

    def home(self, *lines, keys=None):
        """A broker, a daemon in the flat, and a visitor who has seen it online."""
        broker = self.broker(*lines)
        daemon = self.daemon(broker.port, keys).take_place().start()
        visitor = self.visitor(broker.port)
        visitor.awaits("status", lambda text: text == "online")
        visitor.awaits("things/television/availability", lambda text: text == "online")
        return broker, daemon, visitor

    def close(self, keep=False):
        for close in reversed(self.closers):
            try:
                close()
            except OSError:
                pass
        for process in list(self.processes):
            self.end_process(process)
        for folder in reversed(self.mounts):
            subprocess.run(["umount", "-l", folder], capture_output=True)
        if keep:
            return self.folder
        shutil.rmtree(self.folder, ignore_errors=True)
        return None
