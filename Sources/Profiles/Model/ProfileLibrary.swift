/// Everything that the configured files say, joined, with the built-in profiles.
package struct ProfileLibrary: Sendable, Hashable {
    /// The built-in ones that nothing replaces, then those of the files, in their order.
    package var profiles: [Profile] = []
    package var strings = StringTables()
    package var application = ApplicationInfo()
    /// Screens, menu, controls and colours; `nil` if no file has them.
    package var experience: Experience?
    package var sdk: SDKSettings?

    package init() {}
}

/// What a configuration says about the application itself.
package struct ApplicationInfo: Sendable, Hashable {
    package var version: String?
    package var name: String?
    package var identifier: String?
}
