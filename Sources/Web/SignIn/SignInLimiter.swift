import Glibc

/// Limits how often passwords are tried: by one peer, and by all together.
///
/// Each attempt takes a token and a right password gives it back. A peer that has shown the right password lately
/// does not suffer from the attempts of others.
package struct SignInLimiter: Sendable {
    /// Where attempts come from: an IPv4 address, or the 64 bits of an IPv6 address that one customer has.
    package struct Peer: Sendable, Hashable {
        private let bytes: [UInt8]

        /// - Parameter address: As the system prints it; all that cannot be read count as one peer.
        package init(_ address: String?) {
            guard let address else {
                bytes = []
                return
            }
            var (four, six) = (in_addr(), in6_addr())
            if inet_pton(AF_INET, address, &four) == 1 {
                bytes = withUnsafeBytes(of: four) { Array($0) }
                return
            }
            // Without the zone: fe80::1%eth0.
            guard inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &six) == 1 else {
                bytes = []
                return
            }
            let all = withUnsafeBytes(of: six) { Array($0) }
            let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            bytes = Array(isMapped ? all.suffix(4) : all.prefix(8))
        }
    }

    private struct Bucket {
        let burst: Double
        /// Seconds until another token.
        let interval: Double
        var left: Double
        /// Seconds of the steady clock.
        var countedAt: Double
        /// Until when the peer counts as known.
        var trustedUntil = -Double.infinity

        init(burst: Double, interval: Double, now: Double) {
            (self.burst, self.interval, left, countedAt) = (burst, interval, burst, now)
        }

        mutating func refill(at now: Double) {
            left = min(burst, left + max(0, now - countedAt) / interval)
            countedAt = now
        }

        /// Seconds until there is a token, apart from rounding errors; `nil` if there is one.
        var wait: Double? { left >= 1 - 1e-9 ? nil : (1 - left) * interval - 1e-6 }
    }

    /// Most peers that are remembered.
    static let mostPeers = 1024
    private static let trust = 86_400.0

    private var all: Bucket
    private var peers: [Peer: Bucket] = [:]

    /// - Parameter now: Seconds of the steady clock.
    package init(now: Double) {
        all = Bucket(burst: 50, interval: 1, now: now)
    }

    /// Takes a token for an attempt.
    /// - Returns: Seconds to wait if there is none, else `nil`.
    package mutating func attempt(by peer: Peer, at now: Double) -> Int? {
        var own = peers[peer] ?? Bucket(burst: 10, interval: 10, now: now)
        own.refill(at: now)
        all.refill(at: now)
        let isTrusted = own.trustedUntil > now
        if let wait = own.wait ?? (isTrusted ? nil : all.wait) {
            if peers[peer] != nil { peers[peer] = own }
            return max(1, Int(wait.rounded(.up)))
        }
        own.left -= 1
        if !isTrusted { all.left -= 1 }
        if peers[peer] == nil { makeRoom(at: now) }
        peers[peer] = own
        return nil
    }

    /// The attempt had the right password.
    package mutating func succeeded(_ peer: Peer, at now: Double) {
        guard var own = peers[peer] else { return }
        if own.trustedUntil <= now { all.left = min(all.burst, all.left + 1) }
        own.left = min(own.burst, own.left + 1)
        own.trustedUntil = now + Self.trust
        peers[peer] = own
    }

    /// Forgets peers that have all their tokens again, or the one that has most.
    private mutating func makeRoom(at now: Double) {
        guard peers.count >= Self.mostPeers else { return }
        for (peer, bucket) in peers {
            var bucket = bucket
            bucket.refill(at: now)
            peers[peer] = bucket.left >= bucket.burst && bucket.trustedUntil <= now ? nil : bucket
        }
        guard peers.count >= Self.mostPeers else { return }
        let untrusted = peers.filter { $0.value.trustedUntil <= now }
        let least = (untrusted.isEmpty ? peers : untrusted).max { $0.value.left < $1.value.left }
        if let least { peers[least.key] = nil }
    }
}
