import Accounts
import Bindings
import Controller
import Daemon
import Flare
import Foundation
import GRDB
import JSON
import People
import Testing
import Threading

/// States that things report: who may, how many, and what they become.
@Suite(.timeLimit(.minutes(2)))
struct BindingStateTests {
    @Test func `the first state is told apart from the next ones, also after a restart`() async throws {
        try await withBindings { home, folder in
            let thing = try await home.onboardThing().get().thing
            #expect(try await home.report(["t": 1], by: .thing(thing)) == .success(true))
            #expect(try await home.report(["t": 2], by: .thing(thing)) == .success(false))
            await home.close()
            let again = try await TestBindings(in: folder)
            #expect(await again.state(for: .thing(thing)) == .success(["t": 2]))
            #expect(try await again.report(["t": 3], by: .thing(thing)) == .success(false))
            await again.close()
        }
    }

    @Test func `the last state is told as a whole, and before the first it is empty`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardThing().get().thing
            #expect(await home.state(for: .thing(thing)) == .success([:]))
            _ = try await home.report(["t": 1, "on": true], by: .thing(thing)).get()
            _ = try await home.report(["t": 2], by: .thing(thing)).get()
            #expect(await home.state(for: .thing(thing)) == .success(["t": 2]))
        }
    }

    @Test func `a first state is stored at once, and later ones together`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardThing().get().thing
            for number in 1...3 {
                _ = try await home.report(["t": JSONValue(number)], by: .thing(thing)).get()
            }
            #expect(try home.binding()?.binding.state == ["t": 1])
            await home.records.close()
            #expect(try home.binding()?.binding.state == ["t": 3])
        }
    }

    @Test func `a first state that cannot be stored is answered all the same, and stored later`()
        async throws
    {
        try await withBindings { home, _ in
            let thing = try await home.onboardThing().get().thing
            let database = try DatabaseQueue(path: home.store.path)
            let trigger =
                "CREATE TRIGGER no_room BEFORE UPDATE ON binding BEGIN SELECT RAISE(FAIL, 'no room'); END"
            try await database.write { try $0.execute(sql: trigger) }
            // Source: contrib/contract/bindings.md, "States".
            #expect(try await home.report(["t": 1], by: .thing(thing)).get())
            #expect(try home.binding()?.binding.state == nil)
            try await database.write { try $0.execute(sql: "DROP TRIGGER no_room") }
            await home.records.close()
            #expect(try home.binding()?.binding.state == ["t": 1])
        }
    }

    @Test func `what is stored of a binding meanwhile does not bring an older state back`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardThing().get().thing
            _ = try await home.report(["t": 1], by: .thing(thing)).get()
            _ = try await home.report(["t": 2], by: .thing(thing)).get()
            _ = try await home.onboardOwner(home.bob).get()
            await home.records.close()
            #expect(try home.binding()?.binding.state == ["t": 2])
        }
    }

    // MARK: Rights

    @Test func `the thing and its owners report, and who may read sees the state`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardThing().get().thing
            _ = try await home.onboardOwner(home.bob).get()
            let other = try await home.onboardThing("v-2").get().thing
            let bob = BindingCaller.user(.user(home.bob))
            let reader = BindingCaller.user(.user(home.bob, ceiling: .read))
            for caller in [BindingCaller.thing(thing), bob, .user(.user(home.owner))] {
                #expect(try await home.report(["t": 1], by: caller).code == nil)
                #expect(await home.state(for: caller).code == nil)
            }
            let strangers: [BindingCaller] = [
                .thing(other), .user(.user(home.carol)), .app, .anonymous,
            ]
            for caller in strangers {
                #expect(try await home.report(["t": 2], by: caller).code == "not_allowed")
                #expect(await home.state(for: caller).code == "not_allowed")
            }
            #expect(try await home.report(["t": 2], by: reader).code == "not_allowed")
            #expect(await home.state(for: reader) == .success(["t": 1]))
            #expect(await home.state(of: .vendor("v-9"), for: bob).code == "unknown_thing")
        }
    }

    // MARK: The rate

    @Test func `fifty states at once are taken, and ten more each second`() async throws {
        try await withBindings { home, _ in
            let thing = BindingCaller.thing(try await home.onboardThing().get().thing)
            for number in 0..<50 {
                #expect(try await home.report(["t": JSONValue(number)], by: thing).code == nil)
            }
            #expect(try await home.report(["t": 50], by: thing).code == "rate_limited")
            #expect(await home.state(for: thing) == .success(["t": 49]))
            home.now.withLock { $0 += 1000 }
            for _ in 0..<10 { #expect(try await home.report(["t": 51], by: thing).code == nil) }
            // The eleventh of a second; over the thing's own topic it is the same limit.
            #expect(try await home.report(["t": 52], by: thing).code == "rate_limited")
            #expect(try await home.send("{}")?.code == "rate_limited")
        }
    }

    @Test func `what a thing reports into its data has a limit`() async throws {
        try await withBindings { home, _ in
            let thing = BindingCaller.thing(try await home.onboardThing().get().thing)
            func fields(_ numbers: Range<Int>) -> JSONObject {
                JSONObject(numbers.map { ("f\($0)", JSONValue($0)) })
            }
            // Before there are data: they begin with it.
            #expect(try await home.report(fields(0..<100), by: thing).code == nil)
            _ = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]]).get()
            #expect(try await home.report(fields(0..<150), by: thing).code == nil)
            let refused = try await home.report(fields(150..<300), by: thing)
            #expect(refused.code == "too_large")
            #expect(await home.state(for: thing) == .success(fields(0..<150)))
            #expect(try await home.send(JSONValue.object(fields(150..<300)).text)?.code == "too_large")
            // Those that it has are reported on.
            #expect(try await home.report(fields(0..<150), by: thing).code == nil)
            let text = JSONValue.string(String(repeating: "x", count: 9000))
            var codes: [String?] = []
            for number in [0, 1, 2, 3, 0] {
                codes.append(try await home.report(["f\(number)": text], by: thing).code)
            }
            #expect(codes == [nil, nil, nil, "too_large", nil])
        }
    }

    // MARK: Lists

    @Test func `of a list the newest becomes the state, if it is newer than the last one`() async throws {
        try await withBindings { home, _ in
            let thing = BindingCaller.thing(try await home.onboardThing().get().thing)
            #expect(try await home.send(list: [-3000: 1, -2000: 2]) == nil)
            #expect(await home.state(for: thing) == .success(["t": 2]))
            #expect(try await home.send(list: [-5000: 3, -4000: 4]) == nil)
            #expect(await home.state(for: thing) == .success(["t": 2]))
            #expect(try await home.send(list: [-2500: 5, -1000: 6]) == nil)
            #expect(await home.state(for: thing) == .success(["t": 6]))
            // One without a time is that of now, whatever the time is.
            #expect(try await home.send(#"{"t":7}"#) == nil)
            #expect(await home.state(for: thing) == .success(["t": 7]))
        }
    }

    @Test func `what becomes the state is an upload, equal or not, unless the broker has kept it`()
        async throws
    {
        try await withBindings { home, _ in
            _ = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]]).get()
            let made = try #require(home.place.things.first).id
            let first = home.edgeEvents.count
            #expect(try await home.send(list: [-3000: 1, -2000: 2]) == nil)
            #expect(try await home.send(list: [-2500: 3, -2000: 4]) == nil)
            for isRetained in [false, true, false] {
                #expect(try await home.send(#"{"t":2}"#, isRetained: isRetained) == nil)
            }
            let upload = ControllerEvent.uploaded(made, ["t": 2])
            #expect(
                Array(home.edgeEvents.dropFirst(first)) == [
                    upload, upload, .reported(made, ["t": 2]), upload,
                ]
            )
        }
    }

    @Test func `an older list does not become the state after a restart either`() async throws {
        try await withBindings { home, folder in
            let thing = BindingCaller.thing(try await home.onboardThing().get().thing)
            _ = try await home.report(["t": 1], by: thing).get()
            await home.close()
            let again = try await TestBindings(in: folder)
            #expect(try await again.send(list: [-1000: 2]) == nil)
            #expect(await again.state(for: thing) == .success(["t": 1]))
            await again.close()
        }
    }

    @Test func `a thing that is not onboarded reports nothing`() async throws {
        try await withBindings { home, _ in
            let upload = try StateUpload(message: Array("{}".utf8), at: home.now.withLock { $0 })
            let id = BindingID(high: 1, low: 1)
            #expect(
                await home.service.report(upload, of: id, isRetained: false)?.code == "not_onboarded"
            )
        }
    }

    // MARK: The way to the thing

    @Test func `a linked thing that is heard is reached at the edge, and what it reports becomes its data`()
        async throws
    {
        var server = TestPlace.Server.withKitchen
        server.things = [TestPlace.thing(1, "v-1")]
        let linked = TestPlace.thing(1, "").id
        try await withBindings(server: server) { home, folder in
            let id = try await home.onboardOwner(
                home.owner,
                with: ["thingProperties": ["settable": ["on", "level"]]]
            ).get().thing
            let owner = BindingCaller.user(.user(home.owner))
            let (address, other) = ("192.0.2.1", "192.0.2.2")
            // Its owner does not speak as the thing.
            #expect(try await home.report(["t": 1], by: owner, from: other).code == nil)
            #expect(home.edgeEvents.isEmpty && home.service.directory.entry(id)?.route == .flare)
            #expect(try await home.report(["t": 2], by: .thing(id), from: address) == .success(false))
            let route = EdgeRoute(commandSeconds: 60, settable: ["on", "level"])
            let upload = ControllerEvent.uploaded(linked, ["t": 2], from: address)
            #expect(home.edgeEvents == [.edge(linked, .routed(route)), upload])
            #expect(try home.binding()?.binding.route == .edge)
            // It knows after a restart; and it tells no one twice.
            await home.service.heard(id)
            #expect(home.edgeEvents.count == 2)
            #expect(try await home.report(["t": 3], by: owner, from: other).code == nil)
            #expect(home.edgeEvents.last == .uploaded(linked, ["t": 3]))
        }
    }

    @Test func `a made thing is at the edge from the start, and no longer when it is forgotten`()
        async throws
    {
        try await withBindings { home, _ in
            _ = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]]).get()
            let made = try #require(home.place.things.first).id
            let route = EdgeRoute(commandSeconds: 60)
            #expect(home.edgeEvents == [.edge(made, .routed(route))])
            #expect(await home.ask("DELETE", "/api/bindings/v-1").status == 204)
            #expect(home.edgeEvents.last == .edge(made, .routed(nil)))
        }
    }
}

