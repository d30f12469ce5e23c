"""A disk that is full, and one that becomes read-only, under a daemon that runs."""
import errno
import os
import sys
import time

from world import TELEVISION, THINGS, eventually, expect
from writes import KINDS, Site

# What is written to a disk that fails; verbs are left out, as each would have to be tried again.
WRITERS = [kind for kind in KINDS if kind not in ("Verbs",)]


def _fill(path):
    """Writes to a file until not a byte more fits."""
    size = 65_536
    with open(path, "wb", buffering=0) as file:
        while size:
            try:
                file.write(b"x" * size)
            except OSError:
                size //= 2


def _is_told(site):
    """Whether the daemon says that it cannot store; it finds out when something is to be stored."""
    site.daemon.rest("PUT", f"{THINGS}/{TELEVISION}", {"data.source": "x" * 3000})
    return "alert/state-folder" in site.visitor.topics and site.daemon.health()[0] == 503


def _try_writes(site, seconds):
    """Writes that may be refused now: none of them may be acknowledged and lost."""
    for writer in site.writers:
        writer.may_fail = True
    end = time.monotonic() + seconds
    site.gate.set()
    while time.monotonic() < end:
        site.expect_no_error()
        site.daemon.expect_lives()
        time.sleep(0.05)
    site.rest_writers()
    for writer in site.writers:
        writer.may_fail = False


def _turns(world, site, breaks, mends):
    for turn in range(world.amount(2, 15)):
        _try_writes(site, world.rng.uniform(0.2, 0.6))
        broken = time.monotonic()
        site.fails = True
        breaks()
        _try_writes(site, world.rng.uniform(0.2, world.amount(0.5, 5)))
        eventually(lambda: f"it does not say that it cannot store: {site.daemon.health()}", lambda: _is_told(site))
        answer = site.visitor.ask("request/ping", {}, 5)
        expect(answer and answer["status"] == "ok", f"a ping is answered with {answer}")
        dies = turn % 2 == 1
        if dies:
            site.daemon.kill()
        mends()
        site.fails = False
        if dies:
            site.daemon.start()
            eventually("it is not online", lambda: site.visitor.topics.get("status") == "online")
        eventually(lambda: f"it still says that it cannot store: {site.daemon.health()}",
                   lambda: "alert/state-folder" not in site.visitor.topics and site.daemon.health()[0] == 200)
        site.expect_nothing_lost(broken, died=dies)
    site.daemon.stop()
    problems = site.problems()
    expect(not problems, f"damaged: {problems}")
    return f"{site.ledger.total()} writes, {sum(site.ledger.refused.values())} refused"


def full_disk(world):
    """A full disk: an alert, writes are refused, nothing that was acknowledged is lost, and it goes on when there is space."""
    site = Site(world)
    world.closers.append(site.close)
    world.mount(site.daemon.state, "size=48m,mode=700")
    site.open(WRITERS)
    filler = os.path.join(site.daemon.state, "filler")
    return _turns(world, site, lambda: _fill(filler), lambda: os.remove(filler))


def failing_disk(world):
    """A disk that becomes read-only, or has errors, while it is written to: the same; and a start on a read-only one says so."""
    site = Site(world)
    world.closers.append(site.close)
    state = site.daemon.state
    world.mount(state, "size=64m,mode=700")
    error = world.path("error")
    with open(error, "wb") as file:
        file.write(bytes(4))
    site.daemon.environment = {"LD_PRELOAD": world.preload("disk"), "FAULTS_DISK": state, "FAULTS_DISK_ERROR": error}

    def fail(number):
        with open(error, "r+b") as file:
            file.write(number.to_bytes(4, sys.byteorder))

    site.open(WRITERS)
    words = _turns(world, site, lambda: fail(world.rng.choice([errno.EROFS, errno.EIO])), lambda: fail(0))
    world.remount(state, "ro")
    site.daemon.start(waits=False)
    eventually("a start on a read-only disk does not end", lambda: site.daemon.process.poll() is not None)
    expect(site.daemon.process.returncode == 73 and state in site.daemon.log(),
           f"a start on a read-only disk ends with {site.daemon.process.returncode}: {site.daemon.log()[-300:]}")
    return words


CASES = [full_disk, failing_disk]
