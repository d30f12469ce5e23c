package import Controller
import Flare
package import Messages
import People

/// Holds the topics of objects back until the broker's access list knows where the objects are.
///
/// Who may read an object's topics depends on its place, and the broker learns of a move a moment after us. A message
/// that was published at once would reach those who could see the object before, and name a place that they may
/// not see. Zones wait, too, when they begin to say who is in them: with the first of several devices.
package struct AccessListGate: Sendable {
    private struct Wait {
        let number: Int
        let topics: [String]
    }

    private let topics: Topics
    private var places: [ObjectReference: AccessObject] = [:]
    private var waits: [ObjectReference: Wait] = [:]
    /// Whether zones say who is in them, which fewer people may read.
    private var saysWhoIsInZones = false
    /// Counts the turns in which objects moved: a list that is made now knows of all of them.
    package private(set) var number = 0

    package init(_ topics: Topics) { self.topics = topics }

    /// Holds back the topics of what has moved or is new; call it before they are rendered.
    package mutating func observe(_ snapshot: StateSnapshot, in store: inout RetainedTopicStore) {
        let state = snapshot.state
        var hasMoved = false
        if saysWhoIsInZones == state.nodes.isEmpty {
            saysWhoIsInZones.toggle()
            places = places.filter { $0.key.kind != .zone }
        }
        for case .object(let object) in snapshot.changes where object.kind != .device {
            guard let slug = state.slugs[object.kind, object.id] else { continue }
            let place = state.accessObject(object)
            guard place != places[object] else { continue }
            places[object] = place
            guard place != nil else {
                if let wait = waits.removeValue(forKey: object) { store.release(wait.topics) }
                continue
            }
            if !hasMoved { number += 1 }
            hasMoved = true
            let held = topics.object(object.kind, all: slug)
            store.hold(held)
            waits[object] = Wait(number: number, topics: held)
        }
    }

    /// Publishes the objects whose places a list has that the broker uses by now.
    ///
    /// - Parameter number: ``number`` when the list was made.
    package mutating func listApplied(_ number: Int, in store: inout RetainedTopicStore) {
        let known = waits.filter { $0.value.number <= number }
        for object in known.keys { waits[object] = nil }
        store.release(known.values.flatMap(\.topics))
    }

    /// Holds back in another store what waits.
    package func hold(in store: inout RetainedTopicStore) {
        for wait in waits.values { store.hold(wait.topics) }
    }

    /// Publishes everything, because the broker has no list any more.
    package mutating func end(in store: inout RetainedTopicStore) {
        store.release(waits.values.flatMap(\.topics))
        waits = [:]
    }
}
