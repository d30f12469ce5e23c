import Flare
import Foundation
import Positioning
import Sensors
import Testing

@Suite struct GPSDSessionTests {
    /// Messages of gpsd 3.22 (Debian 12).
    private static let version =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    private static let fix =
        #"{"class":"TPV","device":"/dev/pts/1","status":2,"mode":3,"time":"2026-04-10T10:00:00.000Z","#
        + #""ept":0.005,"lat":47.000100000,"lon":11.000200000,"altHAE":611.2000,"altMSL":563.4000,"#
        + #""alt":563.4000,"epx":3.408,"epy":4.313,"epv":9.890,"track":0.0000,"magtrack":356.2000,"magvar":3.8,"#
        + #""speed":0.000,"climb":0.000,"eph":5.320,"sep":12.350}"#

    private func session(true wantsTrueNorth: Bool = false) -> GPSDSession {
        GPSDSession(wantsTrueNorth: wantsTrueNorth, at: 0)
    }

    private func hear(_ session: inout GPSDSession, _ lines: String..., at time: Double = 1) -> [GPSDSession
        .Outcome]
    {
        session.receive(lines.map { $0 + "\r\n" }.joined().utf8, at: time)
    }

    private func readings(_ lines: String..., true wantsTrueNorth: Bool = false) -> [SensorReading] {
        var session = session(true: wantsTrueNorth)
        return session.receive(lines.map { $0 + "\n" }.joined().utf8, at: 1).compactMap {
            if case .reading(let reading) = $0 { reading } else { nil }
        }
    }

    private func place(_ latitude: Double, _ longitude: Double, _ accuracy: Double?) -> SensorReading {
        .location(GeoPoint(latitude: latitude, longitude: longitude), accuracyMetres: accuracy, time: 1)
    }

    @Test func `a greeting, receivers and a fix are parsed, and satellites are ignored`() {
        var session = session()
        let devices =
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/pts/1","driver":"NMEA0183"}]}"#
        let sky =
            #"{"class":"SKY","device":"/dev/pts/1","hdop":0.9,"nSat":12,"uSat":8,"satellites":[{"PRN":1,"used":true}]}"#
        #expect(hear(&session, Self.version) == [.changed])
        #expect(hear(&session, devices, #"{"class":"WATCH","enable":true}"#) == [.changed])
        #expect(hear(&session, Self.fix) == [.reading(place(47.0001, 11.0002, 5.32)), .changed])
        #expect(hear(&session, Self.fix, sky) == [.reading(place(47.0001, 11.0002, 5.32))])
        #expect(session.release == "3.22" && session.receivers == 1 && session.mode == 3)
        #expect(session.warning == nil && session.invalidLines == 0)
    }

