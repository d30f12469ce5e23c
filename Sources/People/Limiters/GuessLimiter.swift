/// Limits guesses of passwords: after five failures of a name from an address, and after twenty of an address within
/// ten minutes, a pause of 60 s that doubles with each further failure up to 15 minutes.
///
/// A name is never blocked for other addresses, so nobody locks another one out. A guess that is being checked counts,
/// so that guesses at the same time gain nothing. Times are milliseconds of the steady clock.
/// - Source: contrib/contract/people.md, "Limits on guessing".
package struct GuessLimiter: Sendable {
    private struct Pair: Hashable {
        let name: String
        let address: String
    }

    private struct Record {
        /// Failures within the rule's window.
        var failures: [Int64] = []
        var lastFailure: Int64?
        /// When the password was right last.
        var lastSuccess: Int64?
        /// Guesses that are being checked.
        var pending = 0
        /// Pauses since the last hour without a failure.
        var pauses = 0
        var blockedUntil = Int64.min
        var last: Int64

        init(at now: Int64) { last = now }

        mutating func forget(before window: Int64, at now: Int64) {
            failures.removeAll { now - $0 >= window }
            if let lastFailure, now - lastFailure >= memory { (pauses, self.lastFailure) = (0, nil) }
            guard let lastSuccess, now - lastSuccess >= forgiveness else { return }
            failures.removeAll { $0 <= lastSuccess }
            if lastFailure ?? .min <= lastSuccess { pauses = 0 }
            self.lastSuccess = nil
        }
    }

    private struct Rule {
        let limit: Int
        /// Failures count so long, milliseconds.
        let window: Int64
        /// Guesses that may be checked at once while none was wrong.
        var atOnce: Int
    }

    /// The most pairs, and the most addresses, that are remembered.
    package static let capacity = 4096
    private static let pairRule = Rule(limit: 5, window: memory, atOnce: 5)
    private static let firstPause: Int64 = 60_000
    private static let longestPause: Int64 = 900_000
    /// So long after the right password the failures before it are forgotten: others may guess from the same address.
    private static let forgiveness: Int64 = 600_000
    /// After so long without a guess everything is forgotten.
    private static let memory: Int64 = 3_600_000

    private let addressRule: Rule
    private var pairs: [Pair: Record] = [:]
    private var addresses: [String: Record] = [:]

    /// - Parameter atOnce: How many guesses of an address may be checked at once while none of them was wrong.
    package init(atOnce: Int = 20) { addressRule = Rule(limit: 20, window: 600_000, atOnce: atOnce) }

    /// Begins a guess; end it with ``failed(_:from:at:)``, ``succeeded(_:from:at:)`` or ``abandoned(_:from:)``.
    ///
    /// - Parameters:
    ///   - name: As it was sent; only its first 64 characters count.
    ///   - address: Of the other end; the first 64 bits of an IPv6 address.
    /// - Returns: The seconds to wait if the guess is not allowed and was not begun, else `nil`.
    package mutating func begin(_ name: String, from address: String, at now: Int64) -> Int? {
        let pair = Self.pair(name, address)
        let waits = [
            Self.wait(pairs[pair], Self.pairRule, at: now),
            Self.wait(addresses[address], addressRule, at: now),
        ]
        if let wait = waits.compactMap(\.self).max() {
            return Int((wait + 999) / 1000)
        }
        Self.makeRoom(&pairs, for: pair, at: now)
        Self.makeRoom(&addresses, for: address, at: now)
        Self.begin(&pairs[pair, default: Record(at: now)], at: now)
        Self.begin(&addresses[address, default: Record(at: now)], at: now)
        return nil
    }

    /// The guess was wrong.
    package mutating func failed(_ name: String, from address: String, at now: Int64) {
        let pair = Self.pair(name, address)
        Self.fail(&pairs[pair, default: Record(at: now)], Self.pairRule, at: now)
        Self.fail(&addresses[address, default: Record(at: now)], addressRule, at: now)
    }

    /// The guess was right: failures of the pair before it are forgotten after a while, those of the address are not.
    package mutating func succeeded(_ name: String, from address: String, at now: Int64) {
        abandoned(name, from: address)
        pairs[Self.pair(name, address)]?.lastSuccess = now
    }

    /// Nothing was checked.
    package mutating func abandoned(_ name: String, from address: String) {
        let pair = Self.pair(name, address)
        if let pending = pairs[pair]?.pending { pairs[pair]?.pending = max(0, pending - 1) }
        abandonAddress(address)
    }

    private mutating func abandonAddress(_ address: String) {
        guard let pending = addresses[address]?.pending else { return }
        addresses[address]?.pending = max(0, pending - 1)
    }

    private static func pair(_ name: String, _ address: String) -> Pair {
        Pair(name: name.utf8.count > 64 ? String(name.unicodeScalars.prefix(64)) : name, address: address)
    }

    /// Milliseconds to wait, if any.
    private static func wait(_ record: Record?, _ rule: Rule, at now: Int64) -> Int64? {
        guard var record else { return nil }
        if now < record.blockedUntil { return record.blockedUntil - now }
        record.forget(before: rule.window, at: now)
        // After a pause, one at a time.
        let left = record.failures.isEmpty ? rule.atOnce : rule.limit - record.failures.count
        let room = record.pauses > 0 ? 1 : max(1, left)
        return record.pending < room || now - record.last >= memory ? nil : 1000
    }

    private static func begin(_ record: inout Record, at now: Int64) {
        if now - record.last >= memory { record = Record(at: now) }
        record.pending += 1
        record.last = max(record.last, now)
    }

    private static func fail(_ record: inout Record, _ rule: Rule, at now: Int64) {
        record.forget(before: rule.window, at: now)
        record.pending = max(0, record.pending - 1)
        record.last = max(record.last, now)
        record.lastFailure = now
        record.failures = record.failures.suffix(rule.limit - 1) + [now]
        guard record.failures.count >= rule.limit || record.pauses > 0 else { return }
        let pause = min(firstPause << Int64(min(record.pauses, 10)), longestPause)
        record.blockedUntil = max(record.blockedUntil, now + pause)
        record.pauses += 1
    }

    /// Forgets what is old; if nothing is, the half that was quiet the longest.
    private static func makeRoom<Key: Hashable>(_ records: inout [Key: Record], for key: Key, at now: Int64) {
        guard records.count >= capacity, records[key] == nil else { return }
        records = records.filter { now - $0.value.last < memory }
        guard records.count >= capacity else { return }
        let times = records.values.map(\.last).sorted()
        let middle = times[times.count / 2]
        var left = capacity / 2
        records = records.filter { _, record in
            guard record.last >= middle, left > 0 else { return false }
            left -= 1
            return true
        }
    }
}
