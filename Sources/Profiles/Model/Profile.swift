package import JSON

/// A kind of thing: what it has, how each property is shown and changed, and what can be asked of it.
/// - Source: contrib/contract/profiles.md, "Device types".
package struct Profile: Sendable, Hashable {
    /// Where a profile comes from.
    package enum Origin: Sendable, Hashable {
        case builtIn
        /// The place of its `{`.
        case file(String, SourcePosition)
    }

    /// `oemModel`: the name by which a thing chooses it.
    package let name: String
    /// `model`: what tells profiles of one name apart.
    package let model: String?
    package internal(set) var origin: Origin
    /// `class`, behind its last dot.
    package var className: String?
    /// `name`: for people; looked up in the strings.
    package var title: String?
    package var icon: String?
    package var detailScreen: String?
    package var scheduleScreen: String?
    /// The control for the whole thing in lists.
    package var deviceControl = "generic"
    /// The class behind ``deviceControl``, such as `Cover`, `ACDeviceControl` or one of an own module.
    package var deviceControlClass = "Generic"
    /// What the names of its access points look like while it is set up.
    package var ssidExpression: SSIDExpression?
    package var properties: [ProfileProperty] = []

    package init(name: String, model: String?, origin: Origin) {
        (self.name, self.model, self.origin) = (name, model, origin)
    }
}

/// A managed property of a profile.
package struct ProfileProperty: Sendable, Hashable {
    /// The key in the thing's `data`.
    package let name: String
    /// The built-in control that it acts like; `nil` for the generic one, which follows the type of the value.
    package var control: PropertyControl?
    /// The control as the file names it: an entry of `controls` or a built-in one; `nil` for the generic one.
    package var controlName: String?
    package var actions: [ProfileAction] = []
    package var roles: [String] = []
    /// Its own, else those of its control, else the usual ones of the control; `nil` where there is no limit.
    package var minimum: Double?
    package var maximum: Double?
    package var step: Double?
    package var unit: String?
    /// Left out while the thing has no such value.
    package var isOptional = false
    package var notifies = false
    package var isScheduled = false

    package init(name: String) { self.name = name }
}

/// A value with a name.
package struct ProfileAction: Sendable, Hashable {
    package let name: String
    /// A boolean, number or text.
    package let value: JSONValue

    package init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
}

/// The built-in controls of a property.
package enum PropertyControl: String, Sendable, Hashable, CaseIterable {
    case `switch`, slider, dimmer, select, button
    case decimalInput = "decimal_input"
    case integerInput = "integer_input"
    case colourPicker = "color_picker"
    case textInput = "text_input"
    case readonlyText = "readonly_text"
}
