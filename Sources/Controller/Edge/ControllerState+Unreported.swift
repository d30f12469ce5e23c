package import Flare
import JSON
import Things

/// What a thing at the edge may be set to before it has reported it.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
extension ControllerState {
    /// Whether something that may be set of a thing without a profile is not in its data yet.
    package func isUnreported(_ name: String, of thing: FlareThing) -> Bool {
        unreportedKey(name, of: thing) != nil
    }

    /// A thing with a value for each attribute of a request that may be set and has none yet, which says its type.
    func settable(_ thing: FlareThing, _ attributes: JSONObject) -> FlareThing {
        guard routes.index(forKey: thing.id) != nil else { return thing }
        var settable = thing
        for (name, value) in attributes where !value.isNull {
            guard let key = unreportedKey(name, of: thing) else { continue }
            settable.data[key] = Self.example(of: key) ?? value
        }
        return settable
    }

    /// A refusal that also says that a thing has not reported what it has.
    func explained(_ refusal: Refusal, of thing: FlareThing) -> Refusal {
        guard refusal.code == .unknownAttribute, routes.index(forKey: thing.id) != nil,
            case let shape = shape(of: thing), shape.settable.isEmpty, shape.reported.isEmpty
        else { return refusal }
        return Refusal(
            refusal.code,
            "\(refusal.message); the thing has not reported anything yet",
            field: refusal.field
        )
    }

    private func unreportedKey(_ name: String, of thing: FlareThing) -> String? {
        guard let route = routes[thing.id], kind(of: thing) == nil else { return nil }
        let key = route.settable.contains(name) ? name : Self.key(ofAttribute: name)
        guard route.settable.contains(key), !key.contains("."), DataPath(key) != nil, !DataKey.isFixed(key),
            thing.data[key]?.isNull ?? true
        else { return nil }
        return key
    }

    private static func key(ofAttribute name: String) -> String {
        switch name {
        case "state": "on"
        case "level": "brightness"
        case "color_temp": "colorTemperature"
        default: name
        }
    }

    /// A value of a part of a light; `nil` for any other key, whose type is that of the first value.
    private static func example(of key: String) -> JSONValue? {
        switch key {
        case "on": false
        case "brightness": 0
        case "color": "white"
        case "colorTemperature": 2700
        default: nil
        }
    }
}
