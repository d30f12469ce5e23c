package import Flare
package import JSON

/// What drives a thing, as against what changes what it is.
///
/// Commands can only drive. Where data are stored directly, as by clients of Flare, the same keys drive.
extension ThingShape {
    /// The first key of values for a thing's data that does not drive it, in alphabetical order; `nil` if all do.
    ///
    /// A key drives if a command can set it and the value is of the type that the thing has there. A dotted key, which
    /// leads into a list or an object, is judged by its first part.
    package func firstNotDriving(_ values: JSONObject, _ thing: FlareThing) -> String? {
        values.first { !drives($0.key, $0.value, thing) }?.key
    }

    private func drives(_ path: String, _ value: JSONValue, _ thing: FlareThing) -> Bool {
        let key = String(path.prefix { $0 != "." })
        let (data, isNested) = (thing.data, key.count < path.count)
        guard !value.isNull, !DataKey.isFixed(key, in: data), !DataKey.isReported(key, in: data) else {
            return false
        }
        let stored = data[key].flatMap { $0.isNull ? nil : $0 }
        if let stored, isNested {
            guard stored.object != nil || stored.array != nil else { return false }
        } else if isNested {
            return false
        }
        if kind != nil {
            guard let property = property(named: key), !property.isReadOnly else { return false }
            return isNested || value.object == nil && value.array == nil
        }
        guard let stored else {
            // A light that has only a brightness or a colour is switched by a new `on`.
            return key == "on" && value.bool != nil && hasState
        }
        return isNested || Kind(of: value) == Kind(of: stored)
    }

    /// Whether an action moves a thing that does not offer it: a built-in one of Flare, such as `north`.
    package static func moves(_ thing: FlareThing, action: String) -> Bool {
        guard !thing.actions.contains(action), thing.position != nil else { return false }
        switch BuiltInAction(rawValue: action) {
        case .north?, .south?, .east?, .west?, .up?, .down?: return true
        case .nextColor?, .previousColor?, .lighter?, .darker?, .clockwise?, .counterclockwise?, .on?, .off?,
            nil:
            return false
        }
    }

    /// Whether an action of a client of Flare drives a thing: the thing offers it, or it changes what a command can set.
    ///
    /// Other built-in actions move the thing, or give it values that it does not have; others are its clients' own.
    package func isDriving(action: String, _ thing: FlareThing) -> Bool {
        if thing.actions.contains(action) { return true }
        guard let action = BuiltInAction(rawValue: action) else { return false }
        switch action.effect(position: thing.position, data: thing.data) {
        case nil: return true
        case .position?: return false
        case .data(let key, let value)?: return drives(key, value, thing)
        }
    }
}
