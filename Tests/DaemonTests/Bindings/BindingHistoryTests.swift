import Bindings
import Controller
import Daemon
import Flare
import Foundation
import History
import JSON
import People
import Testing
import Threading

/// Which states are samples, and who may ask for them.
@Suite(.timeLimit(.minutes(2)))
struct BindingHistoryTests {
    private static let minutes: JSONObject = ["dataGroupingInterval": "1_MINUTE"]

    @Test func `a state before the owner is no sample, whatever restarts come between`() async throws {
        try await withBindings { home, folder in
            let thing = try await home.onboardThing(with: Self.minutes).get().thing
            _ = try await home.report(["t": 1], by: .thing(thing)).get()
            #expect(await home.history(for: home.owner).code == "history_not_available")
            await home.close()
            var again = try await TestBindings(in: folder)
            _ = try await again.onboardOwner(again.bob).get()
            #expect(try await again.samples() == [])
            await again.close()
            again = try await TestBindings(in: folder)
            _ = try await again.report(["t": 2], by: .thing(thing)).get()
            await again.close()
            again = try await TestBindings(in: folder)
            #expect(try await again.samples() == [["t": 2]])
            await again.close()
        }
    }

    @Test func `of one caller a few queries wait, and of all of them some more`() {
        let queries = OpenQueries()
        let users = (1...12).map { AccountID(high: 0, low: $0) }
        let began = users.map { user in
            (0..<5).count { number in
                // Whatever the token allows, it is the same user.
                queries.begin(by: .user(.user(user, ceiling: number.isMultiple(of: 2) ? .read : nil)))
            }
        }
        #expect(began == Array(repeating: 4, count: 10) + [0, 0])
        for _ in 0..<2 { queries.end(by: .user(.user(users[0], ceiling: .read))) }
        #expect(queries.begin(by: .app) && queries.begin(by: .user(.user(users[0]))))
        #expect(!queries.begin(by: .user(.user(users[0]))) && !queries.begin(by: .anonymous))
    }

