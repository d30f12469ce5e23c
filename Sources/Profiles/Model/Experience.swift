package import JSON

/// Screens, menu, controls and colours of a kiosk.
/// - Source: contrib/contract/profiles.md, "userExperience".
package struct Experience: Sendable, Hashable {
    /// A screen or a control: a class with a name and parameters.
    package struct Part: Sendable, Hashable {
        package let name: String
        /// Behind its last dot.
        package let className: String
        package var title: String?
        package var icon: String?
        /// `config` or `extras`.
        package var parameters: JSONObject = [:]
    }

    /// A colour with a name.
    package struct Colour: Sendable, Hashable {
        package let name: String
        /// `#RGB` or `#RRGGBB`.
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    package let signInScreen: String
    package let homeScreen: String
    package var screens: [Part] = []
    package var controls: [Part] = []
    package var drawerMenu: [String] = []
    package var defaults: JSONObject = [:]
    package var colours: [Colour] = []

    /// Adds the screens, controls and colours of another one, under names that this one has not.
    mutating func add(_ other: Experience) {
        let names = (
            Set(screens.map(\.name)), Set(controls.map(\.name)), Set(colours.map(\.name))
        )
        screens += other.screens.filter { !names.0.contains($0.name) }
        controls += other.controls.filter { !names.1.contains($0.name) }
        colours += other.colours.filter { !names.2.contains($0.name) }
    }
}
