import Bindings
import JSON

/// Things that were seen on the broker and are no bindings yet, the newest ones.
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

    /// Notes all that a gateway sees now.
    mutating func replace(nodesOf gateway: String, with nodes: [EdgeNode], at now: Int64) {
        sightings = sightings.filter { $0.value.gateway != gateway }
        for node in nodes {
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

    /// Forgets what is over, and the oldest ones if there are too many.
    private mutating func trim(at now: Int64) {
        guard sightings.count > Self.capacity else { return }
        let newest = sightings.values.filter { Self.counts($0, at: now) }
            .sorted { ($0.seen, $0.vendor) > ($1.seen, $1.vendor) }.prefix(Self.capacity)
        sightings = newest.reduce(into: [:]) { $0[$1.vendor] = $1 }
    }
}
