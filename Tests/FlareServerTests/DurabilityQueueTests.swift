import FlareServer
import Testing
import Threading

struct DurabilityQueueTests {
    @Test func `what follows a commit waits until the disk has that commit`() {
        var queue = DurabilityQueue()
        let log = Locked<[String]>([])
        #expect(!queue.isWaiting)
        queue.committed()
        queue.hold { _ in log.withLock { $0.append("first") } }
        let first = queue.begin()
        queue.committed()
        queue.hold { _ in log.withLock { $0.append("second") } }
        let early = queue.begin()
        #expect(first == 1 && early == nil)
        for deliver in queue.end(upTo: 1) { deliver(nil) }
        #expect(log.withLock { $0 } == ["first"])
        #expect(queue.isWaiting)
        let second = queue.begin()
        #expect(second == 2)
        for deliver in queue.end(upTo: 2) { deliver(nil) }
        #expect(log.withLock { $0 } == ["first", "second"])
        #expect(!queue.isWaiting)
    }
}
