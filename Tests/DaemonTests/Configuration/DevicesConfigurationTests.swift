import Accounts
@testable import Daemon
import Foundation
import Messages
import Receivers
import Rules
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
        ("  - {node: first}", "entry 1: node: first is a word of rules, as are any, last, none"),
        ("  - {node: anna}\n  - {node: anna}", "entry 2: node: anna is there twice"),
        ("  - {node: anna, kind: car}", "kind: must be phone, watch, tag, badge, tablet, pet or other"),
        ("  - {node: anna, user: \"a b\"}", "entry 1: user: must be a user's name"),
        ("  - {node: anna, location: a/+}", "entry 1: location: must be a topic"),
        ("  - {node: anna, heard_as: [\"irk:0f\"]}", "entry 1: heard_as[1]:"),
        (
            "  - {node: anna, heard_as: [\"phone:a\"]}\n  - {node: bert, heard_as: [\"phone:b\", \"phone:a\"]}",
            "entry 2: heard_as[2]: phone:a is an id of anna already"
        ),
        ("  - {node: anna, colour: red}", "unknown key \"colour\""),
    ])
    func `each mistake names its key`(yaml: String, message: String) throws {
        let problems = try problems(yaml)
        #expect(problems.count == 1 && problems.first?.contains(message) == true, "\(problems)")
    }

    @Test func `the words of rules are no nodes`() {
        let words = [RuleDevice.any, .first, .last, .nobody].compactMap(\.text)
        #expect(DeviceList.wordsOfRules == words)
    }

    @Test func `all mistakes of an entry are reported at once, each once`() throws {
        let found = try problems(
            "  - {node: Cat, kind: dog, user: \"a b\", heard_as: [bla, \"phone:a\", \"+\"]}"
        )
        #expect(found.count == 5, "\(found)")
        for field in [
            "node: must be 1 to 48", "kind: must be phone", "user: ", "heard_as[1]: ", "heard_as[3]: ",
        ] {
            #expect(found.count { $0.hasPrefix("entry 1: \(field)") } == 1, "\(field): \(found)")
        }
        // What is missing is said once, and what is unknown hides nothing.
        let other = try problems("  - {nod: cat, location: a/+}")
        #expect(other.count == 3 && other.contains { $0.hasPrefix("entry 1: location: ") }, "\(other)")
        #expect(other.contains("entry 1: needs node"), "\(other)")
    }

    @Test func `a device that is never anywhere, or is heard like many others, is a warning`() throws {
        let loaded = try load(
            "  - {node: cat}\n  - {node: dog, location: a/b}\n  - {node: owl, heard_as: [\"apple:1006:10-12\"]}\n"
        ).get()
        let advice = loaded.advice.map(\.message)
        #expect(advice.count == 2, "\(advice)")
        #expect(
            advice.first?.hasPrefix("entry 1: cat has neither heard_as nor location") == true,
            "\(advice)"
        )
        #expect(advice.last?.hasPrefix("entry 3: heard_as[1]: many devices") == true, "\(advice)")
    }

    @Test func `a device that is heard as the daemon's own is a warning that names both`() throws {
        let devices =
            "  - {node: cat, heard_as: [\"name:cat\"]}\n  - {node: anna, heard_as: [\"phone:anna\"]}\n"
        let own = "sensors: {espresense: {device: \"phone:anna\"}}\n"
        let advice = try load(devices + own).get().advice.map(\.message)
        #expect(advice.count == 1, "\(advice)")
        #expect(advice.first?.hasPrefix("entry 2: heard_as[1]: phone:anna is this daemon's own") == true)
        #expect(advice.first?.contains("as wall and as anna") == true, "\(advice)")
        #expect(try load(devices).get().advice.isEmpty)
        // What verbs have added is looked at, too.
        let folder = try ScratchFolder()
        let store = try StateStore(folder: URL(filePath: folder.path))
        defer { store.close() }
        try store.save(DeviceSettings(node: "bob", heardAs: ["phone:anna"]), at: 1)
        try store.save(DeviceSettings(node: "dog", heardAs: ["name:dog"]), at: 1)
        let stored = try load("  - {node: cat, location: a/b}\n" + own).get().values.problems(
            ofOwnDeviceAmong: store
        )
        #expect(stored.count == 1 && stored.first?.contains("as wall and as bob") == true, "\(stored)")
    }

    @Test(
        arguments: [
            // The name of a key is no secret.
            ("0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f", 0o644, true), ("anna", 0o644, false),
            ("0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f", 0o640, false),
        ] as [(String, Int, Bool)]
    )
    func `a file with an identity key that everybody can read is a warning`(
        key: String,
        mode: Int,
        isOpen: Bool
    ) throws {
        let folder = try ScratchFolder()
        let yaml = "devices: [{node: anna, heard_as: [\"irk:\(key)\"]}]\n"
        let file = try folder.write("t.yaml", yaml, mode: mode)
        let found = try ConfigurationLoader.load(file: file, environment: [:], schema: .program).warnings
            .map(\.message)
        #expect(found.contains { $0.contains("can read the identity keys") } == isOpen, "\(found)")
        #expect(!found.joined().contains("0f0f"))
    }

    @Test func `a user of a device who is not there is a warning`() async throws {
        let yaml = "  - {node: anna, user: ana}\n  - {node: bert, user: bob}\n  - {node: cat}\n"
        let values = try load(yaml).get().values
        try await withDevices { devices in
            let found = values.problems(ofDeviceUsersAmong: devices.accounts.table)
            #expect(
                found == ["devices: entry 1, user: there is no user \"ana\"; did you mean \"anna\"?"],
                "\(found)"
            )
            #expect(
                values.problems(ofDeviceUsersAmong: nil).count == 2,
                "before the first start nobody is there"
            )
        }
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
