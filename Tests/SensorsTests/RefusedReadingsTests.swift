import Sensors
import Testing

@Suite struct RefusedReadingsTests {
    @Test func `a slip is counted, and what is refused again and again is a problem`() {
        var readings = RefusedReadings()
        readings.refused("gps", "latitude must be a number (is 91)", at: 0)
        readings.refused("gps", "latitude must be a number (is 92)", at: 1)
        #expect(readings.count == 2 && readings.problem == nil)
        readings.refused("gps", "latitude must be a number (is 93)", at: 2)
        #expect(
            readings.problem == "Sensor readings are refused: latitude must be a number (is 91)"
        )
        readings.refused("gps", "longitude is missing", at: 3)
        #expect(readings.problem == "Sensor readings are refused: longitude is missing")
    }

    @Test func `a good reading ends the problem of its own sender only`() {
        var readings = RefusedReadings()
        for time in 0..<3 {
            readings.refused("compass", "north", at: Double(time))
            readings.refused("gps", "south", at: Double(time))
        }
        #expect(readings.problem == "Sensor readings are refused: north (and from 1 other sender)")
        for _ in 0..<3 { readings.taken("compass") }
        #expect(readings.problem == "Sensor readings are refused: south")
        for _ in 0..<3 { readings.taken("gps") }
        #expect(readings.problem == nil && readings.count == 6)
    }

    @Test func `a good reading between bad ones makes them slips`() {
        var readings = RefusedReadings()
        for time in 0..<10 {
            readings.refused("gps", "south", at: Double(time))
            readings.taken("gps")
        }
        #expect(readings.problem == nil)
    }

    @Test func `a program that sends good readings does not hide another that sends bad ones`() {
        var readings = RefusedReadings()
        for time in 0..<30 {
            readings.refused("gps", "south", at: Double(time))
            if time % 2 == 1 { readings.taken("gps") }
        }
        #expect(readings.problem == "Sensor readings are refused: south")
        // The alert does not come and go.
        for time in 30..<60 {
            readings.taken("gps")
            #expect(readings.problem != nil)
            readings.refused("gps", "south", at: Double(time))
        }
        for _ in 0..<3 { readings.taken("gps") }
        #expect(readings.problem == nil)
    }

    @Test func `a sender that has gone is forgotten after ten minutes`() {
        var readings = RefusedReadings()
        for time in 0..<3 { readings.refused("gps", "south", at: Double(time)) }
        readings.expire(at: 601)
        #expect(readings.problem != nil)
        readings.expire(at: 602)
        #expect(readings.problem == nil)
    }

    @Test func `senders without number do not fill the memory`() {
        var readings = RefusedReadings()
        for sender in 0..<1000 {
            for time in 0..<3 { readings.refused("node\(sender)", "rssi is missing", at: Double(time)) }
        }
        #expect(readings.count == 3000)
        #expect(
            readings.problem == "Sensor readings are refused: rssi is missing (and from 99 other senders)"
        )
    }
}
