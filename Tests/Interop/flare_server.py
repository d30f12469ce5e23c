#!/usr/bin/env python3
"""A small Flare server on libraries that others wrote, for tests of clients: what
contrib/contract/flare-protocol.md says, and on demand worse.

    flare_server.py [--listen HOST:PORT] [--model FILE]

Prints `listening HOST:PORT` when it is reached there. FILE is a tree as `trilateral export` writes it. Speaks the protocol
of the Socket.IO library that is installed. Everything is kept in memory; of the original's quirks it has the duplicates,
and transitions of which the new comes before the old.

Commands, as lines of standard input (answered by `done COMMAND`) or as the body of POST /command:

    set ID KEY VALUE  somebody sets data; VALUE is JSON
    die               the process is gone at once
    drop              every Socket.IO session ends
    hang SECONDS      nothing is answered for so long, connections stay open
    rest MODE         REST from now on: well, nonsense (no JSON), strange (JSON of other shapes), error (500), mute
    nonsense          every client gets packets and events that make no sense
    half              every websocket gets half a frame, and then its end
    flood N           every client gets N data messages about each object that there is
"""

import argparse
import asyncio
import inspect
import json
import os
import re
import sys
import threading
import time

from aiohttp import web

from flare_place import COLLECTIONS, Place, filtered, number

try:
    import engineio_v3.payload as payload
    import socketio_v4 as socketio

    class Manager(socketio.AsyncManager):
        """The library's own gives coroutines to asyncio.wait, which Python 3.11 no longer takes."""

        async def emit(self, event, data, namespace, room=None, **options):
            if room in self.rooms.get(namespace, {}):
                for sid in list(self.get_participants(namespace, room)):
                    await self.server._emit_internal(sid, event, data, namespace, None)

except ImportError:
    import engineio.payload as payload
    import socketio
    from socketio import AsyncManager as Manager

CLASSES = list(COLLECTIONS.values())
MOVES = {"north": ("y", 1), "south": ("y", -1), "east": ("x", 1), "west": ("x", -1), "up": ("z", 1), "down": ("z", -1)}
COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"]


class Rest:
    """The routes of the Flare protocol, 2: contrib/contract/flare-protocol.md."""

    def __init__(self, place, command):
        self.place, self.command, self.mode = place, command, "well"

    async def handle(self, request):
        body = await request.text()
        if request.path == "/command":
            return web.Response(text=await self.command(body))
        if self.mode == "mute":
            await asyncio.sleep(3600)
        if self.mode == "error":
            return web.Response(status=500, text="<html>Internal Server Error</html>", content_type="text/html")
        if self.mode == "nonsense":
            return web.Response(text='{"environments": [[[', content_type="application/json")
        if self.mode == "strange":
            return self.answer([7, None, {"_id": 5}, {"_id": "f" * 24, "data": "text", "position": None, "name": {}}])
        try:
            return self.answer(self.route(request, json.loads(body) if body else {}))
        except LookupError:
            raise web.HTTPNotFound()
        except ValueError:
            raise web.HTTPBadRequest()

    @staticmethod
    def answer(value):
        def plain(one):
            if isinstance(one, list):
                return [plain(part) for part in one]
            if isinstance(one, dict):
                return {key: part for key, part in one.items() if key != "class"}
            return one

        text = "" if value is Ellipsis else json.dumps(plain(value))
        return web.Response(text=text, content_type="application/json", charset="utf-8")

    def route(self, request, fields):
        words, parents = request.path.strip("/").split("/"), {}
        while True:
            kind = COLLECTIONS[words[0]]
            if len(words) == 1:
                break
            if kind != "thing" and len(words) > 2 and words[2] in COLLECTIONS:
                parents[kind] = words[1]
                words = words[2:]
                continue
            if not re.fullmatch("[0-9a-fA-F]{24}", words[1]):
                return {"name": "CastError", "kind": "ObjectId", "path": "_id", "value": words[1], "message": "Cast"}
            return self.one(request.method, self.place.get(kind, words[1].lower()), words[2:], fields)
        if request.method == "POST":
            return self.place.add(kind, fields, **parents)
        found = self.place.all(kind, parents)
        # All things of an environment, whatever is asked.
        return found if kind == "thing" and "zone" not in parents else filtered(found, request.query)

    def one(self, method, it, member, fields):
        if it is None:
            return None
        if member == ["position"]:
            return it.get("position") or {}
        if member:
            data = it.get("data") if member[0] == "data" else ...
            return data if len(member) == 1 else (data or {}).get(member[1], ...)
        if method == "PUT":
            it.update((key, value) for key, value in fields.items() if key not in ("_id", "class"))
            it["modified"] = self.place.now()
        if method == "DELETE":
            del self.place.objects[it["_id"]]
        return it


