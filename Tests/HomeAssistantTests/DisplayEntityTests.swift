import Controller
import HomeAssistant
import JSON
import Testing

/// The displays of a node.
struct DisplayEntityTests {
    private func state(_ displays: [String: Lifecycle.DisplayPresence]) -> ControllerState {
        var state = House.state
        for (id, presence) in displays { _ = state.lifecycle.setDisplay(id, presence) }
        return state
    }

    @Test func `each has an entity that is off at first, for as long as it is there`() {
        var desk = Desk.ofHouse()
        #expect(desk.component("binary_sensor_display_hall") == nil)
        desk.change(state(["web/hall": .visible]), [.lifecycle, .display("hall")])
        desk.tell(at: 100)
        let hall = desk.component("binary_sensor_display_hall")
        #expect(hall?["state_topic"] == "trilateral/n1/display/hall/visible")
        #expect(hall?["enabled_by_default"] == false && hall?["name"] == "Display hall")
        #expect(desk.ownPayloads.flatMap { PayloadCheck($0).problems } == [])
        // Another one instead of it.
        desk.change(
            state(["mqtt/door": .hidden]),
            [.lifecycle, .display("hall"), .display("door")],
            at: 5000
        )
        desk.tell(at: 20_000)
        #expect(desk.component("binary_sensor_display_hall") == nil)
        #expect(desk.component("binary_sensor_display_door") != nil)
    }

    @Test func `a display is visible if it is so by any of its interfaces`() {
        let state = state(["web/hall": .hidden, "mqtt/hall": .visible, "mqtt/door": .hidden])
        #expect(state.lifecycle.attachedDisplays == ["hall", "door"])
        #expect(state.lifecycle.isVisible("hall") == true && state.lifecycle.isVisible("door") == false)
        #expect(state.lifecycle.isVisible("wall") == nil)
    }
}
