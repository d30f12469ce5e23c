"""The work of same_work.c as a user of paho-mqtt and sqlite3 writes it in an evening: PORT DATABASE THINGS."""
import json
import signal
import socket
import sqlite3
import sys
from datetime import datetime, timezone

import paho.mqtt.client as mqtt

ROOT = "trilateral/script"
COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"]
ORANGE = {"b": 0, "g": 165, "r": 255}
# Without spaces, as the others write it.
dumps = json.JSONEncoder(separators=(",", ":")).encode
port, path, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
lamps = [{"_id": f"000000004c616d70{n:08x}", "name": f"Lamp {n + 1}", "description": "A lamp with colours", "zone": n // 10,
          "position": {"x": 1 + n % 5 * 2, "y": 1 + n % 10 // 5 * 2, "z": 1}, "actions": [],
          "data": {"brightness": 0.6, "color": "orange", "minor": n + 1, "on": True, "options": COLOURS}} for n in range(count)]
database = sqlite3.connect(path, isolation_level=None)
for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "locking_mode = EXCLUSIVE"):
    database.execute(f"PRAGMA {pragma}")
database.execute("CREATE TABLE thing (sequence INTEGER PRIMARY KEY, document TEXT NOT NULL)")
database.executemany("INSERT INTO thing VALUES (?, ?)", [(n, dumps(lamp)) for n, lamp in enumerate(lamps)])
events = 0


def on_message(client, _, message):
    global events
    def publish(topic, payload, retain=False):
        client.publish(f"{ROOT}/{topic}", dumps(payload), qos=1, retain=retain)
    slug = message.topic.split("/")[3]
    lamp, command = lamps[int(slug[5:]) - 1], json.loads(message.payload)
    data, before, now = lamp["data"], lamp["data"]["brightness"], datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    data["brightness"] = round(command["brightness"] / 255, 4)
    lamp["modified"] = now
    database.execute("UPDATE thing SET document = ? WHERE sequence = ?", (dumps(lamp), data["minor"] - 1))
    publish(f"things/{slug}", {
        "actions": ["on", "off", "nextColor", "previousColor", "lighter", "darker"], "brightness": command["brightness"],
        "color": ORANGE, "color_mode": "rgb", "color_name": "orange", "description": lamp["description"], "id": lamp["_id"],
        "name": lamp["name"], "palette": COLOURS, "settable": ["state", "brightness", "level", "color"], "slug": slug,
        "state": "ON", "ts": now, "zone": f"room-{lamp['zone'] + 1}"}, retain=True)
    publish(f"things/{slug}/data", data, retain=True)
    room = lamps[lamp["zone"] * 10:lamp["zone"] * 10 + 10]
    publish(f"zones/room-{lamp['zone'] + 1}/lights", {
        "brightness": round(sum(other["data"]["brightness"] for other in room) / len(room) * 255), "color": ORANGE,
        "color_mode": "rgb", "lights": len(room), "on": len(room), "state": "ON"}, retain=True)
    events += 1
    publish("event/thing", {
        "after": {"brightness": data["brightness"]}, "before": {"brightness": before},
        "cause": {"source": "command", "tx": command["tx"]}, "changed": ["brightness"], "epoch": "01a2055d49737056",
        "event_type": "changed", "id": lamp["_id"], "name": lamp["name"], "seq": events, "slug": slug, "ts": now})
    publish("response/set", {"accepted": {"brightness": command["brightness"]}, "status": "ok",
                             "target": {"kind": "thing", "slug": slug}, "tx": command["tx"]})


def on_connect(client, *_):
    client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.subscribe(f"{ROOT}/things/+/set", 1)


signal.signal(signal.SIGTERM, lambda *_: sys.exit())
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.on_connect, client.on_message = on_connect, on_message
client.connect("127.0.0.1", port)
client.loop_forever()
