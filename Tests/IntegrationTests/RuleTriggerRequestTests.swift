import Accounts
import Foundation
import JSON
import TestSupport
import Testing

/// Triggers as programs for Thing-IF make and manage them, request by request.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct RuleTriggerRequestTests {
    /// A thing with an owner, and the requests about its triggers.
    private struct Desk {
        let site: ThingIFSite
        let thing: ThingIFSite.Thing
        let owner: String

        func send(
            _ method: String,
            _ rest: String = "",
            _ body: String = "",
            by caller: String? = nil
        ) async throws -> WireClient.Reply {
            let headers = [caller ?? owner, ThingIFSite.json]
            return try await site.send(method, "\(thing.target)/triggers\(rest)", headers, body)
        }

        /// Makes a trigger; its identifier.
        func add(_ body: String) async throws -> String {
            let reply = try await send("POST", "", body)
            #expect(reply.status == 201, "\(reply)")
            return try #require(reply.json["triggerID"]?.string, "\(reply)")
        }

        /// Sends it, and compares the answer.
        func expect(
            _ status: Int,
            _ method: String,
            _ rest: String = "",
            _ body: String = "",
            code: String? = nil,
            by caller: String? = nil
        ) async throws {
            let reply = try await send(method, rest, body, by: caller)
            #expect(reply.status == status && reply.errorCode == code, "\(method) \(rest) \(body): \(reply)")
        }
    }

    private func withDesk(_ body: (Desk) async throws -> Void) async throws {
        try await ThingIFSite.open { site in
            let owner = try await site.bearer(of: "owner")
            let thing = try await site.thing("v-1", owner: owner)
            try await site.visitor.awaits("things/v-1") { $0["slug"] == "v-1" }
            try await body(Desk(site: site, thing: thing, owner: owner))
        }
    }

    private static func trigger(_ predicate: String, title: String) -> String {
        #"{"predicate":\#(predicate),"triggersWhat":"COMMAND","title":"\#(title)","command":"#
            + #"{"actions":[{"brightness":0.25}],"issuer":"user:owner","schema":"fan","schemaVersion":1}}"#
    }

    private static let warm = trigger(
        #"{"eventSource":"STATES","triggersWhen":"CONDITION_FALSE_TO_TRUE","#
            + #""condition":{"type":"range","field":"temperature","lowerLimit":25,"lowerIncluded":true}}"#,
        title: "Too warm"
    )
    private static let yearly = trigger(
        #"{"eventSource":"SCHEDULE","schedule":"0 7 1 1 *"}"#,
        title: "New year"
    )
    private static let once = trigger(
        #"{"eventSource":"SCHEDULE_ONCE","scheduleAt":4102444800000}"#,
        title: "A new century"
    )

    // MARK: Requests

    @Test func `triggers are made, listed in parts, read, changed, switched and removed`() async throws {
        try await withDesk { desk in
            var ids: [String] = []
            for body in [Self.warm, Self.yearly, Self.once] { ids.append(try await desk.add(body)) }
            func found(_ list: JSONValue) -> [String?] {
                (list["triggers"]?.array ?? []).map { $0["triggerID"]?.string }
            }
            let first = try await desk.send("GET", "?bestEffortLimit=2").json
            #expect(found(first) == Array(ids.prefix(2)))
            let key = try #require(first["nextPaginationKey"]?.string)
            let rest = try await desk.send("GET", "?bestEffortLimit=2&paginationKey=\(key)").json
            #expect(found(rest) == Array(ids.suffix(1)) && rest["nextPaginationKey"] == nil)

            let path = "/\(ids[0])"
            let read = try await desk.send("GET", path)
            #expect(read.status == 200 && read.json["disabled"] == false, "\(read)")
            #expect(read.json["triggerID"]?.string == ids[0] && read.json["title"] == "Too warm")
            let predicate = read.json["predicate"]
            #expect(predicate?["eventSource"] == "STATES")
            #expect(predicate?["triggersWhen"] == "CONDITION_FALSE_TO_TRUE")
            #expect(predicate?["condition"]?["field"] == "temperature")
            #expect(read.json["command"]?["target"]?.string == "thing:\(desk.thing.id)")
            #expect(read.json["command"]?["actions"] == [["brightness": 0.25]])
            let cron = try await desk.send("GET", "/\(ids[1])").json["predicate"]
            #expect(cron == ["eventSource": "SCHEDULE", "schedule": "0 7 1 1 *"])
            let moment = try await desk.send("GET", "/\(ids[2])").json["predicate"]
            #expect(moment?["eventSource"] == "SCHEDULE_ONCE")
            #expect(moment?["scheduleAt"]?.integer == 4_102_444_800_000)

            try await desk.expect(400, "PATCH", path, "{}", code: "INVALID_INPUT_DATA")
            try await desk.expect(204, "PATCH", path, #"{"title":"Hot","description":"Much"}"#)
            for (rest, isDisabled) in [("disable", true), ("enable", false)] {
                for _ in 1...2 { try await desk.expect(204, "PUT", "\(path)/\(rest)") }
                #expect(try await desk.send("GET", path).json["disabled"] == .bool(isDisabled))
            }
            let changed = try await desk.send("GET", path).json
            #expect(changed["title"] == "Hot" && changed["description"] == "Much")
            #expect(changed["predicate"] == predicate && changed["triggerID"]?.string == ids[0])

            try await desk.expect(204, "DELETE", path)
            for gone in [path, "/9999", "/x"] {
                try await desk.expect(404, "GET", gone, code: "TRIGGER_NOT_FOUND")
                try await desk.expect(404, "DELETE", gone, code: "TRIGGER_NOT_FOUND")
                try await desk.expect(404, "PATCH", gone, #"{"title":"x"}"#, code: "TRIGGER_NOT_FOUND")
                for rest in ["enable", "disable"] {
                    try await desk.expect(404, "PUT", "\(gone)/\(rest)", code: "TRIGGER_NOT_FOUND")
                }
            }
            let left = try await desk.send("GET").json
            #expect(found(left) == Array(ids.dropFirst()))
        }
    }

    @Test func `a trigger of server code, of the thing itself or of a thing without an owner is refused`()
        async throws
    {
        try await withDesk { desk in
            let id = try await desk.add(Self.warm)
            let code = Self.warm.replacing(#""COMMAND""#, with: #""SERVER_CODE""#)
            try await desk.expect(400, "POST", "", code, code: "INVALID_INPUT_DATA")
            let requests = [
                ("POST", "", Self.warm), ("GET", "", ""), ("GET", "/\(id)", ""),
                ("PATCH", "/\(id)", #"{"title":"x"}"#), ("PUT", "/\(id)/disable", ""),
                ("DELETE", "/\(id)", ""),
            ]
            for (method, rest, body) in requests {
                try await desk.expect(403, method, rest, body, code: "FORBIDDEN", by: desk.thing.bearer)
                try await desk.expect(401, method, rest, body, code: "UNAUTHORIZED", by: "X-Nobody: 1")
            }
            let other = Desk(
                site: desk.site,
                thing: try await desk.site.thing("v-2"),
                owner: desk.owner
            )
            for (method, rest, body) in requests {
                try await other.expect(409, method, rest, body, code: "NOT_ONBOARDED")
            }
            let list = try await desk.send("GET").json["triggers"]?.array ?? []
            #expect(list.compactMap { $0["title"]?.string } == ["Too warm"])
            #expect(list.first?["disabled"] == false)
        }
    }

    // MARK: Firing

    @Test func `a trigger gives its command when the thing uploads a state, and not when it is disabled`()
        async throws
    {
        try await withDesk { desk in
            let (site, thing) = (desk.site, desk.thing)
            let headers = [thing.bearer, ThingIFSite.json]
            func upload(_ temperature: Int) async throws {
                let body = #"{"temperature":\#(temperature)}"#
                let reply = try await site.send("PUT", "\(thing.target)/states", headers, body)
                #expect([201, 204].contains(reply.status), "\(reply)")
            }
            let commands = "\(thing.target)/commands"
            /// What the list has of commands, without what was set otherwise.
            func given() async throws -> [JSONValue] {
                let list = try await site.send("GET", commands, [desk.owner]).json["commands"]?.array ?? []
                return list.filter { $0["commandID"]?.string?.hasPrefix("c.") == true }
            }
            let id = try await desk.add(Self.warm)
            // The first value is none that it comes from.
            for temperature in [20, 26, 26, 27] { try await upload(temperature) }
            let isGiven = try await eventually { try await !given().isEmpty }
            try #require(isGiven)
            let command = try #require(try await given().first)
            #expect(command["actions"] == [["brightness": 0.25]] && command["schema"] == "fan", "\(command)")
            #expect(command["target"]?.string == "thing:\(thing.id)" && command["issuer"] != "user:none")

            // The thing fetches it, and answers.
            let path = "\(commands)/\(try #require(command["commandID"]?.string))"
            #expect(try await site.send("GET", path, headers).status == 200)
            let results = #"{"actionResults":[{"brightness":{"succeeded":true}}]}"#
            let answered = try await site.send("PUT", "\(path)/action-results", headers, results)
            #expect(answered.status == 204, "\(answered)")
            let fired = try await site.visitor.awaitsEvent("rule", "fired")
            #expect(fired["rule"]?["outcome"] == "done", "\(fired)")
            #expect(fired["rule"]?["id"]?.integer.map { "\($0)" } == id, "\(fired)")
            let done = try await site.send("GET", path, [desk.owner]).json
            #expect(done["commandState"] == "DONE", "\(done)")

            try await desk.expect(204, "PUT", "/\(id)/disable")
            for temperature in [20, 30] { try await upload(temperature) }
            let isSeen = try await eventually {
                try await site.home.verb("rule", "explain", id).contains("20 -> 30")
            }
            #expect(isSeen, "it is explained that it was off")
            try await desk.expect(204, "PUT", "/\(id)/enable")
            // It begins with what is so then.
            try await upload(31)
            #expect(await site.home.stop(within: .seconds(30)) == 0)
            let firings = try site.home.firings()["too-warm"] ?? []
            #expect(firings.map(\.why) == ["state v-1 temperature 20 -> 26"], "\(firings)")
            #expect(firings.map(\.outcome) == [.done])
        }
    }
}