extension TestBindings {
    /// Reports a state over HTTP.
    func report(
        _ state: JSONObject,
        to target: TargetName = .vendor("v-1"),
        by caller: BindingCaller,
        from address: String? = nil
    ) async throws -> Result<Bool, BindingsError> {
        let upload = try StateUpload(state: JSONValue.object(state).bytes, at: now.withLock { $0 })
        return await service.report(upload, to: target, by: caller, from: address)
    }

    /// Reports what the thing sends on its own topic.
    func send(_ message: String, isRetained: Bool = false) async throws -> BindingsError? {
        let upload = try StateUpload(message: Array(message.utf8), at: now.withLock { $0 })
        let thing = service.directory.entry(ofVendor: "v-1")?.id ?? BindingID(high: 0, low: 0)
        return await service.report(upload, of: thing, isRetained: isRetained)
    }

    /// Reports a list.
    ///
    /// - Parameter list: A value by milliseconds from now.
    func send(list: KeyValuePairs<Int64, Int>) async throws -> BindingsError? {
        let now = now.withLock { $0 }
        let members = list.map { #"{"at":\#(now + $0.key),"state":{"t":\#($0.value)}}"# }
        return try await send("[\(members.joined(separator: ","))]")
    }

    func state(
        of target: TargetName = .vendor("v-1"),
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        await service.state(of: target, for: caller)
    }

    /// What the controller was told about things at the edge.
    var edgeEvents: [ControllerEvent] {
        sent.withLock { events in
            events.filter { event in
                if case .edge = event { true } else { false }
            }
        }
    }
}
