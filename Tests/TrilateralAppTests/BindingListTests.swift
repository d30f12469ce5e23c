import Foundation
import JSON
import TestSupport
import Testing

/// What the verbs of things with owners list.
@Suite(.timeLimit(.minutes(2))) struct BindingListTests {
    private static let id = "th.00000000000000000000000000000001"

    private static let row: JSONValue = [
        "vendor": "v-1", "thingID": .string(id), "type": "meter", "owned": true, "route": "edge",
        "thing": .null, "owners": ["user:bob", "group:staff"], "made": "2026-01-01T00:00:00Z",
        "seen": .null,
    ]

    @Test(arguments: [
        ("thing list", "GET bindings", isSeenShown: false),
        ("thing list --pending", "GET bindings?filter=pending", true),
        ("thing list --onboarded", "GET bindings?filter=onboarded", false),
    ])
    func `things are listed with their owners`(verb: String, line: String, isSeenShown: Bool) async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon([line: .init(200, ["bindings": [Self.row]])]) {
                let words = verb.split(separator: " ").map(String.init)
                let end = try await desk.run(words)
                #expect(end.status == 0)
                #expect(
                    Self.cells(end.output) == [
                        ["VENDOR", "THINGID", "TYPE", "OWNED", "ROUTE", "THING", "OWNERS"]
                            + (isSeenShown ? ["SEEN"] : []),
                        ["v-1", Self.id, "meter", "yes", "edge", "-", "user:bob,group:staff"]
                            + (isSeenShown ? ["-"] : []),
                    ]
                )
                let json = try await desk.run(words + ["--json"])
                #expect(try JSONValue(parsing: json.output) == [Self.row])
            }
        }
    }

    @Test func `a thing is shown with a line for each value that it has`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["GET bindings/v-1": .init(200, Self.row)]) {
                let end = try await desk.run(["thing", "show", "v-1"])
                #expect(
                    Self.cells(end.output) == [
                        ["vendor", "v-1"], ["thingID", Self.id], ["type", "meter"], ["owned", "yes"],
                        ["route", "edge"], ["owners", "user:bob,group:staff"],
                        ["made", "2026-01-01T00:00:00Z"],
                    ]
                )
                let json = try await desk.run(["thing", "show", "v-1", "--json"])
                #expect(try JSONValue(parsing: json.output) == Self.row)
            }
        }
    }

    @Test func `installations and instances are listed`() async throws {
        try await withVerbDesk { desk in
            let installation: JSONValue = [
                "installationID": "i-1", "owner": "user:bob", "deviceType": "MQTT", "development": false,
            ]
            let instance: JSONValue = [
                "tag": "", "realm": "a1", "site": "JP", "owner": "user:bob", "thing": .string(Self.id),
                "installation": "i-1", "format": 1,
            ]
            try await desk.withDaemon([
                "GET installations": .init(200, ["installations": [installation]]),
                "GET installations?owner=user:bob": .init(200, ["installations": []]),
                "GET instances": .init(200, ["instances": [instance]]),
                "GET instances/-": .init(200, instance),
            ]) {
                #expect(
                    Self.cells(try await desk.run(["installation", "list"]).output) == [
                        ["ID", "OWNER", "DEVICETYPE", "DEVELOPMENT"], ["i-1", "user:bob", "MQTT", "no"],
                    ]
                )
                let none = try await desk.run(["installation", "list", "--owner", "bob", "--json"])
                #expect(none.output == "[]\n")
                #expect(
                    Self.cells(try await desk.run(["instance", "list"]).output) == [
                        ["TAG", "REALM", "SITE", "OWNER", "THING", "INSTALLATION", "FORMAT"],
                        ["-", "a1", "JP", "user:bob", Self.id, "i-1", "1"],
                    ]
                )
                #expect(
                    Self.cells(try await desk.run(["instance", "show"]).output) == [
                        ["realm", "a1"], ["site", "JP"], ["owner", "user:bob"], ["thing", Self.id],
                        ["installation", "i-1"], ["format", "1"],
                    ]
                )
            }
        }
    }

    /// The words of a table's lines.
    private static func cells(_ output: String) -> [[String]] {
        output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }
}
