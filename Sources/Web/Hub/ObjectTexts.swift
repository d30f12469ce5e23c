import Controller
import Flare

/// The environments, zones and things as encoded JSON, each encoded once until it changes.
struct ObjectTexts: Sendable {
    private var texts: [ObjectReference: [UInt8]] = [:]

    /// Forgets what has changed.
    mutating func forget(_ changes: Set<StateChange>) {
        for change in changes {
            switch change {
            case .object(let object): texts[object] = nil
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

    /// All objects of a class, as a JSON list.
    mutating func list(_ kind: FlareClass, in state: ControllerState) -> [UInt8] {
        var list: [UInt8] = [UInt8(ascii: "[")]
        for object in state.webObjects(kind) {
            guard let text = text(of: object, in: state) else { continue }
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += text
        }
        list.append(UInt8(ascii: "]"))
        return list
    }
}
