import Bridge
import Controller
import Flare
import JSON
import Lamps
import Logging
import MQTT
import Testing
import Things
import Threading

/// Links to lamps, as far as it shows without a broker.
struct LampServiceTests {
    private static let lampData = Set([StateChange.environment]).union(Flat.model)

    /// The events that the service sends while it observes states one after another.
    private func events(
        ofPairs things: [String],
        _ states: [ControllerState],
        meanings: [String: FlareID] = [:],
        remember: @escaping @Sendable (ControllerEffect.PersistedRecord) -> Void = { _ in }
    ) async throws -> [ControllerEvent] {
        let (sent, event) = AsyncStream.makeStream(of: ControllerEvent.self)
        let service = LampService(
            on: try LoopExecutor(),
            things.map { LampService.Pair(thing: $0, dialect: ZigbeeLamp(topic: "z/\($0)")) },
            meanings: meanings,
            client: MQTTClient(MQTTConfiguration(), logger: Logger(label: "test")),
            logger: Logger(label: "test"),
            clock: { Flat.moment(0) },
            remember: remember,
            send: { event.yield($0) }
        )
        for state in states { await service.observe(StateSnapshot(state: state, changes: Self.lampData)) }
        event.finish()
        return await sent.reduce(into: []) { $0.append($1) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a link works again when its place is left and chosen again`() async throws {
        var left = Flat.state
        left.environmentID = nil
        left.isPlaceKnown = false
        left.things = [:]
        left.zones = [:]
        // A plant has no light: the alert is raised each time the link finds it.
        let events = try await events(ofPairs: ["plant"], [Flat.state, left, Flat.state])
        #expect(events.filter { if case .alertRaised = $0 { true } else { false } }.count == 2)
        #expect(events.count >= 3)
    }

    private func messages(_ events: [ControllerEvent]) -> [String] {
        events.compactMap { if case .alertRaised(_, _, let message) = $0 { message } else { nil } }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            (["lamp", "lamp"], "already has a link to another lamp"),
            (["nobody"], "is not a thing in this environment"),
            (["home"], "is not a thing in this environment"),
        ]
    )
    func `a link without effect is named in an alert`(things: [String], reason: String) async throws {
        let messages = messages(try await events(ofPairs: things, [Flat.state]))
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.contains(reason) }, "\(messages)")
    }

    /// The flat with a second lamp, called like the first one.
    private var twoLamps: ControllerState {
        var state = Flat.state
        let second = FlareThing(id: FlareID(high: 3, low: 7))
        state.things[second.id] = second
        state.things[second.id]?.name = "Lamp"
        state.things[second.id]?.data = ["on": true]
        state.slugs.restore("lamp-2", for: ObjectReference(.thing, second.id))
        return state
    }

    /// The flat without its lamp, which is in a hut.
    private var lampElsewhere: ControllerState {
        var state = twoLamps
        let hut = FlareID(high: 1, low: 7)
        state.environments[hut] = FlareEnvironment(id: hut)
        state.things[Flat.lamp] = nil
        state.slugs.forget(ObjectReference(.thing, Flat.lamp))
        state.slugs.restore("lamp", for: ObjectReference(.thing, Flat.lamp), home: hut)
        return state
    }

    @Test(.timeLimit(.minutes(1)))
    func `a name in links is kept with the thing that it means, and stays with it when others get the name`()
        async throws
    {
        let kept = Locked<[ControllerEffect.PersistedRecord]>([])
        let remember: @Sendable (ControllerEffect.PersistedRecord) -> Void = { record in
            kept.withLock { $0.append(record) }
        }
        _ = try await events(ofPairs: ["Lamp"], [Flat.state, Flat.state], remember: remember)
        #expect(kept.withLock { $0 } == [.link("Lamp", Flat.lamp)])
        // At the next start there are two of them, or the first one has another name.
        #expect(messages(try await events(ofPairs: ["Lamp"], [twoLamps])).first?.contains("several") == true)
        for renamed in ["Lamp", "Old lamp"] {
            var state = twoLamps
            state.things[Flat.lamp]?.name = renamed
            let found = try await events(ofPairs: ["Lamp"], [state], meanings: ["Lamp": Flat.lamp])
            #expect(messages(found).isEmpty, "\(found)")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a name in links does not get another thing while its own is in another environment`() async throws {
        for (name, meanings) in [("Lamp", ["Lamp": Flat.lamp]), ("lamp", [:]), ("Lamp", [:])] {
            let found = try await events(ofPairs: [name], [lampElsewhere], meanings: meanings)
            #expect(
                !found.contains { if case .conditionChanged = $0 { true } else { false } },
                "\(name): \(found)"
            )
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `when its thing is gone, a name in links means who has it now`() async throws {
        var state = twoLamps
        state.things[Flat.lamp] = nil
        let kept = Locked<[ControllerEffect.PersistedRecord]>([])
        let found = try await events(ofPairs: ["Lamp"], [state], meanings: ["Lamp": Flat.lamp]) { record in
            kept.withLock { $0.append(record) }
        }
        #expect(messages(found).isEmpty, "\(found)")
        #expect(kept.withLock { $0 } == [.link("Lamp", FlareID(high: 3, low: 7))])
    }

    @Test(.timeLimit(.minutes(1)))
    func `an alert about a link is raised once, and cleared when the thing appears`() async throws {
        var without = Flat.state
        without.things[Flat.lamp] = nil
        let events = try await events(ofPairs: ["lamp"], [without, without, Flat.state])
        #expect(messages(events).count == 1)
        #expect(events.last { if case .alertCleared("links") = $0 { true } else { false } } != nil)
    }
}
