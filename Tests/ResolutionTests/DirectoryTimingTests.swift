import Resolution
import Testing

/// The announcer's schedule, the limits of peers, and signed updates.
struct DirectoryTimingTests {
    @Test func `a station tells at once, checks, and then tells every period`() {
        var schedule = AnnouncerSchedule(period: 30_000, now: 0)
        #expect(schedule.tick(now: 0) == .announce)
        #expect(schedule.deadline == nil)
        #expect(schedule.ended(.announce, isSuccess: true, now: 5, chance: 0.5) == .check)
        #expect(schedule.ended(.check, isSuccess: true, now: 10, chance: 0.5) == nil)
        #expect(schedule.deadline == 30_010)
        #expect(schedule.tick(now: 30_009) == nil)
        #expect(schedule.tick(now: 30_010) == .announce)
        #expect(schedule.ended(.announce, isSuccess: true, now: 30_010, chance: 0) == nil)
        #expect(schedule.deadline == 57_010)
        _ = schedule.tick(now: 57_010)
        #expect(schedule.ended(.announce, isSuccess: true, now: 57_010, chance: 1) == nil)
        #expect(schedule.deadline == 90_010)
        _ = schedule.tick(now: 700_000)
        #expect(schedule.ended(.announce, isSuccess: true, now: 700_000, chance: 0.5) == .check)
    }

    @Test func `after failures the pauses grow up to the period, and three periods are worth an alert`() {
        var schedule = AnnouncerSchedule(period: 5000, now: 0)
        var (now, pauses): (Int64, [Int64]) = (0, [])
        for _ in 0..<6 {
            _ = schedule.tick(now: now)
            _ = schedule.ended(.announce, isSuccess: false, now: now, chance: 0.5)
            guard let next = schedule.deadline else { break }
            pauses.append(next - now)
            now = next
        }
        #expect(pauses == [1000, 2000, 4000, 5000, 5000, 5000])
        #expect(!schedule.isFailing(at: 14_999) && schedule.isFailing(at: 15_000))
        _ = schedule.tick(now: now)
        #expect(schedule.ended(.announce, isSuccess: true, now: now, chance: 0.5) == .check)
        #expect(schedule.isFailing(at: now))
        // The resolver does not know it: a failure, too.
        #expect(schedule.ended(.check, isSuccess: false, now: now, chance: 0.5) == nil)
        #expect(schedule.isFailing(at: now))
        now += 5000
        _ = schedule.tick(now: now)
        _ = schedule.ended(.announce, isSuccess: true, now: now, chance: 0.5)
        _ = schedule.ended(.check, isSuccess: true, now: now, chance: 0.5)
        #expect(!schedule.isFailing(at: now + 100_000))
    }

    @Test func `another address is told at once, also after a running announcement`() {
        var schedule = AnnouncerSchedule(period: 30_000, now: 0)
        _ = schedule.tick(now: 0)
        _ = schedule.ended(.announce, isSuccess: true, now: 0, chance: 0.5)
        _ = schedule.ended(.check, isSuccess: true, now: 0, chance: 0.5)
        schedule.addressChanged(now: 700)
        #expect(schedule.deadline == 700)
        #expect(schedule.tick(now: 700) == .announce)
        schedule.addressChanged(now: 710)
        #expect(schedule.deadline == nil)
        #expect(schedule.ended(.announce, isSuccess: true, now: 720, chance: 0.5) == .check)
        _ = schedule.ended(.check, isSuccess: true, now: 730, chance: 0.5)
        #expect(schedule.deadline == 730)
    }

    // MARK: Limits

