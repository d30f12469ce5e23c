@testable import Daemon
import Foundation
import Messages
import Receivers
import Settings
import TestSupport
import Testing

/// The entries of `devices:`.
struct DevicesConfigurationTests {
    private func load(_ yaml: String) throws -> Result<LoadedConfiguration, ConfigurationErrors> {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", "mqtt: {base: trilateral, node: wall}\ndevices:\n" + yaml)
        do throws(ConfigurationErrors) {
            return .success(try ConfigurationLoader.load(file: file, environment: [:], schema: .program))
        } catch {
            return .failure(error)
        }
    }

    private func problems(_ yaml: String) throws -> [String] {
        guard case .failure(let errors) = try load(yaml) else { return [] }
        return errors.problems.map {
            #expect($0.path == "devices")
            return $0.message
        }
    }

    @Test(arguments: [
        ("  - {name: Anna}", "needs node"),
        ("  - {node: Anna}", "entry 1: node: must be 1 to 48 of a-z, 0-9 and single hyphens"),
        ("  - {node: wall}", "entry 1: node: wall is this daemon's own node"),
        ("  - {node: anna}\n  - {node: anna}", "entry 2: node: anna is there twice"),
        ("  - {node: anna, kind: car}", "kind: must be phone, watch, tag, badge, tablet, pet or other"),
        ("  - {node: anna, user: \"a b\"}", "entry 1: user: must be a user's name"),
        ("  - {node: anna, location: a/+}", "entry 1: location: must be a topic"),
        ("  - {node: anna, heard_as: [\"irk:0f\"]}", "entry 1: heard_as[1]:"),
        (
            "  - {node: anna, heard_as: [\"phone:a\"]}\n  - {node: bert, heard_as: [\"phone:b\", \"phone:a\"]}",
            "entry 2: heard_as[2]: phone:a is heard as anna already"
        ),
        ("  - {node: anna, colour: red}", "unknown key \"colour\""),
    ])
    func `each mistake names its key`(yaml: String, message: String) throws {
        let problems = try problems(yaml)
        #expect(problems.count == 1 && problems.first?.contains(message) == true, "\(problems)")
    }

    @Test func `more than 256 devices are refused`() throws {
        let entries = (0...256).map { "  - {node: n\($0)}\n" }.joined()
        #expect(try problems(entries).first?.contains("at most 256 devices") == true)
    }

    @Test func `the daemon may read what receivers hear, and the locations of devices`() throws {
        let loaded = try load("  - {node: anna, location: owntracks/anna/phone}\n").get()
        let grants = Capability.devices.access(loaded.values)
        #expect(
            grants
                == [
                    "espresense/devices/+/+", "espresense/rooms/+/status", "espresense/rooms/+/telemetry",
                    "owntracks/anna/phone",
                ].map { .init(access: .read, filter: $0) }
        )
    }

    @Test func `identity keys are not printed, and another key is another configuration`() throws {
        func loaded(_ key: String) throws -> LoadedConfiguration {
            try load("  - {node: anna, heard_as: [\"irk:\(key)\", \"phone:anna\"]}\n").get()
        }
        let key = String(repeating: "0f", count: 16)
        let first = try loaded(key)
        let text = ConfigurationPrinter.text(first, schema: .program)
        #expect(!text.lowercased().contains(key) && text.contains("irk:***") && text.contains("phone:anna"))
        #expect(first.values != (try loaded(String(repeating: "1e", count: 16))).values)
    }

    @Test func `the alert about a device that does not count shows nothing by which it is heard`() throws {
        let list = try DeviceList(
            file: [DeviceSettings(number: 1, node: "cat", heardAs: ["phone:x"])],
            stored: [DeviceSettings(node: "dog", heardAs: ["phone:x"])],
            first: "wall"
        )
        #expect(list.devices.map(\.node) == ["cat"])
        #expect(list.problem?.contains("does not count") == true)
        #expect(list.problem?.contains("phone:x") == false)
    }
}
