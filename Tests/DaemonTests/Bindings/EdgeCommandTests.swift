import Accounts
import Bindings
import Controller
import Daemon
import Flare
import JSON
import People
import TestSupport
import Testing
import Things
import Threading

/// Commands of things at the edge: what they are sent, and what they answer.
@Suite(.timeLimit(.minutes(2)))
struct EdgeCommandTests {
    private static let target = TargetName.vendor("v-1")

    /// The orders that left, of which the service is told as by the way to the broker.
    private func orders(_ home: TestBindings) async -> [EdgeOrder] {
        await home.place.settle()
        let orders = home.place.orders.withLock { orders in
            defer { orders = [] }
            return orders
        }
        for order in orders { home.service.sent(order) }
        return orders
    }

    /// Takes results as a thing publishes them.
    ///
    /// - Returns: The code of the refusal; `nil` if they count.
    private func report(
        _ id: String,
        _ results: JSONValue,
        of thing: BindingID,
        to home: TestBindings
    ) async throws -> String? {
        let report = try CommandReport(["commandID": .string(id), "actionResults": results])
        let error = await home.service.results(report, of: thing)
        await home.place.settle()
        return error?.code
    }

    private static let success: JSONValue = ["succeeded": true]
    private static let failure: JSONValue = [
        "succeeded": false, "errorMessage": "out_of_range: it has 0 to 1",
    ]

