import Flare
import JSON
import Testing
import Things

struct ActionOutcomeTests {
    private func outcome(_ action: String, _ data: JSONObject, resting: Double? = nil)
        -> ActionOutcome?
    {
        let thing = Lamps.thing(data, position: .zero)
        return ActionOutcome(of: action, on: thing, ThingShape(thing), resting: resting)
    }

    @Test(
        arguments: [
            ("darker", ["brightness": 0.5], ["brightness": 102]),
            ("lighter", ["brightness": 0.5], ["brightness": 153]),
            ("nextColor", ["color": "blue"], ["color": "purple"]), ("on", ["on": false], ["state": "ON"]),
            ("off", ["on": true, "brightness": 0.5], ["state": "OFF"]),
            ("clockwise", ["angle": 30], ["angle": 60]),
            ("north", [:], ["position": ["x": 0, "y": 1, "z": 0]]),
        ] as [(String, JSONObject, JSONObject)]
    )
    func `the outcome of the server's own actions is predicted`(
        action: String,
        data: JSONObject,
        shown: JSONObject
    ) {
        #expect(outcome(action, data)?.patch == nil)
        #expect(outcome(action, data)?.shown == shown)
    }

    @Test(
        arguments: [(0.15, 0.1), (0.1, 0.1), (0.05, 0.05), (0.2, nil), (1, nil)] as [(Double, Double?)]
    )
    func `darker stops above 0`(level: Double, stored: Double?) {
        let outcome = outcome("darker", ["on": true, "brightness": .number(level)])
        #expect(outcome?.patch?.fields == stored.map { ["brightness": .number($0)] })
    }

    @Test func `on restores a brightness and off keeps it`() {
        let dark: JSONObject = ["on": true, "brightness": 0]
        #expect(outcome("on", dark)?.patch?.fields == ["on": true, "brightness": 1])
        #expect(outcome("on", dark, resting: 0.4)?.patch?.fields == ["on": true, "brightness": 0.4])
        #expect(outcome("on", dark, resting: 0.4)?.shown == ["state": "ON", "brightness": 102])
        #expect(
            outcome("off", ["on": true, "brightness": 0.1], resting: 0.4)?.patch?.fields == [
                "on": false, "brightness": 0.4,
            ]
        )
    }

    @Test(
        arguments: [
            ("nextColor", "#ffa600", "yellow"), ("previousColor", "#ffa600", "red"),
            ("nextColor", "#f00010", "orange"),
            ("nextColor", "navy", "purple"), ("nextColor", "blurple", "red"),
            ("previousColor", "blurple", "purple"),
        ]
    )
    func `the next colour continues from the nearest of the palette`(
        action: String,
        colour: String,
        next: String
    ) {
        #expect(outcome(action, ["color": .string(colour)])?.patch?.fields == ["color": .string(next)])
        #expect(outcome(action, ["color": .string(colour)])?.shown == ["color": .string(next)])
    }

    @Test func `the outcome of an action that is not built in is unknown`() {
        #expect(outcome("boil", ["on": true]) == nil)
        #expect(outcome("darker", ["on": true]) == nil)
    }
}
