#!/usr/bin/env python3
"""Delivers what Trilateral puts into its outbox: e-mail by sendmail or a mail server, text messages and push notices by
programs of yours.

  deliver.py [--check] [CONFIG]

CONFIG is a file such as outbox.conf.example, by default /etc/trilateral/outbox.conf. With --check nothing is started;
problems of the configuration are printed.

It needs Python 3.8 and mosquitto_sub, and no other package. No shell ever sees what a message says: texts go to programs
by their standard input, and a telephone number, of which only digits and a + are left, as the last argument.

Exit status: 0 ended by a signal, 64 wrong option, 66 no such file, 69 mosquitto_sub is missing, 70 an error in
this program, 78 wrong configuration.
"""

import collections
import configparser
import datetime
import email.message
import email.policy
import email.utils
import json
import os
import queue
import shlex
import shutil
import signal
import smtplib
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time

DEFAULT_CONFIG = "/etc/trilateral/outbox.conf"
# Pauses before a message is tried again, seconds.
PAUSES = (2, 10, 60)
# How long a program or a server may take for one message, seconds.
PATIENCE = 60
# After an interruption a broker may send a message twice: so many are remembered.
REMEMBERED = 1000
# So many wait for each channel.
MOST_WAITING = 100
# The daemon's messages are much shorter.
LONGEST_LINE = 64 * 1024
KEYS = {
    "broker": {"host", "port", "root", "user", "password_file", "cafile", "session"},
    "email": {"from", "sendmail", "smtp", "tls", "user", "password_file"},
    "sms": {"command"},
    "push": {"command", "development"},
}


class Wrong(Exception):
    """What a person must correct, with the exit status."""

    def __init__(self, message, status=78):
        super().__init__(message)
        self.status = status


class Failed(Exception):
    """A message could not be delivered now."""


class Illegal(Failed):
    """A message can never be delivered."""


def log(text):
    """One line on standard error; never a text, an address or a token of a message."""
    print(clean(text)[:500], file=sys.stderr, flush=True)


def clean(text):
    """A text without what ends a line or changes a terminal."""
    return "".join(character if character.isprintable() else " " for character in str(text))


# Configuration


class Config:
    def __init__(self, path):
        parser = configparser.ConfigParser(interpolation=None)
        try:
            with open(path, encoding="utf-8") as file:
                parser.read_file(file)
        except OSError as error:
            raise Wrong(f"{path}: {error.strerror}", 66) from error
        except (configparser.Error, UnicodeDecodeError) as error:
            raise Wrong(f"{path}: {error}") from error
        self.path = path
        self.sections = {name: dict(parser[name]) for name in parser.sections()}
        for name, values in self.sections.items():
            if name not in KEYS:
                raise self.wrong(f"[{name}] means nothing; known: {', '.join(KEYS)}")
            for key in values:
                if key not in KEYS[name]:
                    raise self.wrong(f"{name}.{key} means nothing; known: {', '.join(sorted(KEYS[name]))}")
        self.root = self.needed("broker", "root").strip("/")
        if not self.root or any(mark in self.root for mark in "+#"):
            raise self.wrong("broker.root must be <base>/<node>, such as trilateral/panel")
        self.channels = {}
        if "email" in self.sections:
            self.channels["outbox/email"] = Email(self)
        if "sms" in self.sections:
            self.channels["outbox/sms"] = TextMessages(self.command("sms"))
        if "push" in self.sections:
            push = Push(self.command("push"))
            self.channels["outbox/push"] = push
            if self.flag("push", "development"):
                self.channels["outbox-dev/push"] = push
        if not self.channels:
            raise self.wrong("at least one of [email], [sms] and [push] is needed")

    def wrong(self, text):
        return Wrong(f"{self.path}: {text}")

    def get(self, section, key, otherwise=None):
        value = self.sections.get(section, {}).get(key, "").strip()
        return value or otherwise

    def needed(self, section, key):
        value = self.get(section, key)
        if value is None:
            raise self.wrong(f"{section}.{key} is missing")
        return value

    def number(self, section, key, otherwise, least, most):
        text = self.get(section, key, str(otherwise))
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise self.wrong(f"{section}.{key} must be {least} to {most} (is {clean(text)})")
        return int(text)

    def flag(self, section, key):
        text = self.get(section, key, "no").lower()
        if text not in ("yes", "no"):
            raise self.wrong(f"{section}.{key} must be yes or no (is {clean(text)})")
        return text == "yes"

    def secret(self, section):
        """The first line of the file that `password_file` names, which not everybody may read."""
        path = self.get(section, "password_file")
        if path is None:
            return None
        try:
            with open(path, encoding="utf-8") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                secret = file.readline().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise self.wrong(f"{section}.password_file: {path}: {error}") from error
        if mode & 0o007:
            raise self.wrong(f"{section}.password_file: everybody may read {path}; run: chmod 600 {shlex.quote(path)}")
        if not secret:
            raise self.wrong(f"{section}.password_file: {path} is empty")
        return secret

    def command(self, section, key="command"):
        """A program with its arguments, as a shell would take them apart; no shell runs them."""
        try:
            words = shlex.split(self.needed(section, key))
        except ValueError as error:
            raise self.wrong(f"{section}.{key}: {error}") from error
        if not words or shutil.which(words[0]) is None:
            raise self.wrong(f"{section}.{key}: there is no program {clean(words[0] if words else '')}")
        return words


