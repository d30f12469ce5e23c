import JSON
import TestSupport
import Testing

/// What can be set and how it is shown; rule 4 of the contract.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct ValueTests {
    /// A command on the table lamp, and what its data and its topic hold then.
    private static let values: [(topic: String, payload: String, data: JSONObject, shown: JSONObject)] = [
        (
            "set", #"{"color":"red"}"#, ["color": "red"],
            ["color_name": "red", "color": ["r": 255, "g": 0, "b": 0]]
        ),
        ("set/color", "warm white", ["color": "warm white"], ["color_name": "warm white"]),
        ("set/color", "#0F0", ["color": "lime"], ["color": ["r": 0, "g": 255, "b": 0]]),
        ("set/color", "255,136,0", ["color": "#ff8800"], ["color": ["r": 255, "g": 136, "b": 0]]),
        (
            "set", #"{"color":{"r":1,"g":2,"b":3}}"#, ["color": "#010203"],
            ["color": ["r": 1, "g": 2, "b": 3]]
        ),
        (
            "set", #"{"color":{"h":240,"s":100},"state":"ON"}"#, ["color": "blue"],
            ["color_name": "blue", "state": "ON"]
        ),
        ("set/color", "rebeccapurple", ["color": "rebeccapurple"], ["color_name": "rebeccapurple"]),
        ("set", #"{"brightness":0}"#, ["on": false, "brightness": 0.6], ["state": "OFF"]),
        ("set/brightness", "255", ["on": true, "brightness": 1], ["state": "ON", "brightness": 255]),
        ("set/brightness", "20%", ["brightness": 0.2], ["brightness": 51]),
        ("set", #"{"brightness":0.4}"#, ["brightness": 0.4], ["brightness": 102]),
        ("set/level", "1", ["brightness": 1], ["brightness": 255]),
        ("set/state", "OFF", ["on": false], ["state": "OFF"]),
        ("set/state", "true", ["on": true], ["state": "ON"]),
        ("set", #"{"state":"TOGGLE"}"#, ["on": false], ["state": "OFF"]),
        (
            "set", #"{"state":"ON","brightness":51,"color":"green"}"#,
            ["on": true, "brightness": 0.2, "color": "green"],
            ["state": "ON", "brightness": 51, "color_name": "green"]
        ),
        ("action", "nextColor", ["color": "blue"], ["color_name": "blue"]),
        ("action", #"{"action":"previousColor"}"#, ["color": "green"], ["color_name": "green"]),
        ("action", "off", ["on": false], ["state": "OFF"]),
        ("action", "lighter", ["brightness": 0.3], ["brightness": 77]),
    ]

    @Test(arguments: ["things/table-lamp", "things/\(Place.tableLamp)", "nearby"])
    func `every value is stored, shown and answered`(target: String) async throws {
        try await withHome(["device.allow_set": "true"]) { home, visitor in
            if target == "nearby" {
                try await visitor.ask("device/set", #"{"position":{"x":1.5,"y":2}}"#)
                try await visitor.awaits("nearby") { $0["slug"]?.string == "table-lamp" }
                try await visitor.awaits("nearby/availability", "online")
            }
            for (topic, payload, data, shown) in Self.values {
                let answer = try await visitor.ask("\(target)/\(topic)", payload)
                #expect(answer.outcome == "ok", "\(topic) \(payload): \(answer)")
                // Answered is stored.
                let stored = try await home.rest(
                    "GET",
                    Place.path(ofThing: Place.tableLamp, in: Place.living) + "/data"
                )
                let object = try JSONValue(parsing: stored.body)
                for (key, value) in data {
                    #expect(object[key] == value, "\(topic) \(payload): \(stored.body)")
                }
                for tail in target == "nearby" ? ["things/table-lamp", "nearby"] : ["things/table-lamp"] {
                    try await visitor.awaits(tail) { lamp in shown.allSatisfy { lamp[$0.key] == $0.value } }
                }
                try await visitor.awaits("things/table-lamp/data") { now in
                    data.allSatisfy { now[$0.key] == $0.value }
                }
            }
        }
    }

    @Test func `any key of a thing's data can be set, by its own type only`() async throws {
        try await withHome { _, visitor in
            for (tail, payload) in [
                ("television/set", #"{"source":"hdmi2","volume":13}"#), ("television/set/volume", "14"),
                ("television/set/inputs", #"["a",{"b":null}]"#), ("fridge/set/temperature", "-4.5"),
                ("fridge/set/door", "true"), ("television/set/source", "12"),
            ] {
                #expect(try await visitor.ask("things/\(tail)", payload).outcome == "ok", "\(tail)")
            }
            try await visitor.awaits("things/television/data") {
                $0["volume"] == 14 && $0["source"] == "12" && $0["inputs"] == ["a", ["b": .null]]
            }
            try await visitor.awaits("things/fridge/data") { $0["temperature"] == -4.5 && $0["door"] == true }
            #expect(try await visitor.ask("things/fridge/set/temperature", "cold").outcome == "wrong_type")
            #expect(
                try await visitor.ask("things/television/set", #"{"volume":"12"}"#).outcome == "wrong_type"
            )
        }
    }

    @Test func `a thing has only what it has, and a light always a state`() async throws {
        try await withHome { _, visitor in
            let fridge = try await visitor.awaits("things/fridge")
            #expect(fridge["state"] == nil && fridge["brightness"] == nil && fridge["color"] == nil)
            #expect(
                fridge["zone"] == "kitchen" && fridge["slug"] == "fridge"
                    && fridge["id"] == .string(Place.fridge)
            )
            #expect(fridge["settable"] == ["door", "temperature"])
            let lamp = try await visitor.awaits("things/table-lamp")
            #expect(lamp["palette"] == ["red", "orange", "warm white", "green", "blue"])
            #expect(lamp["color_mode"] == "rgb" && lamp["state"] == "ON" && lamp["brightness"] == 153)
            #expect(try await visitor.awaits("things/television")["color_mode"] == "onoff")
            try await visitor.ask("environment/set", "hut")
            let lantern = try await visitor.awaits("things/lantern")
            #expect(lantern["color_mode"] == "brightness" && lantern["state"] == "ON")
            #expect(try await visitor.ask("things/lantern/set/state", "OFF").outcome == "ok")
            try await visitor.awaits("things/lantern/data") { $0["on"] == false }
        }
    }

    @Test func `white light is set in kelvin, and a colour ends it`() async throws {
        try await withHome { home, visitor in
            let path = Place.path(ofThing: Place.tableLamp, in: Place.living)
            #expect(try await home.rest("PUT", path, #"{"data.colorTemperature":4000}"#).status == 200)
            try await visitor.awaits("things/table-lamp") {
                $0["settable"]?.array?.contains("color_temp") == true && $0["color_mode"] == "rgb"
            }
            let answer = try await visitor.ask("things/table-lamp/set", #"{"state":"ON","color_temp":2700}"#)
            #expect(answer["accepted"] == ["color_temp": 2700, "state": "ON"])
            let white = try await visitor.awaits("things/table-lamp") { $0["color_mode"] == "color_temp" }
            #expect(white["color_temp"] == 2700 && white["color"] == nil && white["color_name"] == nil)
            #expect(try await visitor.ask("zones/living-room/set", #"{"color_temp":2200}"#).outcome == "ok")
            try await visitor.awaits("things/table-lamp/data") { $0["colorTemperature"] == 2200 }
            try await visitor.awaits("zones/living-room/lights") { $0["color_temp"] == 2200 }
            #expect(try await visitor.ask("things/table-lamp/set/color_temp", "6500K").outcome == "ok")
            try await visitor.awaits("things/table-lamp") { $0["color_temp"] == 6500 }
            #expect(
                try await visitor.ask("things/table-lamp/set/color_temp", "900").outcome == "out_of_range"
            )
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")
            let red = try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
            #expect(red["color_mode"] == "rgb" && red["color_temp"] == nil)
        }
    }

    @Test func `a transition shows its goal and its way, and is one event`() async throws {
        try await withHome { home, visitor in
            let answer = try await visitor.ask(
                "things/table-lamp/set",
                #"{"brightness":255,"transition":0.6}"#
            )
            #expect(answer.outcome == "ok")
            try await visitor.awaits("things/table-lamp") { $0["target"] == nil && $0["brightness"] == 255 }
            let targets = await visitor.objects(on: "things/table-lamp").compactMap {
                $0["target"]?["brightness"]
            }
            #expect(targets.isEmpty == false && targets.allSatisfy { $0 == 255 })
            let shown = await visitor.objects(on: "things/table-lamp").compactMap {
                $0["brightness"]?.integer
            }
            #expect(shown == shown.sorted() && shown.first == 153 && shown.last == 255)
            #expect(Set(shown).count > 2, "it shows its way")
            let event = try await visitor.awaitsEvent("thing", "changed")
            #expect(event["before"] == ["brightness": 0.6] && event["after"] == ["brightness": 1])
            #expect(await visitor.objects(on: "event/thing").count == 1)
            let stored = try await home.rest(
                "GET",
                Place.path(ofThing: Place.tableLamp, in: Place.living) + "/data/brightness"
            )
            #expect(stored.body == "1")
        }
    }

    @Test func `a change by another program of the Flare server is shown too`() async throws {
        try await withHome { home, visitor in
            let lamp = Place.path(ofThing: Place.tableLamp, in: Place.living)
            #expect(try await home.rest("PUT", lamp, #"{"data.color":"green"}"#).status == 200)
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "green" }
            let event = try await visitor.awaitsEvent("thing", "changed")
            #expect(event["cause"]?["source"] == "server" && event["slug"] == "table-lamp")
        }
    }
}
