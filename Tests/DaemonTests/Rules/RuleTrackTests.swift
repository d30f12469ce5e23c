import Accounts
import Controller
import Flare
import Foundation
import JSON
import Positioning
import Rules
import Sensors
import Testing

@testable import Daemon

/// Geofences and beacons from whole tracks, through the readers of the sensors: one enter and one exit each.
///
/// The repository has no recording of an outdoor walk, and none of strangers' beacons
/// (contrib/design/0007-demo-walk.md). So the geofence is walked through in messages of a gpsd as Debian 12 sends them,
/// recorded once, with other places; and the beacons are those of the walk with which all positions are compared.
@Suite struct RuleTrackTests {
    /// What fires while a track is played, and when: milliseconds from its start.
    private func firings(of bench: RuleBench) -> [String] {
        bench.records.compactMap { record in
            guard case .fired(let firing, _) = record, firing.outcome == nil else { return nil }
            return "\(firing.at - TestPlace.now.wallMilliseconds) \(firing.why)"
        }
    }

    // MARK: A geofence

    private static let version =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    private static let noFix = #"{"class":"TPV","device":"/dev/pts/1","mode":1}"#

    private static func fix(_ latitude: String, second: Int) -> String {
        let time = "2026-04-10T10:00:\(second < 10 ? "0" : "")\(second).000Z"
        return #"{"class":"TPV","device":"/dev/pts/1","status":2,"mode":3,"time":"\#(time)","#
            + #""ept":0.005,"lat":\#(latitude),"lon":11.000200000,"altHAE":611.2000,"altMSL":563.4000,"#
            + #""alt":563.4000,"epx":3.408,"epy":4.313,"epv":9.890,"track":0.0000,"magtrack":356.2000,"#
            + #""magvar":3.8,"speed":0.000,"climb":0.000,"eph":5.320,"sep":12.350}"#
    }

    /// Metres north of the centre, once a second; `nil` for no fix.
    ///
    /// The place flickers at the border, on the way in and on the way out.
    private static let track: [Double?] = [
        -1000, -400, -140, -104, -98, -103, -97, -119, -60, nil, 0, 55, 99, 108, 96, 119, 101, nil, 126, 112,
        122, 104,
        300, nil, 1000,
    ]

    @Test func `a walk through a geofence enters and leaves it once, however the fixes flicker`() throws {
        let circle = RuleCircle(centre: GeoPoint(latitude: 47.0001, longitude: 11.0002), radius: 100)
        var bench = RuleBench()
        bench.load(RuleBench.rule(.enter(.circle(circle)), .exit(.circle(circle))))
        var session = GPSDSession(wantsTrueNorth: false, at: 0)
        _ = session.receive((Self.version + "\r\n").utf8, at: 0)
        var fixes = 0
        for (second, metres) in Self.track.enumerated() {
            bench.pass(milliseconds: 1000)
            // A degree of latitude is 111,226 m here.
            let latitude = metres.map { String(format: "%.9f", 47.0001 + $0 / 111_226) }
            let line = latitude.map { Self.fix($0, second: second) } ?? Self.noFix
            for outcome in session.receive((line + "\r\n").utf8, at: Double(second)) {
                guard case .reading(.location(let point, let accuracy, _)) = outcome else { continue }
                fixes += 1
                bench.locate(point.latitude, point.longitude, accuracy: accuracy)
            }
        }
        #expect(fixes == Self.track.compactMap(\.self).count && session.invalidLines == 0)
        #expect(firings(of: bench) == ["5000 enter geofence", "19000 exit geofence"])
    }

    // MARK: Beacons

    private static let uuid = BeaconUUID(high: 0x2F23_4454_CF6D_4A0F, low: 0xADF2_F491_1BA9_FFA6)
    private static let names = ["door", "desk", "window", "shelf", "corner", "table", "lamp"]

    /// The walk among seven beacons as a scanner would have captured it.
    private static func capture() throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let scans = try String(
            contentsOf: tests.appending(path: "PositioningTests/Walks/scans.csv"),
            encoding: .utf8
        )
        let packets = scans.split(separator: "\n").dropFirst().compactMap { line -> Advertisement? in
            let columns = line.split(separator: ",").map(String.init)
            guard columns.count == 3, let time = Double(columns[0]), let rssi = Int(columns[2]),
                let number = names.firstIndex(of: columns[1])
            else { return nil }
            return Advertisement(
                time: time,
                address: DeviceAddress(bits: UInt64(number + 1), isRandom: true),
                payload: BeaconFrame.iBeaconPayload(
                    uuid: uuid,
                    major: 1,
                    minor: UInt16(number + 1),
                    powerAtOneMetre: -58
                ),
                rssi: rssi
            )
        }
        var writer = BtsnoopWriter(secondsSince1970: 1_767_225_600)
        for packet in packets.sorted(by: { $0.time < $1.time }) { writer.append(packet) }
        return writer.bytes
    }

    /// The first and the last packet of each that are strong enough; the device is out ten seconds after the last.
    @Test(
        arguments: [
            ("corner", -57, 40_281, 64_539), ("lamp", -58, 36_827, 53_815), ("table", -62, 12_065, 67_131),
        ] as [(String, Int, Int64, Int64)]
    )
    func `a walk past a beacon enters and leaves its range once`(
        name: String,
        rssi: Int,
        enter: Int64,
        exit: Int64
    ) throws {
        let number = try #require(Self.names.firstIndex(of: name))
        let beacon = try #require(
            BeaconName(uuid: Self.uuid.description, major: 1, minor: UInt16(number + 1))
        )
        let place = RulePlace.beacon(RuleBeacon(beacon, rssi: rssi, gone: 10))
        var bench = RuleBench()
        bench.load(RuleBench.rule(.enter(place), .exit(place)))
        let ear = BeaconEar(bench)
        var recording = try Recording(.bytes(Self.capture(), name: "walk"))
        var (start, packets) = (TestPlace.now.wallMilliseconds, 0)
        while let reading = try recording.next() {
            guard case .beacon(let sighting) = reading else { continue }
            // A recording begins with its first packet, at 0.434 s of the walk.
            if packets == 0 { start += 434 - Int64((sighting.time * 1000).rounded()) }
            packets += 1
            let time = start + Int64((sighting.time * 1000).rounded())
            bench.pass(milliseconds: max(0, time - bench.now.wallMilliseconds))
            ear.hear(sighting, in: &bench)
        }
        bench.pass(milliseconds: 60_000)
        #expect(packets > 600 && recording.problems.isEmpty)
        #expect(firings(of: bench) == ["\(enter) enter beacon", "\(exit) exit beacon"])
    }

    @Test func `a beacon that a program on the broker hears reaches the rules`() throws {
        let uuid = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
        let beacon = try #require(BeaconName("id1: \(uuid) id2: 1 id3: 1"))
        var bench = RuleBench()
        bench.load(RuleBench.rule(.enter(.beacon(RuleBeacon(beacon, gone: 60)))))
        let ear = BeaconEar(bench)
        bench.pass(milliseconds: 60_000)
        // The line of contrib/manual/bluetooth.md.
        let line = #"{"uuid":"\#(uuid)","major":1,"minor":1,"rssi":-62}"#
        let received = try RawSensor.beacons.readings(from: Array(line.utf8), at: 1).get()
        for case .beacon(let sighting) in received.readings { ear.hear(sighting, in: &bench) }
        #expect(bench.whys == ["enter beacon"])
    }
}
