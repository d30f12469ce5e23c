package import Controller
package import Flare
package import JSON
import Text

/// The things and zones of a simulation, and what is so in it.
package struct SimulatedPlace: Sendable {
    /// By name: slugs and identifiers.
    private var ids: [FlareClass: [String: FlareID]] = [:]
    private var names: [ObjectReference: String] = [:]
    /// Whether there are only the things that were added; else any name is one.
    private let isClosed: Bool
    private var data: [FlareID: JSONObject] = [:]
    private var availability: [FlareID: Bool] = [:]
    private var isFresh = true

    package var zone = RulePresence.nowhere
    package var nearby = RulePresence.nowhere
    package var level: LifecycleLevel? = .disconnected
    package var location: GeoPoint?
    /// Where further devices are, by their nodes.
    private var others: [String: [FlareClass: RulePresence]] = [:]

    /// A place in which each name is a thing or a zone.
    package init() { isClosed = false }

    /// A place with these things and zones.
    ///
    /// - Parameter objects: Slugs are unique in a class.
    package init(_ objects: [(reference: ObjectReference, slug: String)]) {
        isClosed = true
        for (reference, slug) in objects {
            ids[reference.kind, default: [:]][slug] = reference.id
            ids[reference.kind, default: [:]][reference.id.description] = reference.id
            names[reference] = slug
        }
    }

    /// The object with a name; `nil` if there is none.
    package mutating func id(_ kind: FlareClass, _ name: String) -> FlareID? {
        if let id = ids[kind]?[name] { return id }
        guard !isClosed else { return nil }
        let id = FlareID(high: UInt64(names.count) + 1, low: 0)
        ids[kind, default: [:]][name] = id
        names[ObjectReference(kind, id)] = name
        return id
    }

    /// Why a name has no object; `nil` if it has one.
    func problem(_ kind: FlareClass, _ name: String) -> String? {
        guard isClosed, ids[kind]?[name] == nil else { return nil }
        let slugs = names.filter { $0.key.kind == kind }.values.sorted()
        let hint = NearestName.hint(for: name, among: slugs)
        return "there is no \(kind.rawValue) \(Words.value(.string(name))) in the place\(hint)"
    }

    /// Writes fields of a thing; null removes one.
    ///
    /// - Returns: What was before, and what is now.
    mutating func write(_ values: JSONObject, to thing: FlareID) -> (before: JSONObject, after: JSONObject) {
        let before = data[thing] ?? [:]
        var after = before
        for (field, value) in values { after[field] = value.isNull ? nil : value }
        data[thing] = after
        return (before, after)
    }

    /// Sets what a thing has at the beginning.
    package mutating func set(_ values: JSONObject, of thing: FlareID) { data[thing] = values }

    mutating func set(_ isOnline: Bool, of thing: FlareID) { availability[thing] = isOnline }

    /// A further device, which is in no zone and near nothing.
    mutating func add(device node: String) {
        if others[node] == nil { others[node] = [.zone: .nowhere, .thing: .nowhere] }
    }

    /// - Parameter node: That of a further device; `nil` for the daemon's own.
    mutating func move(_ node: String?, _ kind: FlareClass, to presence: RulePresence) {
        guard let node else {
            if kind == .zone { zone = presence } else { nearby = presence }
            return
        }
        others[node, default: [:]][kind] = presence
    }

    /// The daemon starts again: it has to learn where it is.
    mutating func forgetPresence() {
        (zone, nearby, level, location) = (.unknown, .unknown, nil, nil)
        others = others.mapValues { _ in [:] }
        availability = [:]
        isFresh = false
    }
}

extension SimulatedPlace: RuleView {
    package func data(of thing: FlareID) -> JSONObject? { data[thing] ?? [:] }

    package var devices: [String?] { [nil] + others.keys.sorted() }

    package func presence(_ kind: FlareClass, of node: String?) -> RulePresence {
        guard let node else { return kind == .zone ? zone : nearby }
        return others[node]?[kind] ?? .unknown
    }

    /// At the beginning all things are connected.
    package func isOnline(_ thing: FlareID) -> Bool? { availability[thing] ?? (isFresh ? true : nil) }

    package func address(of thing: FlareID) -> String? { data[thing]?["ip"]?.string }

    package func name(_ kind: FlareClass, _ id: FlareID) -> String {
        names[ObjectReference(kind, id)] ?? id.description
    }
}
