import Controller
import Flare
import JSON
import Messages
import Testing

struct ZoneLightsTests {
    private static let zone = FlareID(high: 2, low: 0)
    private static let other = FlareID(high: 2, low: 1)

    private func id(_ index: UInt32) -> FlareID { FlareID(high: 3, low: index) }

    private func state(_ things: [JSONObject]) -> ControllerState {
        var state = ControllerState(epoch: "e")
        for (index, data) in things.enumerated() {
            var thing = FlareThing(id: id(UInt32(index)))
            thing.zone = Self.zone
            thing.data = data
            state.things[thing.id] = thing
        }
        return state
    }

    private func lights(_ things: [JSONObject]) -> JSONValue? {
        let state = state(things)
        var lights = ZoneLights()
        for id in state.things.keys.sorted() { _ = lights.update(id, in: state) }
        return lights.json(of: Self.zone)
    }

    @Test(
        arguments: [
            ([["volume": 1], [:], ["on": true, "kind": "switch"]], nil),
            ([["on": true], ["on": false]], #"{"color_mode":"onoff","lights":2,"on":1,"state":"ON"}"#),
            ([["on": false]], #"{"color_mode":"onoff","lights":1,"on":0,"state":"OFF"}"#),
            // As bright as those that are on.
            (
                [["brightness": 1], ["brightness": 0.2], ["brightness": 0]],
                #"{"brightness":153,"color_mode":"brightness","lights":3,"on":2,"state":"ON"}"#
            ),
            // The colour of the first that is on.
            (
                [["on": false, "color": "red"], ["on": true, "color": "blue"], ["on": true]],
                #"{"color":{"b":255,"g":0,"r":0},"color_mode":"rgb","lights":3,"on":2,"state":"ON"}"#
            ),
            (
                [["on": false, "color": "red", "brightness": 0.4], ["on": true]],
                #"{"brightness":102,"color":{"b":0,"g":0,"r":255},"color_mode":"rgb","lights":2,"on":1,"state":"ON"}"#
            ),
            // White light of the first that is on.
            (
                [["on": true, "colorTemperature": 2700], ["on": true, "color": "blue"]],
                #"{"color_mode":"color_temp","color_temp":2700,"lights":2,"on":2,"state":"ON"}"#
            ),
            // A colour that nobody knows is none, and no other mode either.
            (
                [["on": true, "color": "blurple"], ["on": true, "color": "blue"]],
                #"{"color":{"b":255,"g":0,"r":0},"color_mode":"rgb","lights":2,"on":2,"state":"ON"}"#
            ),
            (
                [["on": true, "color": "blurple", "brightness": 1]],
                #"{"brightness":255,"lights":1,"on":1,"state":"ON"}"#
            ),
        ] as [([JSONObject], String?)]
    )
    func `the lights of a zone look like one`(things: [JSONObject], text: String?) {
        #expect(lights(things)?.text == text)
    }

    @Test func `how many can be reached is told when some cannot`() {
        var state = state([["on": true], ["on": true]])
        state.conditions[id(0)] = ThingCondition(isOnline: false)
        var lights = ZoneLights()
        for id in state.things.keys.sorted() { _ = lights.update(id, in: state) }
        #expect(lights.json(of: Self.zone)?["available"] == 1)
        #expect(lights.json(of: Self.zone, isLinkUp: false)?["available"] == 0)
        state.conditions[id(0)]?.isOnline = true
        _ = lights.update(id(0), in: state)
        #expect(lights.json(of: Self.zone)?["available"] == nil)
    }

    @Test func `a light that moves into another zone, loses its light or goes is counted there no more`() {
        var state = state([["on": true], ["on": true]])
        var lights = ZoneLights()
        #expect(lights.update(id(0), in: state) == [Self.zone])
        #expect(lights.update(id(1), in: state) == [Self.zone])
        state.things[id(0)]?.zone = Self.other
        #expect(lights.update(id(0), in: state) == [Self.zone, Self.other])
        #expect(lights.json(of: Self.zone)?["lights"] == 1 && lights.json(of: Self.other)?["lights"] == 1)
        state.things[id(0)]?.data = [:]
        #expect(lights.update(id(0), in: state) == [Self.other])
        #expect(lights.json(of: Self.other) == nil)
        state.things[id(1)] = nil
        #expect(lights.update(id(1), in: state) == [Self.zone])
        #expect(lights.json(of: Self.zone) == nil)
        #expect(lights.update(id(1), in: state) == [])
    }
}
