/// An entry of `flare.servers`: a remote server for a service.
package struct NamedServer: Sendable, Hashable {
    /// What kind of cloud an application is for.
    /// - Source: contrib/contract/profiles.md, "sdkConfig".
    package enum ServiceType: String, Sendable, CaseIterable {
        case dynamic = "Dynamic"
        case field = "Field"
        case development = "Development"
        case staging = "Staging"
        case demo = "Demo"
    }

    /// - Source: contrib/contract/profiles.md, "sdkConfig".
    package enum Location: String, Sendable, CaseIterable {
        case usa = "USA"
        case china = "China"
        case europe = "Europe"
    }

    /// Counts from 1.
    package let number: Int
    package var name = ""
    /// `nil` fits every type.
    package var type: ServiceType?
    /// `nil` fits every location.
    package var location: Location?
    /// `http://HOST[:PORT]`, or with https.
    package var url = ""

    /// Whether the server is one for a service; what the service does not say fits everything.
    package func fits(type: String?, location: String?) -> Bool {
        let isOfType = self.type == nil || type == nil || self.type?.rawValue == type
        return isOfType && (self.location == nil || location == nil || self.location?.rawValue == location)
    }
}
