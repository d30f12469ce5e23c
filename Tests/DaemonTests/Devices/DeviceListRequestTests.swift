import Accounts
import Daemon
import JSON
import Logging
import People
import Receivers
import Sensors
import Settings
import TestSupport
import Testing
import Threading

/// Requests about the list of devices, of verbs and of users.
@Suite(.timeLimit(.minutes(2)))
struct DeviceListRequestTests {
    @Test func `a device that was added is listed, and is there after the next start`() async throws {
        try await withTemporaryFolder { folder in
            let devices = try TestDevices(in: folder.url)
            let added = await devices.addPhone()
            #expect(added.status == 201 && added.body["node"] == "anna", "\(added.body)")
            #expect(devices.registry.list[node: "anna"]?.name == "Anna's phone")
            // Rights on it may be given at once.
            #expect(devices.registry.nodes == ["tablet", "anna"])
            devices.store.close()
            let next = try TestDevices(in: folder.url)
            defer { next.store.close() }
            let rows = await next.ask("GET").body.array ?? []
            #expect(rows.map { $0["node"] } == ["anna"] && rows.first?["source"] == "database")
            #expect(next.registry.list.keys.map { $0.key.reveal() } == [TestDevices.key])
        }
    }

    @Test func `a verb shows where the devices are, and what a user asks does not`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            let place: JSONValue = [
                "node": "anna", "zone": "kitchen", "nearby": "lamp", "quality": "good",
                "last_seen": "2026-01-01T00:00:00.000Z",
            ]
            devices.places.withLock { $0 = [["node": "tablet", "zone": "hall"], place] }
            let rows = await devices.ask("GET").body.array ?? []
            let shown = await devices.ask("GET", "device-settings/anna").body
            for row in rows + [shown] {
                for key in ["zone", "nearby", "quality", "last_seen"] {
                    #expect(row[key] == place[key], "\(key)")
                }
                #expect(row["name"] == "Anna's phone")
            }
            #expect(rows.count == 1)
            let own = await devices.ask("GET", as: devices.anna).body.array ?? []
            #expect(own.first?["node"] == "anna" && own.first?["zone"] == nil)
        }
    }

    @Test func `who restores a backup is shown how many devices its list has`() async throws {
        try await withTemporaryFolder { folder in
            let devices = try TestDevices(in: folder.url)
            await devices.addPhone()
            devices.store.close()
            let contents = StateDatabase.daemon.contents(of: folder.path("trilateral.db"))
            let counts = try #require(contents?.counts)
            #expect(counts.first { $0.what == "devices of the list" }?.rows == 1, "\(counts)")
        }
    }

    @Test func `an identity key is in no answer, no row of the log, and hidden from logs`() async throws {
        try await withDevices { devices in
            let added = await devices.addPhone()
            #expect(added.body["heard_as"] == ["irk:***", "phone:anna"])
            let half = TestDevices.key.dropLast()
            let answers = [
                added.body, await devices.ask("GET").body,
                await devices.ask("GET", "device-settings/anna").body,
                // Wrong in several ways, each with the key.
                await devices.ask(
                    "POST",
                    "device-settings",
                    ["node": "x", "heard_as": .string("irk:\(half)")]
                )
                .body,
                await devices.ask(
                    "POST",
                    "device-settings",
                    ["node": "x", "heard_as": .string(TestDevices.key)]
                )
                .body,
                await devices.ask(
                    "POST",
                    "device-settings",
                    ["node": "x", "heard_as": .string("irk:\(TestDevices.key)")]
                ).body,
            ]
            try devices.accounts.flush()
            let log = try devices.store.withAccounts { try $0.log() }
            #expect(
                log.contains { $0.kind == "device list add" && $0.target == "anna" && $0.state == "accepted" }
            )
            let text = answers.map(\.text).joined() + log.map { "\($0)" }.joined()
            #expect(!text.contains(half.dropLast(8)), "\(text)")
            #expect(devices.hidden.withLock { $0 } == [TestDevices.key])
        }
    }

    @Test(
        arguments: [
            (["node": "Anna"], "node", "must be 1 to 48 of a-z"),
            (["node": "tablet"], "node", "this daemon's own node"),
            (["node": "none"], "node", "none is a word of rules, as are any, first, last"),
            (["node": "x", "kind": "car"], "kind", "must be one of phone, watch"),
            (["node": "x", "user": "ana"], "user", "did you mean \"anna\"?"),
            (["node": "x", "heard_as": ["phone:"]], "heard_as[1]", "must be an id such as"),
            (["node": "x", "colour": "red"], nil, "unknown key \"colour\""),
        ] as [(JSONValue, String?, String)]
    )
    func `a wrong entry is refused with the member and what is legal`(
        entry: JSONValue,
        field: String?,
        text: String
    ) async throws {
        try await withDevices { devices in
            let answer = await devices.ask("POST", "device-settings", entry)
            #expect(answer.status == 400 && answer.body["field"]?.string == field, "\(answer.body)")
            #expect(answer.body["message"]?.string?.contains(text) == true, "\(answer.body)")
            #expect(devices.registry.list.devices.isEmpty)
        }
    }

    @Test func `a device is of nobody who has signed up and is not approved`() async throws {
        try await withDevices { devices in
            try devices.accounts.change { try $0.setState(.pending, ofUser: "anna", by: .program(at: 1)) }
            let refused = await devices.addPhone()
            #expect(refused.status == 400 && refused.body["field"] == "user", "\(refused.body)")
            try devices.accounts.change { try $0.setState(.active, ofUser: "anna", by: .program(at: 1)) }
            #expect(await devices.addPhone().status == 201)
        }
    }

    @Test func `a device of the file is listed, and no request changes it`() async throws {
        let file = [DeviceSettings(number: 1, node: "cat", name: "Tom", kind: .pet, heardAs: ["name:tom"])]
        try await withDevices(file: file) { devices in
            await devices.addPhone()
            let rows = await devices.ask("GET").body.array ?? []
            #expect(rows.map { $0["source"] } == ["file", "database"])
            let answers = [
                await devices.ask("POST", "device-settings", ["node": "cat"]),
                await devices.ask("PATCH", "device-settings/cat", ["name": "Tim"]),
                await devices.ask("DELETE", "device-settings/cat"),
            ]
            for answer in answers {
                #expect(answer.status == 409)
                #expect(
                    answer.body["message"] == "cat is in the configuration file; change it there",
                    "\(answer.body)"
                )
            }
            #expect(devices.registry.list[node: "cat"]?.name == "Tom")
        }
    }

    @Test func `what no longer fits the file is listed with the reason, and can be removed`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            try devices.registry.use(
                file: [DeviceSettings(number: 1, node: "anna", heardAs: ["name:x"])],
                first: "tablet"
            )
            let rows = await devices.ask("GET").body.array ?? []
            #expect(rows.map { $0["source"] } == ["file"])
            #expect(devices.registry.stored.map(\.node) == ["anna"])
            let removed = await devices.ask("DELETE", "device-settings/anna")
            #expect(removed.status == 200 && removed.body["in_file"] == true)
            #expect(devices.registry.stored.isEmpty && devices.registry.list[node: "anna"]?.isFixed == true)

            try devices.registry.use(file: [], first: "tablet")
            await devices.addPhone()
            try devices.registry.use(
                file: [DeviceSettings(number: 1, node: "other", heardAs: ["phone:anna"])],
                first: "tablet"
            )
            let hidden = await devices.ask("GET", "device-settings/anna").body
            #expect(hidden["problem"]?.string?.contains("is an id of other already") == true, "\(hidden)")
            try devices.accounts.change { store in
                let right = Grant(id: 0, .user(devices.bob), .read, .device("anna"))
                _ = try store.addGrant(right, by: .program(at: 1))
            }
            let seen = await devices.ask("GET", "device-settings/anna", as: devices.bob).body
            #expect(seen["problem"] != nil && !seen.text.contains("other"), "\(seen)")
            #expect(!seen.text.contains("phone:anna"), "\(seen)")
        }
    }

    @Test func `an edit changes what it names, and irk:*** keeps the key`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            let edited = await devices.ask(
                "PATCH",
                "device-settings/anna",
                ["name": "Anna", "kind": .null, "heard_as": ["name:phone", "irk:***"]]
            )
            #expect(edited.status == 200, "\(edited.body)")
            #expect(edited.body["heard_as"] == ["name:phone", "irk:***"])
            let device = try #require(devices.registry.list[node: "anna"])
            #expect(device.name == "Anna" && device.kind == .other && device.user == "anna")
            #expect(devices.registry.list.keys.map { $0.key.reveal() } == [TestDevices.key])
            let without = await devices.ask("PATCH", "device-settings/anna", ["heard_as": []])
            #expect(without.status == 200 && devices.registry.list.keys.isEmpty)
            let again = await devices.ask("PATCH", "device-settings/anna", ["heard_as": ["irk:***"]])
            #expect(again.status == 400 && again.body["field"] == "heard_as")
            let renamed = await devices.ask("PATCH", "device-settings/anna", ["node": "eve"])
            #expect(renamed.status == 400 && renamed.body["field"] == "node")
        }
    }

    @Test func `the broker's list has the devices of file and database, as far as they count`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            var configuration = TrilateralConfiguration()
            func listed(_ store: StateStore?) -> [String] {
                configuration.listedDevices(with: store, first: "tablet").nodes
            }
            #expect(listed(nil) == [] && listed(devices.store) == ["anna"])
            let owners = configuration.listedDevices(with: devices.store, first: "tablet").owners
            #expect(owners == ["anna": "anna"])
            let location: JSONValue = ["location": "owntracks/anna/phone"]
            _ = await devices.ask("PATCH", "device-settings/anna", location)
            let locations = configuration.listedDevices(with: devices.store, first: "tablet").locations
            #expect(locations == ["owntracks/anna/phone"])
            configuration.devices = [DeviceSettings(number: 1, node: "cat", heardAs: ["phone:anna"])]
            #expect(listed(nil) == ["cat"] && listed(devices.store) == ["cat"])
        }
    }

    @Test func `a file that is looked at changes nothing before it is used`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            let file = [DeviceSettings(number: 1, node: "cat", heardAs: ["name:tom"])]
            let list = try devices.registry.list(file: file, first: "tablet")
            #expect(list.devices.map(\.node) == ["cat", "anna"])
            #expect(devices.registry.list.devices.map(\.node) == ["anna"])
            try devices.registry.use(file: file, first: "tablet")
            #expect(devices.registry.list == list, "a reload compares both")
        }
    }

    @Test func `each change is reported, with what is to leave the place`() async throws {
        try await withDevices { devices in
            var changes = devices.registry.changes().makeAsyncIterator()
            await devices.addPhone()
            let added = await changes.next()
            #expect(added?.leavingPlace == [] && added?.removed == [])
            #expect(devices.registry.settings.map(\.node) == ["anna"])
            _ = await devices.ask("DELETE", "device-settings/anna", query: ["place": "1"])
            let removed = await changes.next()
            #expect(removed?.leavingPlace == ["anna"] && removed?.removed == ["anna"])
            #expect(devices.registry.settings.isEmpty)
            let gone = await devices.ask("DELETE", "device-settings/anna")
            #expect(gone.status == 404)
            try devices.accounts.flush()
            let rows = try devices.store.withAccounts { try $0.log() }.filter { $0.kind == "device list rm" }
            #expect(Set(rows.map { "\($0.target ?? "-") \($0.state)" }) == ["anna accepted", "- refused"])
        }
    }

    @Test func `the devices of a user are those that name the user`() async throws {
        let file = [
            DeviceSettings(number: 1, node: "watch", user: "anna", heardAs: ["name:w"]),
            DeviceSettings(number: 2, node: "cat", user: "bob", heardAs: ["name:tom"]),
        ]
        try await withDevices(file: file) { devices in
            await devices.addPhone()
            #expect(devices.registry.nodes(of: "anna") == ["anna", "watch"])
            #expect(devices.registry.nodes(of: "bob") == ["cat"] && devices.registry.nodes(of: "a").isEmpty)
        }
    }

    @Test func `a wrong file is refused, and the list stays`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            #expect(throws: DeviceListError.self) {
                try devices.registry.use(file: [DeviceSettings(number: 1, node: "tablet")], first: "tablet")
            }
            #expect(devices.registry.list.devices.map(\.node) == ["anna"])
        }
    }
}
