import Foundation
import JSON
import TestSupport
import Testing

/// What programs for Thing-IF may send by mistake or by malice: each is answered, and nothing changes.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct ThingIFBadInputTests {
    private static let byThing = "OnboardingWithVendorThingIDByThing"
    private static let byOwner = "OnboardingWithVendorThingIDByOwner"

    /// A request and its answer.
    private struct Row {
        let method: String
        let path: String
        let headers: [String]
        let body: String
        let status: Int
        let code: String

        init(
            _ method: String,
            _ path: String,
            _ headers: [String],
            _ body: String,
            _ status: Int = 400,
            _ code: String = "INVALID_INPUT_DATA"
        ) {
            (self.method, self.path, self.headers) = (method, path, headers)
            (self.body, self.status, self.code) = (body, status, code)
        }
    }

    private func expect(_ rows: [Row], _ site: ThingIFSite) async throws {
        for row in rows {
            let reply = try await site.send(row.method, row.path, row.headers, row.body)
            #expect(
                reply.status == row.status && reply.errorCode == row.code,
                "\(row.method) \(row.path) \(row.headers) \(row.body.prefix(200)): \(reply)"
            )
        }
    }

    /// What must stay as it is.
    private struct Snapshot: Equatable {
        let things: String
        let state: JSONValue
        let commands: [String]

        init(_ site: ThingIFSite, _ thing: ThingIFSite.Thing, _ owner: String) async throws {
            things = try await site.run("thing", "list")
            state = try await site.send("GET", "\(thing.target)/states", [owner]).json
            let list = try await site.send("GET", "\(thing.target)/commands", [owner]).json["commands"]
            commands = (list?.array ?? []).compactMap { $0["commandID"]?.string }.filter {
                !$0.hasPrefix("log.")
            }
        }
    }

    /// Runs the body with a thing that has an owner, a state, a history and a command; nothing of it changes.
    private func withThing(
        _ body: (ThingIFSite, ThingIFSite.Thing, _ owner: String, _ command: String) async throws -> Void
    ) async throws {
        try await ThingIFSite.open { site in
            let owner = try await site.bearer(of: "owner")
            let thing = try await site.thing("v-1", owner: owner, interval: "1_MINUTE")
            try await site.visitor.awaits("things/v-1") { $0["slug"] == "v-1" }
            let headers = [thing.bearer, ThingIFSite.json]
            let put = try await site.send("PUT", "\(thing.target)/states", headers, #"{"temperature":21.5}"#)
            #expect(put.status == 201, "\(put)")
            let actions =
                #"{"actions":[{"on":true}],"issuer":"user:owner","schema":"meter","schemaVersion":1}"#
            let given = try await site.send(
                "POST",
                "\(thing.target)/commands",
                [owner, ThingIFSite.json],
                actions
            )
            let command = try #require(given.json["commandID"]?.string, "\(given)")
            let before = try await Snapshot(site, thing, owner)
            #expect(before.commands.contains(command) && before.state == ["temperature": 21.5])
            try await body(site, thing, owner, command)
            #expect(try await Snapshot(site, thing, owner) == before)
            let set = try await site.visitor.ask("things/table-lamp/set", #"{"color":"blue"}"#)
            #expect(set.outcome == "ok")
        }
    }

    // MARK: Bodies

    private static func onboarding(_ members: String) -> String {
        #"{"vendorThingID":"v-9","thingPassword":"secret"\#(members)}"#
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static var onboardings: [Row] {
        let good = onboarding("")
        let type = "Content-Type: application/vnd.kii.\(byThing)+json"
        let bodies = [
            "", "{", "[]", "null", #""text""#, String(good.dropLast()), good + "}", nested(65),
            nested(60_000),
            onboarding(#","vendorThingID":"v-8""#), onboarding(#","extra":1"#),
            onboarding(#","thingProperties":"none""#), onboarding(#","thingProperties":[1]"#),
            onboarding(#","thingProperties":7"#),
            onboarding(#","thingProperties":{"a":\#(nested(17))}"#),
            // {"a":"…"} has 8 bytes more than the text.
            onboarding(#","thingProperties":{"a":"\#(text(64_513 - 8))"}"#),
            onboarding(#","dataGroupingInterval":"1_DAY""#),
            onboarding(#","dataGroupingInterval":"INTERVAL_2_HOURS""#),
            onboarding(#","dataGroupingInterval":15"#), onboarding(#","layoutPosition":"TOP""#),
            onboarding(#","thingType":"a type""#), onboarding(#","thingType":"\#(text(101))""#),
            #"{"vendorThingID":"\#(text(201))","thingPassword":"secret"}"#,
            #"{"vendorThingID":"..","thingPassword":"secret"}"#,
            #"{"vendorThingID":"a/b","thingPassword":"secret"}"#,
            #"{"vendorThingID":"v-9","thingPassword":""}"#, #"{"vendorThingID":"v-9","thingPassword":7}"#,
            #"{"vendorThingID":"v-9","thingPassword":"\#(text(201))"}"#, #"{"thingPassword":"secret"}"#,
        ]
        let types = [
            "text/plain", "application/json", "application/x-www-form-urlencoded", "multipart/form-data",
            "application/vnd.kii.Onboarding+json",
        ]
        let basic = ThingIFSite.basic
        return bodies.map { Row("POST", "/onboardings", [type, basic], $0) }
            + types.map { Row("POST", "/onboardings", ["Content-Type: \($0)", basic], good) } + [
                Row("POST", "/onboardings", [basic], good),
                Row("POST", "/onboardings", [type, basic], good + text(131_073), 413),
                Row("POST", "/thing-if/apps/other/onboardings", [type, basic], good, 404, "APP_NOT_FOUND"),
                Row(
                    "POST",
                    "/onboardings",
                    [type, "X-Kii-AppID: \(ThingIFSite.app)", "X-Kii-AppKey: wrong-key-here"],
                    good,
                    403,
                    "FORBIDDEN"
                ),
                Row("GET", "/onboardings", [basic], "", 405, "METHOD_NOT_ALLOWED"),
                Row("GET", "/nothing", [basic], "", 404, "NOT_FOUND"),
            ]
    }

    @Test func `an onboarding that is cut, deep, huge or of another type is refused, and makes no thing`()
        async throws
    {
        try await withThing { site, _, _, _ in try await expect(Self.onboardings, site) }
    }

    @Test func `a body of ten megabytes is refused before it has come`() async throws {
        try await withThing { site, _, _, _ in
            let port = try await site.port()
            let reply = try await onThread {
                let client = try WireClient(port: port)
                let head = [
                    "POST /thing-if/apps/\(ThingIFSite.app)/onboardings HTTP/1.1", "Host: localhost",
                    "Content-Type: application/vnd.kii.\(Self.byThing)+json", ThingIFSite.basic,
                    "Content-Length: 10485760",
                ]
                client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + Self.text(1000))
                return try client.reply()
            }
            #expect(reply?.status == 413 && reply?.errorCode == "INVALID_INPUT_DATA", "\(reply as Any)")
        }
    }

    @Test func `states, queries, commands and results of a wrong form are refused, and change nothing`()
        async throws
    {
        try await withThing { site, thing, owner, command in
            let (states, commands) = ("\(thing.target)/states", "\(thing.target)/commands")
            let (own, user) = ([thing.bearer, ThingIFSite.json], [owner, ThingIFSite.json])
            // {"a":"…"} has 8 bytes more than the text.
            let bodies = [
                "", "{", "[1]", #""text""#, #"{"a":1,"a":2}"#, #"{"a":\#(Self.nested(16))}"#,
                Self.nested(60_000),
                #"{"a":"\#(Self.text(10_241 - 8))"}"#,
            ]
            var rows = bodies.map { Row("PUT", states, own, $0) }
            rows.append(Row("PUT", states, own, "{}" + Self.text(131_073), 413))
            rows.append(Row("PUT", states, [thing.bearer, "Content-Type: text/plain"], "{}"))
            for query in [
                "{", "{}", #"{"query":{}}"#, #"{"query":{"clause":{"type":"none"}}}"#,
                #"{"query":{"clause":{"type":"all"},"x":1}}"#,
                #"{"query":{"clause":{"type":"all"},"grouped":true}}"#,
                #"{"query":{"clause":{"type":"withinTimeRange","lowerLimit":0,"upperLimit":3600000},"grouped":true}}"#,
                #"{"query":{"clause":{"type":"eq","field":"a","value":{}}}}"#,
                #"{"query":{"clause":{"type":"all"}},"paginationKey":"none"}"#,
            ] { rows.append(Row("POST", "\(states)/query", user, query)) }
            let rest = #""issuer":"user:owner","schema":"s","schemaVersion":1"#
            let action = #"{"on":true}"#
            let many = Array(repeating: action, count: 51).joined(separator: ",")
            for body in [
                "{", "[]", "{\(rest)}", #"{"actions":[],\#(rest)}"#, #"{"actions":[\#(many)],\#(rest)}"#,
                #"{"actions":[{"on":true,"level":1}],\#(rest)}"#, #"{"actions":["on"],\#(rest)}"#,
                #"{"actions":[\#(action)],\#(rest),"title":"\#(Self.text(51))"}"#,
                #"{"actions":[\#(action)],\#(rest),"description":"\#(Self.text(201))"}"#,
                #"{"actions":[\#(action)],\#(rest),"metadata":[]}"#,
                #"{"actions":[\#(action)],"issuer":"user:owner","schema":"s","schemaVersion":"1"}"#,
                #"{"actions":[\#(action)],"issuer":"thing:x","schema":"s","schemaVersion":1}"#,
                #"{"actions":[\#(action)],"issuer":"user:owner"}"#,
                #"{"actions":[{"on":"\#(Self.text(64_513))"}],\#(rest)}"#,
            ] { rows.append(Row("POST", commands, user, body, 400, "WRONG_COMMAND")) }
            for results in ["{", "[]", #"{"actionResults":7}"#, #"{"actionResults":["on"]}"#] {
                rows.append(Row("PUT", "\(commands)/\(command)/action-results", own, results))
            }
            for query in ["bestEffortLimit=x", "bestEffortLimit=-1", "paginationKey=none"] {
                rows.append(Row("GET", "\(commands)?\(query)", user, ""))
            }
            rows.append(Row("GET", "\(commands)/none", user, "", 404, "COMMAND_NOT_FOUND"))
            rows.append(Row("GET", "/targets/thing:none/states", user, ""))
            rows.append(Row("GET", "/targets/VENDOR_THING_ID:../states", user, ""))
            let unknown = "/targets/thing:th.\(String(repeating: "0", count: 32))/states"
            rows.append(Row("GET", unknown, user, "", 404, "TARGET_NOT_FOUND"))
            try await expect(rows, site)
        }
    }

    // MARK: Callers

    @Test func `each route refuses who may not call it, whatever token they bring`() async throws {
        try await withThing { site, thing, owner, command in
            let other = try await site.thing("v-2")
            _ = try await site.run("user", "add", "bob")
            let bob = try await site.bearer(of: "bob")
            let ended = try await site.bearer(of: "bob", called: "ended")
            let tokens = try await site.run("token", "list").split(separator: "\n")
            let id = try #require(tokens.first { $0.contains("ended") }?.split { $0.isWhitespace }.first)
            _ = try await site.run("token", "rm", String(id))
            let body =
                #"{"grant_type":"client_credentials","client_id":"\#(ThingIFSite.app)","client_secret":"\#(ThingIFSite.key)"}"#
            let path = "/api/apps/\(ThingIFSite.app)/oauth2/token"
            let made = try await site.send("POST", path, [ThingIFSite.json], body)
            let nobody = "Authorization: Bearer \(try #require(made.json["access_token"]?.string, "\(made)"))"
            let session = try await site.home.signIn(port: try await site.port())

            let states = "\(thing.target)/states"
            let commands = "\(thing.target)/commands"
            let action = #"{"actions":[{"on":true}],"issuer":"user:owner","schema":"s","schemaVersion":1}"#
            let results = #"{"actionResults":[{"on":{"succeeded":true}}]}"#
            let requests = [
                ("PUT", states, "{}"), ("GET", states, ""),
                ("POST", "\(states)/query", #"{"query":{"clause":{"type":"all"}}}"#),
                ("POST", commands, action), ("GET", commands, ""), ("GET", "\(commands)/\(command)", ""),
                ("PUT", "\(commands)/\(command)/action-results", results),
            ]
            let strangers = [other.bearer, bob, nobody, ThingIFSite.basic]
            // The session of a page does not count here either, and a token that has ended is nobody's.
            let unknown = [
                "X-Nobody: 1", session, ended, "Authorization: Bearer tlt_unknown", "Authorization: Bearer ",
            ]
            for (method, path, body) in requests {
                try await expect(
                    strangers.map { Row(method, path, [$0, ThingIFSite.json], body, 403, "FORBIDDEN") }
                        + unknown.map {
                            Row(method, path, [$0, ThingIFSite.json], body, 401, "UNAUTHORIZED")
                        },
                    site
                )
            }
            let type = "Content-Type: application/vnd.kii."
            let vendor = #""vendorThingID":"v-1","thingPassword":"s3cret-of-v-1""#
            let installation = #"{"installationRegistrationID":"t","deviceType":"IOS"}"#
            let installations = "/api/apps/\(ThingIFSite.app)/installations"
            var more = [
                // A thing gives no commands, and nobody but the thing answers one.
                Row("POST", commands, [thing.bearer, ThingIFSite.json], action, 403, "FORBIDDEN"),
                Row(
                    "PUT",
                    "\(commands)/\(command)/action-results",
                    [owner, ThingIFSite.json],
                    results,
                    403,
                    "FORBIDDEN"
                ),
                // The command is another thing's.
                Row(
                    "PUT",
                    "\(other.target)/commands/\(command)/action-results",
                    [other.bearer, ThingIFSite.json],
                    results,
                    404,
                    "COMMAND_NOT_FOUND"
                ),
                // A thing without an owner takes no command, and has no history.
                Row(
                    "POST",
                    "\(other.target)/commands",
                    [owner, ThingIFSite.json],
                    action,
                    409,
                    "NOT_ONBOARDED"
                ),
                Row(
                    "POST",
                    "\(other.target)/states/query",
                    [owner, ThingIFSite.json],
                    #"{"query":{"clause":{"type":"all"}}}"#,
                    409,
                    "STATE_HISTORY_NOT_AVAILABLE"
                ),
            ]
            for (caller, byOwner, byThing, install) in [
                (owner, 200, 403, 201), (thing.bearer, 403, 403, 403), (nobody, 401, 200, 403),
                (ThingIFSite.basic, 401, 200, 403), (ended, 401, 401, 401), (session, 401, 401, 401),
            ] {
                let codes = [401: "UNAUTHORIZED", 403: "FORBIDDEN"]
                for (path, headers, body, status) in [
                    (
                        "/onboardings", ["\(type)\(Self.byOwner)+json", caller],
                        #"{\#(vendor),"owner":"user:owner"}"#, byOwner
                    ),
                    ("/onboardings", ["\(type)\(Self.byThing)+json", caller], "{\(vendor)}", byThing),
                    (installations, [ThingIFSite.json, caller], installation, install),
                ] {
                    guard let code = codes[status] else { continue }
                    more.append(Row("POST", path, headers, body, status, code))
                }
            }
            try await expect(more, site)
            _ = try await site.run("thing", "forget", "v-2")
        }
    }

    // MARK: Many

    @Test func `guesses of a thing's password are limited, and other things are onboarded meanwhile`()
        async throws
    {
        try await withThing { site, _, _, _ in
            func guess(_ password: String) async throws -> WireClient.Reply {
                let body = #"{"vendorThingID":"v-1","thingPassword":"\#(password)"}"#
                return try await site.onboard(Self.byThing, body)
            }
            for number in 1...5 {
                let reply = try await guess("guess-\(number)")
                #expect(reply.status == 403 && reply.errorCode == "FORBIDDEN", "\(reply)")
            }
            // The right one comes too late.
            for password in ["guess-6", "s3cret-of-v-1"] {
                let reply = try await guess(password)
                #expect(reply.status == 429 && reply.errorCode == "TOO_MANY_REQUESTS", "\(reply)")
                #expect(reply.headers["retry-after"] != nil)
            }
            _ = try await site.thing("v-3")
            _ = try await site.run("thing", "forget", "v-3")
        }
    }
}
