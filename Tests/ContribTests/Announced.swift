import Controller
import Flare
import HomeAssistant
import JSON
import Messages
import Testing

/// The entities that discovery makes for the node "demo" in config/place.json.
enum Announced {
    static var entities: Set<String> {
        get throws {
            let topics = Topics(root: "trilateral/demo")
            var configuration = DiscoveryConfiguration(node: "demo", installation: "1", topics: topics)
            configuration.hasMap = true
            var announcer = DiscoveryPublisher(configuration, remembered: [:])
            announcer.setLinks(["bluetooth", "compass", "gps"])
            let first = announcer.announceAll(try place, at: 0)
            let ids = try (first + announcer.next(1000, at: 0)).flatMap { announcement in
                let components = try JSONValue(parsing: announcement.payload)["components"]?.object ?? [:]
                return components.values.compactMap { $0["default_entity_id"]?.string }
            }
            return Set(ids)
        }
    }

    private static var place: ControllerState {
        get throws {
            var state = ControllerState(epoch: "1")
            let json = try #require(try Contrib.json("config/place.json")["environments"]?.array?.first)
            let environment = try #require(FlareEnvironment(json: json))
            state.environments[environment.id] = environment
            state.environmentID = environment.id
            _ = state.slugs.assign(to: ObjectReference(.environment, environment.id), name: environment.name)
            // A single one is not chosen.
            let other = FlareEnvironment(id: FlareID(high: 9, low: 9))
            state.environments[other.id] = other
            _ = state.slugs.assign(to: ObjectReference(.environment, other.id), name: "Other")
            for json in json["zones"]?.array ?? [] {
                let zone = try #require(FlareZone(json: json))
                state.zones[zone.id] = zone
                _ = state.slugs.assign(to: ObjectReference(.zone, zone.id), name: zone.name)
                for json in json["things"]?.array ?? [] {
                    var thing = try #require(FlareThing(json: json))
                    thing.zone = zone.id
                    state.things[thing.id] = thing
                    _ = state.slugs.assign(to: ObjectReference(.thing, thing.id), name: thing.name)
                }
            }
            state.isPlaceKnown = true
            return state
        }
    }
}
