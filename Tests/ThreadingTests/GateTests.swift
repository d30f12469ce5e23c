import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct GateTests {
    /// Lets tasks run that can.
    private func others() async { for _ in 0..<20 { await Task.yield() } }

    @Test func `all who wait go on when it opens, and who comes later does not wait`() async {
        let gate = Gate()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<10 { tasks.addTask { await gate.wait() } }
            await others()
            gate.open()
            await tasks.waitForAll()
        }
        await gate.wait()
        gate.open()
    }

    @Test func `who stops waiting does not let others in`() async {
        let (gate, notes) = (Gate(), Locked<[String]>([]))
        let patient = Task {
            await gate.wait()
            notes.withLock { $0.append("in") }
        }
        let impatient = Task { await gate.wait() }
        await others()
        impatient.cancel()
        await impatient.value
        await others()
        notes.withLock { $0.append("open") }
        gate.open()
        await patient.value
        #expect(notes.withLock { $0 } == ["open", "in"])
    }
}
