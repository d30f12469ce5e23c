/// The place of these tests: a flat with two rooms, and a hut far away.
enum Place {
    static let flat = "54726c617400000000000001"
    static let living = "54726c617400000000000010"
    static let kitchen = "54726c617400000000000011"
    static let tableLamp = "54726c617400000000000100"
    static let television = "54726c617400000000000101"
    static let kitchenLight = "54726c617400000000000102"
    static let fridge = "54726c617400000000000103"
    static let hut = "54726c617400000000000002"
    static let beaconUUID = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

    /// A thing's path in the Flare server.
    static func path(ofThing thing: String, in zone: String) -> String { "\(things(of: zone))/\(thing)" }

    /// The path of a zone's things there.
    static func things(of zone: String) -> String { "/environments/\(flat)/zones/\(zone)/things" }

    /// The device starts in the living room's corner, at 0, 0, and near to nothing.
    static let model = """
        {"environments": [
          {"_id": "\(flat)", "name": "Flat", "description": "Two rooms",
           "geofence": {"latitude": 48.2, "longitude": 16.37, "radius": 100},
           "data": {"uuid": "\(beaconUUID)", "distance": 2},
           "zones": [
             {"_id": "\(living)", "name": "Living room", "data": {"major": 1},
              "perimeter": {"origin": {"x": 0, "y": 0, "z": 0}, "size": {"width": 5, "height": 4, "depth": 3}},
              "things": [
                {"_id": "\(tableLamp)", "name": "Table lamp", "description": "On the side table",
                 "position": {"x": 1.5, "y": 2, "z": 1},
                 "data": {"on": true, "color": "orange", "brightness": 0.6, "minor": 1,
                          "options": ["red", "orange", "warm white", "green", "blue"]}},
                {"_id": "\(television)", "name": "Television", "position": {"x": 4.5, "y": 0.5, "z": 1},
                 "data": {"on": false, "source": "hdmi1", "volume": 12, "inputs": ["hdmi1"], "minor": 5}}]},
             {"_id": "\(kitchen)", "name": "Kitchen", "data": {"major": 2},
              "perimeter": {"origin": {"x": 5, "y": 0, "z": 0}, "size": {"width": 5, "height": 4, "depth": 3}},
              "things": [
                {"_id": "\(kitchenLight)", "name": "Kitchen light", "position": {"x": 8.5, "y": 2, "z": 1},
                 "data": {"on": false, "color": "white", "brightness": 0.8, "minor": 2}},
                {"_id": "\(fridge)", "name": "Fridge", "position": {"x": 5.5, "y": 3.5, "z": 1},
                 "data": {"temperature": 6, "door": false, "minor": 6}}]}]},
          {"_id": "\(hut)", "name": "Hut", "geofence": {"latitude": 47, "longitude": 11, "radius": 100},
           "zones": [
             {"name": "Porch",
              "perimeter": {"origin": {"x": 0, "y": 0, "z": 0}, "size": {"width": 4, "height": 4, "depth": 3}},
              "things": [{"name": "Lantern", "position": {"x": 1, "y": 1, "z": 0}, "data": {"brightness": 1}}]}]}]}
        """
}
