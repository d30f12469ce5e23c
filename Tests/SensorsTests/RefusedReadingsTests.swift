import Sensors
import Testing

@Suite struct RefusedReadingsTests {
    @Test func `a single refusal is counted and repeated ones are a problem`() {
        var readings = RefusedReadings()
        readings.recordRefused("gps", "latitude must be a number (is 91)", at: 0)
        readings.recordRefused("gps", "latitude must be a number (is 92)", at: 1)
        #expect(readings.count == 2 && readings.problem == nil)
        readings.recordRefused("gps", "latitude must be a number (is 93)", at: 2)
        #expect(
            readings.problem == "Sensor readings are refused: latitude must be a number (is 91)"
        )
        readings.recordRefused("gps", "longitude is missing", at: 3)
        #expect(readings.problem == "Sensor readings are refused: longitude is missing")
    }

    @Test func `accepted readings end the problem of their own sender only`() {
        var readings = RefusedReadings()
        for time in 0..<3 {
            readings.recordRefused("compass", "north", at: Double(time))
            readings.recordRefused("gps", "south", at: Double(time))
        }
        #expect(readings.problem == "Sensor readings are refused: north (and from 1 other sender)")
        for _ in 0..<3 { readings.recordAccepted("compass") }
        #expect(readings.problem == "Sensor readings are refused: south")
        for _ in 0..<3 { readings.recordAccepted("gps") }
        #expect(readings.problem == nil && readings.count == 6)
    }

    @Test func `accepted readings in between keep refusals from being a problem`() {
        var readings = RefusedReadings()
        for time in 0..<10 {
            readings.recordRefused("gps", "south", at: Double(time))
            readings.recordAccepted("gps")
        }
        #expect(readings.problem == nil)
    }

    @Test func `a program with accepted readings does not hide another with refused ones`() {
        var readings = RefusedReadings()
        for time in 0..<30 {
            readings.recordRefused("gps", "south", at: Double(time))
            if time % 2 == 1 { readings.recordAccepted("gps") }
        }
        #expect(readings.problem == "Sensor readings are refused: south")
        // The alert does not flap.
        for time in 30..<60 {
            readings.recordAccepted("gps")
            #expect(readings.problem != nil)
            readings.recordRefused("gps", "south", at: Double(time))
        }
        for _ in 0..<3 { readings.recordAccepted("gps") }
        #expect(readings.problem == nil)
    }

    @Test func `a problem ends ten minutes after its sender is gone`() {
        var readings = RefusedReadings()
        for time in 0..<3 { readings.recordRefused("gps", "south", at: Double(time)) }
        readings.expire(at: 601)
        #expect(readings.problem != nil)
        readings.expire(at: 602)
        #expect(readings.problem == nil)
    }

    @Test func `the number of senders is limited`() {
        var readings = RefusedReadings()
        for sender in 0..<1000 {
            for time in 0..<3 { readings.recordRefused("node\(sender)", "rssi is missing", at: Double(time)) }
        }
        #expect(readings.count == 3000)
        #expect(
            readings.problem == "Sensor readings are refused: rssi is missing (and from 99 other senders)"
        )
    }
}
