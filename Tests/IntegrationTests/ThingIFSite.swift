import Foundation
import JSON
import TestSupport
import Testing

/// A home that programs for Thing-IF know, with what they send.
struct ThingIFSite {
    static let app = "home-app"
    static let key = "key-of-the-home-app"
    static let json = "Content-Type: application/json"
    /// The credentials of a program without a user.
    static let basic = "Authorization: Basic \(Data("\(app):\(key)".utf8).base64EncodedString())"

    let home: Home
    let visitor: Visitor

    /// Runs the body with a daemon on the suite's broker.
    static func open(_ body: (ThingIFSite) async throws -> Void) async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            try home.folder.write(key, to: "app-key")
            #expect(chmod(home.folder.path("app-key"), 0o600) == 0)
            let site = ThingIFSite(home: home, visitor: visitor)
            try await site.start()
            try await body(site)
        }
    }

    private func start() async throws {
        let keys = [
            "bindings.app_id": Self.app, "bindings.app_key_file": home.folder.path("app-key"),
            "bindings.edge": "true", "device.allow_set": "true",
        ]
        try await visitor.whileStarting { try await home.start(keys) }
        // What is made without a zone is made in this one.
        let answer = try await visitor.ask("device/set", #"{"position":{"x":1.5,"y":2,"z":1}}"#)
        #expect(answer.outcome == "ok", "\(answer)")
        try await visitor.awaits("zone") { $0["slug"] == "living-room" }
    }

    func restart() async throws {
        #expect(await home.stop() == 0)
        try await start()
    }

    // MARK: Verbs

    /// What a verb prints.
    func run(_ words: String...) async throws -> String {
        let end = try await Program.run(words + ["--state", home.state], in: home.folder)
        try #require(end.status == 0, "\(words): \(end.output)")
        return end.output.trimmingCharacters(in: .newlines)
    }

    /// The header with a new token of a user.
    func bearer(of user: String, called name: String = "cli") async throws -> String {
        "Authorization: Bearer \(try await run("token", "add", user, name))"
    }

    // MARK: Requests

    func port() async throws -> Int {
        try #require(await home.logs("web: http://127.0.0.1:"))
        let rest = await home.log.components(separatedBy: "web: http://127.0.0.1:").last
        return try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
    }

    /// Sends a request below `/thing-if/apps/<app>`, unless the path begins otherwise.
    func send(_ method: String, _ path: String, _ headers: [String], _ body: String = "") async throws
        -> WireClient.Reply
    {
        let isWhole = ["/api/", "/thing-if/", "https://"].contains { path.hasPrefix($0) }
        let path = isWhole ? path : "/thing-if/apps/\(Self.app)\(path)"
        return try await request(method, path, port: try await port(), headers: headers, body: body)
    }

    /// Onboards a thing, with the form that the content type says.
    func onboard(_ form: String, _ body: String, _ caller: String = basic) async throws -> WireClient.Reply {
        let type = "Content-Type: application/vnd.kii.\(form)+json"
        return try await send("POST", "/onboardings", [type, caller], body)
    }

    /// Onboards a thing by itself, and by its owner too if there is a token of one.
    func thing(_ vendor: String, owner: String? = nil, interval: String? = nil) async throws -> Thing {
        let members = #""vendorThingID":"\#(vendor)","thingPassword":"s3cret-of-\#(vendor)""#
        let first = try await onboard("OnboardingWithVendorThingIDByThing", "{\(members)}")
        let thing = Thing(
            id: try #require(first.json["thingID"]?.string, "\(first)"),
            token: try #require(first.json["accessToken"]?.string, "\(first)")
        )
        guard let owner else { return thing }
        let more = interval.map { #","dataGroupingInterval":"\#($0)""# } ?? ""
        let body = #"{\#(members),"owner":"user:owner"\#(more)}"#
        let second = try await onboard("OnboardingWithVendorThingIDByOwner", body, owner)
        try #require(second.status == 200, "\(second)")
        return thing
    }

    /// A thing that was onboarded.
    struct Thing: Sendable {
        let id: String
        let token: String

        var target: String { "/targets/thing:\(id)" }
        var bearer: String { "Authorization: Bearer \(token)" }
    }
}

extension WireClient.Reply {
    /// Null if the body is no JSON.
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    /// The code of an error for programs for Thing-IF, if it has a message too.
    var errorCode: String? {
        json["message"]?.string?.isEmpty == false ? json["errorCode"]?.string : nil
    }
}
