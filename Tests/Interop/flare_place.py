"""The objects of the small Flare server, and where they are: contrib/contract/flare-protocol.md, 1, 2.3 and 5."""

import datetime
import math
import secrets

COLLECTIONS = {"environments": "environment", "zones": "zone", "things": "thing", "devices": "device"}


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Place:
    """The objects, by id in order of creation. Each has its class under `class`, which nobody else sees."""

    def __init__(self):
        self.objects = {}

    def add(self, kind, fields, **parents):
        now = self.now()
        one = {"_id": secrets.token_hex(12), "actions": [], "modified": now}
        one.update((key, value) for key, value in fields.items() if key not in COLLECTIONS)
        one.update(parents, created=now, **{"class": kind})
        self.objects[one["_id"]] = one
        return one

    def load(self, tree):
        for environment in tree["environments"]:
            hall = self.add("environment", environment)["_id"]
            for device in environment.get("devices", []):
                self.add("device", device, environment=hall)
            for zone in environment.get("zones", []):
                room = self.add("zone", zone, environment=hall)["_id"]
                for thing in zone.get("things", []):
                    self.add("thing", thing, environment=hall, zone=room)

    @staticmethod
    def now():
        return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    def get(self, kind, key):
        one = self.objects.get(key) if isinstance(key, str) else None
        return one if one and one["class"] == kind else None

    def all(self, kind, parents):
        return [
            one
            for one in self.objects.values()
            if one["class"] == kind and all(one.get(parent) == key for parent, key in parents.items() if key != "-")
        ]

    @staticmethod
    def distance(a, b):
        if not (a and b and all(number(p.get(axis)) for p in (a, b) for axis in "xy")):
            return -1
        return math.dist(*([p["x"], p["y"], p.get("z") or 0] for p in (a, b)))

    @staticmethod
    def contains(zone, point):
        box = zone.get("perimeter") or {}
        origin, size = box.get("origin") or {}, box.get("size") or {}
        sides = zip("xyz", ("width", "height", "depth"), (None, None, 0), (None, None, 3))
        for axis, side, low, length in sides:
            low, length = origin.get(axis, low), size.get(side, length)
            if not (number(low) and number(length) and low <= (point.get(axis) or 0) <= low + length):
                return False
        return True

    def surroundings(self, device):
        """The id of the nearest thing, its distance, and the id of the zone."""
        point, hall = device.get("position"), device.get("environment")
        limit = ((self.objects.get(hall) or {}).get("data") or {}).get("distance") or 1.5
        things = self.all("thing", {"environment": hall})
        things = [(self.distance(point, thing.get("position")), thing["_id"]) for thing in things]
        near = min((pair for pair in things if 0 <= pair[0] < limit), key=lambda pair: pair[0], default=(None, None))
        zones = [zone["_id"] for zone in self.all("zone", {"environment": hall}) if self.contains(zone, point or {})]
        return near[1], near[0], zones[0] if zones else None


def filtered(objects, query):
    """Those that pass the filters of a list."""
    try:
        if "latitude" in query and "longitude" in query:
            here = {"latitude": float(query["latitude"]), "longitude": float(query["longitude"])}

            def at(one):
                fence = one.get("geofence") or {}
                reach = max(fence.get("radius") or 100, 100) / 111120
                return all(key in fence and abs(fence[key] - here[key]) <= reach for key in here)

            objects = [one for one in objects if at(one)]
        if "x" in query and "y" in query:
            point = {axis: float(query.get(axis, 0)) for axis in "xyz"}
            if "distance" in query:
                limit = float(query["distance"])
                objects = [one for one in objects if Place.distance(one.get("position"), point) < limit]
            else:
                objects = [one for one in objects if one["class"] != "zone" or Place.contains(one, point)]
    except ValueError:
        return []
    if "key" in query and "value" in query:
        objects = [one for one in objects if str((one.get("data") or {}).get(query["key"])) == query["value"]]
    return objects
