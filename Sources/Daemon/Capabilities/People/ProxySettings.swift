import HTTPTypes
import Settings

/// A reverse proxy that signs people in to the page and the API.
///
/// - Source: the people page, "Signing in".
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
    static let peopleProxy: [ConfigurationKey] = [
        .init(
            "people.proxy.header",
            \.people.proxy.header,
            .optional(.headerName),
            "The header with which a reverse proxy names the signed-in user, as Remote-User; null for none."
        ),
        .init(
            "people.proxy.networks",
            \.people.proxy.networks,
            .list(.network),
            "The networks of the proxies that are believed; the header counts from nobody else."
        ),
        .init(
            "people.proxy.make_users",
            \.people.proxy.makesUsers,
            .flag,
            "Whether a user whom the proxy names and nobody knows is made, without rights."
        ),
    ]
}

extension ConfigurationType<String> {
    fileprivate static var headerName: ConfigurationType {
        checked("the name of a header, such as Remote-User") { name in
            let known = ["authorization", "cookie", "host", "origin", "forwarded", "x-forwarded-for"]
            return HTTPField.Name(name) != nil && !known.contains(name.lowercased())
        }
    }
}
