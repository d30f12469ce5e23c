import Accounts
import JSON
import TestSupport
import Testing

/// What rules remember of a thing while the daemon is off.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct RuleRestartTests {
    private static let television = Place.path(ofThing: Place.television, in: Place.living)

    /// A rule for each edge of one clause.
    private static var rules: String {
        let edges = [
            ("always", "CONDITION_TRUE"), ("rising", "CONDITION_FALSE_TO_TRUE"),
            ("changed", "CONDITION_CHANGED"),
        ]
        let rules = edges.map { title, edge in
            #"{"title":"\#(title)","when":[{"on":"state","thing":"television","edge":"\#(edge)","#
                + #""clause":{"type":"range","field":"volume","lowerLimit":20,"lowerIncluded":true}}],"#
                + #""then":[{"publish":"\#(title)"}]}"#
        }
        return "[\(rules.joined(separator: ","))]"
    }

    private func set(_ volume: Int, _ visitor: Visitor) async throws {
        let answer = try await visitor.ask("things/television/set", #"{"volume":\#(volume)}"#)
        #expect(answer.outcome == "ok", "\(answer)")
    }

    /// Changes the volume while the daemon is off, and starts it.
    private func restart(_ home: Home, heardBy visitor: Visitor, withVolume volume: Int) async throws {
        #expect(await home.stop(within: .seconds(30)) == 0)
        try await home.start(verb: "serve")
        let stored = try await home.rest("PUT", Self.television, #"{"data.volume":\#(volume)}"#)
        #expect(stored.status == 200, "\(stored)")
        await home.stop(within: .seconds(30))
        try await start(home, heardBy: visitor)
    }

    /// Waits until rules have fired for a change; what they do before the broker is there is only on their topics.
    private func awaits(_ rules: [String], _ change: String, _ visitor: Visitor) async throws {
        for rule in rules {
            try await visitor.awaits("rules/\(rule)") { status in
                status["last"]?["why"] == .string("state television volume \(change)")
                    && status["last"]?["outcome"] == "done"
            }
        }
    }

    private func start(_ home: Home, heardBy visitor: Visitor) async throws {
        try await visitor.whileStarting { try await home.start() }
    }

    @Test
    func `after a restart the first value is compared with what was, and the restart itself is no edge`()
        async throws
    {
        try await withHome { home, visitor in
            try await home.addRules(Self.rules)
            // The engine has looked at it, and what it remembers is stored.
            try await visitor.awaits("rules/changed")
            // The clause was false, and became true while nobody looked.
            try await restart(home, heardBy: visitor, withVolume: 25)
            try await awaits(["rising", "changed"], "null -> 25", visitor)
            // A value that is true again is no edge, but another write.
            try await set(26, visitor)
            try await awaits(["always"], "25 -> 26", visitor)

            // Nothing has changed meanwhile.
            await home.kill()
            try await start(home, heardBy: visitor)
            try await set(30, visitor)
            try await awaits(["always"], "26 -> 30", visitor)

            // It was true, and became false while nobody looked.
            try await restart(home, heardBy: visitor, withVolume: 5)
            try await awaits(["changed"], "null -> 5", visitor)
            try await set(25, visitor)
            try await awaits(["always", "rising", "changed"], "5 -> 25", visitor)

            #expect(await home.stop(within: .seconds(30)) == 0)
            let firings = try home.firings()
            let (old, new) = ("state television volume null ->", "state television volume")
            #expect(
                firings["always"]?.map(\.why) == ["\(new) 25 -> 26", "\(new) 26 -> 30", "\(new) 5 -> 25"]
            )
            #expect(firings["rising"]?.map(\.why) == ["\(old) 25", "\(new) 5 -> 25"])
            #expect(firings["changed"]?.map(\.why) == ["\(old) 25", "\(old) 5", "\(new) 5 -> 25"])
            // The kill may have come before the end of that one was stored.
            let others = firings.values.joined().filter { $0.why != "\(new) 25 -> 26" }
            #expect(others.allSatisfy { $0.outcome == .done }, "\(others)")
        }
    }

    @Test func `the first write after a start finds the rules, however many there are`() async throws {
        try await withHome { home, visitor in
            let others = (0..<150).map { number in
                #"{"title":"Other \#(number)","when":[{"on":"state","thing":"table-lamp","field":"on"}],"#
                    + #""then":[{"publish":\#(number)}]}"#
            }
            try await home.addRules("[\(others.joined(separator: ","))]")
            try await home.addRules(Self.rules)
            try await visitor.awaits("rules/changed")
            var accepted: [Int] = []
            for start in 1...3 {
                await home.kill()
                await visitor.forget()
                try await home.start()
                try await visitor.awaits("status", "online")
                // Commands are refused until the place is read; the first one that is not is a write.
                for volume in (start * 1000)... {
                    let answer = try await visitor.ask("things/television/set", #"{"volume":\#(volume)}"#)
                    guard answer.outcome == "ok" else { continue }
                    accepted.append(volume)
                    break
                }
                let volume = try #require(accepted.last)
                try await visitor.awaits("rules/always") { status in
                    status["last"]?["why"]?.string?.hasSuffix("-> \(volume)") == true
                }
            }
            #expect(await home.stop(within: .seconds(30)) == 0)
            #expect(try home.firings()["always"]?.count == accepted.count)
        }
    }
}
