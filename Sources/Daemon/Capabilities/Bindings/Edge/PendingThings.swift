import Bindings
import JSON

/// Things that were seen on the broker and are no bindings yet, the newest ones.
///
/// A name is that of the thing if it speaks itself, else that of the first gateway that sees it. No gateway takes what others
/// see, or pushes it out.
///
/// - Source: contrib/contract/bindings.md, "Pending things".
struct PendingThings: Sendable {
    struct Sighting: Sendable, Hashable {
        let vendor: String
        /// The vendorThingID of the gateway that sees it; `nil` for one that speaks itself.
        var gateway: String?
        /// What its gateway says of it, unless that is long.
        var properties: JSONObject?
        /// When it was seen last, milliseconds since 1970.
        let seen: Int64
    }

    static let capacity = 1000
    /// Those of one gateway.
    static let mostOfGateway = 200
    /// How long each is remembered, milliseconds.
    static let lifetime: Int64 = 7 * 86_400_000
    /// Bytes of properties that are remembered.
    private static let longestProperties = 4096

    private var sightings: [String: Sighting] = [:]

    /// Notes a thing that speaks itself.
    mutating func add(_ vendor: String, at now: Int64) {
        sightings[vendor] = Sighting(vendor: vendor, seen: now)
        trim(at: now)
    }

    /// Notes what a gateway sees now, the first ones if there are too many.
    ///
    /// What another gateway sees stays that of the other one, as long as it goes on seeing it.
    mutating func replace(nodesOf gateway: String, with nodes: [EdgeNode], at now: Int64) {
        sightings = sightings.filter { $0.value.gateway != gateway && Self.counts($0.value, at: now) }
        let unseen = nodes.filter { sightings[$0.vendor] == nil }
        for node in unseen.prefix(Self.mostOfGateway) {
            let properties = node.properties.flatMap { Self.isShort($0) ? $0 : nil }
            sightings[node.vendor] = Sighting(
                vendor: node.vendor,
                gateway: gateway,
                properties: properties,
                seen: now
            )
        }
        trim(at: now)
    }

    mutating func remove(_ vendor: String) { sightings[vendor] = nil }

    /// Those that are remembered, by name.
    func all(at now: Int64) -> [Sighting] {
        sightings.values.filter { Self.counts($0, at: now) }.sorted { $0.vendor < $1.vendor }
    }

    private static func counts(_ sighting: Sighting, at now: Int64) -> Bool {
        now < sighting.seen + lifetime
    }

    private static func isShort(_ properties: JSONObject) -> Bool {
        var buffer = JSONBuffer()
        buffer.write(properties)
        return buffer.count <= longestProperties
    }

    /// Forgets what is over, and if there are too many, the oldest of the gateway with most, or of those that speak themselves.
    private mutating func trim(at now: Int64) {
        guard sightings.count > Self.capacity else { return }
        sightings = sightings.filter { Self.counts($0.value, at: now) }
        // By gateway, the newest first.
        var groups = Dictionary(grouping: sightings.values) { $0.gateway }
            .mapValues { $0.sorted { ($0.seen, $0.vendor) > ($1.seen, $1.vendor) } }
        while sightings.count > Self.capacity {
            guard let most = groups.max(by: { Self.isSmaller($0, $1) }),
                let oldest = groups[most.key]?.popLast()
            else { return }
            sightings[oldest.vendor] = nil
        }
    }

    /// Whether a gateway has fewer than another; among equals the name decides, so that the same ones go each time.
    private static func isSmaller(
        _ group: (key: String?, value: [Sighting]),
        _ other: (key: String?, value: [Sighting])
    ) -> Bool {
        (group.value.count, group.key ?? "") < (other.value.count, other.key ?? "")
    }
}
