import Bridge
import Controller
import Flare
import Lamps
import Logging
import MQTT
import Testing
import Things

/// Links to lamps, as far as it shows without a broker.
struct LampServiceTests {
    private static let lampData = Set([StateChange.environment]).union(Flat.model)

    /// The events that a desk sends while it is shown states one after another.
    private func events(
        ofPairs things: [String],
        _ states: [ControllerState],
        until isEnough: @escaping ([ControllerEvent]) -> Bool
    ) async -> [ControllerEvent] {
        let (sent, event) = AsyncStream.makeStream(of: ControllerEvent.self)
        let desk = LampService(
            things.map { LampService.Pair(thing: $0, dialect: ZigbeeLamp(topic: "z/\($0)")) },
            client: MQTTClient(MQTTConfiguration(), logger: Logger(label: "test")),
            logger: Logger(label: "test"),
            clock: { Flat.moment(0) },
            send: { event.yield($0) }
        )
        let (snapshots, snapshot) = AsyncStream.makeStream(of: StateSnapshot.self)
        let (answers, answer) = AsyncStream.makeStream(of: LampService.Answer.self)
        for state in states { snapshot.yield(StateSnapshot(state: state, changes: Self.lampData)) }
        let task = Task { await desk.run(snapshots: snapshots, answers: answers) }
        var events: [ControllerEvent] = []
        for await event in sent {
            events.append(event)
            if isEnough(events) { break }
        }
        answer.finish()
        await task.value
        return events
    }

    @Test(.timeLimit(.minutes(1)))
    func `a link works again when its place is left and chosen again`() async {
        var left = Flat.state
        left.environmentID = nil
        left.isPlaceKnown = false
        left.things = [:]
        left.zones = [:]
        // A plant has no light: the alert is raised each time the link finds it.
        let events = await events(ofPairs: ["plant"], [Flat.state, left, Flat.state]) {
            $0.filter { if case .alertRaised = $0 { true } else { false } }.count == 2
        }
        #expect(events.count >= 3)
    }
}
