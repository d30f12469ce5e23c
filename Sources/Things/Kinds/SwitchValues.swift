import JSON

/// The stored values of a switch.
struct SwitchValues: Sendable {
    private let off: JSONValue?
    private let on: JSONValue?
    private let hasActions: Bool
    /// Whether a number stays one when there are no actions.
    private let keepsNumbers: Bool

    /// - Parameters:
    ///   - actions: Those of the property; without any the values are false and true.
    ///   - keepsNumbers: Whether 0 and 1 are kept where the thing has them; only for what is no switch by its profile.
    ///
    /// Off is the action whose value is 0 or false, else the one that is called so; on is the one that is not off.
    init(_ actions: [ThingProperty.Action], keepsNumbers: Bool = false) {
        self.keepsNumbers = keepsNumbers
        hasActions = !actions.isEmpty
        let off =
            actions.first { Self.truth(of: $0.value) == false }
            ?? actions.first { Self.isCalledOff($0.name) }
        let others = actions.filter { $0.value != off?.value }
        let on = others.first { Self.truth(of: $0.value) == true } ?? others.first
        // Without a name that says so, the first of two is off.
        if off == nil, let first = actions.first, let last = actions.last, actions.count > 1 {
            let isFirstOn = Self.truth(of: first.value) == true || Self.isCalledOn(first.name)
            (self.off, self.on) = isFirstOn ? (last.value, first.value) : (first.value, last.value)
        } else {
            (self.off, self.on) = (off?.value, on?.value)
        }
    }

    /// The value to store; `nil` if no action gives it.
    /// - Parameter current: The present value.
    func value(isOn: Bool, like current: JSONValue? = nil) -> JSONValue? {
        if let value = isOn ? on : off { return value }
        guard hasActions else {
            return keepsNumbers && current?.number != nil ? isOn ? 1 : 0 : .bool(isOn)
        }
        switch isOn ? off : on {
        case .bool?: return .bool(isOn)
        case .number?: return isOn ? 1 : 0
        default: return nil
        }
    }

    /// Whether a value is that of on or of off; `nil` for another one.
    func state(of value: JSONValue) -> Bool? {
        if value == self.value(isOn: true) { return true }
        return value == self.value(isOn: false) ? false : nil
    }

    /// Whether a stored value means on; what no action has is read as plain data are.
    func isOn(_ value: JSONValue) -> Bool {
        if value == off { return false }
        if value == on { return true }
        switch value {
        case .bool(let flag): return flag
        case .number(let number): return number != 0
        case .string(let text): return Self.truth(of: .string(text)) ?? true
        case .null: return false
        case .numeral, .array, .object: return true
        }
    }

    private static func truth(of value: JSONValue) -> Bool? {
        switch value {
        case .bool(let flag): flag
        case .number(0): false
        case .number(1): true
        case .string(let text):
            switch text.lowercased() {
            case "off", "false", "0", "no", "": false
            case "on", "true", "1", "yes": true
            default: nil
            }
        default: nil
        }
    }

    private static func isCalledOff(_ name: String) -> Bool { isCalled("off", name) }

    private static func isCalledOn(_ name: String) -> Bool { isCalled("on", name) }

    /// Whether a word stands alone in a name: `off`, `turn_off`, `heat-off`, `off_now`.
    private static func isCalled(_ word: String, _ name: String) -> Bool {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.contains { $0 == word }
    }
}
