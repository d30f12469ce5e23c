"""Few descriptors, and little memory."""
import os
import socket
import time

from world import TELEVISION, THINGS, Missing, Wrong, eventually, expect


def few_descriptors(world):
    """With few descriptors a start is refused with words or works; connections that use them up harm nobody else for long."""
    broker = world.broker()
    daemon = world.daemon(broker.port).take_place()
    starts = []
    for limit in world.amount([8, 24, 64, 110, 128], [4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 104, 112, 128, 192]):
        daemon.before = ["prlimit", f"--nofile={limit}:{limit}"]
        daemon.start(waits=False)
        eventually(f"with {limit} descriptors it neither starts nor ends",
                   lambda: daemon.process.poll() is not None or "Flare server: http" in daemon.log())
        if daemon.lives():
            visitor = world.visitor(broker.port)
            visitor.awaits("status", lambda text: text == "online")
            visitor.expect_ok("things/television/set", {"volume": limit})
            visitor.close()
            starts.append(limit)
            daemon.stop()
        else:
            expect(daemon.process.returncode == 71, f"with {limit} descriptors it ends with {daemon.process.returncode}: {daemon.log()[-300:]}")
            expect("ulimit -n" in daemon.log(), f"with {limit} descriptors it does not say what to raise: {daemon.log()[-300:]}")
    expect(starts, "it starts with no limit at all")

    # It runs with a little more than it needs, and others take the rest.
    limit = starts[0] + 40
    daemon.before = ["prlimit", f"--nofile={limit}:{limit}"]
    daemon.start()
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online")
    _, web = daemon.address("web")
    _, flare = daemon.address("Flare server")
    processor, start = daemon.processor_seconds(), time.monotonic()
    held = []
    for _ in range(limit * 3):
        for port in (web, flare):
            try:
                link = socket.create_connection(("127.0.0.1", port), 1)
                link.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
                held.append(link)
            except OSError:
                pass
    number = 0
    end = time.monotonic() + world.amount(2, 60)
    while time.monotonic() < end:
        number += 1
        visitor.expect_ok("things/television/set", {"volume": number})
        time.sleep(0.05)
    expect(daemon.descriptors() <= limit, f"it has {daemon.descriptors()} descriptors")
    busy = (daemon.processor_seconds() - processor) / (time.monotonic() - start)
    expect(busy < 0.7, f"it takes {busy:.2f} of a processor while connections cannot be accepted")
    for link in held:
        link.close()
    eventually("it answers nobody after the connections have ended", lambda: _answers(daemon))
    # A link to the broker that has to be made anew.
    broker.kill()
    broker.start()
    visitor.awaits("status", lambda text: text == "online")
    daemon.stop()
    return f"starts with {starts[0]} descriptors"


def _answers(daemon):
    try:
        return daemon.health()[0] == 200 and daemon.rest("GET", "/environments")[0] == 200
    except OSError:
        return False


def little_memory(world):
    """With little address space a start ends with words or works, and nothing hangs; what has started works under load, too."""
    broker = world.broker()
    daemon = world.daemon(broker.port).take_place()
    starts, refused, unloaded = None, [], []
    sizes = world.amount([60, 200, 400, 640, 720, 1000], [40, 80, 100, *range(110, 260, 10), *range(260, 1001, 20)])
    for size in sizes:
        daemon.before = ["prlimit", f"--as={size << 20}:{size << 20}"]
        daemon.start(waits=False)
        eventually(f"with {size} MB it neither starts nor ends",
                   lambda: daemon.process.poll() is not None or "Flare server: http" in daemon.log())
        log, status = daemon.log(), daemon.process.poll()
        if status is None:
            starts = size
            break
        if status == 71:
            expect("ulimit -v" in log, f"with {size} MB it does not say what to raise: {log[-300:]}")
            refused.append(size)
        else:
            # The kernel or the loader could not map the program itself.
            own = [line for line in log.splitlines() if "trilateral:" in line and "error while loading shared libraries" not in line]
            expect(not own and not refused, f"with {size} MB it ends with {status}: {log[-300:]}")
            unloaded.append(size)
    expect(starts, f"it starts with no limit at all; refused: {refused}")
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online")
    _, web = daemon.address("web")
    links = []
    for _ in range(60):
        link = socket.create_connection(("127.0.0.1", web), 5)
        link.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % web)
        links.append(link)
    for number in range(world.amount(100, 3000)):
        visitor.expect_ok("things/television/set", {"volume": number, "source": "x" * world.rng.randrange(20_000)})
    for link in links:
        link.close()
    daemon.expect_lives()
    daemon.stop()
    return f"starts with {starts} MB, refuses {refused}; the loader cannot load it with {unloaded}"


def memory_of_a_group(world):
    """A daemon that the kernel kills because its group has too little memory has what was acknowledged when it starts again."""
    group = _group(world)
    broker = world.broker()
    daemon = world.daemon(broker.port).take_place().start()
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online")
    with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as file:
        file.write(str(daemon.process.pid))
    number, killed = 0, 0
    for turn in range(world.amount(2, 12)):
        confirmed = number
        resident = daemon.memory()[1]
        _limit(group, (resident << 10) + (256 << 10) * (turn % 3))
        end = time.monotonic() + world.amount(3, 10)
        while daemon.lives() and time.monotonic() < end:
            answer = visitor.ask("things/television/set", {"volume": number + 1, "source": "x" * 20_000}, 2)
            number += 1
            if answer and answer["status"] == "ok":
                confirmed = number
        _limit(group, None)
        if daemon.lives():
            daemon.kill()
        else:
            killed += 1
            expect(daemon.process.returncode == -9, f"it ends with {daemon.process.returncode}: {daemon.log()[-300:]}")
        daemon.start()
        value = daemon.rest("GET", f"{THINGS}/{TELEVISION}")[1]["data"]["volume"]
        expect(confirmed <= value <= number or confirmed == 0, f"the volume is {value}; {confirmed} was acknowledged")
        number = max(number, value)
        visitor.awaits("status", lambda text: text == "online")
        with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(daemon.process.pid))
    daemon.stop()
    if not killed:
        raise Missing("a kernel that keeps a group within its memory")
    return f"killed {killed} times"


def _group(world):
    """A group of processes whose memory can be limited, of either version of cgroups; it is removed at the end."""
    for root in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
        group = os.path.join(root, f"trilateral-faults-{os.getpid()}")
        try:
            os.mkdir(group)
        except OSError:
            continue
        world.closers.append(lambda: _remove(group))
        if any(os.access(os.path.join(group, name), os.W_OK) for name in ("memory.max", "memory.limit_in_bytes")):
            return group
    raise Missing("a group of processes whose memory can be limited (cgroups)")


def _remove(group):
    # The daemon may still be in it.
    try:
        with open(os.path.join(group, "cgroup.procs"), encoding="ascii") as file:
            for line in file:
                os.kill(int(line), 9)
        eventually("", lambda: not open(os.path.join(group, "cgroup.procs"), encoding="ascii").read(), 5)
    except (OSError, Wrong):
        pass
    os.rmdir(group)


def _limit(group, size):
    # What is swapped is not killed for.
    for name, unlimited in (("memory.swap.max", "max"), ("memory.max", "max"), ("memory.limit_in_bytes", "-1")):
        path = os.path.join(group, name)
        if os.path.exists(path):
            try:
                with open(path, "w", encoding="ascii") as file:
                    file.write(unlimited if size is None else "0" if "swap" in name else str(size))
            except OSError:
                # Version 1 takes no limit below what is in use.
                pass


CASES = [few_descriptors, little_memory, memory_of_a_group]
