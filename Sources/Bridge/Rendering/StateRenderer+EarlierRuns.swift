import Controller
import Flare
import JSON
import MQTT
import Messages

/// What earlier runs have published.
extension StateRenderer {
    /// The things of the last run are unavailable while the server could not be reached in this one.
    mutating func suspendThings(_ state: ControllerState, in store: inout RetainedTopicStore) {
        guard !state.isPlaceKnown, let place = state.lastPlace, state.alerts["flare-link"] != nil
        else { return }
        let offline = Array("offline".utf8)
        for object in state.slugs.objects(of: .thing) where state.slugs.home(of: object) == place {
            guard let slug = state.slugs[.thing, object.id] else { continue }
            let topic = topics.availability(thing: slug)
            store.set(MQTTMessage(topic: topic, payload: offline, qos: .atLeastOnce, isRetained: true))
        }
    }

    /// The view of a node that is the place alone: an earlier run may have been a device.
    mutating func placeAlone(
        _ state: ControllerState,
        _ changes: Set<StateChange>,
        in store: inout RetainedTopicStore
    ) {
        if !hasClearedDevice {
            hasClearedDevice = true
            let ofDevice = [
                topics.zone, topics.device, topics.nearby, topics.nearbyAvailability, topics.lifecycle,
            ]
            for topic in ofDevice + SensorKind.allCases.map(topics.sensor) { store.clear(topic) }
        }
        guard changes.contains(.environment) || changes.contains(.lifecycle) else { return }
        let environment = MQTTMessage(
            topic: topics.environment,
            payload: state.environmentJSON.bytes,
            qos: .atLeastOnce,
            isRetained: true
        )
        store.set(environment, rank: .view)
        feed(state, in: &store)
    }

    /// A server without environments counts as read: nothing of earlier runs exists.
    mutating func settle(_ state: ControllerState, in store: inout RetainedTopicStore) {
        guard state.isPlaceKnown && !state.isStale || state.alerts["no-environment"] != nil else { return }
        isSettled = true
        // Slugs of earlier runs may belong to objects that were removed meanwhile.
        for kind in [FlareClass.environment, .zone, .thing] {
            for object in state.slugs.objects(of: kind) where !state.holds(object) {
                // What is elsewhere has a slug, and no topics if it was never shown.
                if let home = state.slugs.home(of: object), !state.formerPlaces.contains(home) { continue }
                guard let slug = state.slugs[kind, object.id] else { continue }
                cleared.insert(ObjectName(kind, slug))
                let suspended = kind == .thing ? topics.availability(thing: slug) : nil
                for topic in topics.object(kind, all: slug) where topic == suspended || !store.holds(topic) {
                    store.clear(topic)
                }
            }
        }
    }
}

extension ControllerState {
    /// Whether an object of the model is here.
    func holds(_ object: ObjectReference) -> Bool {
        switch object.kind {
        case .environment: environments[object.id] != nil
        case .zone: zones[object.id] != nil
        case .thing: things.keys.contains(object.id)
        case .device: true
        }
    }
}
