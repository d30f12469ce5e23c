import Accounts
import JSON
import People
import TestSupport
import Testing
import Threading

/// What is accepted for the list of devices, and named because it is probably a mistake.
@Suite(.timeLimit(.minutes(2)))
struct DeviceWarningTests {
    @Test func `a device without an id and a location is accepted with a warning`() async throws {
        try await withDevices { devices in
            let added = await devices.ask("POST", "device-settings", ["node": "cat"])
            let nowhere = ["cat has neither an id nor a location, so it is never anywhere"]
            #expect(added.status == 201 && Self.messages(added.body) == nowhere, "\(added.body)")
            let heard = await devices.ask("PATCH", "device-settings/cat", ["heard_as": ["name:cat"]])
            #expect(heard.status == 200 && heard.body["warnings"] == nil, "\(heard.body)")
            let again = await devices.ask("PATCH", "device-settings/cat", ["heard_as": .null])
            #expect(again.status == 200 && Self.messages(again.body) == nowhere, "\(again.body)")
            let located = await devices.ask("PATCH", "device-settings/cat", ["location": "owntracks/cat/tag"])
            #expect(located.status == 200 && located.body["warnings"] == nil, "\(located.body)")
        }
    }

    @Test func `an edit that drops an identity key says so, and one that keeps it does not`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            let kept = await devices.ask(
                "PATCH",
                "device-settings/anna",
                ["heard_as": ["name:phone", "irk:***"]]
            )
            #expect(kept.status == 200 && kept.body["warnings"] == nil, "\(kept.body)")
            let renamed = await devices.ask("PATCH", "device-settings/anna", ["name": "A"])
            #expect(renamed.status == 200 && renamed.body["warnings"] == nil, "\(renamed.body)")
            let dropped = await devices.ask("PATCH", "device-settings/anna", ["heard_as": ["name:phone"]])
            #expect(
                Self.messages(dropped.body) == [
                    "an identity key of anna was removed; irk:*** among the ids keeps one that is there"
                ],
                "\(dropped.body)"
            )
            #expect(!dropped.body.text.contains(TestDevices.key))
        }
    }

    @Test(arguments: ["phone:anna", "irk:\(TestDevices.key)"])
    func `a device that is heard as the daemon's own is accepted with a warning that names both`(
        own: String
    ) async throws {
        try await withDevices { devices in
            let free = await devices.ask("POST", "device-settings", ["node": "x", "heard_as": ["phone:x"]])
            #expect(free.status == 201 && free.body["warnings"] == nil, "\(free.body)")
            devices.own.withLock { $0 = own }
            let added = await devices.addPhone()
            let edited = await devices.ask("PATCH", "device-settings/anna", ["name": "A"])
            let other = await devices.ask("PATCH", "device-settings/x", ["name": "X"])
            #expect(other.status == 200 && other.body["warnings"] == nil, "\(other.body)")
            for answer in [added, edited] {
                let messages = Self.messages(answer.body)
                #expect(messages.count == 1, "\(answer.body)")
                #expect(messages.first?.contains("as tablet and as anna") == true, "\(messages)")
                #expect(!answer.body.text.contains(TestDevices.key))
            }
        }
    }

    @Test(
        arguments: [
            (.off, "anna is nobody's until the user \"anna\" is switched on again"),
            (.pending, "anna is nobody's until the user \"anna\", who has only signed up, is active"),
            (nil, "anna is nobody's until there is a user \"anna\""),
        ] as [(UserState?, String)]
    )
    func `a device whose user is not active is accepted with a warning, as long as that is so`(
        state: UserState?,
        message: String
    ) async throws {
        try await withDevices { devices in
            await devices.addPhone()
            try devices.accounts.change { store in
                guard let state else { return try store.removeUser("anna", by: .program(at: 1)) }
                try store.setState(state, ofUser: "anna", by: .program(at: 1))
            }
            let edited = await devices.ask("PATCH", "device-settings/anna", ["name": "A"])
            #expect(edited.status == 200 && Self.messages(edited.body) == [message], "\(edited.body)")
            #expect(edited.body["warnings"]?.array?.first?["field"] == "user")
            let other = await devices.ask("PATCH", "device-settings/anna", ["user": "bob"])
            #expect(other.status == 200 && other.body["warnings"] == nil, "\(other.body)")
            guard state == .off else { return }
            let back = await devices.ask("PATCH", "device-settings/anna", ["user": "anna"])
            #expect(back.status == 200 && Self.messages(back.body) == [message], "\(back.body)")
            let new: JSONValue = ["node": "watch", "user": "anna", "heard_as": ["phone:watch"]]
            let added = await devices.ask("POST", "device-settings", new)
            #expect(added.status == 201 && Self.messages(added.body).count == 1, "\(added.body)")
        }
    }

    @Test func `who owns one device does not learn that its user is switched off`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            try devices.accounts.change { store in
                try store.setState(.off, ofUser: "anna", by: .program(at: 1))
                let grant = Grant(id: 0, .user(devices.bob), .own, .device("anna"))
                _ = try store.addGrant(grant, by: .program(at: 1))
            }
            let edited = await devices.ask("PATCH", "device-settings/anna", ["name": "A"], as: devices.bob)
            #expect(edited.status == 200 && edited.body["warnings"] == nil, "\(edited.body)")
        }
    }

    private static func messages(_ body: JSONValue) -> [String] {
        (body["warnings"]?.array ?? []).compactMap { $0["message"]?.string }
    }
}
