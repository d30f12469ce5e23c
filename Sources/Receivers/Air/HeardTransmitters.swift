package import Positioning
import Text

/// What receivers and this machine's adapter hear and no device is, while somebody looks for a device.
///
/// Nothing is recorded unless a list was asked for in the last ten minutes, and then it is forgotten: what passes a house
/// is nobody's business. The list shows each id with its strength at each receiver, and first those whose strength has
/// changed most since the list before: waving a phone beside a receiver finds it.
package struct HeardTransmitters: Sendable {
    /// What people see of an id.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case iBeacon, eddystone
        /// A phone or watch with an identity key that a receiver has, and no device.
        case identityKey = "identity key"
        case name
        case address
        /// A private address: it changes every few minutes, so that only an identity key helps.
        case changingAddress = "changing address"
        case other
    }

    package struct Level: Sendable, Hashable {
        package let receiver: String
        /// dBm.
        package let rssi: Double
        /// dB more than at the list before; `nil` if it was not heard there then.
        package let change: Double?
        /// Seconds on the daemon's steady clock.
        package let heardAt: Double
    }

    package struct Entry: Sendable, Hashable {
        package let id: HeardID
        package let kind: Kind
        package let name: String?
        /// The address that it was last heard from, 48 bits, if that is known.
        package let address: UInt64?
        /// Whether it is an address of which nobody says whether it stays: it looks like one that changes.
        package let mayChange: Bool
        /// Seconds on the daemon's steady clock.
        package let since: Double
        package let heardAt: Double
        /// The strongest first.
        package let levels: [Level]

        /// Whether a device can be heard as this id.
        package var canBeAdded: Bool { kind != .changingAddress }
    }

    package static let most = 10_000
    /// Receivers of one id; the strongest are kept.
    package static let mostReceivers = 8
    /// How long is recorded after a list was asked for, seconds.
    package static let attention = 600.0
    /// What was not heard for this time is no longer listed, seconds.
    package static let memory = 120.0
    package static let longestList = 500
    /// Share of the places that is freed when all are taken.
    private static let freed = 8

    fileprivate struct Heard {
        var rssi: Double
        /// At the list before.
        var marked: Double?
        var heardAt: Double
    }

    fileprivate struct Transmitter {
        var kind: Kind
        /// Whether somebody who heard it knew whether its address stays.
        var isKindKnown = false
        var address: UInt64?
        var name: String?
        let since: Double
        var heardAt: Double
        var levels: [String: Heard]
    }

    private var transmitters: [HeardID: Transmitter] = [:]
    private var until = -Double.infinity
    /// Ids that were dropped because there were too many.
    package private(set) var dropped = 0

    package init() {}

    package var count: Int { transmitters.count }

    /// Whether packets are recorded now; who calls need not prepare them otherwise.
    package func isRecording(at now: Double) -> Bool { now < until }

    /// Somebody looks: from now on packets are recorded.
    package mutating func open(at now: Double) {
        guard now.isFinite else { return }
        if !isRecording(at: now) { transmitters.removeAll() }
        until = now + Self.attention
    }

    /// Forgets everything when nobody looks any more.
    package mutating func expire(at now: Double) {
        guard !isRecording(at: now) || now < until - Self.attention else { return }
        transmitters = [:]
        until = -.infinity
    }

    /// - Parameters:
    ///   - address: The sender's, if it is known whether it stays.
    ///   - bits: The sender's address if that is not known, 48 bits.
    ///   - receiver: Its name; that of this machine for its own adapter.
    package mutating func record(
        _ id: HeardID,
        name: String? = nil,
        address: DeviceAddress? = nil,
        bits: UInt64? = nil,
        rssi: Double,
        by receiver: String,
        at now: Double
    ) {
        guard isRecording(at: now), (-127.0 ... -1).contains(rssi) else { return }
        if transmitters[id] == nil {
            if transmitters.count >= Self.most { makeRoom() }
            transmitters[id] = Transmitter(
                kind: Self.kind(of: id, address),
                since: now,
                heardAt: now,
                levels: [:]
            )
        }
        transmitters[id]?.heardAt = now
        if let bits = address?.bits ?? bits { transmitters[id]?.address = bits }
        if let address {
            transmitters[id]?.kind = Self.kind(of: id, address)
            transmitters[id]?.isKindKnown = true
        }
        if let name, !name.isBlank {
            transmitters[id]?.name = QuotedValue.clipped(HarmfulCharacters.escaped(in: name), to: 60)
        }
        transmitters[id]?.record(rssi, by: receiver, at: now)
    }

    /// The list; what it shows is what the next one is compared with.
    package mutating func list(at now: Double) -> [Entry] {
        open(at: now)
        var entries: [Entry] = []
        for (id, transmitter) in transmitters where (0...Self.memory).contains(now - transmitter.heardAt) {
            entries.append(transmitter.entry(id))
        }
        for id in transmitters.keys { transmitters[id]?.mark() }
        entries.sort { left, right in
            let (a, b) = (left.largestChange, right.largestChange)
            if a != b { return a > b }
            let (c, d) = (left.levels.first?.rssi ?? -200, right.levels.first?.rssi ?? -200)
            return c != d ? c > d : "\(left.id)" < "\(right.id)"
        }
        return Array(entries.prefix(Self.longestList))
    }

    /// Removes those that were not heard for longest.
    private mutating func makeRoom() {
        let before = transmitters.count
        let oldest = transmitters.sorted { $0.value.heardAt < $1.value.heardAt }.prefix(
            Self.most / Self.freed
        )
        for (id, _) in oldest { transmitters[id] = nil }
        dropped &+= before - transmitters.count
    }

    /// Whether an address has the two highest bits of those that change; a fixed one of a manufacturer may have them, too.
    ///
    /// - Source: Bluetooth Core Specification, volume 6, part B, 1.3.2.2.
    fileprivate static func looksPrivate(_ id: HeardID) -> Bool {
        if case .address(let bits) = id { bits >> 46 < 2 } else { false }
    }

    private static func kind(of id: HeardID, _ address: DeviceAddress?) -> Kind {
        switch id {
        case .iBeacon: .iBeacon
        case .eddystone: .eddystone
        case .key, .keyName: .identityKey
        case .address: address?.isPrivate == true ? .changingAddress : .address
        case .text(let text): text.hasPrefix("name:") ? .name : .other
        }
    }
}

