import FlareServer
import Testing
import Threading

struct DurabilityQueueTests {
    @Test func `deliveries after a commit wait until it is durable`() {
        var queue = DurabilityQueue()
        let log = Locked<[String]>([])
        #expect(!queue.isWaiting)
        queue.committed()
        queue.enqueue { _ in log.withLock { $0.append("first") } }
        let first = queue.begin()
        queue.committed()
        queue.enqueue { _ in log.withLock { $0.append("second") } }
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
