import Daemon
import MQTT
import Settings
import Testing

struct RunningConfigurationTests {
    private static func configuration(_ host: String) throws -> LoadedConfiguration {
        try ConfigurationLoader.load(file: nil, environment: ["TRILATERAL_MQTT_HOST": host], schema: .program)
    }

    private var running: RunningConfiguration

    init() throws { running = RunningConfiguration(try Self.configuration("first")) }

    private var host: String { running.loaded.values.mqtt.host }

    @Test mutating func `a configuration that fails at once gives way to the one that has worked`() throws {
        running.worked()
        running.replace(with: try Self.configuration("second"))
        #expect(host == "second")
        let isFirstTaken = running.fallBack()
        #expect(isFirstTaken)
        #expect(host == "first")
        let isAnotherTaken = running.fallBack()
        #expect(!isAnotherTaken)
    }

    @Test mutating func `a failure of a configuration that has worked is no reason to take another one`()
        throws
    {
        running.worked()
        running.replace(with: try Self.configuration("second"))
        running.worked()
        let isOlderTaken = running.fallBack()
        #expect(!isOlderTaken)
        #expect(host == "second")
    }

    @Test mutating func `one that was replaced before it worked is not gone back to`() throws {
        running.worked()
        running.replace(with: try Self.configuration("second"))
        running.replace(with: try Self.configuration("third"))
        let isFirstTaken = running.fallBack()
        #expect(isFirstTaken)
        #expect(host == "first")
    }
}
