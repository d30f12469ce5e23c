import Flare
import JSON
import Positioning
import Testing

@Suite struct GridSettingsTests {
    private typealias Constant = GridEstimator.Constant

    @Test(arguments: GridEstimator.Constant.allCases)
    func `a constant is clamped to its range`(_ constant: GridEstimator.Constant) {
        var settings = GridEstimator.Settings()
        let range = constant.range
        #expect(range.contains(constant.standard))
        #expect(settings[constant] == constant.standard)
        #expect(constant.summary.last == ".")
        settings[constant] = range.upperBound + 1
        #expect(settings[constant] == range.upperBound)
        settings[constant] = -.infinity
        #expect(settings[constant] == range.lowerBound)
        settings[constant] = .nan
        #expect(settings[constant] == range.lowerBound)
        settings[constant] = constant.standard
        #expect(settings == GridEstimator.Settings())
    }

    private func map(_ constants: JSONValue) -> BeaconMap {
        var environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        environment.name = "Attic"
        environment.data["positioning"] = constants
        return BeaconMap(environment: environment, zones: [], things: [])
    }

    @Test func `an environment can override constants`() {
        let map = map(["path_loss_exponent": 2.8, "device_height_metres": "0.9"])
        #expect(map.problems.isEmpty)
        #expect(map.constants == [.pathLoss: 2.8, .deviceHeight: 0.9])
        let settings = GridEstimator.Settings().merging(map.constants)
        #expect(settings[.pathLoss] == 2.8)
        #expect(settings[.spread] == Constant.spread.standard)
    }

    @Test func `invalid constants are problems and the others are used`() {
        let map = map(["path_loss_exponent": 99, "sigma": 4, "leak": "much", "spread_db": 6])
        #expect(map.constants == [.spread: 6])
        #expect(map.problems.count == 3)
        #expect(
            map.problems.contains {
                $0.contains("Attic") && $0.contains("path_loss_exponent must be a number from 1")
            }
        )
        #expect(map.problems.contains { $0.contains("unknown name sigma") })
        #expect(self.map(7).problems.count == 1)
        #expect(self.map(.null).problems.isEmpty)
    }
}
