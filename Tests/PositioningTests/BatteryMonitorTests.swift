import Flare
import JSON
import Positioning
import Testing

@Suite struct BatteryMonitorTests {
    private let things: [FlareThing]
    private let map: BeaconMap

    init() {
        let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        things = (1...3).map { number in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(number)))
            thing.name = "Lamp \(number)"
            thing.zone = zone.id
            thing.position = .zero
            thing.data["minor"] = JSONValue(number)
            if number == 3 { thing.data["mac"] = "c0:ff:ee:00:00:01" }
            return thing
        }
        map = BeaconMap(environment: environment, zones: [zone], things: things)
    }

    private func telemetry(_ volts: Double?) -> BeaconTelemetry {
        var telemetry = BeaconTelemetry(format: .eddystone)
        telemetry.batteryVolts = volts
        return telemetry
    }

    private func beacon(_ minor: UInt16) -> TelemetrySender {
        .beacon(BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: minor))
    }

    private func watch() -> BatteryMonitor {
        var watch = BatteryMonitor()
        _ = watch.setPlace(map, things: things)
        return watch
    }

    @Test func `a low battery is reported once until it is charged again`() {
        var watch = watch()
        let told = [2.6, 2.39, 2.2, 2.45, 2.5, 2.51, 2.39].map {
            watch.record(telemetry($0), from: beacon(1))
        }
        #expect(told == [false, true, false, false, false, true, true])
    }

    @Test func `the warning names every low battery`() {
        var watch = watch()
        #expect(watch.problem == nil)
        for (minor, volts) in [(UInt16(2), 2.001), (1, 2.31)] {
            #expect(watch.record(telemetry(volts), from: beacon(minor)) == true)
        }
        #expect(
            watch.problem
                == "Replace the batteries of these beacons (below 2.4 V): Lamp 1 (2.31 V), Lamp 2 (2.0 V)"
        )
    }

    @Test func `a sensor is identified by its address and unknown senders are ignored`() {
        var watch = watch()
        let known = DeviceAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
        #expect(watch.record(telemetry(2), from: .device(known)) == true)
        #expect(watch.problem?.contains("Lamp 3") == true)
        for sender in [beacon(9), .device(DeviceAddress(bits: 1, isRandom: true))] {
            #expect(watch.record(telemetry(2), from: sender) == false)
        }
        #expect(watch.record(telemetry(nil), from: beacon(1)) == false)
    }

    @Test func `a thing that leaves the place no longer has a low battery`() {
        var watch = watch()
        #expect(watch.record(telemetry(2), from: beacon(1)) == true)
        #expect(watch.setPlace(map, things: Array(things.dropFirst())) == true)
        #expect(watch.problem == nil)
        #expect(watch.record(telemetry(2), from: beacon(2)) == true)
        #expect(watch.setPlace(nil, things: []) == true)
        #expect(watch.problem == nil)
        #expect(watch.setPlace(nil, things: []) == false)
    }
}
