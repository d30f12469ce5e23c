import HTTPListener

/// Where programs for Thing-IF find what they know.
///
/// - Source: contrib/contract/bindings.md, "Routes".
extension HTTPListenerConfiguration.Area {
    /// Onboarding, states and commands.
    static let thingIF = Self(prefix: "/thing-if", errorFormat: .errorCode, maximumBodyBytes: 128 * 1024)
    /// Tokens and installations.
    static let apps = Self(prefix: "/api/apps", errorFormat: .errorCode, maximumBodyBytes: 128 * 1024)
}
