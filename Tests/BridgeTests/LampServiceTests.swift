import Bridge
import Controller
import Flare
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
        _ states: [ControllerState]
    ) async throws -> [ControllerEvent] {
        let (sent, event) = AsyncStream.makeStream(of: ControllerEvent.self)
        let service = LampService(
            on: try LoopExecutor(),
            things.map { LampService.Pair(thing: $0, dialect: ZigbeeLamp(topic: "z/\($0)")) },
            client: MQTTClient(MQTTConfiguration(), logger: Logger(label: "test")),
            logger: Logger(label: "test"),
            clock: { Flat.moment(0) },
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

    @Test(.timeLimit(.minutes(1)))
    func `an alert about a link is raised once, and cleared when the thing appears`() async throws {
        var without = Flat.state
        without.things[Flat.lamp] = nil
        let events = try await events(ofPairs: ["lamp"], [without, without, Flat.state])
        #expect(messages(events).count == 1)
        #expect(events.last { if case .alertCleared("links") = $0 { true } else { false } } != nil)
    }
}
