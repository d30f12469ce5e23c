"""A small MQTT 3.1.1 client: enough to watch a daemon and to command it.

Source: MQTT 3.1.1 (OASIS), chapters 2 and 3.
"""
import collections
import json
import socket
import struct
import threading
import time


class Refused(Exception):
    """The broker does not let us in."""


def _text(words):
    data = words.encode()
    return struct.pack("!H", len(data)) + data


def _packet(kind, body):
    length, head = len(body), bytearray([kind])
    while True:
        length, digit = divmod(length, 128)
        head.append(digit | (128 if length else 0))
        if not length:
            return bytes(head) + body


class Client:
    """Keeps the last message of each topic below the root, how many came, and the latest events; connects again by itself."""

    number = 0

    def __init__(self, port, root, user=None, password=None, tls=None):
        Client.number += 1
        self.port, self.root, self.user, self.password, self.tls = port, root, user, password, tls
        self.name = f"visitor-{Client.number}"
        self.changed = threading.Condition()
        self.topics, self.answers, self.events, self.heard = {}, {}, [], collections.Counter()
        self.is_connected, self.is_closed, self.socket = False, False, None
        self.next_tx = 0
        self.sending = threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    # Connection

    def _run(self):
        while not self.is_closed:
            try:
                self._link()
            except (OSError, Refused, struct.error, IndexError):
                pass
            with self.changed:
                self.is_connected = False
                self.changed.notify_all()
            if not self.is_closed:
                time.sleep(0.1)

    def _link(self):
        plain = socket.create_connection(("127.0.0.1", self.port), 5)
        self.socket = self.tls.wrap_socket(plain, server_hostname="localhost") if self.tls else plain
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        flags = 2 | (0x80 if self.user else 0) | (0x40 if self.password else 0)
        body = _text("MQTT") + bytes([4, flags]) + struct.pack("!H", 0) + _text(self.name)
        body += (_text(self.user) if self.user else b"") + (_text(self.password) if self.password else b"")
        self._send(_packet(0x10, body))
        self.buffer = b""
        kind, body = self._receive()
        if kind >> 4 != 2 or body[1] != 0:
            raise Refused(body)
        with self.changed:
            # What the broker keeps comes again.
            self.topics.clear()
        self._send(_packet(0x82, struct.pack("!H", 1) + _text(f"{self.root}/#") + bytes([1])))
        self.socket.settimeout(None)
        while True:
            kind, body = self._receive()
            if kind >> 4 == 9:
                with self.changed:
                    self.is_connected = True
                    self.changed.notify_all()
            if kind >> 4 == 3:
                self._heard(kind, body)

    def _receive(self):
        while True:
            packet = self._parse()
            if packet:
                return packet
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("closed")
            self.buffer += data

    def _parse(self):
        size, shift, at = 0, 0, 1
        while True:
            if at >= len(self.buffer):
                return None
            digit = self.buffer[at]
            size |= (digit & 127) << shift
            at, shift = at + 1, shift + 7
            if digit < 128:
                break
        if len(self.buffer) < at + size:
            return None
        packet = self.buffer[0], self.buffer[at:at + size]
        self.buffer = self.buffer[at + size:]
        return packet

    def _heard(self, kind, body):
        length = struct.unpack("!H", body[:2])[0]
        topic, at = body[2:2 + length].decode(), 2 + length
        if kind & 6:
            self._send(_packet(0x40, body[at:at + 2]))
            at += 2
        text = body[at:].decode("utf-8", "replace")
        topic = topic[len(self.root) + 1:]
        with self.changed:
            self.heard[topic] += 1
            if topic.startswith("response/"):
                try:
                    answer = json.loads(text)
                    self.answers[answer.get("tx")] = answer
                except ValueError:
                    pass
            elif topic.startswith("event/") or topic.startswith("outbox"):
                self.events.append((topic, text))
                del self.events[:-200_000]
            elif text:
                self.topics[topic] = text
            else:
                self.topics.pop(topic, None)
            self.changed.notify_all()

    def _send(self, data):
        if not self.socket:
            raise ConnectionError("no link")
        with self.sending:
            self.socket.sendall(data)

    def close(self):
        self.is_closed = True
        if self.socket:
            try:
                self.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.socket.close()

    # What cases ask

    def publish(self, topic, text, retain=False):
        self._send(_packet(0x30 | retain, _text(f"{self.root}/{topic}") + text.encode()))

    def awaits(self, topic, question=lambda text: True, within=30):
        """The text of a topic, when it is as asked for."""
        from world import Wrong
        end = time.monotonic() + within
        with self.changed:
            while True:
                text = self.topics.get(topic)
                if text is not None and question(text):
                    return text
                left = end - time.monotonic()
                if left <= 0:
                    raise Wrong(f"{topic} is {text!r:.300} after {within} s")
                self.changed.wait(left)

    def awaits_gone(self, topic, within=30):
        from world import Wrong
        end = time.monotonic() + within
        with self.changed:
            while topic in self.topics:
                left = end - time.monotonic()
                if left <= 0:
                    raise Wrong(f"{topic} is still {self.topics[topic]!r:.300} after {within} s")
                self.changed.wait(left)

    def send(self, topic, values):
        """Commands; the number by which the answer is known."""
        with self.changed:
            self.next_tx += 1
            number = f"{self.name}-{self.next_tx}"
        self.publish(topic, json.dumps({**values, "tx": number}))
        return number

    def answer(self, number, within=15):
        """The answer to a command, None if there is none."""
        end = time.monotonic() + within
        with self.changed:
            while number not in self.answers:
                left = end - time.monotonic()
                if left <= 0:
                    return None
                self.changed.wait(left)
            return self.answers.pop(number)

    def ask(self, topic, values, within=15):
        try:
            return self.answer(self.send(topic, values), within)
        except OSError:
            return None

    def expect_ok(self, topic, values, within=15):
        from world import Wrong
        answer = self.ask(topic, values, within)
        if not answer or answer.get("status") != "ok":
            raise Wrong(f"{topic} {json.dumps(values)} is answered with {json.dumps(answer)}")
        return answer
