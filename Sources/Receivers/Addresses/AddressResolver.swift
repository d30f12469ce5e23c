package import Positioning
import RateLimiting

/// Finds the device behind a resolvable private address.
///
/// Each key is tried in both orders of its bytes, until two addresses have shown which one is right. What was found is
/// remembered for 15 minutes, which is how long an address usually lasts; so are addresses of strangers, since most
/// packets are theirs. All of it is bounded, and so is the work: addresses that come faster than keys can be tried wait
/// for their next packet.
package struct AddressResolver: Sendable {
    package enum Answer: Sendable, Hashable {
        /// The number of the key, as they were given.
        case key(Int)
        /// No key resolves the address, or nobody's could.
        case stranger
        /// Too many new addresses at once; ask again with the next packet.
        case postponed
    }

    package static let mostKeys = 512
    /// Seconds.
    package static let lifetime = 900.0
    package static let mostResolved = 2048
    /// At most twice as many strangers are remembered.
    package static let mostStrangers = 8192
    /// Blocks that may be encrypted a second, and at once after a quiet time.
    private static let blocksPerSecond = 20_000.0
    private static let mostBlocksAtOnce = 100_000.0
    /// Addresses that must have shown an order of bytes before the other one is no longer tried.
    private static let enoughAddresses = 2

    private struct Key {
        let forms: [IdentityKey]
        /// How many addresses were resolved by the key as it was given, and by the reversed one.
        var resolved = [0, 0]

        init(_ key: IdentityKey) { forms = key == key.reversed ? [key] : [key, key.reversed] }

        /// The indices of the forms to try.
        var candidates: Range<Int> {
            guard forms.count == 2 else { return 0..<1 }
            if resolved[0] >= enoughAddresses, resolved[0] > resolved[1] { return 0..<1 }
            if resolved[1] >= enoughAddresses, resolved[1] > resolved[0] { return 1..<2 }
            return 0..<2
        }
    }

    private let cipher: BlockCipher
    private var keys: [Key]
    private var resolved: [UInt64: (key: Int, until: Double)] = [:]
    /// Strangers of this half of a lifetime, and of the one before.
    private var strangers: (new: Set<UInt64>, old: Set<UInt64>) = ([], [])
    private var halfStartedAt: Double?
    private var budget = TokenBucket(capacity: mostBlocksAtOnce, perSecond: blocksPerSecond)
    /// Blocks encrypted so far, to see that the memory works.
    package private(set) var blocks = 0
    /// How often an address had to wait.
    package private(set) var postponed = 0

    /// Keys beyond the first ``mostKeys`` are ignored.
    package init(_ keys: [IdentityKey], cipher: @escaping BlockCipher) {
        self.cipher = cipher
        self.keys = keys.prefix(Self.mostKeys).map(Key.init)
    }

    /// How many addresses are remembered.
    package var remembered: Int { resolved.count + strangers.new.count + strangers.old.count }

    /// - Parameter now: Seconds on a steady clock.
    package mutating func resolve(_ address: DeviceAddress, at now: Double) -> Answer {
        guard address.isResolvable, !keys.isEmpty, now.isFinite, now.magnitude < 1e12 else {
            return .stranger
        }
        if let found = resolved[address.bits] {
            if now < found.until, now > found.until - 2 * Self.lifetime { return .key(found.key) }
            resolved[address.bits] = nil
        }
        startHalfIfDue(at: now)
        if strangers.new.contains(address.bits) || strangers.old.contains(address.bits) { return .stranger }
        let cost = keys.reduce(0) { $0 + $1.candidates.count }
        guard budget.take(Double(cost), at: Int64(now * 1000)) else {
            postponed &+= 1
            return .postponed
        }
        for index in keys.indices {
            for form in keys[index].candidates {
                blocks &+= 1
                guard keys[index].forms[form].resolves(address, cipher) else { continue }
                if keys[index].resolved[form] < .max { keys[index].resolved[form] += 1 }
                remember(address, of: index, at: now)
                return .key(index)
            }
        }
        strangers.new.insert(address.bits)
        return .stranger
    }

    private mutating func remember(_ address: DeviceAddress, of key: Int, at now: Double) {
        if resolved.count >= Self.mostResolved {
            resolved = resolved.filter { $0.value.until > now }
            // If the clock was set back, none has ended yet: then all are looked up again.
            if resolved.count >= Self.mostResolved { resolved.removeAll() }
        }
        resolved[address.bits] = (key, now + Self.lifetime)
    }

    private mutating func startHalfIfDue(at now: Double) {
        guard let start = halfStartedAt else {
            halfStartedAt = now
            return
        }
        let age = now - start
        guard age < 0 || age >= Self.lifetime / 2 || strangers.new.count >= Self.mostStrangers else { return }
        strangers = age < 0 || age >= Self.lifetime ? ([], []) : ([], strangers.new)
        halfStartedAt = now
    }
}
