import Things

/// The range of a number, and how Home Assistant's platforms that count in steps are told of it.
struct PropertyRange: Sendable, Hashable {
    let minimum: Double
    let maximum: Double

    /// 0 to 100 where a property has no limits.
    init(_ property: ThingProperty) {
        minimum = property.minimum ?? min(0, (property.maximum ?? 100) - 1)
        let most = property.maximum ?? max(100, minimum + 1)
        // Templates divide by the width.
        maximum = most > minimum ? most : minimum + 1
    }

    /// Its whole limits; `nil` if it is no range of whole numbers, or so small that it is a share.
    var steps: (minimum: Int, maximum: Int)? {
        guard let low = Int(exactly: minimum), let high = Int(exactly: maximum), low < high - 1,
            low.magnitude < 1_000_000_000, high.magnitude < 1_000_000_000
        else { return nil }
        return (low, high)
    }
}

extension ThingProperty {
    /// Whether it is a number that can be set.
    var isNumber: Bool {
        switch control {
        case .slider, .decimalInput, .integerInput, .dimmer: true
        case .switch, .select, .button, .colourPicker, .textInput, .readonlyText: false
        }
    }

    var isSwitch: Bool { control == .switch }

    /// Whether it is one of several values with names.
    var isChoice: Bool { control == .select && !actions.isEmpty }

    /// Whether its actions name its values; a role can make a choice even of the two of a switch.
    var hasNamedValues: Bool { (control == .select || control == .switch) && !actions.isEmpty }

    /// Whether numbers are to be expected as its values; a reported text may stand for a number that is missing.
    var hasNumbers: Bool {
        switch type {
        case .integer, .decimal: true
        case .unknown: isNumber || isReadOnly
        case .text: isReadOnly && actions.isEmpty
        case .boolean: false
        }
    }

    func action(named name: String) -> Action? { actions.first { $0.name == name } }
}
