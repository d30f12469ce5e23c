import Daemon
import Positioning
import Sensors
import Settings
import Testing

struct CompassConfigurationTests {
    private func load(_ keys: [String: String]) throws(ConfigurationErrors) -> TrilateralConfiguration {
        let variables = keys.map { key, value in
            ("TRILATERAL_SENSORS_\(key.uppercased().map { $0 == "." ? "_" : String($0) }.joined())", value)
        }
        return try ConfigurationLoader.load(
            file: nil,
            environment: Dictionary(uniqueKeysWithValues: variables),
            schema: .program
        ).values
    }

    @Test func `a declination is none, automatic, or degrees`() throws {
        #expect(try load([:]).compass.declination == nil)
        #expect(try load(["compass.declination": "null"]).compass.declination == nil)
        #expect(try load(["compass.declination": "auto"]).compass.declination == .automatic)
        #expect(try load(["compass.declination": "-3.5"]).compass.declination == .fixed(-3.5))
    }

    @Test func `a gpsd is named, or not asked`() throws {
        #expect(try load([:]).gps.gpsd == HostAndPort(host: "localhost", port: 2947))
        #expect(try load(["gps.gpsd": "[::1]:2948"]).gps.gpsd == HostAndPort(host: "::1", port: 2948))
        #expect(try load(["gps.gpsd": "null"]).gps.gpsd == nil)
        let mount = try load(["compass.mount_matrix": "0, 1, 0; -1, 0, 0; 0, 0, 1"]).compass.own.mount
        #expect(mount == Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1)))
    }

    @Test(arguments: [
        ("compass.declination", "east", "must be auto, or degrees from -180 to 180"),
        ("compass.declination", "200", "-180 to 180"),
        ("compass.mount_matrix", "1, 0; 0, 1", "must be nine numbers"),
        ("compass.source", "phone", "auto, iio, gpsd or mqtt"), ("compass.rate_hz", "0", "1 to 200"),
        ("gps.gpsd", "localhost", "HOST:PORT"), ("gps.max_error_m", "0", "1 to 100000"),
    ]) func `an illegal value is refused, and the legal ones are named`(
        _ key: String,
        _ value: String,
        _ words: String
    )
        throws
    {
        do throws(ConfigurationErrors) {
            _ = try load([key: value])
            #expect(Bool(false), "\(key): \(value) was taken")
        } catch {
            #expect(error.problems.map(\.path) == ["sensors.\(key)"])
            #expect(error.problems.first?.description.contains(words) == true, "\(error.problems)")
        }
    }
}