class Messages:
    """The events of the Flare protocol, 4 to 6."""

    def __init__(self, place, library):
        self.place, self.library, self.rooms, self.turn = place, library, {}, asyncio.Lock()
        for event in ("subscribe", "unsubscribe", "getData", "setData", "getPosition", "setPosition", "performAction"):
            library.on(event, self.handler(getattr(self, event)))
        library.on("connect", lambda sid, environ: None)
        library.on("disconnect", self.left)

    def handler(self, method):
        async def handle(sid, message=None):
            if not isinstance(message, dict):
                return
            kind = next((kind for kind in CLASSES if kind in message), None)
            if kind is not None:
                async with self.turn:
                    await method(sid, message, kind, self.place.get(kind, message[kind]))

        return handle

    async def left(self, sid, *reason):
        for members in self.rooms.values():
            members.discard(sid)

    async def tell(self, sid, event, message):
        await self.library.emit(event, message, room=sid)

    async def announce(self, sender, event, message, rooms, to_sender=False):
        """To the sender first, then room by room."""
        if to_sender:
            await self.tell(sender, event, message)
        for room in rooms:
            for sid in [sid for sid in self.rooms.get(room, ()) if sid != sender]:
                await self.tell(sid, event, message)

    @staticmethod
    def rooms_of(it):
        parents = [it["environment"]] if it["class"] in ("zone", "thing", "device") else []
        parents += [it["zone"]] if it["class"] in ("thing", "device") and it.get("zone") else []
        return [it["_id"]] + [parent + "-all" for parent in parents]

    async def change(self, sid, it, event, values, asked, to_sender=False):
        message = {event: values, it["class"]: it["_id"]}
        if asked.get("sender") is not None:
            message["sender"] = asked["sender"]
        it["modified"] = self.place.now()
        await self.announce(sid, event, message, self.rooms_of(it), to_sender)

    async def subscribe(self, sid, message, kind, it):
        if it:
            for room in [it["_id"]] + ([it["_id"] + "-all"] if message.get("all") else []):
                self.rooms.setdefault(room, set()).add(sid)

    async def unsubscribe(self, sid, message, kind, it):
        for room in (message[kind], "%s-all" % message[kind]):
            self.rooms.get(room, set()).discard(sid)

    async def getData(self, sid, message, kind, it):
        data = it and (it.get("data") or {})
        if it and message.get("key") is not None:
            data = {message["key"]: data[message["key"]]} if message["key"] in data else {}
        await self.tell(sid, "data", {"data": data, kind: message[kind]})

    async def getPosition(self, sid, message, kind, it):
        empty = {} if kind in ("thing", "device") else {"x": 0, "y": 0}
        await self.tell(sid, "position", {"position": it and (it.get("position") or empty), kind: message[kind]})

    async def setData(self, sid, message, kind, it):
        key, value = message.get("key"), message.get("value")
        if it and isinstance(key, str) and value is not None and not isinstance(value, bytes):
            it["data"] = {**(it.get("data") or {}), key: value}
            await self.change(sid, it, "data", {key: value}, message)

    async def setPosition(self, sid, message, kind, it):
        position = message.get("position") or {}
        if it and number(position.get("x")) and number(position.get("y")):
            await self.move(sid, it, {axis: position.get(axis, 0) for axis in "xyz"}, message)

    async def move(self, sid, it, position, message, to_sender=False):
        if it["class"] in ("thing", "device"):
            it["position"] = position
        await self.change(sid, it, "position", position, message, to_sender)
        if it["class"] != "device":
            return
        thing, distance, zone = self.place.surroundings(it)
        old_thing, old_zone = (self.place.objects.get(it.pop(key, None)) for key in ("nearest", "zone"))
        it.update({key: value for key, value in (("nearest", thing), ("zone", zone)) if value})
        crossings = []
        if thing != (old_thing or {}).get("_id"):
            crossings += [("near", self.place.objects.get(thing), {"distance": distance}), ("far", old_thing, {})]
        if zone != (old_zone or {}).get("_id"):
            crossings += [("enter", self.place.objects.get(zone), {}), ("exit", old_zone, {})]
        for event, other, more in crossings:
            if other:
                rooms = [it["_id"], it["environment"] + "-all"]
                rooms += ["%s-all" % other.get("zone")] if other["class"] == "thing" else []
                rooms += [other["_id"]]
                crossing = {other["class"]: other["_id"], **more, "device": it["_id"]}
                await self.announce(sid, event, crossing, rooms, to_sender=True)

    async def performAction(self, sid, message, kind, it):
        action = message.get("action")
        if not it or not isinstance(action, str):
            return
        told = {"action": action, kind: it["_id"]}
        if message.get("sender") is not None:
            told["sender"] = message["sender"]
        await self.announce(sid, "handleAction", told, self.rooms_of(it))
        if action in MOVES:
            axis, step = MOVES[action]
            if number((it.get("position") or {}).get(axis)):
                await self.move(sid, it, {**it["position"], axis: it["position"][axis] + step}, message, to_sender=True)
            return
        changed = self.result(action, it.get("data") or {})
        if changed:
            it["data"] = {**(it.get("data") or {}), **changed}
            await self.change(sid, it, "data", changed, message, to_sender=True)

    @staticmethod
    def result(action, data):
        if action in ("on", "off"):
            return {"on": action == "on"}
        if action in ("lighter", "darker") and number(data.get("brightness")):
            step = 1 if action == "lighter" else -1
            return {"brightness": min(max((data["brightness"] * 10 + step) / 10, 0), 1)}
        if action in ("clockwise", "counterclockwise") and number(data.get("angle")):
            return {"angle": (data["angle"] + (30 if action == "clockwise" else -30)) % 360}
        options = data.get("options") or COLOURS
        if action in ("nextColor", "previousColor") and data.get("color") in options:
            step = 1 if action == "nextColor" else -1
            return {"color": options[(options.index(data["color"]) + step) % len(options)]}
        return {}


