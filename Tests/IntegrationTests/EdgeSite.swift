import Foundation
import JSON
import MQTT
import TestSupport
import Testing
import Text

/// A daemon that hears things at the edge, on a broker with the lists that the program prints and keeps.
struct EdgeSite {
    static let app = "home-app"
    static let key = "a key of the app"
    private static let users = ["trilateral", "driver", "homeassistant"]

    let home: Home
    let folder: TemporaryFolder
    let broker: Mosquitto

    /// Runs the body with a site whose daemon has started, in the ``Place``.
    static func open(_ body: (EdgeSite) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            var options = MosquittoOptions()
            let port = try LoopbackSocket.freePort()
            options.port = port
            let home = Home(in: folder, port: port)
            try await home.take()
            let roles = try await Program.run(["acl", "--node", home.node], in: folder)
            for name in ["roles.acl", "acl"] { try folder.write(roles.output, to: name) }
            for (name, secret) in [("password", "secret of trilateral"), ("app-key", key)] {
                try folder.write(secret, to: name)
                #expect(chmod(folder.path(name), 0o600) == 0)
            }
            options.lines = ["acl_file \(folder.path("acl"))"]
            options.users = Dictionary(uniqueKeysWithValues: users.map { ($0, "secret of \($0)") })
            try await withMosquitto(options) { broker in
                let site = EdgeSite(home: home, folder: folder, broker: broker)
                do {
                    try await site.start()
                    try await body(site)
                    await home.stop()
                } catch {
                    let log = await home.log
                    await home.kill()
                    throw HomeFailure(error: error, log: log)
                }
            }
        }
    }

    private func start() async throws {
        try await home.start([
            "mqtt.username": "trilateral", "mqtt.password_file": folder.path("password"),
            "people.acl_file": folder.path("people.acl"), "bindings.edge": "true",
            "bindings.app_id": Self.app, "bindings.app_key_file": folder.path("app-key"),
        ])
        try await visit(as: "driver") { driver in
            try await driver.awaits("status", "online")
            try await driver.awaits("things/table-lamp/availability", "online")
        }
    }

    // MARK: Things

    /// Has the daemon and the broker expect a thing; its password is that of both.
    func expect(_ vendor: String) async throws -> String {
        let password = try await run([
            "thing", "expect", vendor, "--broker-passwords", broker.folder.path("users"),
        ])
        try await readList(allowing: "edge/\(vendor)/status")
        return password
    }

    /// Has the broker read the kept list, once that lets somebody write on a topic.
    func readList(allowing topic: String) async throws {
        let line = "topic write \(home.root)/\(topic)\n"
        let isKept = await eventually { folder.read("people.acl").contains(line) }
        try #require(isKept, "\(folder.read("people.acl"))")
        try folder.write(folder.read("roles.acl") + "\n" + folder.read("people.acl"), to: "acl")
        await broker.reload()
    }

    /// Runs the body with a thing on the broker, which begins as things do: it says that it is there.
    func withThing<Result: Sendable>(
        _ vendor: String,
        _ password: String,
        _ body: (Visitor) async throws -> Result
    ) async throws -> Result {
        try await visit(below: "\(home.root)/edge/\(vendor)", as: vendor, password) { thing in
            let isHeard = try await eventually { try await thing.isTaken("status", "online") }
            try #require(isHeard)
            return try await body(thing)
        }
    }

    /// The thing onboards itself.
    func onboard(_ thing: Visitor, _ password: String, _ others: JSONObject = [:]) async throws -> JSONValue {
        let members: JSONObject = ["password": .string(password), "tx": 1]
        thing.say("onboard", JSONValue.object(members.merging(others) { $1 }).text)
        return try await thing.awaits("onboarded") { $0["tx"] == 1 }
    }

    /// The owner onboards a thing in the kitchen.
    func own(_ vendor: String, _ password: String) async throws {
        try folder.write(password, to: "\(vendor).password")
        try #require(chmod(folder.path("\(vendor).password"), 0o600) == 0)
        _ = try await run([
            "thing", "onboard", "--vendor-thing-id", vendor, "--password-file",
            folder.path("\(vendor).password"), "--owner", "owner", "--zone", "kitchen", "--interval",
            "15_MINUTES",
        ])
    }

    // MARK: People

    func visit<Result: Sendable>(
        as user: String,
        _ body: (Visitor) async throws -> Result
    ) async throws -> Result {
        try await visit(below: home.root, as: user, "secret of \(user)", body)
    }

    func visit<Result: Sendable>(
        below root: String,
        as user: String,
        _ password: String,
        _ body: (Visitor) async throws -> Result
    ) async throws -> Result {
        try await withVisitor(to: root, port: broker.port) {
            ($0.username, $0.password) = (user, Secret(password))
        } _: { visitor in
            try await body(visitor)
        }
    }

    struct Failed: Error { let output: String }

    /// What a verb prints, without the end of its last line.
    @discardableResult
    func run(_ arguments: [String]) async throws -> String {
        let end = try await Program.run(arguments + ["--state", home.state], in: folder)
        guard end.status == 0 else { throw Failed(output: "\(arguments): \(end.output)") }
        return end.output.trimmingCharacters(in: .newlines)
    }

    // MARK: HTTP

    /// A request to the paths of Thing-IF.
    func ask(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        type: String = "application/json",
        authorization: String
    ) async throws -> (status: Int, body: JSONValue) {
        let start = "web: http://127.0.0.1:"
        try #require(await home.logs(start))
        let rest = await home.log.components(separatedBy: start).last
        let port = try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
        let reply = try await request(
            method,
            "/thing-if/apps/\(Self.app)/\(path)",
            port: port,
            headers: ["Authorization: \(authorization)", "Content-Type: \(type)"],
            body: body?.text ?? ""
        )
        return (reply.status, (try? JSONValue(parsing: reply.body)) ?? .null)
    }

    /// The header of a program that has the app's key.
    static var ofApp: String { "Basic \(Data("\(app):\(key)".utf8).base64EncodedString())" }

    /// The header of the owner.
    func ofOwner() async throws -> String {
        "Bearer \(try await run(["token", "add", "owner", "cli"]))"
    }
}

extension Visitor {
    /// Whether the broker takes a message; asked in version 5, where it says so.
    nonisolated func isTaken(_ tail: String, _ payload: String) async throws -> Bool {
        let message = MQTTMessage(
            topic: "\(root)/\(tail)",
            payload: Array(payload.utf8),
            qos: .atLeastOnce,
            isRetained: tail == "status"
        )
        do throws(MQTTPublishError) {
            try await client.publishAndWait(message)
            return true
        } catch {
            guard case .refusedByBroker(_, 0x87, _) = error else { throw error }
            return false
        }
    }

    /// Answers a command: every action of it succeeded, but those that are named.
    nonisolated func answer(_ command: JSONValue, failing: [String: String] = [:]) {
        let results = (command["actions"]?.array ?? []).map { action -> JSONValue in
            guard let name = action.object?.keys.first else { return [:] }
            guard let message = failing[name] else { return .object([name: ["succeeded": true]]) }
            return .object([name: ["succeeded": false, "errorMessage": .string(message)]])
        }
        let report: JSONObject = [
            "commandID": command["commandID"] ?? .null, "actionResults": .array(results),
        ]
        say("result", JSONValue.object(report).text)
    }
}
