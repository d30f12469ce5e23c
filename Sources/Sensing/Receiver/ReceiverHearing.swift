import Positioning
import Receivers
import Sensors

/// What a receiver hears, between two publications: its keys, and the reports that are due.
struct ReceiverHearing: Sendable {
    private let fileKeys: KeyList
    private(set) var keys: KeyList
    private var resolver: AddressResolver
    private(set) var schedule: ReportSchedule
    /// Of each id that was reported.
    private var seen: Set<Int> = []
    /// Reports that nobody took: there was no link.
    private(set) var failed = 0

    private static let mostSeen = 10_000

    init(_ settings: ReceiverSettings) {
        fileKeys = settings.keys
        keys = settings.keys
        resolver = Self.resolver(settings.keys)
        schedule = ReportSchedule(
            receiver: settings.name,
            period: settings.period,
            publishesStrangers: settings.publishesStrangers
        )
    }

    private static func resolver(_ keys: KeyList) -> AddressResolver {
        AddressResolver(keys.entries.map(\.key), cipher: AESBlock.cipher)
    }

    /// How many ids were reported so far; at most 10,000 are counted.
    var seenCount: Int { seen.count }

    /// Whose the sender of a packet is.
    enum Sender: Sendable, Hashable {
        case key(name: String)
        case stranger
        /// Its next packet tells.
        case unknown
    }

    mutating func sender(_ address: DeviceAddress, at now: Double) -> Sender {
        switch resolver.resolve(address, at: now) {
        case .key(let number):
            keys.entries.indices.contains(number) ? .key(name: keys.entries[number].name) : .unknown
        case .stranger: .stranger
        case .postponed: .unknown
        }
    }

    /// - Returns: Whether something waits to be published, and nothing did before.
    mutating func record(_ packet: HeardPacket) -> Bool {
        let waited = schedule.dueAt != nil
        schedule.record(packet)
        return !waited && schedule.dueAt != nil
    }

    mutating func removeDue(at now: Double, isLinked: Bool) -> [DeviceReport] {
        let reports = schedule.removeDue(at: now)
        for report in reports where seen.count < Self.mostSeen { seen.insert(report.id.hashValue) }
        if !isLinked { failed &+= reports.count }
        return reports
    }

    /// Uses the keys of a message beside those of the file, which count before them.
    ///
    /// - Parameter message: `nil` when the message was cleared.
    /// - Returns: Why keys of the message are left out.
    mutating func use(_ message: KeyList?) -> [ReportError] {
        var problems: [ReportError] = []
        var all = fileKeys
        for entry in message?.entries ?? [] where !all.entries.contains(entry) {
            do throws(ReportError) {
                try all.add(entry.name, entry.key)
            } catch {
                problems.append(error)
            }
        }
        if all != keys {
            keys = all
            resolver = Self.resolver(all)
        }
        return problems
    }
}
