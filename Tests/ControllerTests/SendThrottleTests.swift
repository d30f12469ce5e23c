import Controller
import Testing

@Suite struct SendThrottleTests {
    private func at(_ milliseconds: Int64) -> Instant { Rig.moment(milliseconds) }

    @Test func `the first value is sent at once`() {
        var throttle = SendThrottle<Int>(interval: 1000)
        #expect(throttle.offer(1, at: at(0)) == .sendNow)
        #expect(throttle.removeWaiting() == nil)
    }

    @Test func `a value within the interval waits for its end and is replaced by newer ones`() {
        var throttle = SendThrottle<Int>(interval: 1000)
        throttle.sent(at: at(0))
        #expect(throttle.offer(1, at: at(300)) == .startTimer(milliseconds: 700))
        #expect(throttle.offer(2, at: at(600)) == .waitForTimer)
        #expect(throttle.removeWaiting() == 2)
        #expect(throttle.removeWaiting() == nil)
    }

    @Test func `a value that is early by at most the tolerance is sent`() {
        var throttle = SendThrottle<Int>(interval: 1000, tolerance: 50)
        throttle.sent(at: at(0))
        #expect(throttle.offer(1, at: at(949)) == .startTimer(milliseconds: 51))
        #expect(throttle.offer(2, at: at(950)) == .sendNow)
    }

    @Test func `the next value after a restart is sent at once`() {
        var throttle = SendThrottle<Int>(interval: 1000)
        throttle.sent(at: at(0))
        throttle.restart()
        #expect(throttle.offer(1, at: at(1)) == .sendNow)
    }
}
