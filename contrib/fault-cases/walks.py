"""A year of somebody who walks, at speed: memory stays flat."""
import datetime
import os
import struct
import time

from clocks import DAY, Clock
from world import eventually, expect

# How much resident memory may grow from the end of the first quarter to the end of the last, MB: the allocator's slack.
FLAT_MB = 6


def _expect_flat(measured):
    text = ", ".join(f"{resident / 1024:.1f}" for resident, _ in measured)
    expect(measured[-1][0] - measured[0][0] < FLAT_MB * 1024, f"after each quarter it has {text} MB")
    return f"{text} MB after each quarter"


def _state_bytes(daemon):
    return sum(os.path.getsize(os.path.join(daemon.state, name)) for name in os.listdir(daemon.state)
               if os.path.isfile(os.path.join(daemon.state, name)))


def simulated_year(world):
    """365 days on a clock that is moved: each with moves between rooms, commands, rules that fire, logs that are trimmed, backups."""
    clock = Clock(world)
    broker = world.broker()
    daemon = world.daemon(broker.port, {
        "device.allow_set": "true", "presence.updates": "1", "rules.time_zone": "UTC", "people.log_rows": "1000",
        "rules.firing_rows": "1000", "rules.per_minute": "6000"})
    daemon.environment = clock.environment
    daemon.take_place().start()
    visitor = world.visitor(broker.port)
    visitor.awaits("things/television/availability", lambda text: text == "online")
    session = daemon.session()
    for rule in ({"title": "Noon", "when": [{"on": "cron", "cron": "0 12 * * *", "missed": "run"}]},
                 {"title": "Entered", "when": [{"on": "enter", "zone": "kitchen"}]}):
        status, body = daemon.web("POST", "/api/rules", {"then": [{"publish": "x"}], **rule}, session)
        expect(status == 201, f"a rule is answered with {status}: {body}")
    a_day, measured, moves, sizes = world.amount(4, 300), [], 0, []
    for day in range(365):
        # Just before noon; a minute later the rule of every day is due.
        clock.set(clock.ahead + DAY - (clock.now() - (12 * 3600 - 30)) % DAY)
        clock.set(clock.ahead + 31)
        for step in range(a_day):
            kitchen = step % 2 == 0
            x, y = world.rng.uniform(0.5, 4.5) + (5 if kitchen else 0), world.rng.uniform(0.5, 3.5)
            number = visitor.send("device/set", {"position": {"x": round(x, 2), "y": round(y, 2)}})
            moves += 1
            if step % 4 == 3:
                answer = visitor.answer(number)
                expect(answer and answer["status"] == "ok", f"a move is answered with {answer}")
                visitor.expect_ok("things/television/set", {"volume": moves})
        with visitor.changed:
            # Nobody asks for the answers of the others.
            visitor.answers.clear()
        if day in (90, 181, 272, 364):
            measured.append(daemon.memory())
            sizes.append(_state_bytes(daemon))
        daemon.expect_lives()
    # Each zone that is entered was left.
    zones, noons = visitor.heard["event/zone"] // 2, visitor.heard["rules/noon/fired"]
    expect(zones > 365, f"only {zones} times a zone was entered in {moves} moves")
    expect(350 < noons <= 366, f"the rule of each noon has fired {noons} times in 365 days")
    eventually(lambda: f"it is not well: {daemon.health()}", lambda: daemon.health()[0] == 200)
    daemon.stop()
    return (f"{moves} moves, {zones} zones entered, {noons} noons; {_expect_flat(measured)}; "
            f"state {', '.join(f'{size / 1e6:.1f}' for size in sizes)} MB")


def _seconds(path):
    """How long a capture in the format btsnoop lasts; its times are microseconds (RFC 1761, with times of 64 bits)."""
    with open(path, "rb") as file:
        data = file.read()
    at, moments = 16, []
    while at + 24 <= len(data):
        _, length, _, _, moment = struct.unpack(">IIIIq", data[at:at + 24])
        moments.append(moment)
        at += 24 + length
    return (moments[-1] - moments[0]) / 1e6


def _said(log, text):
    """When a line of the log was written, s."""
    line = next(line for line in log.splitlines() if text in line)
    return datetime.datetime.fromisoformat(line.split()[0].replace("Z", "+00:00")).timestamp()


def walk_at_speed(world):
    """The demo's walk, from packets of beacons to published zones, as fast as the machine can: hours in seconds, memory stays flat."""
    broker = world.broker()
    demo = world.daemon(broker.port, node="demo")
    demo.state = world.path("demo")
    demo.start(waits=False, arguments=["demo", "--mqtt", f"127.0.0.1:{broker.port}", "--node", "demo", "--web", "127.0.0.1:0",
                                       "--flare", "127.0.0.1:0"])
    capture = os.path.join(demo.state, "walk.btsnoop")
    eventually(lambda: f"the demo does not start: {demo.log()[-400:]}", lambda: "Now:" in demo.log() and os.path.exists(capture))
    model = world.path("model.json")
    demo.verb_ok("export", model, "--force")
    demo.stop()
    daemon = world.daemon(broker.port)
    daemon.verb_ok("import", model)
    # Once, to see how fast that is.
    daemon.start(arguments=["replay", capture, "--speed", "max"])
    eventually("the walk does not end", lambda: "replay ended" in daemon.log())
    rate = _seconds(capture) / max(0.001, _said(daemon.log(), "replay ended") - _said(daemon.log(), "tracking beacons"))
    daemon.stop()
    daemon.start(arguments=["replay", capture, "--speed", "max", "--loop"])
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online")
    eventually("nobody walks", lambda: visitor.heard["event/zone"])
    measured, quarter = [], world.amount(2, 150)
    processor = daemon.processor_seconds()
    for _ in range(4):
        time.sleep(quarter)
        daemon.expect_lives()
        measured.append(daemon.memory())
    took = daemon.processor_seconds() - processor
    answer = visitor.ask("request/ping", {}, 10)
    expect(answer and answer["status"] == "ok", f"a ping is answered with {answer}")
    entered = visitor.heard["event/zone"] // 2
    daemon.stop()
    return (f"{entered} zones entered; some {rate * quarter * 4 / 3600:.0f} h of packets played, {took:.0f} s of the processor; "
            f"{_expect_flat(measured)}")


CASES = [simulated_year, walk_at_speed]
