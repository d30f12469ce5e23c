"""What the programs of this folder reach a Flare server with: REST by the standard library, and a Socket.IO client that
keeps what it hears. It speaks the protocol of the library that is installed: python-socketio-v4 3, python-socketio 4."""

import functools
import http.client
import json
import secrets
import threading
import time

try:
    import socketio_v4 as socketio

    PROTOCOL = 3
except ImportError:
    import socketio

    PROTOCOL = 4

TRANSITIONS = ("enter", "exit", "near", "far")
EVENTS = ("data", "position", "handleAction", "actions") + TRANSITIONS
TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": None}


def host_and_port(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


class Answer:
    """Of an HTTP request."""

    def __init__(self, response):
        self.status, self.body = response.status, response.read()
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.type = self.headers.get("content-type", "").partition(";")[0]

    @property
    def value(self):
        return json.loads(self.body) if self.body and self.type == "application/json" else None


def exchange(address, method, path, body=None, headers=None, patience=30):
    """One HTTP request over a connection of its own."""
    connection = http.client.HTTPConnection(*address, timeout=patience)
    try:
        connection.request(method, path, body, headers or {})
        return Answer(connection.getresponse())
    finally:
        connection.close()


def rest(address, method, path, value=None):
    """The JSON of an answer."""
    if value is None:
        return exchange(address, method, path).value
    return exchange(address, method, path, json.dumps(value), {"Content-Type": "application/json"}).value


class PlainText:
    """JSON with text beyond ASCII as it is, as browsers send it."""

    dumps = staticmethod(functools.partial(json.dumps, ensure_ascii=False))
    loads = staticmethod(json.loads)


class OrderedClient(socketio.Client):
    """The libraries start a thread for each message, so that messages overtake each other; here they do not."""

    def _engineio_client_class(self):
        return self.ordered(super()._engineio_client_class())

    # The same by its name in the package for protocol 3.
    def _engineio_v3_client_class(self):
        return self.ordered(super()._engineio_v3_client_class())

    @staticmethod
    def ordered(library):
        class Ordered(library):
            def _trigger_event(self, event, *arguments, **options):
                return super()._trigger_event(event, *arguments, **{**options, "run_async": False})

        return Ordered


class Client:
    """A Socket.IO client that keeps what it hears, in order, as lists of event and arguments."""

    def __init__(self, address, transport, patience=30, token=None):
        self.heard, self.news = [], threading.Condition()
        # By itself it leaves for good, without a word, when a request has taken five seconds.
        self.library = OrderedClient(reconnection=False, json=PlainText, request_timeout=patience)
        joined = threading.Event()
        self.library.on("connect", joined.set)
        for event in EVENTS:
            self.library.on(event, functools.partial(self.hear, event))
        query = "?access_token=" + token if token else ""
        self.library.connect("http://%s:%d%s" % (*address, query), transports=TRANSPORTS[transport])
        if not joined.wait(patience):
            raise TimeoutError("connected, but never let into the namespace /")
        end, wanted = time.monotonic() + patience, "polling" if transport == "polling" else "websocket"
        while self.library.transport() != wanted:
            if time.monotonic() > end:
                raise TimeoutError("the transport stays %s" % self.library.transport())
            time.sleep(0.01)

    def hear(self, event, *arguments):
        with self.news:
            self.heard.append([event, *arguments])
            self.news.notify_all()

    def emit(self, event, *arguments):
        self.library.emit(event, arguments if len(arguments) > 1 else arguments[0])

    def settled(self, patience=60):
        """What was heard since the last time, until the answer to a question about an object that does not exist.

        The server has then done what this client had said before, and this client has heard what was said before."""
        nobody = secrets.token_hex(12)
        self.emit("getData", {"environment": nobody})
        answer = ["data", {"data": None, "environment": nobody}]
        with self.news:
            if not self.news.wait_for(lambda: answer in self.heard, patience):
                raise TimeoutError("no answer; heard %s" % self.heard[:20])
            place = self.heard.index(answer)
            heard, self.heard = self.heard[:place], self.heard[place + 1 :]
        return heard

    def close(self):
        self.library.disconnect()
