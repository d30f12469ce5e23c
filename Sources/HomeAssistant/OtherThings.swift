import Flare
import JSON
import Text

/// The things that other daemons announce to Home Assistant.
///
/// Two panels of one Flare server have the same things; announced by both, each is there twice.
package struct OtherThings: Sendable {
    /// The member of a thing's first component with its ``identity(of:)``.
    ///
    /// Home Assistant drops members that it does not know.
    /// - Source: Home Assistant 2026.11.0, `mqtt`, the platforms' `DISCOVERY_SCHEMA`: `REMOVE_EXTRA`.
    static let key = "flare_id"

    private static let capacity = 5000
    private static let sizeLimit = 65_536
    /// Longest root of a daemon that counts, bytes.
    private static let longestRoot = 200
    /// Most daemons that a message names.
    private static let mostNamed = 3

    /// What a thing has in common with itself on another daemon, and not with its copy on another Flare server.
    static func identity(of thing: FlareThing) -> String {
        thing.created.isEmpty ? "\(thing.id)" : "\(thing.id) \(QuotedValue.clipped(thing.created, to: 40))"
    }

    /// A thing of another daemon.
    struct Thing: Sendable, Hashable {
        let identity: String
        /// What the topics of the daemon begin with.
        let root: String
    }

    private var things: [String: Thing] = [:]

    package var isEmpty: Bool { things.isEmpty }

    /// Records an announcement, or with an empty payload its end.
    ///
    /// - Parameter identifier: What the identifiers of our own devices begin with; also those of former runs.
    /// - Returns: Whether something has changed.
    mutating func record(_ topic: String, _ payload: [UInt8], unlessOf identifier: String) -> Bool {
        let thing = Self.thing(in: payload, unlessOf: identifier)
        guard let thing else { return things.removeValue(forKey: topic) != nil }
        guard things[topic] != nil || things.count < Self.capacity else { return false }
        return things.updateValue(thing, forKey: topic) != thing
    }

    mutating func removeAll() { things.removeAll() }

    private static func thing(in payload: [UInt8], unlessOf identifier: String) -> Thing? {
        guard !payload.isEmpty, payload.count <= sizeLimit, let json = try? JSONValue(parsing: payload),
            json["origin"]?["name"]?.string == "Trilateral",
            json["device"]?["identifiers"]?.array?.first?.string?.hasPrefix(identifier) != true,
            let status = json["availability"]?.array?.first?["topic"]?.string, status.hasSuffix("/status"),
            status.utf8.count <= longestRoot, let components = json["components"]?.object
        else { return nil }
        for component in components.values {
            if let identity = component[key]?.string, identity.utf8.count <= 100 {
                return Thing(identity: identity, root: String(status.dropLast("/status".count)))
            }
        }
        return nil
    }

    /// What to do about things that are announced here as well; `nil` if there are none.
    ///
    /// - Parameter isOurs: Whether this daemon announces a thing.
    func message(where isOurs: (String) -> Bool) -> String? {
        // Not how many things or daemons: the message would change with each announcement.
        let roots = Set(things.values.filter { isOurs($0.identity) }.map(\.root)).sorted()
        guard !roots.isEmpty else { return nil }
        return
            "\(QuotedValue.list(roots.prefix(Self.mostNamed)))\(roots.count > Self.mostNamed ? " and others" : "") "
            + (roots.count == 1 ? "announces" : "announce")
            + " the same things to Home Assistant as this daemon, so each is there twice. "
            + "Set discovery.things: none on all but one."
    }
}
