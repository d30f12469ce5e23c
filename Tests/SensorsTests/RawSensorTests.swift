import Flare
import Positioning
import Sensors
import Testing

@Suite struct RawSensorTests {
    private static let uuid = "00000000-0000-0001-0000-000000000002"
    private static let beacon =
        #"{"uuid":"00000000-0000-0001-0000-000000000002","major":1,"minor":2,"rssi":-60}"#

    private func read(_ sensor: RawSensor, _ text: String, at time: Double = 50) -> [SensorReading]? {
        try? sensor.readings(from: Array(text.utf8), at: time).get().readings
    }

    /// What was left out of a message.
    private func unusable(_ sensor: RawSensor, _ text: String) -> [String] {
        (try? sensor.readings(from: Array(text.utf8), at: 50).get().unusable.map(\.description)) ?? []
    }

    private func message(_ sensor: RawSensor, _ text: String) -> String {
        switch sensor.readings(from: Array(text.utf8), at: 50) {
        case .success(let received): "no error, \(received.readings.count) readings"
        case .failure(let error): error.description
        }
    }

    private func sighting(_ minor: UInt16, _ rssi: Int, power: Int? = nil, at time: Double = 50)
        -> SensorReading
    {
        .beacon(
            BeaconSighting(
                identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: minor),
                rssi: rssi,
                powerAtOneMetre: power,
                time: time
            )
        )
    }

    @Test(arguments: [
        ("90", 90.0), (" 12.5\n", 12.5), ("-90", 270), ("360", 0), ("-0", 0), ("-1e-17", 0), ("1e2", 100),
    ])
    func `a heading is a plain number of degrees`(_ text: String, _ degrees: Double) {
        #expect(read(.compass, text) == [.heading(degrees: degrees, time: 50)])
    }

    @Test(arguments: ["", "north", "\"90\"", "361", "NaN", "1e999", "{}", "0x10"])
    func `an invalid heading is refused`(_ text: String) {
        #expect(message(.compass, text).contains("plain number of degrees from -360 to 360"))
    }

    @Test func `a location has latitude, longitude and optionally accuracy`() {
        let place = GeoPoint(latitude: 52.5, longitude: 13.4)
        #expect(
            read(.gps, #"{"latitude":52.5,"longitude":13.4,"accuracy":8}"#)
                == [.location(place, accuracyMetres: 8, time: 50)]
        )
        #expect(
            read(.gps, #"{"latitude":52.5,"longitude":13.4,"accuracy":null}"#)
                == [.location(place, accuracyMetres: nil, time: 50)]
        )
    }

    @Test(arguments: [
        (#"{"latitude":52.5}"#, "longitude is missing"),
        (#"{"latitude":"north","longitude":1}"#, "latitude must be a number from -90.0 to 90.0"),
        (#"{"latitude":91,"longitude":1}"#, "latitude must be"),
        ("[1,2]", "a location must be"), ("", "is not JSON"), ("{", "is not JSON"),
    ])
    func `an invalid location is refused`(_ text: String, _ problem: String) {
        #expect(message(.gps, text).contains(problem), "\(message(.gps, text))")
        #expect(message(.gps, text).hasPrefix("sensors/gps/raw: "))
    }

    @Test(arguments: [
        #"{"_type":"location","lat":52.5,"lon":13.4,"acc":8,"tid":"an","tst":1700000000,"batt":80,"conn":"w"}"#,
        #"{"lat":52.5,"lon":13.4,"acc":8}"#,
        #"{"latitude":52.5,"longitude":13.4,"gps_accuracy":8,"battery_level":80,"course":12}"#,
    ])
    func `locations of OwnTracks and Home Assistant are parsed`(_ text: String) {
        let place = GeoPoint(latitude: 52.5, longitude: 13.4)
        #expect(read(.gps, text) == [.location(place, accuracyMetres: 8, time: 50)])
    }

    @Test(arguments: [
        (#"{"_type":"encrypted","data":"c2VjcmV0"}"#, "OwnTracks encrypts its locations"),
        (#"{"_type":"location","lat":95,"lon":1}"#, "lat must be a number from -90.0 to 90.0"),
        (#"{"_type":"location","latitude":5,"longitude":1}"#, "lat is missing"),
    ])
    func `an invalid location names the members of its own format`(_ text: String, _ problem: String) {
        #expect(message(.gps, text).contains(problem), "\(message(.gps, text))")
    }

    @Test(arguments: [
        (#"{"latitude":1,"longitude":2,"accuracy":-1}"#, ["accuracy must be a number from 0.0"]),
        (#"{"latitude":"1","longitude":" 2.0 ","accuracy":"good"}"#, ["accuracy must be a number from 0.0"]),
        (
            #"{"latitude":1,"longitude":2,"acuracy":1}"#,
            [#"unknown key "acuracy"; did you mean "accuracy"?"#]
        ),
        (#"{"latitude":1,"longitude":2,"gps_accuracy":-1}"#, ["gps_accuracy must be a number"]),
        (#"{"_type":"location","lat":1,"lon":2,"acc":[],"batt":"full"}"#, ["acc must be a number"]),
        (#"{"lat":1,"lon":2,"acc":NaN,"vel":1e999,"inregions":[[[[[["x"]]]]]]}"#, []),
        (#"{"latitude":1,"longitude":2,"accuracy":null,"altitude":"high"}"#, []),
    ])
    func `an unusable member does not cost the location`(_ text: String, _ why: [String]) {
        let place = GeoPoint(latitude: 1, longitude: 2)
        #expect(read(.gps, text) == [.location(place, accuracyMetres: nil, time: 50)])
        let found = unusable(.gps, text)
        #expect(found.count == why.count && zip(found, why).allSatisfy { $0.contains($1) }, "\(found)")
    }

    @Test func `numbers may be texts`() {
        #expect(
            read(.gps, #"{"lat":"52.5","lon":"13.4","acc":"8"}"#)
                == [.location(GeoPoint(latitude: 52.5, longitude: 13.4), accuracyMetres: 8, time: 50)]
        )
        #expect(read(.beacons, Self.beacon.replacing("-60", with: "\"-60.4\"")) == [sighting(2, -60)])
    }

    @Test func `other OwnTracks messages are ignored`() {
        #expect(read(.gps, #"{"_type":"transition","event":"enter","lat":1,"lon":2}"#) == [])
        #expect(read(.gps, #"{"_type":"lwt","tst":1700000000}"#) == [])
    }

    @Test(arguments: ["-128", "21", "126", "-1000", "1e999", "\"near\"", "null"])
    func `a received power outside of Bluetooth's range is refused`(_ rssi: String) {
        let text = Self.beacon.replacing("-60", with: rssi)
        #expect(read(.beacons, text) == nil, "\(message(.beacons, text))")
    }

    @Test func `beacons come alone or as a list`() {
        #expect(read(.beacons, Self.beacon) == [sighting(2, -60)])
        let powerful = #"{"uuid":"\#(Self.uuid)","major":1,"minor":3,"rssi":-70,"power":-65}"#
        #expect(
            read(.beacons, "[\(Self.beacon),\(powerful)]") == [
                sighting(2, -60), sighting(3, -70, power: -65),
            ]
        )
        #expect(read(.beacons, "[]") == [])
    }

    @Test(arguments: [0, 127, 5, -111]) func `a beacon that was not received is omitted`(_ rssi: Int) {
        #expect(read(.beacons, Self.beacon.replacing("-60", with: "\(rssi)")) == [])
    }

    @Test(arguments: [
        ("1700000000", "1700000002.5"), ("1700000000000", "1700000002500"),
        (#""2026-01-01T00:00:00Z""#, #""2026-01-01T00:00:02.500Z""#),
        (#""2026-01-01T00:00:00.000Z""#, #""2026-01-01T00:00:02.500Z""#),
    ])
    func `the sender's times order the beacons of a message`(
        _ older: String,
        _ newer: String
    ) {
        let list = [older, newer].map { Self.beacon.dropLast() + #","ts":\#($0)}"# }.joined(separator: ",")
        let times = read(.beacons, "[\(list)]")?.map { ($0.time * 1000).rounded() / 1000 }
        #expect(times == [47.5, 50])
    }

    @Test func `an old time counts as ten seconds before and never as before the start`() {
        let list = ["5", "1700000000"].map { Self.beacon.dropLast() + #","ts":\#($0)}"# }.joined(
            separator: ","
        )
        #expect(read(.beacons, "[\(list)]")?.map(\.time) == [40, 50])
        #expect(read(.beacons, "[\(list)]", at: 3)?.map(\.time) == [0, 3])
    }

    @Test(arguments: [
        (#"{"uid":"1","major":1,"minor":2,"rssi":-60}"#, "uuid is missing"),
        (#"{"uuid":"12","major":1,"minor":2,"rssi":-60}"#, "uuid must be 32 hexadecimal digits"),
        (
            beacon.replacing("\"minor\":2", with: "\"minor\":65536"),
            "minor must be a whole number from 0 to 65535"
        ),
        (beacon.replacing("-60", with: "-600"), "rssi must be a whole number"),
        ("[7,{}]", "beacon 1: a beacon must be"), ("12", "a beacon must be"),
        ("[\(Array(repeating: "1", count: 257).joined(separator: ","))]", "the message has 257 beacons"),
        (String(repeating: " ", count: 65537), "has 65537 bytes"),
    ])
    func `an invalid beacon is refused`(_ text: String, _ problem: String) {
        #expect(message(.beacons, text).contains(problem), "\(message(.beacons, text))")
    }

    @Test(arguments: [
        (#","pwoer":1"#, #"did you mean "power"?"#),
        (#","power":3"#, "power must be a whole number from -127 to -1"),
        (#","ts":"yesterday""#, "ts must be"),
    ])
    func `an unusable member does not cost the beacon`(_ member: String, _ why: String) {
        let text = Self.beacon.replacing("}", with: "\(member)}")
        #expect(read(.beacons, text) == [sighting(2, -60)])
        #expect(unusable(.beacons, text).count == 1)
        #expect(unusable(.beacons, text).first?.contains(why) == true)
    }

    @Test func `an unusable beacon does not cost the others of a list`() {
        let text = #"[7,\#(Self.beacon),{"receiver":""},\#(Self.beacon.replacing("2,", with: "3,"))]"#
        #expect(read(.beacons, text) == [sighting(2, -60), sighting(3, -60)])
        #expect(
            unusable(.beacons, text).map { $0.prefix(30) } == [
                "sensors/beacons/raw: beacon 1:", "sensors/beacons/raw: beacon 3:",
            ]
        )
    }

    @Test func `a message may say whether the device moves, alone or with beacons`() {
        let moving = SensorReading.moving(true, time: 50)
        #expect(read(.beacons, #"{"moving":true}"#) == [moving])
        #expect(read(.beacons, #"{"moving":"False","ts":1700000000}"#) == [.moving(false, time: 50)])
        let beacon = Self.beacon.replacing("}", with: #","moving":true}"#)
        #expect(read(.beacons, beacon) == [moving, sighting(2, -60)])
        #expect(unusable(.beacons, beacon) == [])
        #expect(
            read(.beacons, #"[{"moving":false},\#(Self.beacon),{"moving":true}]"#) == [
                moving, sighting(2, -60),
            ]
        )
        #expect(read(.beacons, beacon.replacing("-60", with: "127")) == [moving])
        #expect(read(.beacons, #"[{"moving":null},\#(Self.beacon)]"#) == [sighting(2, -60)])
    }

    @Test(arguments: ["1", "\"yes\"", "[]", "{}", "0.5"])
    func `a word for moving that is none does not cost the beacon`(_ word: String) {
        let text = Self.beacon.replacing("}", with: #","moving":\#(word)}"#)
        #expect(read(.beacons, text) == [sighting(2, -60)])
        #expect(unusable(.beacons, text).count == 1)
        #expect(unusable(.beacons, text).first?.contains("moving must be true or false") == true)
        #expect(message(.beacons, #"{"moving":\#(word)}"#).contains("moving must be true or false"))
    }

    @Test func `random and mutated messages never trap`() {
        var generator = SeededGenerator(seed: 8)
        let good = [
            "[\(Self.beacon),\(Self.beacon)]", #"{"latitude":52.5,"longitude":13.4,"accuracy":8}"#, "359.5",
        ].map { Array($0.utf8) }
        var read = 0
        for turn in 0..<15_000 {
            var bytes = good[turn % 3]
            for _ in 0..<Int(generator.next() % 4) {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: generator.next()
                )
            }
            bytes.removeLast(Int(generator.next() % 2))
            for sensor in RawSensor.allCases {
                read += (try? sensor.readings(from: bytes, at: 1).get().readings.count) ?? 0
            }
        }
        #expect(read > 1000)
    }

    @Test func `a receiver of the place may report the device`() {
        let sighting = ReceiverSighting(receiver: "hall", rssi: -70, powerAtOneMetre: -61, time: 50)
        #expect(read(.beacons, #"{"receiver":"hall","rssi":-70,"power":-61}"#) == [.receiver(sighting)])
        #expect(
            read(.beacons, "[\(Self.beacon),{\"receiver\":\"hall\",\"rssi\":-70,\"power\":-61}]")?.last
                == .receiver(sighting)
        )
        #expect(read(.beacons, #"{"receiver":"hall","rssi":127}"#) == [])
    }

    @Test(arguments: [
        (#"{"receiver":"","rssi":-70}"#, "receiver must be a name of 1 to 64 bytes"),
        (#"{"receiver":7,"rssi":-70}"#, "receiver must be a text"),
        (#"{"receiver":"hall"}"#, "rssi is missing"),
    ])
    func `an invalid report of a receiver is refused`(_ text: String, _ why: String) {
        #expect(message(.beacons, text).contains(why))
    }
}
