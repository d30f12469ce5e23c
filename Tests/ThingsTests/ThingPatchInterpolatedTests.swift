import Flare
import JSON
import Testing
import Things

struct ThingPatchInterpolatedTests {
    private let from: JSONObject = ["on": false, "brightness": 0.2, "color": "black", "price": 1]

    private func values(to goal: JSONObject, at fraction: Double) -> JSONObject {
        values(from: from, to: goal, at: fraction)
    }

    private func values(
        from: JSONObject,
        to goal: JSONObject,
        at fraction: Double
    ) -> JSONObject {
        let light = ThingShape(Lamps.thing(from)).light(of: from)
        return ThingPatch(goal).interpolated(from: light, fraction: fraction).fields
    }

    @Test func `brightness and colour are halfway at the half`() {
        #expect(
            values(to: ["brightness": 1, "color": "white"], at: 0.5) == [
                "brightness": 0.6, "color": "#808080",
            ]
        )
    }

    @Test(arguments: [1.0, 1.5, .infinity])
    func `the end of a transition is exactly its target`(fraction: Double) {
        let goal: JSONObject = ["on": false, "brightness": 0.123_456, "color": "teal"]
        #expect(values(to: goal, at: fraction) == goal)
    }

    @Test(arguments: [0.0, -1])
    func `the start of a transition is the earlier state`(fraction: Double) {
        #expect(
            values(to: ["brightness": 1, "color": "white"], at: fraction) == [
                "brightness": 0.2, "color": "#000000",
            ]
        )
    }

    @Test func `other values change at once and switching off comes last`() {
        #expect(values(to: ["on": true, "price": 5], at: 0) == ["on": true, "price": 5])
        #expect(values(to: ["on": false], at: 0.5) == [:])
    }

    @Test func `a light that is switched on fades in from darkness`() {
        #expect(values(to: ["on": true, "brightness": 0.8], at: 0) == ["on": true, "brightness": 0.0039])
        #expect(values(to: ["on": true, "brightness": 0.8], at: 0.5) == ["on": true, "brightness": 0.4])
    }

    @Test func `a light that is switched off fades out and keeps its brightness`() {
        let from: JSONObject = ["on": true, "brightness": 0.8]
        let goal: JSONObject = ["on": false, "brightness": 0.8]
        func values(at fraction: Double) -> JSONObject {
            self.values(from: from, to: goal, at: fraction)
        }
        #expect(values(at: 0) == ["brightness": 0.8])
        #expect(values(at: 0.5) == ["brightness": 0.4])
        #expect(values(at: 0.999) == ["brightness": 0.0039])
        #expect(values(at: 1) == goal)
    }

    @Test func `values that cannot be interpolated change at once`() {
        let values = values(from: [:], to: ["brightness": 1, "color": "teal"], at: 0.5)
        #expect(values == ["brightness": 1, "color": "teal"])
    }
}
