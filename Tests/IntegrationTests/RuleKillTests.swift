import Accounts
import Foundation
import JSON
import TestSupport
import Testing

/// A daemon with rules that is killed in the middle of its work, and starts again on the same state folder.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(4)))
struct RuleKillTests {
    private static let television = Place.path(ofThing: Place.television, in: Place.living)
    private static let keys = ["rules.per_minute": "6000", "rules.notify_per_hour": "10000"]
    private static let moments = (1...12).map { "moment-\($0)" }
    /// What becomes of a firing that was not refused.
    private static let ends: [StoredFiring.Outcome] = [.done, .failed, .interrupted]

    /// Adds rules of one moment each, four in a second.
    private func addMoments(_ home: Home) async throws {
        // On a busy machine the first of them are past before the rules are read, and then none is taken.
        for lead: Int64 in [5000, 20_000, 60_000] {
            let start = Int64(Date().timeIntervalSince1970 * 1000) + lead
            let rules = Self.moments.enumerated().map { index, title in
                #"{"title":"\#(title)","when":[{"on":"once","at":\#(start + Int64(index) * 250)}],"#
                    + #""then":[{"notify":["user:alice"],"text":"now"}]}"#
            }
            try home.folder.write("[\(rules.joined(separator: ","))]", to: "moments.json")
            let words = ["rule", "import", home.folder.path("moments.json"), "--state", home.state]
            if try await Program.run(words, in: home.folder).status == 0 { return }
        }
        Issue.record("the moments are always past")
    }

    private func addAlice(_ home: Home) async throws {
        try await home.verb("user", "add", "alice", "--email", "alice@example.org")
    }

    /// What was told outside in a run that has ended: the last will comes after everything else.
    private func mails(heardBy visitor: Visitor) async throws -> [JSONValue] {
        try await visitor.awaits("status", "offline")
        return await visitor.objects(on: "outbox/email")
    }

    @Test func `a daemon that is killed under load does nothing twice`() async throws {
        try await withPatientBroker { broker in
            try await withHome(Self.keys, port: broker.port) { home, visitor in
                try await addAlice(home)
                try await home.verb(
                    "rule",
                    "add",
                    "--title",
                    "Volume",
                    "--thing",
                    "television",
                    "--when",
                    "volume",
                    "--notify",
                    "user:alice",
                    "--text",
                    "{value}"
                )
                try await addMoments(home)
                // Each value comes once, so each change of it is one occurrence.
                var value = 100
                var mails: [JSONValue] = []
                for _ in 1...4 {
                    let isUnderLoad = await eventually(within: .seconds(60)) {
                        for _ in 1...4 {
                            value += 1
                            visitor.say("things/television/set", #"{"volume":\#(value)}"#)
                        }
                        return await visitor.said(on: "outbox/email").count >= 25
                    }
                    #expect(isUnderLoad)
                    await home.kill()
                    mails += try await self.mails(heardBy: visitor)
                    try await visitor.whileStarting { try await home.start(Self.keys) }
                }
                // Those that passed while nothing ran are made up for.
                for slug in Self.moments {
                    try await visitor.awaits("rules/\(slug)", within: .seconds(90)) { $0["last"] != nil }
                }
                let explained = try await home.verb("rule", "explain", "volume", "--limit", "1000", "--json")
                let lines = try JSONValue(parsing: explained).array ?? []
                let told = lines.filter { line in
                    Self.ends.contains { line["result"]?.string == $0.rawValue }
                }
                #expect(told.count >= 50 && Set(told.compactMap { $0["why"]?.string }).count == told.count)

                #expect(await home.stop(within: .seconds(30)) == 0)
                mails += try await self.mails(heardBy: visitor)
                expectOnce(mails, try home.firings())
                #expect(try await home.databaseProblems() == ["ok"])
            }
        }
    }

    /// What was told outside is of firings that are kept, and of each of them once.
    private func expectOnce(_ mails: [JSONValue], _ firings: [String: [StoredFiring]]) {
        let all = firings.values.flatMap(\.self)
        #expect(Set(all.map(\.seq)).count == all.count)
        #expect(all.allSatisfy { $0.outcome != nil })
        let volume = (firings["volume"] ?? []).filter { $0.outcome.map(Self.ends.contains) == true }
        let values = volume.compactMap { $0.why.split(separator: " ").last }
        #expect(volume.count >= 80 && Set(values).count == volume.count)
        for slug in Self.moments {
            let mine = firings[slug] ?? []
            #expect(mine.count == 1 && mine.allSatisfy { $0.why.hasSuffix("once") }, "\(slug): \(mine)")
        }

        let sent = mails.compactMap { $0["seq"]?.integer }
        #expect(sent.count == mails.count && Set(sent).count == sent.count)
        #expect(Set(sent).isSubset(of: all.map { Int($0.seq) }), "it is stored before anything is done")
        let done = all.filter { $0.outcome == .done }.map { Int($0.seq) }
        #expect(Set(done).isSubset(of: sent), "what is done was done")
        let told = mails.filter { $0["rule"] == "volume" }.compactMap { $0["text"]?.string }
        #expect(Set(told).count == told.count)
        for slug in Self.moments {
            #expect(mails.count { $0["rule"]?.string == slug } <= 1, "\(slug)")
        }
    }

    @Test func `what had not ended when the daemon was killed is interrupted, and is not done again`()
        async throws
    {
        try await withPatientBroker { broker in
            try await withHome(port: broker.port) { home, visitor in
                try await addAlice(home)
                try await home.verb(
                    "rule",
                    "add",
                    "--title",
                    "Loud",
                    "--thing",
                    "television",
                    "--when",
                    "volume>=20",
                    "--notify",
                    "user:alice",
                    "--text",
                    "{value}"
                )
                // The broker takes nothing, so the action does not end.
                await broker.freeze()
                #expect(try await home.rest("PUT", Self.television, #"{"data.volume":30}"#).status == 200)
                let runs = try await eventually {
                    try await home.verb("rule", "explain", "loud").contains("running")
                }
                #expect(runs)
                await home.kill()
                await broker.thaw()
                var mails = try await self.mails(heardBy: visitor)
                try await visitor.whileStarting { try await home.start() }
                #expect(try await home.verb("rule", "explain", "loud").contains("interrupted"))
                try await visitor.awaits("rules/loud") { $0["last"]?["outcome"] == "interrupted" }

                // It is as it was: 30 is no news, and the next edge is.
                for volume in [10, 40] {
                    let set = try await visitor.ask("things/television/set", #"{"volume":\#(volume)}"#)
                    #expect(set.outcome == "ok", "\(set)")
                }
                try await visitor.awaits("outbox/email") { $0["text"] == "40" }
                try await visitor.awaits("rules/loud") { $0["last"]?["outcome"] == "done" }
                #expect(await home.stop(within: .seconds(30)) == 0)
                mails += try await self.mails(heardBy: visitor)
                // What the dead daemon had written may have reached the broker, but only once.
                let texts = mails.compactMap { $0["text"]?.string }
                #expect(texts.count { $0 == "30" } <= 1 && texts.count { $0 == "40" } == 1)
                let kept = try home.firings()["loud"] ?? []
                #expect(
                    kept.map(\.why) == [
                        "state television volume 12 -> 30", "state television volume 10 -> 40",
                    ]
                )
                #expect(kept.map(\.outcome) == [.interrupted, .done])
                #expect(try await home.databaseProblems() == ["ok"])
            }
        }
    }
}
