/// The filters and their readers.
///
/// Every filter has an identifier that an MQTT 5 broker attaches to its deliveries. A message is then passed
/// to the readers of just that filter, so that overlapping filters cause no duplicates.
struct Subscriptions {
    /// Who receives the messages of some filters.
    struct Reader: Sendable {
        /// Passes a message on; returns false when it was dropped, because too many wait.
        let receive: @Sendable (MQTTMessage) -> Bool
        let finish: @Sendable () -> Void
    }

    typealias ReaderID = Int

    /// A SUBSCRIBE to send.
    struct Request: Sendable {
        let filter: String
        var qos: MQTTQoS
        /// Whether an MQTT 5 broker passes on the retain flag as it was published; otherwise it clears the flag of what it
        /// has not kept.
        var retainAsPublished = false
        let identifier: UInt32
    }

    private struct Entry {
        var request: Request
        var readers: [ReaderID]
    }

    private var entries: [String: Entry] = [:]
    private var filters: [UInt32: String] = [:]
    private var readers: [ReaderID: Reader] = [:]
    private var nextReader = 0
    private var nextIdentifier: UInt32 = 1

    /// The subscriptions for a connect, sorted.
    var requests: [Request] { entries.values.map(\.request).sorted { $0.identifier < $1.identifier } }

    /// - Returns: The reader's number, and the subscriptions to send if there is a link.
    mutating func add(
        _ filters: [String],
        qos: MQTTQoS,
        retainAsPublished: Bool,
        reader: Reader
    ) -> (ReaderID, [Request]) {
        let id = nextReader
        nextReader += 1
        readers[id] = reader
        var requests: [Request] = []
        for filter in filters {
            var entry = entries[filter] ?? Entry(request: newRequest(filter, qos), readers: [])
            entry.request.qos = max(entry.request.qos, qos)
            if retainAsPublished { entry.request.retainAsPublished = true }
            if !entry.readers.contains(id) { entry.readers.append(id) }
            entries[filter] = entry
            requests.append(entry.request)
        }
        return (id, requests)
    }

    /// - Returns: The filters that have no reader any more.
    mutating func remove(_ id: ReaderID) -> [String] {
        guard readers.removeValue(forKey: id) != nil else { return [] }
        var unread: [String] = []
        for (filter, var entry) in entries where entry.readers.contains(id) {
            entry.readers.removeAll { $0 == id }
            entries[filter] = entry.readers.isEmpty ? nil : entry
            guard entry.readers.isEmpty else { continue }
            filters[entry.request.identifier] = nil
            unread.append(filter)
        }
        return unread.sorted()
    }

    mutating func removeAll() -> [Reader] {
        defer { self = Subscriptions() }
        return Array(readers.values)
    }

    /// The readers of a message, each once.
    ///
    /// - Parameter identifiers: Attached by the broker; empty on 3.1.1.
    func readers(of topic: String, identifiers: [UInt32]) -> [Reader] {
        if identifiers.count == 1, let filter = filters[identifiers[0]], let entry = entries[filter] {
            return entry.readers.compactMap { readers[$0] }
        }
        var found: Set<ReaderID> = []
        if identifiers.isEmpty {
            for (filter, entry) in entries where TopicRules.matches(topic, filter: filter) {
                found.formUnion(entry.readers)
            }
        } else {
            for identifier in identifiers {
                guard let filter = filters[identifier], let entry = entries[filter] else { continue }
                found.formUnion(entry.readers)
            }
        }
        return found.sorted().compactMap { readers[$0] }
    }

    private mutating func newRequest(_ filter: String, _ qos: MQTTQoS) -> Request {
        defer { nextIdentifier += 1 }
        filters[nextIdentifier] = filter
        return Request(filter: filter, qos: qos, identifier: nextIdentifier)
    }
}
