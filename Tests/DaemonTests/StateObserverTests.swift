import Controller
import Daemon
import Testing
import Threading

struct StateObserverTests {
    private func snapshot(_ sequence: Int, _ changes: Set<StateChange>) -> StateSnapshot {
        var state = ControllerState(epoch: "e")
        state.sequence = sequence
        return StateSnapshot(state: state, changes: changes)
    }

    @Test func `an observer is called only with the changes that it selects`() {
        let seen = Locked<[StateSnapshot]>([])
        let zones = StateObserver(where: { $0 == .zone }) { snapshot in seen.withLock { $0.append(snapshot) }
        }
        zones.observe(snapshot(1, [.zone, .angle]))
        zones.observe(snapshot(2, [.angle]))
        #expect(seen.withLock { $0.map(\.state.sequence) } == [1])
        #expect(seen.withLock { $0.first?.changes } == [.zone])
    }

    @Test func `an observer of everything is called each time`() {
        let seen = Locked<[Set<StateChange>]>([])
        let all = StateObserver { snapshot in seen.withLock { $0.append(snapshot.changes) } }
        all.observe(snapshot(1, [.zone, .angle]))
        all.observe(snapshot(2, [.angle]))
        #expect(seen.withLock { $0 } == [[.zone, .angle], [.angle]])
    }
}
