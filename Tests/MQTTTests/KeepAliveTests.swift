import Testing

@testable import MQTT

@Suite struct KeepAliveTests {
    private static let start = SuspendingClock.now

    @Test(arguments: [(0, 30_000), (1, 29_999), (29_999, 1)])
    func `the thread of a link at rest sleeps until the keep-alive has passed`(passed: Int, rest: Int32) {
        let now = Self.start + .milliseconds(passed)
        #expect(Connection.wait(from: Self.start, for: .seconds(30), at: now) == rest)
    }

    @Test func `it never wakes up before the keep-alive has passed`() {
        let now = Self.start + .microseconds(1500)
        #expect(Connection.wait(from: Self.start, for: .milliseconds(3), at: now) == 2)
    }

    @Test func `after the keep-alive, and without one, the thread looks again and again`() {
        let now = Self.start + .seconds(30)
        #expect(Connection.wait(from: Self.start, for: .seconds(30), at: now) == nil)
        #expect(Connection.wait(from: Self.start, for: .zero, at: Self.start) == nil)
    }
}
