package import Flare
import Profiles

/// What a profile allows rules to do with a property.
///
/// - Source: contrib/contract/profiles.md, "Fields of a property": `notify` and `schedule`.
extension ThingKind {
    /// Whether rules may notify of a property; true for what the profile does not know.
    package func isNotifiable(_ property: String) -> Bool { profileProperty(property)?.notifies ?? true }

    /// Whether schedules may set a property; true for what the profile does not know.
    package func isSchedulable(_ property: String) -> Bool { profileProperty(property)?.isScheduled ?? true }

    /// The property that an action of a thing sets; `nil` for what is no such action.
    ///
    /// - Parameter name: As commands have it.
    package func property(ofAction name: String, of thing: FlareThing) -> String? {
        guard case .success(let action?) = action(named: name, of: thing) else { return nil }
        return action.property
    }

    private func profileProperty(_ name: String) -> ProfileProperty? {
        storage.profile.properties.first { $0.name == name }
    }
}
