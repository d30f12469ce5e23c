import Bridge
import Controller
import Flare
import MQTT
import Testing

/// Which topics a snapshot puts into the book, in a flat with a lamp, a plant and a kitchen.
struct StateRendererTests {
    private var screen = Screen()

    @Test func `the first snapshot tells everything that is asked for, the model first`() {
        var screen = screen
        let told = screen.show(.flat, Screen.everything)
        #expect(
            told.map(\.topic) == [
                "t/n/environments/home", "t/n/things/lamp/availability", "t/n/things/lamp",
                "t/n/things/lamp/data", "t/n/things/plant/availability", "t/n/things/plant",
                "t/n/things/plant/data", "t/n/zones/kitchen",
            ].sorted { $0 < $1 } + [
                "t/n/device", "t/n/device/angle", "t/n/device/position", "t/n/environment", "t/n/nearby",
                "t/n/nearby/availability", "t/n/sensors/beacons", "t/n/sensors/cmx", "t/n/sensors/compass",
                "t/n/sensors/gps", "t/n/state", "t/n/zone",
            ] || Set(told.map(\.topic)) == Self.all
        )
        #expect(Set(told.map(\.topic)) == Self.all)
        let lastOfModel = told.lastIndex { $0.topic.contains("s/") && !$0.topic.contains("sensors/") } ?? 0
        let firstOfView = told.firstIndex { $0.topic == "t/n/state" } ?? 0
        #expect(lastOfModel < firstOfView)
        #expect(told.allSatisfy(\.isRetained))
    }
}
