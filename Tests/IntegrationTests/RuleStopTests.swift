import Accounts
import Foundation
import JSON
import TestSupport
import Testing

/// What stops rules of a running daemon: they start each other, their maker loses a right, or they fire too often.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(4)))
struct RuleStopTests {
    private func set(_ thing: String, _ values: String, _ visitor: Visitor) async throws {
        let answer = try await visitor.ask("things/\(thing)/set", values, within: .seconds(60))
        #expect(answer.outcome == "ok", "\(answer)")
    }

    // MARK: Loops

    /// One rule switches a light off when it is on, and the other one on when it is off.
    private static let quarrel = """
        [{"title":"Darken",
          "when":[{"on":"state","thing":"kitchen-light","clause":{"type":"eq","field":"on","value":true}}],
          "then":[{"set":{"on":false},"target":"thing:kitchen-light"}]},
         {"title":"Brighten",
          "when":[{"on":"state","thing":"kitchen-light","clause":{"type":"eq","field":"on","value":false}}],
          "then":[{"set":{"on":true},"target":"thing:kitchen-light"}]}]
        """

    @Test func `two rules that switch each other end as a loop, with an alert, and the daemon goes on`()
        async throws
    {
        try await withHome { home, visitor in
            try await home.addRules(Self.quarrel)
            try await set("kitchen-light", #"{"on":true}"#, visitor)
            let alert = try await visitor.awaits("alert/rule-loop")
            let loop = "darken (in a chain with brighten)"
            #expect(alert["message"]?.string?.contains(loop) == true, "\(alert)")
            try await set("table-lamp", #"{"brightness":"30%"}"#, visitor)
            try await visitor.awaitsEvent("rule", "fired", after: 7)
            let explanation = try await home.verb("rule", "explain", "darken")
            #expect(explanation.contains("; in a chain with brighten"), "\(explanation)")

            // The alert goes when its rule is switched; what comes from outside begins another chain.
            try await home.verb("rule", "off", "brighten")
            try await home.verb("rule", "off", "darken")
            try await visitor.awaits("alert/rule-loop", "")
            try await home.verb("rule", "on", "darken")
            for isOn in [false, true] { try await set("kitchen-light", #"{"on":\#(isOn)}"#, visitor) }
            try await visitor.awaitsEvent("rule", "fired", after: 8)

            #expect(await home.stop(within: .seconds(30)) == 0)
            let firings = try home.firings()
            let (darken, brighten) = (firings["darken"] ?? [], firings["brighten"] ?? [])
            // The light was switched eight times by rules, each time by the other one.
            #expect(darken.map(\.outcome) == [.done, .done, .done, .done, .loop, .done], "\(darken)")
            #expect(brighten.map(\.outcome) == [.done, .done, .done, .done], "\(brighten)")
        }
    }

    // MARK: Rights

    @Test func `a rule whose maker loses a right between two firings does nothing more, and says why`()
        async throws
    {
        try await withHome { home, visitor in
            try await home.verb("user", "add", "bob")
            try await home.verb("grant", "add", "bob", "thing:television", "read")
            let grant = try await home.verb("grant", "add", "bob", "thing:table-lamp", "write")
            let words = ["--thing", "television", "--when", "volume>=20", "--set", "on=false"]
            let added = try await Program.run(
                ["rule", "add", "--as", "bob", "--title", "Loud", "--target", "table-lamp"] + words
                    + ["--state", home.state],
                in: home.folder
            )
            #expect(added.status == 0, "\(added)")

            try await set("television", #"{"volume":30}"#, visitor)
            try await visitor.awaits("rules/loud") { $0["last"]?["outcome"] == "done" }
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            try await set("table-lamp", #"{"on":true}"#, visitor)

            try await home.verb("grant", "rm", grant)
            try await visitor.awaits("rules/loud") { $0["suspended"] == "rights" }
            let alert = try await visitor.awaits("alert/rules")
            #expect(alert["message"]?.string?.contains("loud") == true, "\(alert)")
            for volume in [10, 40] { try await set("television", #"{"volume":\#(volume)}"#, visitor) }
            #expect(try await visitor.ask("rules/loud/run").outcome == "not_allowed")
            #expect(await visitor.json("things/table-lamp")?["state"] == "ON")
            // Its maker must not read there what they may not do any more.
            #expect(try await !home.verb("rule", "explain", "loud").contains("-> 40"))

            // With the right it begins again: 40 is its first sight.
            try await home.verb("grant", "add", "bob", "thing:table-lamp", "write")
            try await visitor.awaits("rules/loud") { $0["suspended"] == nil }
            try await visitor.awaits("alert/rules", "")
            for volume in [10, 50] { try await set("television", #"{"volume":\#(volume)}"#, visitor) }
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            try await visitor.awaitsEvent("rule", "fired", after: 1)
            #expect(await home.stop(within: .seconds(30)) == 0)
            #expect(
                try home.firings()["loud"]?.map(\.why) == [
                    "state television volume 12 -> 30", "state television volume 10 -> 50",
                ]
            )
        }
    }

    // MARK: Floods

    /// How often the rule may fire in a minute.
    private static let limit = 20
    /// How much the daemon may grow, KiB: 10 KiB of each write that is kept would be more.
    private static let growth = 98_304

    private static let always = """
        {"title":"Always","when":[{"on":"state","thing":"television","edge":"CONDITION_TRUE","clause":
        {"type":"range","field":"volume","lowerLimit":1,"lowerIncluded":true}}],"then":[{"publish":true}]}
        """

    /// The most memory that the daemon has had, KiB.
    private func peak(of home: Home) async throws -> Int {
        let child = await home.processID
        let id = try #require(child)
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split { $0.isWhitespace }.dropFirst().first.flatMap { Int($0) })
    }

    @Test func `10,000 writes to a rule that fires at each are limited, and a lamp is set meanwhile`()
        async throws
    {
        try await withPatientBroker { broker in
            try await withHome(["rules.per_minute": "\(Self.limit)"], port: broker.port) { home, visitor in
                try await home.addRules(Self.always)
                try await set("table-lamp", #"{"brightness":0.5}"#, visitor)
                let before = try await peak(of: home)
                for part in 0..<20 {
                    for number in 1...500 {
                        visitor.say("things/television/set", #"{"volume":\#(part * 500 + number)}"#)
                    }
                    // It comes behind them, so no part waits for the next one.
                    try await set(
                        "table-lamp",
                        #"{"brightness":\#(part.isMultiple(of: 2) ? 0.3 : 0.6)}"#,
                        visitor
                    )
                }
                try await visitor.awaits("things/television/data") { $0["volume"] == 10_000 }
                let alert = try await visitor.awaits("alert/rule-loop")
                #expect(alert["message"]?.string?.contains("always") == true, "\(alert)")
                let grown = try await peak(of: home) - before
                #expect(grown < Self.growth, "\(grown) KiB")
                #expect(try await home.verb("rule", "explain", "always").contains("limited"))

                #expect(await home.stop(within: .seconds(30)) == 0)
                try await visitor.awaits("status", "offline")
                let firings = try home.firings()["always"] ?? []
                let fired = firings.filter { $0.outcome == .done }
                #expect(fired.count >= Self.limit && firings.contains { $0.outcome == .limited })
                for (first, next) in zip(fired, fired.dropFirst(Self.limit)) {
                    #expect(next.at - first.at > 59_000, "\(first.seq) to \(next.seq)")
                }
                #expect(await visitor.said(on: "rules/always/out").count == fired.count)
            }
        }
    }
}
