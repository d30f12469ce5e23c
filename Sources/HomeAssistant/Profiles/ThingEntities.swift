package import Things

/// Which of Home Assistant's platforms show the properties of a profile.
package enum ThingEntities {
    /// The platform of each property, by name: that of the entity of several that carries it, if one does.
    ///
    /// As if a thing had all of them and no value for any; a property that nothing shows is left out.
    package static func platforms(of kind: ThingKind) -> [String: String] {
        let properties = kind.allProperties
        let entities = ProfileEntities(properties, light: kind.lightParts)
        var platforms: [String: String] = [:]
        for property in properties {
            platforms[property.name] = entities.platform(of: property)?.rawValue
        }
        return platforms
    }
}
