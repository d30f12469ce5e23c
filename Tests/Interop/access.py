#!/usr/bin/env python3
"""A client of a Flare server that asks for tokens: it brings one in its address.

    access.py HOST:PORT polling|websocket|upgrade TOKEN_FILE PLACE MINE OTHER

PLACE is the path of a zone's things; the token's user may change the thing MINE there, and OTHER only see. Speaks the protocol of the Socket.IO library that is installed. A line for each check, at last
`N passed, N failed`; exit status 1 when one failed.
"""

import os
import signal
import sys

from flare_client import PROTOCOL, Client, exchange, host_and_port, socketio

counts = {True: 0, False: 0}


def check(what, good, found=""):
    counts[bool(good)] += 1
    print("ok   %s" % what if good else "FAIL %s: %s" % (what, found), flush=True)


def refused(address, transport, token):
    try:
        Client(address, transport, token=token).close()
    except socketio.exceptions.ConnectionError:
        return True
    return False


def main(address, transport, token_file, place, mine, other):
    signal.alarm(100)
    address = host_and_port(address)
    with open(token_file, encoding="ascii") as file:
        token = file.read().strip()
    other_token = token[:-1] + ("A" if token[-1] != "A" else "E")
    print("protocol %d" % PROTOCOL, flush=True)
    check("nobody gets in without a token", refused(address, transport, None))
    check("nobody gets in with another one", refused(address, transport, other_token))

    def stored(thing, key):
        answer = exchange(address, "GET", "%s/%s?access_token=%s" % (place, thing, token))
        check("the token also reads by REST", answer.status == 200, answer.status)
        return (answer.value or {}).get("data", {}).get(key)

    driver, reader = (Client(address, transport, token=token) for _ in range(2))
    for thing in (mine, other):
        reader.emit("subscribe", {"thing": thing})
    check("nothing is heard yet", not reader.settled())
    was = stored(other, "brightness")
    driver.emit("setData", {"thing": other, "key": "brightness", "value": 0.125})
    driver.emit("setData", {"thing": mine, "key": "brightness", "value": 0.375})
    driver.settled()
    heard = reader.settled()
    check("the change that is allowed is heard, the other one is not",
          [message[1]["thing"] for message in heard if message[0] == "data"] == [mine], heard)
    check("it is stored", stored(mine, "brightness") == 0.375)
    check("the other one is not", stored(other, "brightness") == was)
    for client in (driver, reader):
        client.close()
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return 1 if counts[False] else 0


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    sys.stdout.flush()
    # The libraries' threads may still wait.
    os._exit(status)
