import Glibc
import Positioning

/// What a receiver of ours hears, as reports: of each id at most one a period.
///
/// A report's level is the median of the period's packets, since single packets are off by several dB both ways.
package struct ReportSchedule: Sendable {
    package static let most = 2048
    /// Packets of one id and period that count.
    private static let mostPackets = 64
    /// Exponent of the distance that is stated for people.
    /// - Source: ESPresense, defaults.h, `DEFAULT_ABSORPTION`.
    private static let absorption = 2.7
    /// The power at one metre when a packet does not state it, dBm.
    private static let defaultPower = -59

    private struct Pending {
        var last: HeardPacket
        var levels: [Int] = []
        var packets = 0
    }

    private let receiver: String
    private let period: Double
    private let publishesStrangers: Bool
    private let known: Set<HeardID>
    private var pending: [HeardID: Pending] = [:]
    private var sentAt: Double?
    /// Packets that were heard.
    package private(set) var packets = 0
    /// Reports that were made.
    package private(set) var reported = 0
    /// Packets of ids that were left out because there were too many.
    package private(set) var dropped = 0

    /// - Parameters:
    ///   - period: Seconds.
    ///   - publishesStrangers: Whether addresses of nobody are published, by which an observer could follow somebody.
    ///   - known: Addresses that are published all the same.
    package init(
        receiver: String,
        period: Double = 1,
        publishesStrangers: Bool = false,
        known: Set<HeardID> = []
    ) {
        self.receiver = receiver
        self.period = period.isFinite ? min(max(period, 0.1), 3600) : 1
        self.publishesStrangers = publishesStrangers
        self.known = known
    }

    /// How many ids wait for the end of the period.
    package var waiting: Int { pending.count }

    package mutating func record(_ packet: HeardPacket) {
        guard packet.time.isFinite, BeaconSighting.isUsable(rssi: packet.rssi) else { return }
        packets &+= 1
        guard mayPublish(packet.id) else { return }
        guard pending[packet.id] != nil || pending.count < Self.most else {
            dropped &+= 1
            return
        }
        if sentAt == nil { sentAt = packet.time }
        var entry = pending[packet.id] ?? Pending(last: packet)
        let before = entry.last
        entry.last = packet
        entry.last.name = packet.name ?? before.name
        entry.last.powerAtOneMetre = packet.powerAtOneMetre ?? before.powerAtOneMetre
        entry.packets += 1
        if entry.levels.count < Self.mostPackets { entry.levels.append(packet.rssi) }
        pending[packet.id] = entry
    }

    /// When ``removeDue(at:)`` has reports; `nil` while nothing is heard.
    package var dueAt: Double? { pending.isEmpty ? nil : sentAt.map { $0 + period } }

    /// The reports of a period that is over, by id; none before.
    package mutating func removeDue(at now: Double) -> [DeviceReport] {
        guard let dueAt, let sentAt, now >= dueAt || now < sentAt else { return [] }
        let length = now > sentAt ? now - sentAt : period
        let reports = pending.map { report(of: $0.key, $0.value, over: length) }.sorted { $0.id < $1.id }
        pending.removeAll(keepingCapacity: true)
        self.sentAt = now
        reported &+= reports.count
        return reports
    }

    private func mayPublish(_ id: HeardID) -> Bool {
        switch id {
        // The key would be in the topic.
        case .key: false
        case .address: publishesStrangers || known.contains(id)
        case .iBeacon, .eddystone, .keyName, .text: true
        }
    }

    private func report(of id: HeardID, _ entry: Pending, over length: Double) -> DeviceReport {
        let levels = entry.levels.sorted()
        let middle = levels.count / 2
        let median =
            levels.count % 2 == 1
            ? Double(levels[middle]) : Double(levels[max(middle - 1, 0)] + levels[middle]) / 2
        let mean = Double(levels.reduce(0, +)) / Double(levels.count)
        let variance =
            levels.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(levels.count)
        let power = entry.last.powerAtOneMetre ?? Self.defaultPower
        let distance = Self.distance(of: median, power)
        // How far the distance moves for one dB.
        let slope = distance * log(10) / (10 * Self.absorption)
        return DeviceReport(
            id: "\(id)",
            receiver: receiver,
            name: entry.last.name,
            address: entry.last.address.bits,
            rssi: median,
            powerAtOneMetre: power,
            raw: Self.distance(of: Double(entry.last.rssi), power),
            distance: distance,
            variance: variance * slope * slope,
            interval: Int((length * 1000 / Double(entry.packets)).rounded())
        )
    }

    /// Metres, for people.
    ///
    /// - Parameters:
    ///   - rssi: Received power, dBm.
    ///   - power: The power at one metre, dBm.
    private static func distance(of rssi: Double, _ power: Int) -> Double {
        pow(10, (Double(power) - rssi) / (10 * absorption))
    }
}
