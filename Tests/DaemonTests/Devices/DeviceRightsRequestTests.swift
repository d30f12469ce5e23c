import Accounts
import Daemon
import JSON
import People
import Receivers
import Settings
import TestSupport
import Testing

/// What requests about the list of devices show and change for users, by their rights on devices.
@Suite(.timeLimit(.minutes(2)))
struct DeviceRightsRequestTests {
    @Test func `whose a device is sees it, and changes its name and kind alone`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            _ = await devices.ask("POST", "device-settings", ["node": "cat", "user": "bob"])
            let rows = await devices.ask("GET", as: devices.anna).body.array ?? []
            #expect(rows.map { $0["node"] } == ["anna"])
            #expect(rows.first?["heard_as"] == ["irk:***", "phone:anna"])
            let renamed = await devices.ask(
                "PATCH",
                "device-settings/anna",
                ["name": "Mine"],
                as: devices.anna
            )
            #expect(renamed.status == 200 && renamed.body["name"] == "Mine", "\(renamed.body)")
            // An id decides whom the daemon follows.
            let changes: [JSONValue] = [["heard_as": ["phone:bob"]], ["user": "bob"], ["location": "a/b"]]
            for change in changes {
                let answer = await devices.ask("PATCH", "device-settings/anna", change, as: devices.anna)
                #expect(answer.status == 403, "\(change)")
            }
            let others = [
                await devices.ask("GET", "device-settings/cat", as: devices.anna).status,
                await devices.ask("PATCH", "device-settings/cat", ["name": "x"], as: devices.anna).status,
                await devices.ask("DELETE", "device-settings/cat", as: devices.anna).status,
                await devices.ask("DELETE", "device-settings/anna", as: devices.anna).status,
                await devices.ask("POST", "device-settings", ["node": "x"], as: devices.anna).status,
                await devices.ask(
                    "PATCH",
                    "device-settings/anna",
                    ["name": "x"],
                    as: devices.anna,
                    ceiling: .read
                )
                .status,
            ]
            #expect(others == [404, 404, 404, 403, 403, 403])
        }
    }

    @Test func `who may read all devices does not see what they are heard as`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            try devices.accounts.change { store in
                _ = try store.addGrant(
                    Grant(id: 0, .user(devices.bob), .read, .devices),
                    by: .program(at: 1)
                )
            }
            let rows = await devices.ask("GET", as: devices.bob).body.array ?? []
            #expect(rows.map { $0["node"] } == ["anna"])
            #expect(rows.first?["heard_as"] == nil && rows.first?["location"] == nil)
            let owned = await devices.ask("GET", as: devices.owner).body.array ?? []
            #expect(owned.first?["heard_as"] != nil)
        }
    }

    @Test func `a right on one device shows that device alone`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            _ = await devices.ask("POST", "device-settings", ["node": "cat"])
            try devices.accounts.change { store in
                _ = try store.addGrant(
                    Grant(id: 0, .user(devices.bob), .read, .device("cat")),
                    by: .program(at: 1)
                )
            }
            let rows = await devices.ask("GET", as: devices.bob).body.array ?? []
            #expect(rows.map { $0["node"] } == ["cat"] && rows.first?["heard_as"] == nil)
            let renamed = await devices.ask(
                "PATCH",
                "device-settings/cat",
                ["name": "x"],
                as: devices.bob
            )
            #expect(renamed.status == 403)
        }
    }

    @Test func `rights on a device do not count for the next one of its node`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            try devices.accounts.change { store in
                for (access, scope) in [(Access.read, Scope.device("anna")), (.write, .device("other"))] {
                    let right = Grant(id: 0, .user(devices.bob), access, scope)
                    _ = try store.addGrant(right, by: .program(at: 1))
                }
            }
            #expect(await devices.ask("GET", "device-settings/anna", as: devices.bob).status == 200)
            let refused = await devices.ask("DELETE", "device-settings/anna", as: devices.bob)
            #expect(
                refused.status == 403
                    && devices.accounts.table.grants.count { $0.scope == .device("anna") } == 1
            )
            let removed = await devices.ask("DELETE", "device-settings/anna")
            #expect(removed.body["grants"] == [["who": "bob", "access": "read"]], "\(removed.body)")
            await devices.addPhone()
            #expect(await devices.ask("GET", "device-settings/anna", as: devices.bob).status == 404)
            #expect(devices.accounts.table.grants.contains { $0.scope == .device("other") })
            try devices.accounts.flush()
            let rows = try devices.store.withAccounts { try $0.log() }.filter { $0.kind == "grant rm" }
            #expect(rows.map(\.target) == ["device:anna"])
        }
    }

    @Test(arguments: [true, false])
    func `rights on a device stay while the file, or the daemon itself, has one of its node`(isInFile: Bool)
        async throws
    {
        try await withDevices { devices in
            await devices.addPhone()
            try devices.accounts.change { store in
                let right = Grant(id: 0, .user(devices.bob), .read, .device("anna"))
                _ = try store.addGrant(right, by: .program(at: 1))
            }
            try devices.registry.use(
                file: isInFile ? [DeviceSettings(number: 1, node: "anna", heardAs: ["name:x"])] : [],
                first: isInFile ? "tablet" : "anna"
            )
            let removed = await devices.ask("DELETE", "device-settings/anna")
            #expect(removed.body["in_file"] == .bool(isInFile) && removed.body["grants"] == [])
            #expect(devices.accounts.table.grants.contains { $0.scope == .device("anna") })
        }
    }
}