# Channels: each delivers a message, or raises Failed.


def text_of(message, key, longest=4000):
    """A member that is a text."""
    value = message.get(key)
    if not isinstance(value, str) or len(value) > longest:
        raise Illegal(f"{key} is missing or no text")
    return value


def run(command, text):
    """Runs a program, which gets a text on its standard input."""
    try:
        end = subprocess.run(command, input=text, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE,
                             check=False, close_fds=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{command[0]}: {type(error).__name__}") from error
    if end.returncode != 0:
        said = end.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Failed(f"{command[0]} ended with {end.returncode}{': ' + said[-1][:200] if said else ''}")


class Email:
    def __init__(self, config):
        self.sender = config.needed("email", "from")
        self.address = email.utils.parseaddr(self.sender)[1]
        if "@" not in self.address or clean(self.sender) != self.sender:
            raise config.wrong("email.from must be an address, such as Trilateral <trilateral@example.org>")
        smtp = config.get("email", "smtp")
        if (smtp is None) == (config.get("email", "sendmail") is None):
            raise config.wrong("[email] needs either sendmail or smtp")
        self.sendmail = config.command("email", "sendmail") if smtp is None else None
        if smtp is not None:
            host, _, port = smtp.rpartition(":")
            if not host or not port.isdigit():
                raise config.wrong("email.smtp must be HOST:PORT, such as mail.example.org:587")
            self.server = (host, int(port))
            self.tls = config.get("email", "tls", "starttls")
            if self.tls not in ("starttls", "tls", "none"):
                raise config.wrong("email.tls must be starttls, tls or none")
            self.user, self.password = config.get("email", "user"), config.secret("email")
            if (self.user is None) != (self.password is None):
                raise config.wrong("email.user and email.password_file need each other")
            if self.user and self.tls == "none":
                raise config.wrong("email.tls: a password is not sent without TLS")

    def deliver(self, message):
        to = text_of(message, "to", 254)
        # The daemon checks addresses, too. Here one must be no option, no list and no second header.
        if to.count("@") != 1 or to[0] in "-/|." or any(c in " ,;:<>()[]\\|`$\"" or not c.isprintable() for c in to):
            raise Illegal("the address is not legal")
        mail = email.message.EmailMessage(policy=email.policy.SMTP)
        mail["From"], mail["To"] = self.sender, to
        mail["Subject"] = clean(text_of(message, "subject"))
        mail["Date"] = email.utils.formatdate(localtime=True)
        mail["Message-ID"] = email.utils.make_msgid(domain=self.address.rpartition("@")[2])
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(text_of(message, "text", 100_000))
        if self.sendmail:
            unix = email.policy.SMTP.clone(linesep="\n")
            run(self.sendmail + ["-i", "-f", self.address, "--", to], mail.as_bytes(policy=unix))
            return
        try:
            self.send(mail, to)
        except (OSError, smtplib.SMTPException) as error:
            # The texts of some errors have the address.
            code = getattr(error, "smtp_code", "")
            raise Failed(f"the mail server: {type(error).__name__} {code}".rstrip()) from error

    def send(self, mail, to):
        context = ssl.create_default_context()
        if self.tls == "tls":
            server = smtplib.SMTP_SSL(*self.server, timeout=PATIENCE, context=context)
        else:
            server = smtplib.SMTP(*self.server, timeout=PATIENCE)
        with server:
            if self.tls == "starttls":
                server.starttls(context=context)
            if self.user:
                server.login(self.user, self.password)
            server.send_message(mail, from_addr=self.address, to_addrs=[to])


class TextMessages:
    def __init__(self, command):
        self.command = command

    def deliver(self, message):
        number = text_of(message, "to", 64)
        digits = "".join(c for c in number if c in "0123456789")
        if len(digits) < 3:
            raise Illegal("the number is not legal")
        dialled = ("+" if number.lstrip(" (").startswith("+") else "") + digits
        run(self.command + [dialled], text_of(message, "text").encode())


class Push:
    def __init__(self, command):
        self.command = command

    def deliver(self, message):
        run(self.command, json.dumps(message, ensure_ascii=False).encode())


# Messages


class Outbox:
    """The messages of one channel, which has a thread of its own to deliver them, and one to read them.

    A channel that cannot deliver must not stop the others. When too many wait, its further ones wait in the broker.
    """

    def __init__(self, root, topics, channel):
        self.topics = [f"{root}/{topic}" for topic in topics]
        self.known = collections.OrderedDict()
        self.waiting = queue.Queue(MOST_WAITING)
        threading.Thread(target=work, args=(channel, self.waiting), daemon=True).start()

    def receive(self, line):
        """One line of mosquitto_sub: a JSON object with the topic and the payload."""
        try:
            envelope = json.loads(line)
            topic, message = envelope["topic"], json.loads(envelope["payload"])
            identifier = text_of(message, "id", 200)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, Illegal):
            log("something that is no message is ignored")
            return
        if topic not in self.topics or identifier in self.known:
            return
        self.known[identifier] = True
        while len(self.known) > REMEMBERED:
            self.known.popitem(last=False)
        self.waiting.put((f"{topic} {clean(identifier)[:60]}", message))