    @Test func `without an interval there is no history`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardOwner(home.bob).get().thing
            _ = try await home.report(["t": 1], by: .thing(thing)).get()
            #expect(await home.history(for: home.bob).code == "history_not_available")
        }
    }

    @Test func `each state of a list is a sample, and one that the broker has kept is none`() async throws {
        try await withBindings { home, _ in
            _ = try await home.onboardOwner(home.bob, with: Self.minutes).get()
            #expect(try await home.send(list: [-2000: 1, -1000: 2]) == nil)
            // Late, so it is no state; and equal to one before.
            #expect(try await home.send(list: [-3000: 2]) == nil)
            #expect(try await home.send(#"{"t":3}"#, isRetained: true) == nil)
            #expect(try await home.samples() == [["t": 2], ["t": 1], ["t": 2]])
            #expect(await home.state(for: .user(.user(home.bob))) == .success(["t": 3]))
        }
    }

    @Test func `states beyond the rate are no samples`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardOwner(home.bob, with: Self.minutes).get().thing
            for _ in 0..<60 { _ = try await home.report(["t": 1], by: .thing(thing)) }
            #expect(try await home.samples().count == 50)
        }
    }

    @Test func `who may read asks for the history, and neither the thing itself nor a stranger`()
        async throws
    {
        try await withBindings { home, _ in
            let thing = try await home.onboardOwner(home.bob, with: Self.minutes).get().thing
            let other = try await home.onboardThing("v-2").get().thing
            let reader = BindingCaller.user(.user(home.bob, ceiling: .read))
            let query = try HistoryQuery()
            let target = TargetName.thing(thing)
            for caller in [reader, .user(.user(home.owner))] {
                #expect(await home.service.history(query, of: target, for: caller).code == nil)
            }
            let strangers: [BindingCaller] = [
                .thing(thing), .thing(other), .user(.user(home.carol)), .app, .anonymous,
            ]
            for caller in strangers {
                #expect(await home.service.history(query, of: target, for: caller).code == "not_allowed")
            }
        }
    }

    @Test func `less than 60 intervals are answered in groups, and 60 are refused`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardOwner(home.bob, with: Self.minutes).get().thing
            _ = try await home.report(["t": 1], by: .thing(thing)).get()
            let now = home.now.withLock { $0 }
            func ask(_ length: Int64) async throws -> Result<JSONObject, BindingsError> {
                await home.history(
                    try HistoryQuery(.time(now - length...now), isGrouped: true),
                    for: home.bob
                )
            }
            #expect(try await ask(59 * 60_000).get()["groupedResults"]?.array?.count == 1)
            #expect(try await ask(60 * 60_000 - 1).code == nil)
            #expect(try await ask(60 * 60_000).code == "invalid_value")
        }
    }

    // MARK: Things of the Flare server

    @Test func `each confirmed change of a linked thing is a sample, and nothing else is`() async throws {
        var server = TestPlace.Server.withKitchen
        server.things = [TestPlace.thing(1, "v-1", ["on": false, "minor": 7])]
        let lamp = TestPlace.thing(1, "").id
        try await withBindings(server: server) { home, folder in
            _ = try await home.onboardOwner(home.owner, with: Self.minutes).get()
            #expect(await home.state(for: .user(.user(home.owner))) == .success(["on": false]))
            await home.follow(lamp)
            #expect(try await home.samples(for: home.owner) == [])
            await home.place.change { $0.things = [TestPlace.thing(1, "v-1", ["on": true, "minor": 8])] }
            for _ in 0..<3 { await home.follow(lamp) }
            #expect(try await home.samples(for: home.owner) == [["on": true]])
            #expect(await home.state(for: .user(.user(home.owner))) == .success(["on": true]))
            #expect(home.edgeEvents.isEmpty)
            await home.close()
            // What is as before is no change of the next start, and what has changed meanwhile is one.
            var again = try await TestBindings(in: folder, server: home.place.server.withLock { $0 })
            await again.follow(lamp)
            #expect(try await again.samples(for: again.owner).count == 1)
            await again.close()
            server.things = [TestPlace.thing(1, "v-1", ["on": false])]
            again = try await TestBindings(in: folder, server: server)
            for _ in 0..<2 { await again.follow(lamp) }
            #expect(try await again.samples(for: again.owner) == [["on": true], ["on": false]])
            await again.close()
        }
    }

    @Test func `an owner's first report of a linked thing is its first`() async throws {
        var server = TestPlace.Server.withKitchen
        server.things = [TestPlace.thing(1, "v-1", ["on": false])]
        try await withBindings(server: server) { home, _ in
            _ = try await home.onboardOwner(home.owner).get()
            let owner = BindingCaller.user(.user(home.owner))
            #expect(try await home.report(["t": 1], by: owner) == .success(true))
            #expect(try await home.report(["t": 2], by: owner) == .success(false))
        }
    }

    // MARK: Trouble, and the end

    @Test func `without a file for the history states are taken all the same, and an alert says so`()
        async throws
    {
        try await withBindings(history: "/proc/no-such-folder/history.db") { home, _ in
            let thing = try await home.onboardOwner(home.bob, with: Self.minutes).get().thing
            #expect(try await home.report(["t": 1], by: .thing(thing)) == .success(true))
            #expect(try await home.report(["t": 2], by: .thing(thing)) == .success(false))
            #expect(await home.state(for: .thing(thing)) == .success(["t": 2]))
            #expect(await home.history(for: home.bob).code == "server_unreachable")
            let alerts = home.sent.withLock { events in
                events.compactMap { event -> String? in
                    if case .alertRaised(let id, .error, _) = event { id } else { nil }
                }
            }
            #expect(alerts == ["history"])
        }
    }

    @Test func `a damaged file is moved aside, and an alert says so`() async throws {
        try await withBindings { home, folder in
            let file = folder.appending(path: "history.db")
            try Data(String(repeating: "no database ", count: 1000).utf8).write(to: file)
            let thing = try await home.onboardOwner(home.bob, with: Self.minutes).get().thing
            _ = try await home.report(["t": 1], by: .thing(thing)).get()
            #expect(try await home.samples() == [["t": 1]])
            let alerts = home.sent.withLock { events in
                events.compactMap { event -> String? in
                    if case .alertRaised("history", .warning, let message) = event { message } else { nil }
                }
            }
            #expect(alerts.count == 1 && alerts.first?.contains("history.db.damaged-") == true)
        }
    }

    @Test func `a home without a history has no file for it`() async throws {
        try await withBindings { home, folder in
            let thing = try await home.onboardThing(with: Self.minutes).get().thing
            _ = try await home.report(["t": 1], by: .thing(thing)).get()
            let file = folder.appending(path: "history.db").path(percentEncoded: false)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func `the history of a thing that is forgotten is gone`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardOwner(home.bob, with: Self.minutes).get().thing
            _ = try await home.report(["t": 1], by: .thing(thing)).get()
            #expect(try await home.samples() == [["t": 1]])
            #expect(await home.ask("DELETE", "/api/bindings/v-1").status == 204)
            #expect(await home.history(for: home.owner).code == "unknown_thing")
            let history = try #require(home.records.history)
            let empty = try HistoryAnswer(to: try HistoryQuery(), of: .minute)
            #expect(try await history.json(empty, of: thing)["results"] == [])
        }
    }

    // MARK: The command line

    @Test func `the command line gets pages of samples, and groups with how many samples they have`()
        async throws
    {
        try await withBindings { home, _ in
            let thing = try await home.onboardOwner(home.bob, with: Self.minutes).get().thing
            for value in [21.5, 21.5, 22.5] {
                _ = try await home.report(["t": .number(value)], by: .thing(thing)).get()
            }
            let now = home.now.withLock { $0 }
            let range: JSONObject = ["from": .string("\(now - 1000)"), "to": .string("\(now)")]
            let start = GroupInterval.minute.start(of: now)
            func ask(_ others: JSONObject) async -> (status: Int, body: JSONValue) {
                await home.ask("POST", "/api/bindings/v-1/history", .object(range.merging(others) { $1 }))
            }
            #expect(await ask([:]).body["results"]?.array?.count == 3)
            #expect(
                await ask(["group": "1", "agg": ["max:t", "count:x"]]).body["rows"] == [
                    [
                        "from": JSONValue(Int(start)), "to": JSONValue(Int(start + 60_000)), "count": 3,
                        "values": [22.5, 0],
                    ]
                ]
            )
            #expect(await ask(["group": "1"]).body["rows"]?.array?.first?["values"] == [])
            #expect(await ask(["agg": ["max:t"]]).status == 400)
            #expect(await ask(["from": "yesterday"]).status == 400)
            #expect(await home.ask("POST", "/api/bindings/v-9/history", [:]).status == 404)
        }
    }
}

extension TestBindings {
    func history(
        _ query: HistoryQuery,
        for user: AccountID
    ) async -> Result<JSONObject, BindingsError> {
        await service.history(query, of: .vendor("v-1"), for: .user(.user(user)))
    }

    func history(for user: AccountID) async -> Result<JSONObject, BindingsError> {
        guard let query = try? HistoryQuery() else { return .success([:]) }
        return await history(query, for: user)
    }

    /// The states of the history, the oldest first, without their times.
    func samples(for user: AccountID? = nil) async throws -> [JSONObject] {
        let answer = try await history(for: user ?? bob).get()
        return (answer["results"]?.array ?? []).compactMap { result in
            var state = result.object
            _ = state?.removeValue(forKey: HistoryAnswer.created)
            return state
        }
    }

    /// Shows the service a thing of the place as it is, as a turn of the node does.
    func follow(_ thing: FlareID) async {
        let state = await place.node.state
        service.followStates(StateSnapshot(state: state, changes: [.object(ObjectReference(.thing, thing))]))
    }
}
