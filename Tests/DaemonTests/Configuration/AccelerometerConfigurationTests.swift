import Daemon
import Sensors
import Settings
import Testing

struct AccelerometerConfigurationTests {
    private func load(_ variables: [String: String]) throws -> TrilateralConfiguration {
        try ConfigurationLoader.load(
            file: nil,
            environment: variables,
            schema: .program
        ).values
    }

    @Test func `the accelerometer is read where the compass is`() throws {
        let settings = try load(["TRILATERAL_SENSORS_COMPASS_IIO_FOLDER": "/tmp/iio"]).accelerometerSettings
        #expect(settings?.folder == "/tmp/iio" && settings?.device == nil)
        let named = try load(["TRILATERAL_SENSORS_ACCELEROMETER_DEVICE": "kxcjk1013"])
        #expect(named.accelerometerSettings?.device == "kxcjk1013")
    }

    @Test(arguments: [
        ("TRILATERAL_SENSORS_ACCELEROMETER_ENABLED", "false"),
        ("TRILATERAL_POSITIONING_ESTIMATOR", "centroid"),
    ])
    func `an accelerometer that is switched off, or that nothing asks, is not read`(
        _ key: String,
        _ value: String
    ) throws {
        #expect(try load([:]).accelerometerSettings != nil)
        #expect(try load([key: value]).accelerometerSettings == nil)
    }
}