def work(channel, waiting):
    while True:
        name, message = waiting.get()
        if is_over(message.get("expires")):
            log(f"{name}: too late, its link has expired")
            continue
        for pause in PAUSES + (None,):
            try:
                channel.deliver(message)
                log(f"{name}: delivered")
                break
            except Illegal as error:
                log(f"{name}: {error}")
                break
            except Failed as error:
                log(f"{name}: {error}" + (f"; again in {pause} s" if pause else "; given up"))
            except Exception as error:  # pylint: disable=broad-except
                # A message must not end the program.
                log(f"{name}: {type(error).__name__}; given up")
                break
            if pause:
                time.sleep(pause)


def is_over(expires):
    """Whether a time, as 2030-01-01T00:00:00Z, is over; it never is if there is none."""
    try:
        time_of = datetime.datetime.strptime(expires[:19], "%Y-%m-%dT%H:%M:%S")
    except (TypeError, ValueError, KeyError):
        return False
    return time_of.replace(tzinfo=datetime.timezone.utc) < datetime.datetime.now(datetime.timezone.utc)


def subscription(config, folder):
    """mosquitto_sub with its options; the password is in a file, as everybody sees arguments."""
    user, password = config.get("broker", "user"), config.secret("broker")
    if (user is None) != (password is None):
        raise config.wrong("broker.user and broker.password_file need each other")
    with open(os.path.join(folder, "mosquitto_sub"), "w", encoding="utf-8") as file:
        if user is not None:
            file.write(f"-u {user}\n-P {password}\n")
    os.chmod(file.name, 0o600)
    command = [
        "mosquitto_sub", "-V", "5", "-h", config.get("broker", "host", "localhost"),
        "-p", str(config.number("broker", "port", 1883, 1, 65535)), "-c", "-x", "86400", "-q", "1", "-R", "-F", "%j",
    ]
    if config.get("broker", "cafile"):
        command += ["--cafile", config.get("broker", "cafile")]
    return command


