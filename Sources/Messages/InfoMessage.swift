package import Controller
package import JSON
import Text

/// `B/info`: version, run and features of the node, in less than 2 KB.
package struct InfoMessage: Sendable, Hashable {
    /// What the profile files say about the application; empty parts are left out.
    package struct Application: Sendable, Hashable {
        package var version: String?
        package var name: String?
        package var identifier: String?

        package init(version: String?, name: String?, identifier: String?) {
            (self.version, self.name, self.identifier) = (version, name, identifier)
        }

        fileprivate var json: JSONValue? {
            let members = [
                ("version", version, 40), ("name", name, 80), ("applicationIdentifier", identifier, 100),
            ]
            let present = members.compactMap { key, text, limit in
                text.map { (key, JSONValue.string(QuotedValue.clipped($0, to: limit))) }
            }
            return present.isEmpty ? nil : .object(JSONObject(present))
        }
    }

    /// The version of the contract.
    package static let schema = 1

    package var version: String
    package var node: String
    package var started: Instant
    package var epoch: String
    /// The identifier of the state folder, which copies of it have too; empty if unknown.
    package var installation: String
    /// `embedded` or `remote`.
    package var flareMode: String
    /// The address of the Flare server; user and password in it are not published.
    package var flareURL: String
    package var features: [String]
    package var application: Application?
    /// The node that publishes environments, zones and things; `nil` if it is this one.
    package var place: String?

    package init(
        version: String,
        node: String,
        started: Instant,
        epoch: String,
        installation: String = "",
        flareMode: String,
        flareURL: String,
        features: [String],
        application: Application? = nil,
        place: String? = nil
    ) {
        self.version = version
        self.node = node
        self.started = started
        self.epoch = epoch
        self.installation = installation
        self.flareMode = flareMode
        self.flareURL = flareURL
        self.features = features
        self.application = application
        self.place = place
    }

    /// Values of the configuration are truncated, so that the message stays below 2 KB.
    package var json: JSONValue {
        var members: JSONObject = [
            "version": .string(QuotedValue.clipped(version, to: 40)), "schema": JSONValue(Self.schema),
            "node": .string(QuotedValue.clipped(node, to: 64)), "started": .string(started.timestamp),
            "epoch": .string(epoch),
            "flare": ["mode": .string(flareMode), "url": .string(QuotedValue.clipped(publicURL, to: 120))],
            "features": .array(features.prefix(24).map { .string(QuotedValue.clipped($0, to: 24)) }),
            "restart_required": false,
        ]
        if !installation.isEmpty { members["installation"] = .string(installation) }
        members["application"] = application?.json
        members["place"] = place.map { .string(QuotedValue.clipped($0, to: 64)) }
        return .object(members)
    }

    /// The address without `user:password@`.
    private var publicURL: String {
        guard let scheme = flareURL.firstRange(of: "://") else { return flareURL }
        let rest = flareURL[scheme.upperBound...]
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = host.lastIndex(of: "@") else { return flareURL }
        return String(flareURL[..<scheme.upperBound]) + flareURL[flareURL.index(after: at)...]
    }
}
