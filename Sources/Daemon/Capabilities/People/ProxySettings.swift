import HTTPTypes
import Settings

/// A reverse proxy that signs people in to the page and the API.
///
/// - Source: contrib/contract/people.md, "Behind a proxy".
package struct ProxySettings: Sendable, Hashable {
    /// The header that names the user; `nil` for none.
    package var header: String?
    /// Where the proxy is, as networks.
    package var networks = ["127.0.0.1/32", "::1/128"]
    /// Whether unknown users are made, without rights.
    package var makesUsers = false

    package init() {}
}

extension ConfigurationKey {
    static let peopleProxy = ConfigurationKey.table([
        .init("people.proxy.header", \.people.proxy.header, .optional(.headerName)):
            "The header with which a reverse proxy names the signed-in user, as Remote-User; null for none.",
        .init("people.proxy.networks", \.people.proxy.networks, .list(.network)):
            "The networks of the proxies that are believed; the header counts from nobody else.",
        .init("people.proxy.make_users", \.people.proxy.makesUsers, .flag):
            "Whether a user whom the proxy names and nobody knows is made, without rights.",
    ])
}

extension ConfigurationRule {
    static let openProxyNetworks = ConfigurationRule(paths: ["people.proxy.networks", "people.proxy.header"])
    {
        guard $0.people.proxy.header != nil, let all = $0.people.proxy.networks.firstOfAll else { return nil }
        return
            "\(all) is everybody, or nearly: whoever can reach the page signs in as anybody; name the proxy's own address"
    }

    static let localProxyNetworks = ConfigurationRule(paths: ["people.proxy.header", "people.proxy.networks"])
    {
        let networks = $0.people.proxy.networks
        guard let header = $0.people.proxy.header, networks.firstOfAll == nil,
            let own = networks.first(where: \.isOfOwnMachine)
        else { return nil }
        return
            "every program on this machine can send \(header), as people.proxy.networks has \(own), and sign in as anybody; "
            + "give the proxy a machine that has no other users"
    }
}

extension ConfigurationType<String> {
    fileprivate static var headerName: ConfigurationType {
        checked("the name of a header that only the proxy sends, such as Remote-User") { name in
            HTTPField.Name(name) != nil && !isSentByClients(name.lowercased())
        }
    }

    /// Headers that browsers and other programs send by themselves, or that a proxy uses for something else.
    private static func isSentByClients(_ name: String) -> Bool {
        let names = [
            "authorization", "cache-control", "connection", "cookie", "date", "dnt", "expect", "forwarded",
            "from", "host", "keep-alive", "origin", "pragma", "priority", "range", "referer", "te", "trailer",
            "transfer-encoding", "upgrade", "upgrade-insecure-requests", "user-agent", "via", "x-real-ip",
            "x-request-id", "x-requested-with",
        ]
        let families = [
            "accept", "content-", "if-", "sec-", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port",
            "x-forwarded-proto",
        ]
        return names.contains(name) || families.contains(where: name.hasPrefix)
    }
}

extension String {
    /// Whether a network has an address of this machine alone.
    var isOfOwnMachine: Bool { hasPrefix("127.") || hasPrefix("::1/") || self == "::1" }
}

extension [String] {
    /// The first network that has every address, or so many that it is no network of anybody's own.
    package var firstOfAll: String? {
        first { Int($0.split(separator: "/").last ?? "").map { $0 < 8 } ?? false }
    }
}
