import Flare
import JSON
import Testing

struct ProximityLimitTests {
    @Test(
        arguments: [
            (nil, 1.5), ([:], 1.5), (["distance": 0], 1.5), (["distance": .null], 1.5),
            (["distance": "far"], 1.5),
            (["distance": true], 1.5), (["distance": 4], 4), (["distance": 0.25], 0.25),
            (["distance": "2.5"], 2.5),
        ] as [(JSONObject?, Double)]
    )
    func `the environment's distance is used with a default of 1.5 metres`(
        data: JSONObject?,
        metres: Double
    ) {
        #expect(ProximityLimit.metres(environmentData: data) == metres)
    }
}
