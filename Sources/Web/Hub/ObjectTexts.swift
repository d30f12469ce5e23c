import Controller
import Flare
import JSON
import Messages
import People

/// The environments, zones and things as encoded JSON, each encoded once until it changes.
struct ObjectTexts: Sendable {
    /// An object, and where it is for whoever may see it.
    private struct Entry {
        let object: ObjectReference
        let place: AccessObject
    }

    private var texts: [ObjectReference: [UInt8]] = [:]
    /// Those for readers who may not see what contains the object.
    private var lone: [ObjectReference: [UInt8]] = [:]
    /// The objects of a class by short name, sorted once until one changes.
    private var orders: [FlareClass: [Entry]] = [:]

    /// Forgets what has changed.
    mutating func forget(_ changes: Set<StateChange>) {
        for change in changes {
            switch change {
            case .object(let object): (texts[object], lone[object], orders[object.kind]) = (nil, nil, nil)
            case .occupancy(let zone):
                let zone = ObjectReference(.zone, zone)
                (texts[zone], lone[zone]) = (nil, nil)
            case .environment: orders = [:]
            // Every thing says whether it can be reached.
            case .link:
                texts = texts.filter { $0.key.kind != .thing }
                lone = lone.filter { $0.key.kind != .thing }
            default: break
            }
        }
    }

    /// An object as one of its readers may see it; `nil` for one that is not known.
    mutating func text(
        of object: ObjectReference,
        in state: ControllerState,
        for reader: Reader
    ) -> [UInt8]? {
        let isContainerSeen = state.isContainerSeen(of: object, by: reader)
        if object.kind == .zone, state.saysWhoIsInZones, !reader.seesDevices {
            // Who is in it differs from reader to reader.
            let json = state.zoneJSON(object.id, for: reader)
            return (isContainerSeen ? json : json?.withoutContainer(of: .zone))?.bytes
        }
        if isContainerSeen { return text(of: object, in: state) }
        if let text = lone[object] { return text }
        guard let text = state.webJSON(object)?.withoutContainer(of: object.kind).bytes else { return nil }
        lone[object] = text
        return text
    }

    /// `nil` for an object that is not known.
    mutating func text(of object: ObjectReference, in state: ControllerState) -> [UInt8]? {
        if let text = texts[object] { return text }
        guard let text = state.webJSON(object)?.bytes else { return nil }
        texts[object] = text
        return text
    }

    /// The objects of a class that a reader may see, as a JSON list.
    mutating func list(_ kind: FlareClass, in state: ControllerState, for reader: Reader) -> [UInt8] {
        let order = orders[kind] ?? Self.order(of: kind, in: state)
        orders[kind] = order
        var list: [UInt8] = [UInt8(ascii: "[")]
        for entry in order where reader.seesEverything || reader.sees(entry.place) {
            guard let text = text(of: entry.object, in: state, for: reader) else { continue }
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += text
        }
        list.append(UInt8(ascii: "]"))
        return list
    }

    private static func order(of kind: FlareClass, in state: ControllerState) -> [Entry] {
        state.webObjects(kind).compactMap { object in
            state.accessObject(object).map { Entry(object: object, place: $0) }
        }
    }
}
