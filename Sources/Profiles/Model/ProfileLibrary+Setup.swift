extension ProfileLibrary {
    /// The profiles of things that can be found by the names of their access points.
    package var discoverable: [Profile] { profiles.filter { $0.ssidExpression != nil } }
}

extension [Profile] {
    /// The first profile whose expression finds a name of an access point; `nil` if none does.
    package func first(forSSID name: String) -> Profile? {
        first { $0.ssidExpression?.matches(name) == true }
    }
}