extension HeardTransmitters.Transmitter {
    fileprivate mutating func record(_ rssi: Double, by receiver: String, at now: Double) {
        if let known = levels[receiver] {
            // Packets differ by several dB.
            levels[receiver] = .init(
                rssi: known.rssi + (rssi - known.rssi) * 0.3,
                marked: known.marked,
                heardAt: now
            )
            return
        }
        if levels.count >= HeardTransmitters.mostReceivers {
            guard let weakest = levels.min(by: { $0.value.rssi < $1.value.rssi }),
                weakest.value.rssi < rssi
            else { return }
            levels[weakest.key] = nil
        }
        levels[receiver] = .init(rssi: rssi, heardAt: now)
    }

    fileprivate mutating func mark() {
        for (receiver, heard) in levels { levels[receiver]?.marked = heard.rssi }
    }

    fileprivate func entry(_ id: HeardID) -> HeardTransmitters.Entry {
        let levels = levels.map { receiver, heard in
            HeardTransmitters.Level(
                receiver: receiver,
                rssi: (heard.rssi * 10).rounded() / 10,
                change: heard.marked.map { ((heard.rssi - $0) * 10).rounded() / 10 },
                heardAt: heard.heardAt
            )
        }
        return HeardTransmitters.Entry(
            id: id,
            kind: kind,
            name: name,
            address: address,
            mayChange: !isKindKnown && HeardTransmitters.looksPrivate(id),
            since: since,
            heardAt: heardAt,
            levels: levels.sorted { ($0.rssi, $1.receiver) > ($1.rssi, $0.receiver) }
        )
    }
}

extension HeardTransmitters.Entry {
    /// By how much its strength at one receiver has changed since the list before, dB.
    var largestChange: Double {
        levels.map { $0.change.map(\.magnitude) ?? 0 }.max() ?? 0
    }
}
