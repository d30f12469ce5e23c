import Controller
import Flare

/// The environments, zones and things as encoded JSON, each encoded once until it changes.
struct ObjectTexts: Sendable {
    private var texts: [ObjectReference: [UInt8]] = [:]
    /// The objects of a class by short name, sorted once until one changes.
    private var orders: [FlareClass: [ObjectReference]] = [:]

    /// Forgets what has changed.
    mutating func forget(_ changes: Set<StateChange>) {
        for change in changes {
            switch change {
            case .object(let object): (texts[object], orders[object.kind]) = (nil, nil)
            case .environment: orders = [:]
            // Every thing says whether it can be reached.
            case .link: texts = texts.filter { $0.key.kind != .thing }
            default: break
            }
        }
    }

    /// `nil` for an object that is not known.
    mutating func text(of object: ObjectReference, in state: ControllerState) -> [UInt8]? {
        if let text = texts[object] { return text }
        guard let text = state.webJSON(object)?.bytes else { return nil }
        texts[object] = text
        return text
    }

    /// The objects of a class, as a JSON list.
    ///
    /// - Parameter isSeen: Whether an object is in the list.
    mutating func list(
        _ kind: FlareClass,
        in state: ControllerState,
        where isSeen: (ObjectReference) -> Bool = { _ in true }
    ) -> [UInt8] {
        let order = orders[kind] ?? state.webObjects(kind)
        orders[kind] = order
        var list: [UInt8] = [UInt8(ascii: "[")]
        for object in order where isSeen(object) {
            guard let text = text(of: object, in: state) else { continue }
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += text
        }
        list.append(UInt8(ascii: "]"))
        return list
    }
}
