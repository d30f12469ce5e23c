import Flare
import Positioning
import Testing

@Suite struct BeaconReportsTests {
    private let lamp = FlareID(high: 3, low: 1)
    private let fridge = FlareID(high: 3, low: 2)

    @Test func `the first reports are due soon, the next ones a minute later, each once`() {
        var reports = BeaconReports()
        #expect(reports.take(at: 100).isEmpty)
        reports.hear(lamp, rssi: -70, at: 100)
        reports.hear(lamp, batteryVolts: 2.9, at: 101)
        reports.hear(lamp, rssi: -60, at: 103)
        #expect(reports.take(at: 104.9).isEmpty)
        #expect(
            reports.take(at: 105) == [
                lamp: BeaconReports.Report(rssi: -60, batteryVolts: 2.9, heardAt: 103)
            ]
        )
        #expect(reports.take(at: 500).isEmpty)
        reports.hear(fridge, rssi: -80, at: 106)
        #expect(reports.take(at: 164).isEmpty)
        #expect(reports.take(at: 165).keys.sorted() == [fridge])
    }

    @Test func `what is forgotten is not reported`() {
        var reports = BeaconReports()
        reports.hear(lamp, rssi: -70, at: 0)
        reports.forget()
        #expect(reports.take(at: 1000).isEmpty)
    }
}