class Readers:
    """The programs that read the broker, one for each channel: while one of them waits, the others go on."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()
        self.has_ended = False
        self.failed = threading.Event()

    def follow(self, command, environment, outbox):
        """Reads a channel until the end."""
        try:
            while self.read(command, environment, outbox):
                time.sleep(5)
        finally:
            self.failed.set()

    def read(self, command, environment, outbox):
        with self.lock:
            if self.has_ended:
                return False
            reader = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
            self.running.add(reader)
        try:
            read(reader.stdout, outbox)
        finally:
            reader.terminate()
            reader.wait()
            reader.stdout.close()
            with self.lock:
                self.running.discard(reader)
        # It reconnects by itself; when it ends, the broker has refused it.
        log(f"mosquitto_sub ended with {reader.returncode}; again in 5 s")
        return True

    def end(self):
        with self.lock:
            self.has_ended = True
            for reader in self.running:
                reader.terminate()


def serve(config):
    if shutil.which("mosquitto_sub") is None:
        raise Wrong("mosquitto_sub is missing; it is in the package mosquitto-clients", 69)
    topics = {}
    for topic, channel in config.channels.items():
        topics.setdefault(channel, []).append(topic)
    readers = Readers()
    with tempfile.TemporaryDirectory(prefix="outbox-") as folder:
        command = subscription(config, folder)
        environment = dict(os.environ, XDG_CONFIG_HOME=folder)
        # Sessions that stay: what comes while this program is not there waits in the broker for a day.
        session = config.get("broker", "session", "outbox-" + config.root.replace("/", "-"))
        try:
            for channel, names in topics.items():
                outbox = Outbox(config.root, names, channel)
                own = command + ["-i", session + "-" + names[0].rpartition("/")[2]]
                for topic in outbox.topics:
                    own += ["-t", topic]
                threading.Thread(target=readers.follow, args=(own, environment, outbox), daemon=True).start()
            readers.failed.wait()
            raise Wrong("a channel cannot be read any more", 70)
        finally:
            readers.end()


def read(lines, outbox):
    while True:
        line = lines.readline(LONGEST_LINE)
        if not line:
            return
        if not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = lines.readline(LONGEST_LINE)
            log("a message that is too long is ignored")
        elif line.strip():
            outbox.receive(line)


class Ended(BaseException):
    """A signal."""


def end(*_):
    raise Ended


def main(arguments):
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__, end="")
        return 0
    is_check = arguments[:1] == ["--check"]
    rest = arguments[1:] if is_check else arguments
    if len(rest) > 1 or any(word.startswith("-") for word in rest):
        print("deliver.py: usage: deliver.py [--check] [CONFIG]", file=sys.stderr)
        return 64
    try:
        config = Config(rest[0] if rest else DEFAULT_CONFIG)
        if is_check:
            with tempfile.TemporaryDirectory() as folder:
                subscription(config, folder)
            print("delivers " + ", ".join(f"{config.root}/{topic}" for topic in config.channels))
            return 0
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)
        serve(config)
    except Wrong as error:
        print(f"deliver.py: {error}", file=sys.stderr)
        return error.status
    except Ended:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
