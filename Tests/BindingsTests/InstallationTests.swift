import Bindings
import JSON
import People
import Testing
import Things

struct InstallationTests {
    private static let (ann, bob) = (AccountID(high: 1, low: 1), AccountID(high: 2, low: 2))

    private static func request(_ token: String, isDevelopment: Bool = false) throws -> Installation.Request {
        try Installation.Request([
            "installationRegistrationID": .string(token), "deviceType": "ANDROID",
            "development": .bool(isDevelopment),
        ])
    }

    @Test func `the same token again moves the installation to its new owner`() throws {
        let first = Installation.registered(try Self.request("t"), known: nil, newID: "i-1", owner: Self.ann)
        #expect(first.id == "i-1")
        let moved = Installation.registered(
            try Self.request("t"),
            known: first,
            newID: "i-2",
            owner: Self.bob
        )
        #expect(moved.id == "i-1")
        #expect(moved.owner == Self.bob)
        #expect(moved.isSame(as: first))
        let other = try Self.request("t", isDevelopment: true)
        #expect(Installation.registered(other, known: first, newID: "i-2", owner: Self.bob).id == "i-2")
    }

    @Test func `tokens that only look alike are of two installations`() throws {
        let first = Installation.registered(try Self.request("é"), known: nil, newID: "i-1", owner: Self.ann)
        let other = Installation.registered(
            try Self.request("e\u{301}"),
            known: first,
            newID: "i-2",
            owner: Self.ann
        )
        #expect(other.id == "i-2")
        #expect(!other.isSame(as: first))
    }

    @Test(
        arguments: [
            ([:], "installationRegistrationID is missing"),
            (
                ["installationRegistrationID": "", "deviceType": "IOS"],
                "installationRegistrationID must be a text"
            ),
            (
                ["installationRegistrationID": "t"],
                "deviceType is missing; it must be one of IOS, ANDROID, JPUSH, MQTT"
            ),
            (["installationRegistrationID": "t", "deviceType": "ios"], "deviceType must be one of IOS"),
            (
                ["installationRegistrationID": "t", "deviceType": "IOS", "development": 1],
                "development must be true or false"
            ),
        ] as [(JSONValue, String)]
    )
    func `a refusal names what is wrong and what is legal`(json: JSONValue, sentence: String) {
        let refusal = #expect(throws: Refusal.self) { try Installation.Request(json) }
        #expect(refusal?.message.hasPrefix(sentence) == true, "\(refusal?.message ?? "")")
    }

    @Test(arguments: Installation.DeviceType.allCases)
    func `each type of device is read as itself`(device: Installation.DeviceType) throws {
        let request = try Installation.Request([
            "installationRegistrationID": "t", "deviceType": .string(device.rawValue),
        ])
        #expect(request.device == device)
        #expect(!request.isDevelopment)
    }

    @Test func `an installation is notified of the end of a command`() throws {
        let installation = Installation("i-1", try Self.request("t"), owner: Self.ann)
        let thing = BindingID(high: 0, low: 1)
        let command = ThingCommand(
            "c-1",
            of: thing,
            CommandRequest([CommandAction("on", true)]),
            issuer: nil,
            created: 0,
            deadline: 0,
            state: .done
        )
        #expect(
            installation.notice("m-1", of: command) == [
                "id": "m-1", "to": "t", "installation": "i-1", "deviceType": "ANDROID", "kind": "command",
                "commandID": "c-1", "thingID": .string("\(thing)"), "state": "DONE",
            ]
        )
    }
}
