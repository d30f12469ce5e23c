import FlareServer
import JSON
import TestSupport
import Testing

/// Location updates of a Cisco CMX server, for which the original server has no response or crashes.
@Suite(.timeLimit(.minutes(1)))
struct RESTNotificationTests {
    private static func entry(_ mac: String, x: Double = 1) -> JSONValue {
        ["deviceId": .string(mac), "ssid": "guest", "locationCoordinate": ["x": .number(x), "y": 2]]
    }

    private func withDevices(
        _ body: @escaping @Sendable (RESTClient, _ path: String) async throws -> Void
    ) async throws {
        try await withREST { client in
            let path = "/environments/\(try await client.make("/environments", [:]))/devices"
            for mac in ["aa:aa", "bb:bb", "bb:bb"] {
                _ = try await client.make(path, ["data": ["mac": .string(mac)]])
            }
            try await body(client, path)
        }
    }

    @Test func `each known device of several entries is moved and answered`() async throws {
        try await withDevices { client, path in
            let answer = try await client.json(
                "POST",
                "\(path)/position",
                json: [
                    "notifications": [
                        Self.entry("AA:AA", x: 5), Self.entry("CC:CC"), Self.entry("BB:bb", x: 6),
                    ]
                ]
            )
            #expect(answer?.array?.map { $0["position"]?["x"] } == [5, 6])
            let all = try await client.json("GET", path)?.array
            #expect(all?.map { $0["position"]?["x"] } == [5, 6, nil])
        }
    }

    @Test(
        arguments: [
            [], [entry("cc:cc")], [["deviceId": "aa:aa", "locationCoordinate": ["x": 1, "y": 2]]],
            [["deviceId": "aa:aa", "ssid": .null, "locationCoordinate": ["x": 1, "y": 2]]], [5, .null, "x"],
        ] as [JSONValue]
    )
    func `a notification without known devices is answered with null`(notifications: JSONValue) async throws {
        try await withDevices { client, path in
            let answer = try await client.json(
                "POST",
                "\(path)/position",
                json: ["notifications": notifications]
            )
            #expect(answer == .null)
        }
    }

    @Test(
        arguments: [
            ([:], "No notifications found."), (["notifications": .null], "No notifications found."),
            ([], "No notifications found."),
            (["notifications": [["ssid": "g"]]], "No deviceId found."),
            (["notifications": [["ssid": "g", "deviceId": 5]]], "No deviceId found."),
            (["notifications": [["ssid": "g", "deviceId": "aa:aa"]]], "No locationCoordinate found."),
            (
                [
                    "notifications": [
                        ["ssid": "g", "deviceId": "aa:aa", "locationCoordinate": ["x": "a", "y": 1]]
                    ]
                ],
                "No locationCoordinate found."
            ),
        ] as [(JSONValue, String)]
    )
    func `a missing member is reported as text`(body: JSONValue, text: String) async throws {
        try await withDevices { client, path in
            let reply = try await client.send("POST", "\(path)/position", json: body)
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "text/html; charset=utf-8")
            #expect(reply.body == text)
        }
    }
}
