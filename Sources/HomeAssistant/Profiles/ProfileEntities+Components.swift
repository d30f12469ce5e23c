import JSON
import Text
import Things

/// The components of a thing with a profile, apart from its light.
extension ProfileEntities {
    /// The most important first.
    ///
    /// - Parameters:
    ///   - icon: `mdi:…`, for the entity that has the device's name.
    ///   - hidden: Actions of the thing itself that its light or switch offers.
    func components(
        _ context: EntityContext,
        icon: String?,
        hidden: Set<String>,
        _ names: inout UniqueNames
    ) -> [Component] {
        var components: [Component] = []
        var platforms: Set<ComponentName.Platform> = []
        var classes = ClassNames()
        for (index, compound) in compounds.enumerated() {
            let platform = type(of: compound).platform
            var members = compound.members(context)
            let isMain = index == 0 && !hasLight
            members["name"] = isMain ? .null : context.title(of: compound.main)
            if isMain { members["icon"] = icon.map { .string($0) } }
            let isFirst = platforms.insert(platform).inserted
            let name = isFirst ? ComponentName(platform) : names.name(platform, for: compound.main.name)
            components.append(name.with(members))
        }
        let settings = singles.filter { !$0.property.isReadOnly }
        for single in settings + singles.filter(\.property.isReadOnly) {
            var members = single.members(context)
            let isMain = single.property.name == mainSwitch
            members["name"] = isMain ? .null : context.title(of: single.property)
            if isMain { members["icon"] = icon.map { .string($0) } }
            if !isMain, context.translated(single.property.name) == nil {
                members = classes.reduced(
                    members,
                    platform: single.platform,
                    label: PlainName.of(single.property.name)
                )
            }
            let platform = single.platform
            let name = isMain ? ComponentName(platform) : names.name(platform, for: single.property.name)
            components.append(name.with(members))
        }
        return components + buttons(context, hidden, &names)
    }

    /// A button for each action that no other entity offers.
    private func buttons(_ context: EntityContext, _ hidden: Set<String>, _ names: inout UniqueNames)
        -> [Component]
    {
        let borrowed = Set(compounds.flatMap { $0.borrowed(context) })
        return context.actions.compactMap { action in
            let isOffered =
                action.property.map { offers(action.name, of: $0, context) } ?? hidden.contains(action.name)
            guard !isOffered, !borrowed.contains(action.listed),
                (1...200).contains(action.listed.unicodeScalars.count)
            else { return nil }
            let title = context.translated(action.name) ?? PlainName.of(action.name)
            var members: JSONObject = [
                "name": .string(QuotedValue.clipped(title, to: 120)),
                "command_topic": context.actionTopic,
                "payload_press": EntityContext.payload(action.listed),
            ]
            if hasLight, ThingDiscovery.steps.contains(action.name) {
                members["enabled_by_default"] = false
            }
            return names.name(.button, for: action.listed).with(members)
        }
    }

    /// Whether the entity that carries a property offers one of its actions.
    private func offers(_ name: String, of property: String, _ context: EntityContext) -> Bool {
        for compound in compounds {
            guard let carried = compound.carried.first(where: { $0.name == property }) else { continue }
            return carried.action(named: name).map { compound.offers($0, of: carried, context) } ?? false
        }
        let single = singles.first { $0.property.name == property }
        return single.map { $0.platform == .switch || $0.platform == .select }
            ?? lightChoices.contains(property)
    }
}
