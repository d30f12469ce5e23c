import Controller
import JSON
import Messages
import Testing

/// A place of an earlier run says so in every message.
struct StaleTests {
    @Test func `what is stale says so, and its things are offline`() {
        var state = Place.state
        let (zone, lamp) = (Place.hall, Place.lamp)
        func messages() -> [JSONValue?] {
            [
                state.environmentJSON, state.environmentJSON(Place.home), state.zoneJSON(zone),
                state.zoneJSON,
                state.thingJSON(lamp), state.nearbyJSON, state.feedJSON(),
            ]
        }
        #expect(messages().allSatisfy { $0?["stale"] == nil })
        #expect(state.thingAvailability(lamp) == "online")
        state.isStale = true
        #expect(messages().allSatisfy { $0?["stale"] == true })
        #expect(state.thingAvailability(lamp) == "offline" && state.nearbyAvailability == "offline")
    }
}
