import Flare
import Positioning
import Testing

@Suite struct BeaconReportsTests {
    private let lamp = FlareID(high: 3, low: 1)
    private let fridge = FlareID(high: 3, low: 2)

    @Test func `the first reports are due soon and the next ones a minute later`() {
        var reports = BeaconReports()
        #expect(reports.removeDue(at: 100).isEmpty)
        reports.record(lamp, rssi: -70, at: 100)
        reports.record(lamp, batteryVolts: 2.9, at: 101)
        reports.record(lamp, rssi: -60, at: 103)
        #expect(reports.removeDue(at: 104.9).isEmpty)
        #expect(
            reports.removeDue(at: 105) == [
                lamp: BeaconReports.Report(rssi: -60, batteryVolts: 2.9, heardAt: 103)
            ]
        )
        #expect(reports.removeDue(at: 500).isEmpty)
        reports.record(fridge, rssi: -80, at: 106)
        #expect(reports.removeDue(at: 164).isEmpty)
        #expect(reports.removeDue(at: 165).keys.sorted() == [fridge])
    }

    @Test func `a reset discards pending reports`() {
        var reports = BeaconReports()
        reports.record(lamp, rssi: -70, at: 0)
        reports.reset()
        #expect(reports.removeDue(at: 1000).isEmpty)
    }
}
