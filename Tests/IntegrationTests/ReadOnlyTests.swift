import JSON
import TestSupport
import Testing

/// `control.read_only`, by every interface.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct ReadOnlyTests {
    private static let path = Place.path(ofThing: Place.tableLamp, in: Place.living)

    private func withReadOnlyHome(_ body: (Home, Visitor) async throws -> Void) async throws {
        let file = "control:\n  read_only: [table-lamp, \"\(Place.kitchen)\"]\n"
        try await withHome(file: file) { home, visitor in
            try await visitor.awaits("things/table-lamp/data")
            try await body(home, visitor)
            // Nothing has changed anywhere.
            let lamp = try JSONValue(parsing: try await home.rest("GET", Self.path).body)
            #expect(lamp["data"]?["color"] == "orange" && lamp["name"] == "Table lamp")
        }
    }

    @Test func `commands on the broker are refused`() async throws {
        try await withReadOnlyHome { _, visitor in
            for (topic, payload) in [
                ("things/table-lamp/set", #"{"color":"red"}"#), ("things/table-lamp/set/color", "red"),
                ("things/table-lamp/action", "nextColor"), ("zones/kitchen/set", #"{"state":"ON"}"#),
                ("things/kitchen-light/set/state", "ON"),
            ] {
                let outcome = try await visitor.ask(topic, payload).outcome
                #expect(outcome == "not_allowed", "\(topic)")
            }
            let outcome = try await visitor.ask("things/television/set/state", "ON").outcome
            #expect(outcome == "ok")
        }
    }

    @Test func `the command line says why`() async throws {
        try await withReadOnlyHome { home, _ in
            let words = ["set", "things/table-lamp", "color=red", "--node", home.node]
            let port = try "127.0.0.1:\(SharedMosquitto.broker.port)"
            let end = try await Program.run(words + ["--mqtt", port], in: home.folder)
            #expect(end.status == 1 && end.output.contains("read-only"), "\(end.output)")
        }
    }

    @Test func `REST answers 403`() async throws {
        try await withReadOnlyHome { home, _ in
            for method in ["PUT", "DELETE"] {
                let answer = try await home.rest(method, Self.path, #"{"name":"Mine"}"#)
                #expect(answer.status == 403 && answer.body.contains("thing table-lamp is read-only"))
            }
        }
    }

    @Test func `REST cannot delete a place that contains a read-only thing`() async throws {
        try await withReadOnlyHome { home, _ in
            let place = "/environments/\(Place.flat)"
            for path in [place, "\(place)/zones/\(Place.living)"] {
                let answer = try await home.rest("DELETE", path)
                #expect(answer.status == 403 && answer.body.contains("is read-only"), "\(answer.body)")
            }
        }
    }

    @Test func `a name that nothing has is an alert, and is logged and found by check`() async throws {
        let file = """
            control: {read_only: [table-lmp, kitchen]}
            profiles: {things: [{thing: fridg, profile: contact}]}

            """
        try await withHome(file: file) { home, visitor in
            let alert = try await visitor.awaits("alert/names")
            let text = alert["message"]?.string ?? ""
            let thing = "control.read_only names \"table-lmp\", which is no thing or zone"
            #expect(text.contains("\(thing); did you mean \"table-lamp\"?"), "\(text)")
            #expect(text.contains("profiles.things names \"fridg\", which is no thing"), "\(text)")
            #expect(!text.contains("kitchen"), "\(text)")
            #expect(await home.logs("names without effect"))
        }
    }

    @Test func `a Socket.IO client hears the value as it is`() async throws {
        try await withReadOnlyHome { home, _ in
            let path = "/socket.io/?EIO=4&transport=polling"
            let opened = try await home.rest("GET", path).body
            let session = try JSONValue(parsing: String(opened.dropFirst()))
            let own = path + "&sid=\(try #require(session["sid"]?.string))"
            try await home.rest("POST", own, "40")
            #expect(try await home.rest("GET", own).body.hasPrefix("40"))
            let message = #"42["setData",{"thing":"\#(Place.tableLamp)","key":"color","value":"red"}]"#
            try await home.rest("POST", own, message)
            let heard = try await home.rest("GET", own).body
            #expect(heard.hasPrefix("42[\"data\"") && heard.contains("orange"), "\(heard)")
        }
    }
}