    @Test func `messages of old gpsd versions are parsed`() {
        // 3.9 of 2013.
        #expect(
            readings(
                #"{"class":"VERSION","release":"3.9","rev":"3.9","proto_major":3,"proto_minor":8}"#,
                #"{"class":"TPV","tag":"MID2","device":"/dev/ttyUSB0","mode":2,"lat":-33.5,"lon":-70.1,"#
                    + #""epx":3,"epy":4,"alt":10.5}"#
            ) == [place(-33.5, -70.1, 5)]
        )
    }

    @Test(arguments: [
        #"{"class":"TPV","mode":0}"#, #"{"class":"TPV","mode":1,"lat":47,"lon":11}"#,
        #"{"class":"TPV","mode":3}"#, #"{"class":"TPV","mode":3,"lat":47}"#,
        #"{"class":"TPV","mode":3,"lat":91,"lon":11}"#, #"{"class":"TPV","mode":3,"lat":"N","lon":11}"#,
        #"{"class":"TPV","lat":47,"lon":11}"#, #"{"class":"ATT"}"#, #"{"class":"ATT","heading":400}"#,
        #"{"class":"ATT","heading":"east","mheading":null}"#, #"{"class":"ERROR","message":"no"}"#,
        #"{"class":"TOFF","device":"/dev/pts/1"}"#,
    ]) func `what tells no place and no direction gives no reading`(_ line: String) {
        #expect(readings(line) == [])
    }

    @Test(arguments: [
        #""mode":"3","lat":1,"lon":"2""#, #""mode":null,"lat":1,"lon":2"#, #""mode":"3D","lat":1,"lon":2"#,
        #""mode":3,"lat":1,"lon":2,"eph":"good""#, #""mode":3,"lat":1,"lon":2,"eph":nan,"epv":-nan"#,
        #""mode":3,"lat":1,"lon":2,"time":{},"alt":1e999,"epx":Infinity,"epy":4"#,
    ])
    func `an unusable member does not cost the place`(_ members: String) {
        #expect(readings(#"{"class":"TPV",\#(members)}"#) == [place(1, 2, nil)])
    }

    @Test func `an unusable heading does not cost the other`() {
        #expect(
            readings(#"{"class":"ATT","heading":"east","mheading":"96.5"}"#)
                == [.heading(degrees: 96.5, north: .magnetic, time: 1)]
        )
    }

    @Test func `an implausible error estimate is ignored`() {
        #expect(readings(#"{"class":"TPV","mode":2,"lat":1,"lon":2,"eph":-5}"#) == [place(1, 2, nil)])
        #expect(readings(#"{"class":"TPV","mode":2,"lat":1,"lon":2,"epx":3}"#) == [place(1, 2, nil)])
    }

    @Test func `the preferred heading is used when there are two`() {
        let both = #"{"class":"ATT","heading":100.5,"mheading":96.7,"pitch":1,"roll":2}"#
        #expect(readings(both) == [.heading(degrees: 96.7, north: .magnetic, time: 1)])
        #expect(readings(both, true: true) == [.heading(degrees: 100.5, north: .geographic, time: 1)])
        let magnetic = #"{"class":"ATT","mheading":360}"#
        #expect(readings(magnetic, true: true) == [.heading(degrees: 0, north: .magnetic, time: 1)])
        let geographic = #"{"class":"IMU","heading":2}"#
        #expect(readings(geographic) == [.heading(degrees: 2, north: .geographic, time: 1)])
    }

    @Test func `a true heading is converted to magnetic without gpsd's magvar`()
        throws
    {
        let heard = readings(Self.fix, #"{"class":"ATT","heading":2}"#)
        guard case .heading(let degrees, .magnetic, _) = try #require(heard.last) else {
            return #expect(Bool(false))
        }
        // 4° east there.
        #expect((357.7...358.1).contains(degrees))
        for time in [#","time":"1999-08-22T00:00:00.000Z""#, #","time":"soon""#, #","time":5"#, ""] {
            let fix = #"{"class":"TPV","mode":3,"lat":47,"lon":11,"magtrack":9,"track":5\#(time)}"#
            guard
                case .heading(let degrees, .magnetic, _)? = readings(fix, #"{"class":"ATT","heading":2}"#)
                    .last
            else { return #expect(Bool(false)) }
            #expect((357.7...358.1).contains(degrees))
        }
        #expect(
            readings(#"{"class":"TPV","mode":1,"magvar":3.8}"#, #"{"class":"ATT","heading":2}"#)
                == [.heading(degrees: 2, north: .geographic, time: 1)]
        )
    }

    @Test func `lines may arrive in pieces of any size`() {
        let all = Array((Self.version + "\r\n" + Self.fix + "\n\r\n" + Self.fix + "\r\n").utf8)
        for size in [1, 2, 7, 100, all.count] {
            var session = session()
            var count = 0
            for start in stride(from: 0, to: all.count, by: size) {
                for case .reading in session.receive(all[start..<min(start + size, all.count)], at: 1) {
                    count += 1
                }
            }
            #expect(count == 2)
            #expect(session.invalidLines == 0)
        }
    }

    @Test func `invalid and overlong lines are skipped until there are too many in a row`() {
        var session = session()
        _ = hear(&session, Self.version)
        let long =
            #"{"class":"TPV","mode":3,"lat":1,"lon":2,"x":""# + String(repeating: "a", count: 10_240) + #""}"#
        #expect(hear(&session, "GPSD,O=?", "[1,2]", #"{"class":5}"#, "{", long) == [])
        #expect(session.invalidLines == 5)
        #expect(hear(&session, Self.fix).count == 2)
        for _ in 0..<49 { #expect(hear(&session, "HTTP/1.1 400 Bad Request") == []) }
        guard case .failed(let why)? = hear(&session, "HTTP/1.1 400 Bad Request").first else {
            return #expect(Bool(false))
        }
        #expect(why.contains("does not speak gpsd's protocol"))
    }

    @Test func `a peer without greeting is no gpsd`() {
        var session = session()
        #expect(session.deadline == 10)
        #expect(session.wake(at: 9.9) == [])
        _ = hear(&session, "220 smtp.example ESMTP", at: 5)
        guard case .failed? = session.wake(at: 10).first else { return #expect(Bool(false)) }
    }

    @Test func `a silent gpsd must answer a version request`() {
        var session = session()
        _ = hear(&session, Self.version, at: 1)
        #expect(session.deadline == 61)
        #expect(session.wake(at: 61) == [.send("?VERSION;\n")])
        #expect(session.wake(at: 70) == [])
        #expect(hear(&session, Self.version, at: 75) == [])
        #expect(session.deadline == 135)
        #expect(session.wake(at: 135) == [.send("?VERSION;\n")])
        guard case .failed? = session.wake(at: 155).first else { return #expect(Bool(false)) }
    }

    @Test func `another protocol version is reported and read`() {
        var session = session()
        _ = hear(&session, #"{"class":"VERSION","release":"5.0","proto_major":4,"proto_minor":0}"#)
        #expect(session.warning == "it uses protocol version 4; only version 3 is supported")
        #expect(hear(&session, Self.fix).count == 2)
    }

    @Test func `a clock that goes back is tolerated`() {
        var session = session()
        _ = hear(&session, Self.version, at: 1000)
        #expect(session.wake(at: 5) == [])
        #expect(hear(&session, Self.fix, at: 5).count == 2)
        #expect(session.deadline == 65)
    }

    @Test func `arbitrary bytes give valid readings or none`() {
        var generator = SeededGenerator(seed: 12)
        let seeds = [
            Self.version, Self.fix, #"{"class":"ATT","heading":100.5,"mheading":96.7}"#,
            #"{"class":"SKY","nSat":12,"uSat":8,"satellites":[{"PRN":1,"used":true}]}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE"}]}"#,
        ].map { Array($0.utf8) }
        let words = [
            "null", "-1", "1e308", "1e999", "NaN", "\"\"", "[]", "{}", "99999999999999999999", "true",
        ]
        .map { Array($0.utf8) }
        var session = session()
        var heard = 0
        for _ in 0..<20_000 {
            var line = seeds[Int(generator.next() % UInt64(seeds.count))]
            for _ in 0..<generator.next() % 4 {
                let place = Int(generator.next() % UInt64(line.count))
                switch generator.next() % 4 {
                case 0: line[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: line.insert(contentsOf: words[Int(generator.next() % UInt64(words.count))], at: place)
                case 2: line.removeSubrange(place..<min(place + Int(generator.next() % 9), line.count))
                default: line.replaceSubrange(place..<place + 1, with: words[Int(generator.next() % 10)])
                }
                if line.isEmpty { line = [0x7B] }
            }
            for outcome in session.receive(line + [0x0A], at: 1) {
                guard case .reading(let reading) = outcome else { continue }
                heard += 1
                switch reading {
                case .location(let place, let accuracy, _):
                    #expect(place.isValid && (accuracy ?? 0) >= 0 && (accuracy ?? 0).isFinite)
                case .heading(let degrees, _, _): #expect((0..<360).contains(degrees))
                case .beacon, .receiver, .telemetry, .moving, .tick: #expect(Bool(false))
                }
            }
        }
        #expect(heard > 1000)
    }
}
