import CommandFixture
import Controller
import Flare
import JSON
import Testing

/// A slice that follows what events change.
private struct Changes: Slice {
    enum Event: Sendable, Hashable {
        /// The slice is here from now on.
        case begun
        /// Asks another slice for an event of its own.
        case told(LifecycleLevel?)
    }

    private(set) var all: [Set<StateChange>] = []

    init() {}

    mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        guard case .told(let level) = event else { return [] }
        return [.event(SliceEvent(Lifecycle.Event.ceilingChanged(level), of: Lifecycle.self))]
    }

    var followsChanges: Bool { true }

    mutating func follow(
        changes: Set<StateChange>,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        all.append(changes)
        return []
    }
}

@Suite struct SliceChangesTests {
    private func rig() -> Rig {
        var rig = Rig.atHome()
        rig.happens(Changes.event(.begun))
        return rig
    }

    private func set(_ values: JSONObject, of thing: FlareID) -> ControllerEvent {
        .flare(.notice(.data(ObjectReference(.thing, thing), values, sender: nil)))
    }

    @Test func `a slice is shown what each event has changed, and nothing of the event before`() {
        var rig = rig()
        rig.happens(set(["brightness": 0.75], of: House.lamp))
        rig.happens(.announcementWanted)
        let changes = rig.state.slices[Changes.self].all
        #expect(changes[changes.count - 2].contains(.object(ObjectReference(.thing, House.lamp))))
        #expect(changes[changes.count - 1].isEmpty)
    }

    @Test func `a slice can send another one an event, which takes effect at once`() {
        var rig = rig()
        rig.happens(.displayChanged(id: "mqtt/wall", .visible))
        let level = rig.state.lifecycle.level
        rig.happens(Changes.event(.told(.notRunning)))
        #expect(rig.state.lifecycle.level == .notRunning && level > .notRunning)
        rig.happens(Changes.event(.told(nil)))
        #expect(rig.state.lifecycle.level == level)
    }

    @Test func `a ceiling of rules does not lower a level by command`() {
        var lifecycle = Lifecycle()
        (lifecycle.isLinked, lifecycle.isPlaceLoaded) = (true, true)
        lifecycle.ruleCeiling = .notRunning
        _ = lifecycle.update()
        #expect(lifecycle.level == .notRunning)
        lifecycle.forcedLevel = .active
        _ = lifecycle.update()
        #expect(lifecycle.level == .active)
    }
}
