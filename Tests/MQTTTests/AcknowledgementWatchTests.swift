import Testing

@testable import MQTT

struct AcknowledgementWatchTests {
    private static let start = SuspendingClock.now
    private static let patience = Duration.seconds(30)

    private var watch = AcknowledgementWatch()

    private static func at(_ seconds: Int) -> SuspendingClock.Instant { start + .seconds(seconds) }

    private mutating func asks(at seconds: Int) -> Bool {
        watch.asks(after: Self.patience, at: Self.at(seconds))
    }

    @Test mutating func `while nothing is under way there is nothing to wait for`() {
        #expect(watch.next(after: Self.patience) == nil)
        #expect(!asks(at: 1000))
        watch.sent(at: Self.at(1))
        #expect(watch.next(after: Self.patience) == Self.at(31))
        watch.acknowledged(at: Self.at(2))
        #expect(watch.next(after: Self.patience) == nil)
        #expect(!asks(at: 1000) && !watch.isOverdue)
    }

    @Test mutating func `the broker is asked once in each time without an acknowledgement`() {
        watch.sent(at: Self.at(0))
        watch.sent(at: Self.at(20))
        #expect(!asks(at: 29) && !watch.isOverdue)
        #expect(asks(at: 30) && watch.isOverdue)
        #expect(!asks(at: 59))
        #expect(asks(at: 60))
    }

    @Test mutating func `each acknowledgement gives the broker time for the next`() {
        for _ in 0..<3 { watch.sent(at: Self.at(0)) }
        watch.acknowledged(at: Self.at(29))
        #expect(!asks(at: 58))
        #expect(asks(at: 59))
        watch.acknowledged(at: Self.at(60))
        #expect(!watch.isOverdue)
        #expect(watch.next(after: Self.patience) == Self.at(90))
    }

    @Test mutating func `what is sent later has its own time`() {
        watch.sent(at: Self.at(0))
        #expect(asks(at: 30))
        watch.acknowledged(at: Self.at(31))
        watch.sent(at: Self.at(100))
        #expect(!watch.isOverdue)
        #expect(!asks(at: 129))
        #expect(asks(at: 130))
    }

    @Test mutating func `acknowledgements that nobody expects count for nothing`() {
        watch.acknowledged(at: Self.at(0))
        watch.sent(at: Self.at(1))
        #expect(asks(at: 31))
    }
}
