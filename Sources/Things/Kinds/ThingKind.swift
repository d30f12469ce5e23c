package import Flare
package import Profiles
import Text
import JSON

/// A profile, prepared for the things that have it.
///
/// All things of a catalogue share it; two are equal when they are the same one.
package struct ThingKind: Sendable, Hashable {
    let storage: Storage

    final class Storage: Sendable {
        let profile: Profile
        let properties: [KindProperty]
        /// Indices by name.
        let index: [String: Int]
        let actions: KindActions
        let partProperties: PartProperties
        let parts: LightParts

        init(_ profile: Profile) {
            self.profile = profile
            properties = profile.properties.map { KindProperty($0) }
            index = Dictionary(properties.enumerated().map { ($1.plan.name, $0) }) { first, _ in first }
            actions = KindActions(properties)
            partProperties = PartProperties(
                properties,
                isLight: profile.deviceControl == "light" || profile.deviceControlClass == "Light"
            )
            parts = LightParts(properties, partProperties)
        }
    }

    package init(_ profile: Profile) { storage = Storage(profile) }

    package static func == (left: Self, right: Self) -> Bool { left.storage === right.storage }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }

    /// `oemModel`: the name by which things choose it.
    package var name: String { storage.profile.name }
    package var model: String? { storage.profile.model }
    /// The key of its title in the string tables.
    package var title: String { storage.profile.title ?? storage.profile.name }
    package var icon: String? { storage.profile.icon }
    /// Whether things of this kind are lights.
    package var isLight: Bool { storage.partProperties.isLight }

    // MARK: Properties

    /// The managed properties as far as they are known without a thing, all of them.
    package var allProperties: [ThingProperty] { storage.properties.map(\.plan) }

    /// The managed properties of a thing, in their order; optional ones only if it has a value for them.
    func properties(of thing: FlareThing) -> [ThingProperty] {
        storage.properties.compactMap { $0.resolved(in: thing.data) }
    }

    /// Whether the present value tells what a property accepts.
    func followsValue(of name: String) -> Bool {
        storage.index[name].map { storage.properties[$0].followsValue } ?? false
    }

    func switching(of name: String) -> SwitchValues? {
        storage.index[name].map { storage.properties[$0].switching }
    }

    /// The opposite of a switch, as it is stored.
    func toggled(_ name: String, in data: JSONObject) -> JSONValue? {
        guard let switching = switching(of: name) else { return nil }
        return switching.value(isOn: !(data[name].map { switching.isOn($0) } ?? false))
    }

    // MARK: Actions

    /// What can be asked of a thing: the actions of its properties in their order, then its own of Flare.
    package func actions(of thing: FlareThing) -> [ThingAction] {
        var actions: [ThingAction] = []
        var names: Set<String> = []
        for (action, property) in storage.actions.all
        where storage.properties[property].isSettable(in: thing.data) {
            if names.insert(action.name).inserted { actions.append(action) }
        }
        for name in thing.actions where names.insert(name).inserted {
            actions.append(ThingAction(name: name, title: name, property: nil, value: nil))
        }
        return actions
    }

    /// The action of a property that a name stands for; `nil` if it is none of its properties'.
    ///
    /// Refused if several properties have one of this name.
    package func action(named name: String, of thing: FlareThing) -> Result<ThingAction?, Refusal> {
        if let found = storage.actions.action(named: name),
            storage.properties[found.property].isSettable(in: thing.data)
        {
            return .success(found.action)
        }
        guard let forms = storage.actions.forms(of: name), !thing.actions.contains(name) else {
            return .success(nil)
        }
        return .failure(
            Refusal(
                .unknownAction,
                "several properties have the action \(QuotedValue.of(name)); it has \(QuotedValue.list(forms))",
                field: "action"
            )
        )
    }
}
