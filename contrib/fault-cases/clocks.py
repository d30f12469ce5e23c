"""A wall clock that jumps, back and forth, while the daemon runs.

The clock is moved by a preloaded library (clock.c): a time namespace has no wall clock of its own, libfaketime does not tell that
the clock was set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET), and the machine's clock belongs to everybody.
"""
import datetime
import json
import os
import struct
import time

from world import eventually, expect

MINUTE, HOUR, DAY = 60, 3600, 86_400
YEAR = 365 * DAY


class Clock:
    """The wall clock of one daemon and its verbs."""

    def __init__(self, world):
        self.file, self.fifo = world.path("clock"), world.path("clock-set")
        self.ahead = 0
        with open(self.file, "wb") as file:
            file.write(bytes(8))
        os.mkfifo(self.fifo)
        self.environment = {"LD_PRELOAD": world.preload("clock"), "FAULTS_CLOCK": self.file, "FAULTS_CLOCK_SET": self.fifo}

    def set(self, ahead):
        """Seconds by which the clock is ahead from now on; whoever watches the clock is told."""
        self.ahead = ahead
        with open(self.file, "r+b") as file:
            file.write(struct.pack("=q", int(ahead * 1_000_000_000)))
        try:
            pipe = os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            # Nobody watches it.
            return
        os.write(pipe, bytes(8))
        os.close(pipe)

    def now(self):
        return time.time() + self.ahead


def _text(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _firings(daemon, session, rule):
    status, body = daemon.web("GET", f"/api/rules/{rule}/explain?limit=1000", None, session)
    expect(status == 200, f"explain is answered with {status}: {body}")
    return [line for line in body["lines"] if line["result"] in ("done", "failed", "running", "interrupted")]


def _expect_works(world, clock, daemon, visitor):
    """It answers, its times are those of the clock, and it rests."""
    number = world.rng.randrange(1_000_000)
    visitor.expect_ok("things/television/set", {"volume": number})
    text = visitor.awaits("things/television", lambda text: f'"volume":{number}' in visitor.topics.get("things/television/data", ""))
    expect(json.loads(text).get("ts", "")[:10] >= _text(clock.now() - 5)[:10] or clock.now() < 0,
           f"the thing's time is {json.loads(text).get('ts')}; the clock says {_text(clock.now())}")
    status, text = daemon.health()
    expect(status == 200, f"/healthz is {status}: {text}")


def clock_jumps(world):
    """A clock that jumps by minutes to years: rules fire once or are missed as promised, tokens end, everything goes on."""
    clock = Clock(world)
    broker = world.broker()
    daemon = world.daemon(broker.port, {"rules.time_zone": "UTC"})
    daemon.environment = clock.environment
    daemon.take_place().start()
    visitor = world.visitor(broker.port)
    visitor.awaits("things/television/availability", lambda text: text == "online")
    session = daemon.session()

    def add(rule):
        status, body = daemon.web("POST", "/api/rules", {"then": [{"publish": "x"}], **rule}, session)
        expect(status == 201, f"a rule is answered with {status}: {body}")
        return body["slug"]

    # In the middle of a minute, as the rules below count whole ones.
    clock.set(30 - time.time() % 60)
    start = clock.now()
    once = add({"title": "Once", "when": [{"on": "once", "at": _text(start + 30 * MINUTE)}]})
    missed = add({"title": "Missed", "when": [{"on": "once", "at": _text(start + 90 * MINUTE)}]})
    every = add({"title": "Every minute", "when": [{"on": "cron", "cron": "* * * * *"}]})
    status, token = daemon.web("POST", "/api/tokens", {"user": "owner", "name": "short", "until": _text(start + 20 * HOUR)}, session)
    expect(status == 201, f"a token is answered with {status}: {token}")
    bearer = {"Authorization": f"Bearer {token['token']}"}
    expect(daemon.web("GET", "/api/users", None, bearer)[0] == 200, "a token is refused")

    def jump(by):
        clock.set(clock.ahead + by)
        _expect_works(world, clock, daemon, visitor)

    # Over what is due once: it is made up for.
    jump(35 * MINUTE)
    eventually("a moment that was jumped over is not made up for", lambda: len(_firings(daemon, session, once)) == 1)
    # Back before it: it does not come twice, and neither does a minute.
    before = len(_firings(daemon, session, every))
    jump(-20 * MINUTE)
    jump(19 * MINUTE)
    expect(len(_firings(daemon, session, once)) == 1, "what has fired fires again after the clock was set back")
    expect(len(_firings(daemon, session, every)) <= before + 1, f"minutes fire again after the clock was set back: {_firings(daemon, session, every)}")
    # Far over another one: more than rules.missed_minutes late.
    jump(5 * HOUR)
    time.sleep(1)
    expect(not _firings(daemon, session, missed), "a moment hours ago is made up for")
    # The next minute is due when the clock says so.
    before = len(_firings(daemon, session, every))
    jump(59.5 - clock.now() % 60 if clock.now() % 60 < 59 else 59.5)
    eventually("the next minute does not fire", lambda: len(_firings(daemon, session, every)) > before, 5)
    # The token ends with the clock, and comes back with it.
    jump(DAY)
    expect(daemon.web("GET", "/api/users", None, bearer)[0] == 401, "a token is used after its end")
    jump(-DAY)
    expect(daemon.web("GET", "/api/users", None, bearer)[0] == 200, "a token is refused before its end")

    processor, steady = daemon.processor_seconds(), time.monotonic()
    small = daemon.memory()[0]
    # To dates that were never meant: a machine without a battery, and the ends of counters.
    for moment in (400 * DAY, 2**31 - 5, 2**31 + DAY, 2**32 + DAY, time.time()):
        clock.set(moment - time.time())
        visitor.expect_ok("things/television/set", {"volume": world.rng.randrange(1000)})
        if moment < 2 * YEAR:
            visitor.awaits("alert/clock")
        else:
            visitor.awaits_gone("alert/clock")
    clock.set(0)
    for _ in range(world.amount(15, 600)):
        by = world.rng.choice([1, 30, 90, 3599, 3601, DAY, 40 * DAY, YEAR]) * world.rng.choice([1, -1]) * world.rng.uniform(0.5, 1)
        # Never before the build of the program.
        clock.set(max(0, min(30 * YEAR, clock.ahead + by)))
        answer = visitor.ask("request/ping", {}, 5)
        expect(answer and answer["status"] == "ok", f"a ping is answered with {answer} after a jump by {by:.0f} s")
        if not world.short:
            time.sleep(world.rng.uniform(0, 0.3))
    clock.set(0)
    firings = _firings(daemon, session, every)
    busy = (daemon.processor_seconds() - processor) / (time.monotonic() - steady)
    expect(busy < 0.8, f"it takes {busy:.2f} of a processor")
    grown = (daemon.memory()[0] - small) / 1024
    expect(grown < 20, f"it has grown by {grown:.0f} MB")
    eventually(lambda: f"it is not well at the end: {daemon.health()}", lambda: daemon.health()[0] == 200)
    daemon.stop()
    return f"{len(firings)} firings of a rule for every minute; grown by {grown:.1f} MB"


CASES = [clock_jumps]