class Server:
    def __init__(self, tree):
        # The libraries read 16 packets of a poll at most; clients may send more at once.
        payload.Payload.max_decode_packets = 10_000
        self.library = socketio.AsyncServer(
            client_manager=Manager(), async_mode="aiohttp", async_handlers=False, cors_allowed_origins="*"
        )
        self.place, self.sockets = Place(), set()
        self.place.load(tree)
        self.rest = Rest(self.place, self.command)
        self.messages = Messages(self.place, self.library)
        self.application = web.Application(middlewares=[self.remember_websockets], client_max_size=100_000)
        self.library.attach(self.application)
        self.application.router.add_route("*", "/{path:.*}", self.rest.handle)

    @web.middleware
    async def remember_websockets(self, request, handler):
        if "websocket" not in request.headers.get("Upgrade", "").lower():
            return await handler(request)
        self.sockets.add(request.transport)
        try:
            return await handler(request)
        finally:
            self.sockets.discard(request.transport)

    async def command(self, line):
        words = line.split()
        method = getattr(self, "do_" + words[0], None) if words else None
        if method is None:
            return "unknown command %s" % line.strip()
        result = method(*words[1:])
        if inspect.isawaitable(result):
            await result
        return "done %s" % line.strip()

    async def do_set(self, key, name, *value):
        it = self.place.objects[key]
        async with self.messages.turn:
            await self.messages.setData(None, {"key": name, "value": json.loads(" ".join(value))}, it["class"], it)

    def do_die(self):
        os._exit(1)

    async def do_drop(self):
        for socket in list(self.library.eio.sockets.values()):
            await socket.close(wait=False)

    def do_hang(self, seconds):
        # After the answer to the command; the whole process sleeps.
        asyncio.get_running_loop().call_later(0.05, time.sleep, float(seconds))

    def do_rest(self, mode):
        self.rest.mode = mode

    async def do_nonsense(self):
        odd = [None, 5, "text", [], {}, {"thing": 5, "data": 7}, {"thing": "f" * 24, "data": {"on": 1}}, {"data": None}]
        for event in ("data", "position", "near", "enter", "handleAction", "nobody knows this"):
            for message in odd:
                await self.library.emit(event, message)
        for key in list(self.library.eio.sockets):
            for packet in ("2", '2["data"', "2[]", "2{}", "2[5]", '2/other,["data",{}]', '3["late"]', "2" + "[" * 99_999):
                await self.library.eio.send(key, packet)

    def do_half(self):
        for transport in self.sockets:
            transport.write(b'\x81\x7e\x10\x0042["data",{"da')
            transport.close()

    async def do_flood(self, count):
        for value in range(int(count)):
            for one in self.place.objects.values():
                await self.library.emit("data", {"data": {"flood": value}, one["class"]: one["_id"]})

    async def run(self, host, port):
        runner = web.AppRunner(self.application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, host, port)
        await site.start()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self.listen, args=(loop,), daemon=True).start()
        print("listening %s:%d" % (host, site._server.sockets[0].getsockname()[1]), flush=True)
        await asyncio.Event().wait()

    def listen(self, loop):
        for line in sys.stdin:
            print(asyncio.run_coroutine_threadsafe(self.command(line), loop).result(), flush=True)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", default="127.0.0.1:0", metavar="HOST:PORT")
    parser.add_argument("--model", metavar="FILE")
    options = parser.parse_args()
    tree = {"environments": []}
    if options.model:
        with open(options.model, encoding="utf-8") as file:
            tree = json.load(file)
    host, _, port = options.listen.rpartition(":")
    await Server(tree).run(host, int(port))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