    @Test func `a peer has twenty seconds' worth at once, then so many a second; loopback has no limit`()
        throws
    {
        var limiter = PeerLimiter(perSecond: 10)
        let (peer, other) = (
            try #require(PeerAddress([192, 0, 2, 7])), try #require(PeerAddress([192, 0, 2, 8]))
        )
        #expect(limiter.take(100, by: peer, at: 0) == true)
        #expect(limiter.take(100, by: peer, at: 0) == true)
        #expect(limiter.take(1, by: peer, at: 0) == false)
        #expect(limiter.take(1, by: other, at: 0) == true)
        #expect(limiter.take(10, by: peer, at: 1000) == true)
        #expect(limiter.take(1, by: peer, at: 1000) == false)
        let here = try #require(PeerAddress([127, 0, 0, 1]))
        for _ in 0..<1000 { #expect(limiter.take(100, by: here, at: 0) == true) }
        // The clock may stand still, never go back; a request may always have 100 names.
        var slow = PeerLimiter(perSecond: 0.1)
        #expect(slow.take(100, by: peer, at: 0) == true)
        #expect(slow.take(1, by: peer, at: -5000) == false)
    }

    @Test func `IPv6 peers of one network share their limit, and of very many some are forgotten`() throws {
        var limiter = PeerLimiter(perSecond: 1)
        func peer(_ network: Int, _ host: UInt8) -> PeerAddress? {
            let bytes = [0x20, 1, 0, 0, 0, 0, UInt8(network >> 8 & 0xFF), UInt8(network & 0xFF)]
            return PeerAddress(bytes + Array(repeating: 0, count: 7) + [host])
        }
        #expect(limiter.take(20, by: try #require(peer(1, 1)), at: 0) == true)
        #expect(limiter.take(1, by: try #require(peer(1, 2)), at: 0) == false)
        for network in 2..<10_000 { _ = limiter.take(1, by: try #require(peer(network, 1)), at: 0) }
        // The one that was over its limit is not forgotten.
        #expect(limiter.take(1, by: try #require(peer(1, 3)), at: 0) == false)
    }

    // MARK: Signatures

    private static let serial = "aa:bb:cc:dd:ee:ff"

    private func update(time: Int?, sign: String?) throws -> DirectoryCall.Update {
        let extra =
            (time.map { ",\"StationTime\":\($0)" } ?? "") + (sign.map { ",\"StationSign\":\"\($0)\"" } ?? "")
        let text =
            "{\"HRHomeStationUpdate\":{\"StationDID\":\"AABBCCDDEEFF\",\"StationIP\":\"192.0.2.7\"\(extra)}}"
        guard case .update(let update) = try DirectoryCall(Array(text.utf8)) else {
            throw DirectoryRefusal.unknownMessage
        }
        return update
    }

    @Test func `a signature is over the stored serial, the address as sent and the time`() throws {
        let serial = try #require(StationSerial(Self.serial))
        #expect(
            UpdateSignatures.message(serial, sentAddress: "192.0.2.7", time: 1_767_225_600)
                == Array("aa:bb:cc:dd:ee:ff\n192.0.2.7\n1767225600".utf8)
        )
        #expect(
            UpdateSignatures.message(serial, sentAddress: nil, time: 5)
                == Array("aa:bb:cc:dd:ee:ff\n\n5".utf8)
        )
    }

    @Test func `a serial with a key takes signed, new updates near our clock only`() throws {
        let serial = try #require(StationSerial(Self.serial))
        var signatures = UpdateSignatures([serial: [1]])
        func refusal(_ time: Int?, _ sign: String?, now: Int = 1000) throws -> DirectoryRefusal? {
            signatures.refusal(of: try update(time: time, sign: sign), now: now) { _, key, code in code == key
            }
        }
        #expect(try refusal(nil, nil) == .unsigned)
        #expect(try refusal(1000, nil) == .unsigned)
        #expect(try refusal(1000, "0z") == .badSignature)
        #expect(try refusal(1000, "02") == .badSignature)
        #expect(try refusal(1091, "01") == .badTime)
        #expect(try refusal(909, "01") == .badTime)
        #expect(try refusal(.max, "01", now: -5) == .badTime)
        #expect(try refusal(.min, "01") == .badTime)
        #expect(try refusal(1000, "01") == nil)
        #expect(try refusal(1000, "01") == .badTime)
        #expect(try refusal(999, "01") == .badTime)
        #expect(try refusal(1001, "01") == nil)
        // Ours was set back: what was heard before does not count again.
        #expect(try refusal(950, "01", now: 950) == .badTime)
        // Ours had been ahead by more than the tolerance, and was mended: the station is not shut out until then.
        #expect(try refusal(10, "01", now: 0) == nil)
        #expect(try refusal(10, "01", now: 0) == .badTime)
        #expect(try refusal(1002, "01") == nil)
        let other = try #require(StationSerial("other"))
        #expect(!signatures.isSigned(other) && signatures.isSigned(serial))
    }
}
