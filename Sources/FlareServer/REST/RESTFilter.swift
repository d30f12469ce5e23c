import Flare
import JSON

/// The filters of a list query.
///
/// All complete filters apply together. With non-numeric coordinates nothing matches, except a thing without a
/// position, whose distance is always -1.
/// - Source: contrib/contract/flare-protocol.md, "2.3 Filters".
struct RESTFilter: Sendable {
    private var data: (key: String, value: String)?
    private var place: GeoPoint?
    private var point: Point3D?
    private var distance: Double?
    private let kind: FlareClass

    private let dialect: FlareDialect

    init(
        query: Substring?,
        for kind: FlareClass,
        dialect: FlareDialect = .origin
    ) throws(RESTForm.TooManyParameters) {
        self.kind = kind
        self.dialect = dialect
        let pairs = try RESTForm.pairs(query ?? "")
        let parameters = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        func number(_ name: String) -> Double? {
            parameters[name].map { Double(javaScriptNumber: $0) ?? .nan }
        }
        if let key = parameters["key"], let value = parameters["value"] { data = (key, value) }
        switch kind {
        case .environment:
            if let latitude = number("latitude"), let longitude = number("longitude") {
                place = GeoPoint(latitude: latitude, longitude: longitude)
            }
        case .zone, .thing, .device:
            distance = number("distance")
            if let x = number("x"), let y = number("y"), kind == .zone || distance != nil {
                point = Point3D(x: x, y: y, z: number("z") ?? 0)
            }
        }
    }

    /// Whether every object matches.
    var matchesAll: Bool { data == nil && place == nil && point == nil }

    /// Whether the list shows completed coordinates; see ``representation(of:)``.
    var isSpatial: Bool { point != nil }

    func matches(_ record: FlareRecord) -> Bool {
        if let place, Geofence(json: record.members["geofence"])?.includes(place) != true { return false }
        if let point {
            if kind == .zone {
                guard record.perimeter?.contains(point) == true else { return false }
            } else {
                guard record.position != nil || dialect == .origin, let distance,
                    (record.position?.distance(to: point) ?? -1) < distance
                else { return false }
            }
        }
        if let data {
            guard let value = record.data?[data.key], value.equals(queryText: data.value) else {
                return false
            }
        }
        return true
    }

    /// The object as the list shows it: a filter by position adds the default coordinates that were compared, as in
    /// recordings of the original server.
    func representation(of record: FlareRecord) -> JSONValue {
        guard isSpatial else { return record.json }
        var members = record.members
        if kind == .zone {
            members["perimeter"] = members["perimeter"]?.filling("z", with: 0, inside: "origin")
                .filling("depth", with: .number(Box.defaultDepth), inside: "size")
        } else {
            members["position"] = members["position"]?.filling("z", with: 0)
        }
        return .object(members)
    }
}

extension JSONValue {
    /// Whether a value of the data equals the text of a query as a text, number or Boolean.
    fileprivate func equals(queryText text: String) -> Bool {
        switch self {
        case .null, .object: false
        case .string(let own): own == text
        case .bool(let flag):
            text == (flag ? "true" : "false") || Double(javaScriptNumber: text) == (flag ? 1 : 0)
        case .number(let number): Double(javaScriptNumber: text) == number
        case .numeral(let digits): digits == text
        case .array: javaScriptText == text
        }
    }

    fileprivate func filling(_ key: String, with value: JSONValue) -> JSONValue {
        guard case .object(var members) = self, members[key] == nil else { return self }
        members[key] = value
        return .object(members)
    }

    fileprivate func filling(_ key: String, with value: JSONValue, inside group: String) -> JSONValue {
        guard case .object(var members) = self, let inner = members[group] else { return self }
        members[group] = inner.filling(key, with: value)
        return .object(members)
    }
}
