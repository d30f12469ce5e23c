import Bindings
import Bridge
import Controller
import Flare
import JSON
import Logging
import MQTT
import Messages
import People
import TestSupport
import Testing
import Things
import Threading

@Suite(.timeLimit(.minutes(1)))
struct EdgeBridgeTests {
    private typealias Edge = TestEdge
    private static let id = TestEdge.id
    private static let wall = TestEdge.wall

    /// Runs the body while the bridge hands over.
    private func withEdge(error: BindingsError? = nil, _ body: (Edge) async throws -> Void) async throws {
        let edge = try Edge(error: error)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await edge.bridge.run() }
            defer { group.cancelAll() }
            try await body(edge)
        }
    }

    @Test func `a thing that asks to be onboarded gets its answer`() async throws {
        try await withEdge { edge in
            await edge.receive("v-1/onboard", #"{"password":"s3cret","tx":"1"}"#)
            let answer = try #require(try await edge.next(1).first)
            #expect(answer.topic == "v-1/onboarded" && answer.json["status"] == "ok")
            #expect(answer.json["thingID"] == .string("\(Self.id)") && answer.json["tx"] == "1")
            #expect(edge.handled.withLock { $0 } == ["onboard v-1 s3cret"])
        }
    }

    @Test func `an onboarding that is refused is answered where it is waited for`() async throws {
        try await withEdge(error: .refused(Refusal(.notAllowed, "wrong"))) { edge in
            await edge.receive("v-1/onboard", #"{"password":"s3cret","tx":1}"#)
            await edge.receive("v-2/onboard", #"{"tx":2}"#)
            let answers = try await edge.next(2)
            let codes = Dictionary(uniqueKeysWithValues: answers.map { ($0.topic, $0.json) })
            #expect(codes["v-1/onboarded"]?["code"] == "not_allowed" && codes["v-1/onboarded"]?["tx"] == 1)
            #expect(codes["v-2/onboarded"]?["code"] == "invalid_value" && codes["v-2/onboarded"]?["tx"] == 2)
        }
    }

    @Test func `what things report is handed over in order`() async throws {
        try await withEdge { edge in
            await edge.receive("v-1/status", "online", isRetained: true)
            await edge.receive("v-1/state", #"{"t":1}"#, isRetained: true)
            await edge.receive("v-1/state", #"{"t":2}"#)
            await edge.receive(
                "v-1/result",
                #"{"commandID":"c.1","actionResults":[{"on":{"succeeded":true}}]}"#
            )
            await edge.receive("g/nodes", #"[{"vendorThingID":"w"}]"#)
            await edge.receive("g/node/w/status", "offline")
            await edge.receive("v-1/status", "")
            // An empty message on another topic says nothing.
            await edge.receive("v-1/state", "")
            await edge.receive("v-1/status", "offline")
            #expect(await eventually { edge.handled.withLock { $0.count } == 8 })
            #expect(
                edge.handled.withLock { $0 } == [
                    "status /v-1 online", #"kept state v-1 [{"t":1}]"#, #"state v-1 [{"t":2}]"#,
                    "result v-1 c.1",
                    #"nodes g ["w"]"#, "status g/w offline", "status /v-1 none", "status /v-1 offline",
                ]
            )
        }
    }

    @Test func `what is wrong is answered, once a second`() async throws {
        try await withEdge(error: .notOnboarded("no owner")) { edge in
            await edge.receive("v-1/state", "{")
            await edge.receive("v-1/state", "{")
            await edge.receive("v-2/state", #"{"t":1}"#)
            let answers = try await edge.next(2)
            #expect(answers.map(\.topic) == ["v-1/error", "v-2/error"])
            #expect(answers.map { $0.json["code"] } == ["bad_json", "not_onboarded"])
            #expect(answers.map { $0.json["topic"] } == ["t/n/edge/v-1/state", "t/n/edge/v-2/state"])
            edge.steady.withLock { $0 = 1000 }
            await edge.receive("v-1/result", "7")
            let later = try await edge.next(1).first
            #expect(later?.json["code"] == "wrong_type")
            let counters = await edge.bridge.counters
            #expect(counters.unanswered == 1 && counters.refused == 4)
        }
    }

    @Test(arguments: ["onboard", "result", "nodes"])
    func `what the broker had kept is an error, and is not handed over`(part: String) async throws {
        try await withEdge { edge in
            await edge.receive("v-1/\(part)", #"{"password":"s3cret"}"#, isRetained: true)
            let answer = try #require(try await edge.next(1).first)
            #expect(answer.topic == "v-1/error" && answer.json["code"] == "retained_command")
            #expect(edge.handled.withLock(\.isEmpty))
        }
    }

    @Test(arguments: ["onboard": true, "result": true, "nodes": true, "state": false, "status": false])
    func `what the broker had kept is removed from there, but states and the status are not`(
        part: String,
        isRemoved: Bool
    ) async throws {
        let edge = try Edge()
        await edge.receive("v-1/\(part)", "online", isRetained: true)
        // What follows on the topic of another thing comes after all that.
        await edge.receive("v-2/result", "7")
        var cleared: [String] = []
        for await message in edge.published {
            if message.isRetained, message.payload.isEmpty { cleared.append(message.topic) }
            if message.topic == "t/n/edge/v-2/error" { break }
        }
        #expect(cleared == (isRemoved ? ["t/n/edge/v-1/\(part)"] : []))
    }

    @Test func `a name that no thing can have gets no answer`() async throws {
        try await withEdge { edge in
            await edge.receive("a b/state", "{")
            await edge.receive("v-1/state", "{")
            let topics = try await edge.next(1).map(\.topic)
            let counters = await edge.bridge.counters
            #expect(topics == ["v-1/error"] && counters.ignored == 1)
        }
    }

    @Test func `so many onboardings wait, and the next ones are refused`() async throws {
        var limits = EdgeBridge.Limits()
        limits.onboardings = 20
        // Nothing is handed over yet.
        let edge = try Edge(limits: limits)
        for number in 0..<22 { await edge.receive("v-\(number)/onboard", #"{"password":"p"}"#) }
        let refused = try await edge.next(2)
        #expect(refused.map(\.topic) == ["v-20/onboarded", "v-21/onboarded"])
        #expect(refused.allSatisfy { $0.json["code"] == "rate_limited" })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await edge.bridge.run() }
            defer { group.cancelAll() }
            let answers = try await edge.next(20)
            #expect(answers.map(\.topic) == (0..<20).map { "v-\($0)/onboarded" })
        }
    }

    @Test func `of one thing the newest onboarding waits alone`() async throws {
        var limits = EdgeBridge.Limits()
        limits.onboardings = 2
        // Nothing is handed over yet.
        let edge = try Edge(limits: limits)
        for number in 1...9 {
            await edge.receive("v-1/onboard", #"{"password":"p\#(number)","tx":\#(number)}"#)
        }
        await edge.receive("v-2/onboard", #"{"password":"p","tx":0}"#)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await edge.bridge.run() }
            defer { group.cancelAll() }
            let answers = try await edge.next(2)
            #expect(answers.map(\.topic) == ["v-1/onboarded", "v-2/onboarded"])
            #expect(answers.map { $0.json["tx"] } == [9, 0])
            #expect(edge.handled.withLock { $0 } == ["onboard v-1 p9", "onboard v-2 p"])
            await edge.receive("v-1/onboard", #"{"password":"p","tx":10}"#)
            #expect(try await edge.next(1).first?.json["tx"] == 10)
        }
    }

    @Test func `a thing that sends too much shuts no other out, and its last will counts`() async throws {
        var limits = EdgeBridge.Limits()
        (limits.reports, limits.reportsOfThing) = (10, 3)
        let edge = try Edge(limits: limits)
        for number in 1...12 { await edge.receive("v-1/state", #"{"t":\#(number)}"#) }
        await edge.receive("v-2/state", #"{"t":1}"#)
        await edge.receive("v-1/status", "offline")
        let refused = try await edge.next(1)
        #expect(refused.map(\.topic) == ["v-1/error"] && refused[0].json["code"] == "rate_limited")
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await edge.bridge.run() }
            defer { group.cancelAll() }
            #expect(await eventually { edge.handled.withLock { $0.count } == 5 })
            #expect(
                edge.handled.withLock { $0 }
                    == (1...3).map { #"state v-1 [{"t":\#($0)}]"# } + [
                        #"state v-2 [{"t":1}]"#, "status /v-1 offline",
                    ]
            )
            await edge.receive("v-1/state", #"{"t":13}"#)
            #expect(await eventually { edge.handled.withLock { $0.count } == 6 })
        }
    }

    @Test func `the states of a thing beyond its rate are refused before they are read`() async throws {
        let edge = try Edge(limited: ["v-1"])
        // Not even whether it is JSON is looked at.
        await edge.receive("v-1/state", "{")
        await edge.receive("v-1/status", "online")
        await edge.receive("v-2/state", #"{"t":1}"#)
        let refused = try await edge.next(1)
        #expect(refused.map(\.topic) == ["v-1/error"] && refused[0].json["code"] == "rate_limited")
        #expect(refused[0].json["message"] == "slower")
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await edge.bridge.run() }
            defer { group.cancelAll() }
            #expect(await eventually { edge.handled.withLock { $0.count } == 2 })
        }
        #expect(edge.handled.withLock { $0 } == ["status /v-1 online", #"state v-2 [{"t":1}]"#])
    }

    // MARK: Commands

    private func command(_ id: String, seconds: Int64 = 60) -> EdgeCommand {
        EdgeCommand(id, [CommandAction("on", true)], deadline: Self.wall + seconds * 1000)
    }

    @Test func `a command is delivered when the broker has it`() async throws {
        let edge = try Edge()
        let (outcomes, outcome) = AsyncStream.makeStream(of: MQTTPublishError?.self)
        await edge.bridge.send(command("c.1"), to: EdgeAddress("w", gateway: "g")) { result in
            if case .failure(let error) = result { outcome.yield(error) } else { outcome.yield(nil) }
        }
        let sent = try #require(try await edge.next(1).first)
        #expect(sent.topic == "g/node/w/command" && sent.json["commandID"] == "c.1")
        let receipt = try #require(edge.receipts.withLock { $0["t/n/edge/g/node/w/command"] })
        receipt.yield(nil)
        var results = outcomes.makeAsyncIterator()
        let result = await results.next()
        #expect(result == .some(nil))
    }

    @Test(arguments: [wall, wall - 1, .min])
    func `one that the broker has not until its deadline is not delivered`(deadline: Int64) async throws {
        let edge = try Edge()
        let (outcomes, outcome) = AsyncStream.makeStream(of: MQTTPublishError?.self)
        let late = EdgeCommand("c.1", [CommandAction("on", true)], deadline: deadline)
        await edge.bridge.send(late, to: EdgeAddress("v")) { result in
            if case .failure(let error) = result { outcome.yield(error) } else { outcome.yield(nil) }
        }
        var results = outcomes.makeAsyncIterator()
        guard case .timedOut?? = await results.next() else {
            Issue.record("it was delivered")
            return
        }
    }

    @Test func `commands leave in the order in which they were given`() async throws {
        let edge = try Edge()
        for number in 0..<100 {
            await edge.bridge.send(command("c.\(number)"), to: EdgeAddress("v")) { _ in }
        }
        let sent = try await edge.next(100).map { $0.json["commandID"]?.string }
        #expect(sent == (0..<100).map { "c.\($0)" })
    }
}
