import Daemon
import Foundation
import Positioning
import Settings
import TestSupport
import Testing

struct IdentityKeysTests {
    private static let uuid = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
    private static let key = "000102030405060708090a0b0c0d0e0f"

    private func load(_ text: String, mode: Int = 0o600) throws -> LoadedConfiguration {
        let folder = try ScratchFolder()
        _ = try folder.write("keys", text, mode: mode)
        let file = try folder.write("t.yaml", "sensors: {beacons: {identity_keys_file: keys}}")
        return try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
    }

    private func problem(_ text: String) throws -> String {
        let folder = try ScratchFolder()
        let file = try folder.write("keys", text)
        let variables = ["TRILATERAL_SENSORS_BEACONS_IDENTITY_KEYS_FILE": file]
        do throws(ConfigurationErrors) {
            _ = try ConfigurationLoader.load(file: nil, environment: variables, schema: .program)
            return "none"
        } catch {
            return error.problems.map(\.description).joined()
        }
    }

    @Test func `a line is a beacon`() throws {
        let text = """
            # uuid  major minor  key  exponent  start

            \(Self.uuid) 1 7 \(Self.key) 10 2026-01-01T00:00:00Z
            \t\(Self.uuid)\t65535 0 \(Self.key.uppercased()) 0 1700000000.5 # the second
            """
        let uuid = try #require(BeaconUUID(Self.uuid))
        let key = try #require(CipherBlock(hexadecimal: Self.key))
        #expect(
            try load(text).values.beacons.ephemeralBeacons == [
                EphemeralBeacon(
                    identity: BeaconIdentity(uuid: uuid, major: 1, minor: 7),
                    key: key,
                    exponent: 10,
                    clockStart: 1_767_225_600
                ),
                EphemeralBeacon(
                    identity: BeaconIdentity(uuid: uuid, major: 65535, minor: 0),
                    key: key,
                    exponent: 0,
                    clockStart: 1_700_000_000.5
                ),
            ]
        )
    }

    @Test func `a key file that others can read causes a warning`() throws {
        let line = "\(Self.uuid) 1 7 \(Self.key) 10 0"
        #expect(try load(line).warnings.isEmpty)
        #expect(try load(line, mode: 0o644).warnings.first?.description.contains("chmod 600") == true)
    }

    @Test(arguments: [
        ("1 7", "line 1: must hold UUID"), ("\n\nx 1 7 k 10 0", "line 3: the UUID"),
        ("\(uuid) 65536 7 \(key) 10 0", "major and minor"), ("\(uuid) 1 x \(key) 10 0", "major and minor"),
        ("\(uuid) 1 7 \(key)0 10 0", "the key must be 32"),
        ("\(uuid) 1 7 \(key) 16 0", "exponent must be 0 to 15"),
        ("\(uuid) 1 7 \(key) 10 soon", "the start must be"),
        ("\(uuid) 1 7 \(key) 10 nan", "the start must be"),
    ])
    func `a problem in the key file has its line and does not show the key`(_ text: String, _ told: String)
        throws
    {
        let message = try problem(text)
        #expect(message.contains(told), "\(message)")
        #expect(!message.contains(Self.key))
    }

    @Test func `a file that is missing or holds too much is refused`() throws {
        let variables = ["TRILATERAL_SENSORS_BEACONS_IDENTITY_KEYS_FILE": "/nonexistent"]
        #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(file: nil, environment: variables, schema: .program)
        }
        let line = "\(Self.uuid) 1 7 \(Self.key) 10 0\n"
        #expect(try problem(String(repeating: line, count: 257)).contains("more than 256 keys"))
    }
}