    @Test func `the actions of a command leave together, and one that is refused here is not among them`()
        async throws
    {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            let id = try await home.give([["level": 0.4], ["nothing": 3], ["state": "OFF"]]).get()
            let orders = await orders(home)
            let order = try #require(orders.first)
            #expect(orders.count == 1 && order.batch == id)
            #expect(order.orders == [.values(["brightness": 0.4]), .values(["on": false])])
            // The thing says what it was sent, in the words in which it was sent.
            let results: JSONValue = [["brightness": Self.success], ["on": Self.failure]]
            #expect(try await report(id, results, of: thing, to: home) == nil)
            #expect(try await home.state(id) == "INCOMPLETE")
            #expect(try await home.failures(id) == [nil, "unknown_attribute", "out_of_range"])
        }
    }

    @Test func `what the broker has is delivered, and what the thing has done is done`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            let id = try await home.give([["brightness": 0.4]]).get()
            _ = await orders(home)
            #expect(try await home.state(id) == "SENDING")
            home.service.delivered(id)
            await home.place.settle()
            #expect(try await home.state(id) == "DELIVERED")
            let results: JSONValue = [["brightness": ["succeeded": true, "data": ["volts": 3]]]]
            #expect(try await report(id, results, of: thing, to: home) == nil)
            #expect(try await home.state(id) == "DONE")
            let result = try await home.command(id)["actionResults"]?.array?.first
            #expect(result?["brightness"]?["data"] == ["volts": 3])
            // The Flare server keeps what the thing has done.
            let lamp = ObjectReference(.thing, TestPlace.lamp.id)
            let stored = home.place.asked.withLock { $0 }.contains { request in
                if case .setData(lamp, let values, _, _) = request {
                    values["brightness"] == 0.4
                } else {
                    false
                }
            }
            #expect(stored)
        }
    }

    @Test func `a thing without the broker fetches its commands and answers over HTTP`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            let id = try await home.give([["level": 0.4], ["state": "OFF"]]).get()
            let asThing = BindingCaller.thing(thing)
            func answer(_ id: String, _ results: JSONValue, by caller: BindingCaller) async -> String? {
                await home.service.answer(id, of: Self.target, with: results, by: caller).code
            }
            // Its owner's reading fetches nothing.
            #expect(try await home.state(id) == "SENDING")
            let list = try await home.service.commands(of: Self.target, limit: 200, after: nil, for: asThing)
                .get()
            #expect(list["commands"]?.array?.first?["commandState"] == "DELIVERED")
            let results: JSONValue = ["actionResults": [["level": Self.success], ["state": Self.success]]]
            #expect(await answer(id, results, by: home.asOwner) == "not_allowed")
            #expect(await answer(id, results, by: .thing(BindingID(high: 9, low: 9))) == "not_allowed")
            #expect(await answer("c.0", results, by: asThing) == "unknown_command")
            #expect(await answer(id, results, by: asThing) == nil)
            #expect(try await home.state(id) == "DONE")
        }
    }

    @Test func `a thing that fetches a command sees which actions were refused already`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            let id = try await home.give([["brightness": 0.4], ["nothing": 3]]).get()
            func command(for caller: BindingCaller) async throws -> JSONObject {
                try await home.service.command(id, of: Self.target, for: caller).get()
            }
            let list = try await home.service.commands(
                of: Self.target,
                limit: 200,
                after: nil,
                for: .thing(thing)
            ).get()
            let listed = list["commands"]?.array?.first?.object
            for command in [listed, try await command(for: .thing(thing))] {
                #expect(command?["commandState"] == "DELIVERED")
                let results = try #require(command?["actionResults"]?.array)
                #expect(results.count == 2 && results.first == .null)
                #expect(results.last?["nothing"]?["succeeded"] == false)
            }
            // For others results come with the end.
            #expect(try await command(for: home.asOwner)["actionResults"] == nil)
        }
    }

    @Test(
        arguments: [
            #"[{"brightness":{"succeeded":true}}]"#,
            #"[{"on":{"succeeded":true}},{"brightness":{"succeeded":true}}]"#,
            #"[{"brightness":{"succeeded":true}},{"off":{"succeeded":true}}]"#,
            #"[{"brightness":{}},{"on":{"succeeded":true}}]"#,
        ]
    )
    func `results that do not fit what was sent are refused as a whole`(text: String) async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            let id = try await home.give([["brightness": 0.4], ["state": "OFF"]]).get()
            _ = await orders(home)
            let results = try JSONValue(parsing: text)
            #expect(try await report(id, results, of: thing, to: home) == "invalid_value")
            let body: JSONValue = ["actionResults": results]
            let code = await home.service.answer(id, of: Self.target, with: body, by: .thing(thing)).code
            #expect(code == "invalid_value")
            await home.place.settle()
            #expect(try await home.state(id) == "SENDING")
        }
    }

    @Test func `a result stays as it is, and a thing answers no command of another one`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            let other = try await home.onboardThing("v-2").get().thing
            let id = try await home.give([["brightness": 0.4]]).get()
            _ = await orders(home)
            let results: JSONValue = [["brightness": Self.success]]
            #expect(try await report(id, results, of: other, to: home) == "unknown_command")
            #expect(try await report("c.0", results, of: thing, to: home) == "unknown_command")
            #expect(try await report(id, results, of: thing, to: home) == nil)
            let again: JSONValue = [["brightness": Self.failure]]
            #expect(try await report(id, again, of: thing, to: home) == nil)
            #expect(try await home.state(id) == "DONE")
        }
    }

    @Test func `a result that is too late for the deadline still counts`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            let id = try await home.give([["brightness": 0.4]]).get()
            _ = await orders(home)
            await home.passDeadline(of: id)
            #expect(try await home.failures(id) == ["timeout"])
            let results: JSONValue = [["brightness": Self.success]]
            #expect(try await report(id, results, of: thing, to: home) == nil)
            #expect(try await home.state(id) == "DONE")
        }
    }

    @Test func `a thing that has said that it is offline fails its command at once, and nothing is sent`()
        async throws
    {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp(atEdge: true)
            home.place.node.send(.edge(TestPlace.lamp.id, .status(isOnline: false)))
            let id = try await home.give([["brightness": 0.4], ["on": true]]).get()
            #expect(try await home.state(id) == "INCOMPLETE")
            #expect(try await home.failures(id) == ["thing_offline", "thing_offline"])
            #expect(await orders(home).isEmpty)
        }
    }

    @Test func `what was set without a command is answered by its number`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp(atEdge: true)
            try await home.publish(.thingSet, #"{"level":0.4}"#)
            let order = try #require(await orders(home).first)
            let results: JSONValue = [["brightness": Self.success]]
            #expect(try await report("set.1", results, of: thing, to: home) == "unknown_command")
            #expect(try await report("set.\(order.number)", results, of: thing, to: home) == nil)
            #expect(home.place.answers.withLock { $0 }.map(\.refusal) == [nil])
        }
    }

    // MARK: A restart

    @Test func `after a restart a command to the edge waits for its thing, which may answer it`() async throws
    {
        try await withTemporaryFolder { folder in
            let former = try await TestBindings(in: folder.url, server: .withLamp)
            let thing = try await former.ownLamp(atEdge: true)
            let id = try await former.give([["brightness": 0.4]]).get()
            former.store.close()
            let home = try await TestBindings(in: folder.url, server: .withLamp)
            await home.place.settle()
            #expect(try await home.state(id) == "SENDING")
            let results: JSONValue = [["brightness": Self.success]]
            #expect(try await report(id, results, of: thing, to: home) == nil)
            #expect(try await home.state(id) == "DONE")
            home.store.close()
        }
    }

    @Test(arguments: [true, false])
    func `after a restart what was to be answered by now is incomplete`(isAtEdge: Bool) async throws {
        try await withTemporaryFolder { folder in
            let former = try await TestBindings(in: folder.url, server: .withLamp)
            _ = try await former.ownLamp(atEdge: isAtEdge)
            former.place.server.withLock { $0.isBusy = true }
            let id = try await former.give([["brightness": 0.4]]).get()
            former.store.close()
            let home = try await TestBindings(in: folder.url, server: .withLamp)
            await home.place.settle()
            if isAtEdge { await home.passDeadline(of: id) }
            #expect(try await home.failures(id) == ["timeout"])
            home.store.close()
        }
    }

    @Test func `at the stop of the daemon who waits for the end of a command is told how far it is`()
        async throws
    {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp(atEdge: true)
            try await home.publish(.thingCommand, #"{"actions":[{"brightness":0.4}]}"#)
            home.place.node.send(.stopBegun)
            await home.place.settle()
            let answers = home.place.answers.withLock { $0 }
            #expect(answers.map { $0.data?["state"] } == ["SENDING"])
            #expect(try home.rows().map(\.state) == ["SENDING"])
        }
    }
}
