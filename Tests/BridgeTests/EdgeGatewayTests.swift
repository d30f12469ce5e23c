import Bridge
import JSON
import MQTT
import TestSupport
import Testing
import Threading

/// A gateway is one user of the broker, however many names of end nodes it uses.
@Suite(.timeLimit(.minutes(1)))
struct EdgeGatewayTests {
    /// Hands over what waits until so much was handled, and returns that.
    private func handled(_ count: Int, by edge: TestEdge) async -> [String] {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await edge.bridge.run() }
            #expect(await eventually { edge.handled.withLock { $0.count } >= count })
            group.cancelAll()
        }
        return edge.handled.withLock { $0 }
    }

    @Test func `what comes for a thing that is no end node is refused before it waits`() async throws {
        var limits = EdgeBridge.Limits()
        (limits.onboardings, limits.reports) = (1, 1)
        let edge = try TestEdge(limits: limits, nodes: ["w"])
        for number in 0..<9 {
            await edge.receive("g/node/m-\(number)/state", #"{"t":1}"#)
            await edge.receive("g/node/m-\(number)/status", "")
            await edge.receive("g/node/m-\(number)/onboard", #"{"password":"p"}"#)
        }
        edge.steady.withLock { $0 = 1000 }
        await edge.receive("g/node/m-9/onboard", #"{"password":"p","tx":9}"#)
        await edge.receive("g/node/w/onboard", #"{"password":"p"}"#)
        await edge.receive("v-1/status", "online")
        // Four a second are answered, whatever the names are.
        let answers = try await edge.next(5)
        let errors = (0..<4).map { "g/node/m-\($0)/error" }
        #expect(answers.map(\.topic) == errors + ["g/node/m-9/onboarded"])
        #expect(answers.allSatisfy { $0.json["code"] == "not_allowed" } && answers.last?.json["tx"] == 9)
        let counters = await edge.bridge.counters
        #expect(counters.refused == 28)
        let all = await handled(2, by: edge)
        #expect(Set(all) == ["onboard w p", "status /v-1 online"])
    }

    @Test func `the end nodes of a gateway shut no other thing out`() async throws {
        var limits = EdgeBridge.Limits()
        (limits.reportsOfThing, limits.reportsOfNodes, limits.statusOfNodes) = (3, 5, 8)
        let edge = try TestEdge(limits: limits)
        for number in 0..<9 { await edge.receive("g/node/w-\(number)/state", #"{"t":1}"#) }
        // Their `status` has room of its own.
        for number in 0..<9 { await edge.receive("g/node/w-\(number)/status", "offline") }
        for thing in ["g", "v-1"] { await edge.receive("\(thing)/state", #"{"t":1}"#) }
        let refused = try await edge.next(1)
        #expect(refused.map(\.topic) == ["g/node/w-5/error"] && refused[0].json["code"] == "rate_limited")
        let counters = await edge.bridge.counters
        #expect(counters.refused == 5)
        let all = await handled(15, by: edge)
        let states = ["w-0", "w-1", "w-2", "w-3", "w-4", "g", "v-1"].map { #"state \#($0) [{"t":1}]"# }
        #expect(all.filter { $0.hasPrefix("state ") } == states)
        #expect(all.filter { $0.hasPrefix("status ") } == (0..<8).map { "status g/w-\($0) offline" })
    }

    @Test func `of one end node no more may wait than of another thing`() async throws {
        var limits = EdgeBridge.Limits()
        limits.reportsOfThing = 3
        let edge = try TestEdge(limits: limits)
        for _ in 0..<5 { await edge.receive("g/node/w/state", #"{"t":1}"#) }
        await edge.receive("g/node/x/state", #"{"t":1}"#)
        let counters = await edge.bridge.counters
        #expect(counters.refused == 2)
        let all = await handled(4, by: edge)
        #expect(all.count { $0.hasPrefix("state w") } == 3 && all.count { $0.hasPrefix("state x") } == 1)
    }

    @Test func `what is refused is read up to a limit, by whatever names of a user`() async throws {
        let edge = try TestEdge()
        let large = #"{"t":"\#(String(repeating: "x", count: 60_000))"}"#
        // One MB of states that are too large.
        for number in 0..<18 { await edge.receive("g/node/w-\(number)/state", large) }
        await edge.receive("g/state", #"{"t":1}"#)
        await edge.receive("g/status", "offline")
        await edge.receive("v-1/state", #"{"t":2}"#)
        let answers = try await edge.next(5)
        #expect(answers.last?.topic == "g/error" && answers.last?.json["code"] == "rate_limited")
        edge.steady.withLock { $0 = 60_000 }
        await edge.receive("g/state", #"{"t":3}"#)
        let all = await handled(3, by: edge)
        #expect(all == ["status /g offline", #"state v-1 [{"t":2}]"#, #"state g [{"t":3}]"#])
    }

    @Test func `the onboardings of end nodes leave room for other things`() async throws {
        var limits = EdgeBridge.Limits()
        (limits.onboardings, limits.reportsOfNodes) = (4, 2)
        let edge = try TestEdge(limits: limits)
        for number in 0..<4 {
            await edge.receive("g/node/w-\(number)/onboard", #"{"password":"p","tx":\#(number)}"#)
        }
        // A newer one takes the place of the one that waits.
        await edge.receive("g/node/w-0/onboard", #"{"password":"q"}"#)
        await edge.receive("g/onboard", #"{"password":"p"}"#)
        await edge.receive("v-1/onboard", #"{"password":"p"}"#)
        let refused = try await edge.next(2)
        #expect(refused.map(\.topic) == ["g/node/w-2/onboarded", "g/node/w-3/onboarded"])
        #expect(refused.map { $0.json["code"] } == ["rate_limited", "rate_limited"])
        #expect(refused.map { $0.json["tx"] } == [2, 3])
        let all = await handled(4, by: edge)
        #expect(all == ["onboard w-0 q", "onboard w-1 p", "onboard g p", "onboard v-1 p"])
    }
}
