import Things

/// What becomes of the properties of a thing with a profile: entities of several, and one for each of the others.
struct ProfileEntities {
    let compounds: [any CompoundEntity]
    /// Those of single properties, in the properties' order.
    let singles: [PropertyEntity]
    /// The main switch among the single ones, which has the device's name; `nil` if another entity has it.
    let mainSwitch: String?
    /// By property: the platform of the entity of several that carries it.
    private let carriers: [String: ComponentName.Platform]

    /// Whether a light carries some of them.
    let hasLight: Bool
    /// The properties whose actions the light offers: that for on and off, and that of its effects.
    let lightChoices: Set<String>

    /// - Parameter light: The properties that a light carries; empty for what is none.
    init(_ properties: [ThingProperty], light: Set<String>) {
        var carriers: [String: ComponentName.Platform] = [:]
        for property in properties where light.contains(property.name) { carriers[property.name] = .light }
        var pool = PropertyPool(properties.filter { !light.contains($0.name) })
        var compounds: [any CompoundEntity] = []
        for platform in Self.platforms {
            while let compound = platform.init(&pool) {
                compounds.append(compound)
                for property in compound.carried { carriers[property.name] = type(of: compound).platform }
            }
        }
        // What is only reported has a sensor of its own, too, for history and for conditions.
        singles = properties.filter { carriers[$0.name] == nil || $0.isReadOnly }.compactMap {
            PropertyEntity($0)
        }
        let isAlone = compounds.isEmpty && light.isEmpty
        mainSwitch =
            isAlone
            ? singles.first { $0.platform == .switch && $0.property.roles.contains("on_off") }?.property.name
            : nil
        hasLight = !light.isEmpty
        lightChoices = Set(
            properties.filter { light.contains($0.name) && ($0.isSwitch || $0.isChoice) }.map(\.name)
        )
        self.compounds = compounds
        self.carriers = carriers
    }

    /// The first that finds a property takes it.
    private static let platforms: [any CompoundEntity.Type] = [
        ClimateEntity.self, CoverEntity.self, FanEntity.self, HumidifierEntity.self, LockEntity.self,
        ValveEntity.self,
    ]

    /// The platform of the entity that carries a property; `nil` for one that has none.
    func platform(of property: ThingProperty) -> ComponentName.Platform? {
        if let carrier = carriers[property.name] { return carrier }
        if property.control == .button { return property.actions.isEmpty ? nil : .button }
        return PropertyEntity(property)?.platform
    }
}
