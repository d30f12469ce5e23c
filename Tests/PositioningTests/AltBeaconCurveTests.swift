import Positioning
import Testing

@Suite struct AltBeaconCurveTests {
    @Test(arguments: [(-59.0, -59.0, 1.01076), (-59, -70, 0.18094), (-70, -59, 3.47245), (-80, -59, 9.52156)])
    func `distances equal those of the AltBeacon library`(_ rssi: Double, _ power: Double, _ metres: Double)
        throws
    {
        let distance = try #require(AltBeaconCurve.distance(rssi: rssi, powerAtOneMetre: power))
        #expect(abs(distance - metres) < 0.001)
    }

    @Test func `distance grows with falling power and is never zero`() throws {
        var last = 0.0
        for rssi in stride(from: -1, through: -110, by: -1) {
            let distance = try #require(AltBeaconCurve.distance(rssi: Double(rssi), powerAtOneMetre: -59))
            #expect(distance >= max(last, AltBeaconCurve.shortest))
            last = distance
        }
    }

    @Test(arguments: [(0.0, -59.0), (5, -59), (-60, 0), (-60, 4), (.nan, -59), (-.infinity, -59)])
    func `impossible powers give no distance`(_ rssi: Double, _ power: Double) {
        #expect(AltBeaconCurve.distance(rssi: rssi, powerAtOneMetre: power) == nil)
    }
}
