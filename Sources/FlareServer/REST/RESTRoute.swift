import Flare
import HTTPListener
import HTTPTypes
import Text

/// The resource that a path of the REST interface identifies.
///
/// Identifiers are not validated here.
/// - Source: contrib/contract/flare-protocol.md, "2.2 Routes"; Express 4, not strict, not case sensitive.
struct RESTRoute: Equatable {
    enum Place: Equatable {
        /// The objects of a class in a parent.
        case list
        case object(id: String)
        case data(id: String)
        case dataValue(id: String, key: String)
        case position(id: String)
    }

    let kind: FlareClass
    let place: Place
    /// The identifiers of the parents in the path.
    let environment: String?
    let zone: String?
    /// The list of an environment's things is read-only and, except in the strict dialect, has no filters.
    let isThingsOfEnvironment: Bool
}

extension RESTRoute {
    /// - Parameter path: The encoded path without the query. `nil` for an unknown path.
    init?(path: Substring) throws(RESTRefusal) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments = path.parts(between: "/", maxSplits: 10).dropFirst()
        if segments.count > 1, segments.last?.isEmpty == true { segments.removeLast() }
        guard segments.first?.lowercased() == "environments", !segments.contains(where: \.isEmpty) else {
            return nil
        }
        try self.init(.environment, segments.dropFirst())
    }

    private init?(
        _ kind: FlareClass,
        _ rest: ArraySlice<Substring>,
        environment: String? = nil,
        zone: String? = nil,
        isFlat: Bool = false
    ) throws(RESTRefusal) {
        guard let segment = rest.first else {
            self.init(
                kind: kind,
                place: .list,
                environment: environment,
                zone: zone,
                isThingsOfEnvironment: isFlat
            )
            return
        }
        guard !isFlat else { return nil }
        let id = try Self.decoded(segment)
        let tail = rest.dropFirst()
        let place: Place
        switch (tail.first?.lowercased(), kind, tail.count) {
        case (nil, _, _): place = .object(id: id)
        case ("data", _, 1): place = .data(id: id)
        case ("data", _, 2): place = .dataValue(id: id, key: try Self.decoded(tail[tail.startIndex + 1]))
        case ("position", .thing, 1), ("position", .device, 1): place = .position(id: id)
        case ("zones", .environment, _):
            try self.init(.zone, tail.dropFirst(), environment: id)
            return
        case ("devices", .environment, _):
            try self.init(.device, tail.dropFirst(), environment: id)
            return
        case ("things", .environment, 1):
            try self.init(.thing, tail.dropFirst(), environment: id, isFlat: true)
            return
        case ("things", .zone, _):
            try self.init(.thing, tail.dropFirst(), environment: environment, zone: id)
            return
        default: return nil
        }
        self.init(
            kind: kind,
            place: place,
            environment: environment,
            zone: zone,
            isThingsOfEnvironment: false
        )
    }

    /// The parents by member name.
    var parents: [String: String] {
        let named = ["environment": environment, "zone": zone]
        return named.compactMapValues(\.self)
    }

    /// Refuses an invalid percent encoding, or one that is not UTF-8.
    private static func decoded(_ segment: Substring) throws(RESTRefusal) -> String {
        guard let text = segment.percentDecoded else {
            throw RESTRefusal(.badRequest, "Failed to decode \"\(segment)\" in the path")
        }
        return text
    }

    /// `POST /environments/E/devices/position` has the form of a device's path.
    var isNotification: Bool {
        guard case .object(let id) = place else { return false }
        return kind == .device && id.lowercased() == "position"
    }

    /// The supported methods, in the order of the response to OPTIONS.
    var methods: [HTTPRequest.Method] {
        switch place {
        case .list where isThingsOfEnvironment: [.get, .head]
        case .list: [.get, .head, .post]
        case .object where isNotification: [.get, .head, .put, .delete, .post]
        case .object: [.get, .head, .put, .delete]
        case .data, .dataValue, .position: [.get, .head]
        }
    }
}
