import Controller
import Daemon
import Testing

struct SnapshotReadersTests {
    private func snapshot(_ sequence: Int, _ changes: Set<StateChange>) -> StateSnapshot {
        var state = ControllerState(epoch: "e")
        state.sequence = sequence
        return StateSnapshot(state: state, changes: changes)
    }

    private func all(_ snapshots: AsyncStream<StateSnapshot>) async -> [StateSnapshot] {
        await snapshots.reduce(into: []) { $0.append($1) }
    }

    @Test func `every reader gets the newest state with all that changed since it looked`() async {
        var readers = SnapshotReaders()
        let (slow, quick) = (readers.add(), readers.add())
        readers.publish(snapshot(1, [.zone]))
        var looks = quick.makeAsyncIterator()
        let first = await looks.next()
        #expect(first?.state.sequence == 1 && first?.changes == [.zone])
        readers.publish(snapshot(2, [.angle]))
        readers.publish(snapshot(3, [.nearby]))
        readers.finish()
        let second = await looks.next()
        #expect(second?.state.sequence == 3 && second?.changes == [.angle, .nearby])
        let late = await all(slow)
        #expect(late.map(\.state.sequence) == [3] && late.first?.changes == [.zone, .angle, .nearby])
    }

    @Test func `a reader hears only of what it is interested in`() async {
        var readers = SnapshotReaders()
        let zones = readers.add { $0 == .zone }
        readers.publish(snapshot(1, [.zone, .angle]))
        readers.publish(snapshot(2, [.angle]))
        readers.finish()
        let seen = await all(zones)
        #expect(seen.map(\.state.sequence) == [1] && seen.first?.changes == [.zone])
    }
}
