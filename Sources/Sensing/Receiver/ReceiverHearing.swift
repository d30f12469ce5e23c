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

    mutating func hear(_ payload: Span<UInt8>, from sender: DeviceAddress, rssi: Int, at now: Double) {
        var keyName: String?
        switch resolver.resolve(sender, at: now) {
        case .key(let number):
            guard keys.entries.indices.contains(number) else { return }
            keyName = keys.entries[number].name
        case .stranger: break
        // Its next packet tells whose it is.
        case .postponed: return
        }
        schedule.record(HeardPacket(payload, from: sender, keyName: keyName, rssi: rssi, at: now))
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
