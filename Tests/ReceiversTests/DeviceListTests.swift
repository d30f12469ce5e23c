import JSON
import Positioning
import Receivers
import SeededRandom
import Sensors
import Testing

@Suite struct DeviceListTests {
    private static let key = "ec0234a357c8ad05341010a60a397d9b"
    private static let beacon = "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7"

    private func list(_ file: [DeviceSettings], _ stored: [DeviceSettings] = []) throws(DeviceListError)
        -> DeviceList
    {
        try DeviceList(file: file, stored: stored, first: "tablet", reserved: ["users"])
    }

    private func anna(_ number: Int? = 1) -> DeviceSettings {
        DeviceSettings(
            number: number,
            node: "anna",
            name: "Anna's phone",
            kind: .phone,
            user: "anna",
            heardAs: ["irk:\(Self.key)", Self.beacon, "phone:anna", "mac:AA:BB:CC:DD:EE:FF"],
            location: "owntracks/anna/phone"
        )
    }

    @Test func `more identity keys than are tried are refused`() throws {
        func device(_ number: Int, keys: Int) -> DeviceSettings {
            let keys = (0..<keys).map { key -> String in
                let digits = String(number * 100 + key + 1, radix: 16)
                return "irk:" + String(repeating: "a", count: 32 - digits.count) + digits
            }
            return DeviceSettings(number: number, node: "n\(number)", heardAs: keys)
        }
        let most = AddressResolver.mostKeys / DeviceList.mostIDs
        let devices = (1...most).map { device($0, keys: DeviceList.mostIDs) }
        #expect(try list(devices).keys.count == AddressResolver.mostKeys)
        let error = #expect(throws: DeviceListError.self) { try list(devices + [device(99, keys: 1)]) }
        #expect(error?.description == "entry 99, heard_as: at most 512 identity keys are legal in all")
        #expect(try list(devices + [device(99, keys: 0)]).devices.count == most + 1)
    }

    @Test func `each of a device's ids finds it`() throws {
        var list = try list([anna(), DeviceSettings(number: 2, node: "cat", heardAs: ["known:112233445566"])])
        list.nameKeys(AESBlock.cipher)
        let key = try IdentityKey(text: Self.key)
        let reported = [
            Self.beacon, "phone:anna", "aabbccddeeff", "known:aabbccddeeff", "irk:\(Self.key)", "irk:anna",
            "irk:\(key.fingerprint(AESBlock.cipher))", "irk:\(key.reversed.reveal())",
        ]
        for id in reported { #expect(list.device(heardAs: HeardID(reported: id))?.node == "anna") }
        // A node that calls it otherwise still states the address.
        #expect(list.device(heardAs: .text("name:x"), address: 0x1122_3344_5566)?.node == "cat")
        #expect(list.device(heardAs: .text("name:x"), address: 1) == nil)
        #expect(list[node: "cat"]?.name == "cat" && list[node: "cat"]?.kind == .other)
        #expect(list.keys.map(\.node) == ["anna"])
    }

    @Test(
        arguments: [
            (DeviceSettings(node: ""), "node", "1 to 48 of a-z"),
            (DeviceSettings(node: "Anna"), "node", "1 to 48 of a-z"),
            (DeviceSettings(node: "a--b"), "node", "single hyphens"),
            (DeviceSettings(node: "-a"), "node", "hyphens"),
            (DeviceSettings(node: "a/b"), "node", "1 to 48"), (DeviceSettings(node: "+"), "node", "1 to 48"),
            (DeviceSettings(node: String(repeating: "a", count: 49)), "node", "1 to 48"),
            (DeviceSettings(node: "tablet"), "node", "this daemon's own node"),
            (DeviceSettings(node: "users"), "node", "is reserved"),
            (DeviceSettings(node: "any"), "node", "any is a word of rules, as are first, last, none"),
            (DeviceSettings(node: "last"), "node", "last is a word of rules, as are any, first, none"),
            (DeviceSettings(node: "a", name: " "), "name", "1 to 100 bytes"),
            (DeviceSettings(node: "a", name: "a\u{1B}[31m"), "name", "without control characters"),
            (DeviceSettings(node: "a", name: String(repeating: "x", count: 101)), "name", "1 to 100 bytes"),
            (DeviceSettings(node: "a", user: "Bob Smith"), "user", "must be a user's name"),
            (DeviceSettings(node: "a", location: "owntracks/+/phone"), "location", "must be a topic"),
            (DeviceSettings(node: "a", location: "/x"), "location", "must be a topic"),
            (
                DeviceSettings(node: "EC0234A357C8AD05341010A60A397D9B"), "node",
                "between them (has 32 hexadecimal digits)"
            ),
            (DeviceSettings(node: "a", heardAs: ["phone:a", "+"]), "heard_as[2]", "without +, # and /"),
            (DeviceSettings(node: "a", heardAs: ["phone/a"]), "heard_as[1]", "without +, # and /"),
            (
                DeviceSettings(node: "a", heardAs: ["irk:ec02"]), "heard_as[1]",
                "32 hexadecimal digits (has 4)"
            ),
            (
                DeviceSettings(node: "a", heardAs: ["phone:a", "phone:a"]), "heard_as[2]",
                "phone:a is there twice"
            ),
            (
                DeviceSettings(node: "a", heardAs: ["mac:aabbccddeeff", "AA:BB:CC:DD:EE:FF"]), "heard_as[2]",
                "twice"
            ),
            (
                DeviceSettings(node: "a", heardAs: Array(repeating: "x:y", count: 17)), "heard_as",
                "at most 16 ids"
            ),
        ] as [(DeviceSettings, String, String)]
    )
    func `a wrong entry is refused with its key and what is legal`(
        _ entry: DeviceSettings,
        _ field: String,
        _ legal: String
    ) throws {
        var entry = entry
        entry.number = 3
        let error = #expect(throws: DeviceListError.self) { try list([entry]) }
        let issue = try #require(error?.issues.first)
        #expect(issue.entry == 3 && issue.field == field && issue.message.contains(legal))
        #expect(issue.description.hasPrefix("entry 3, \(field): "))
    }

    @Test func `two devices share neither a node nor an id, and everything is reported at once`() throws {
        let bob = DeviceSettings(number: 2, node: "anna", heardAs: ["phone:bob"])
        let cleo = DeviceSettings(
            number: 3,
            node: "cleo",
            // The same key in the other order.
            heardAs: ["phone:anna", "irk:9b7d390aa610103405adc857a33402ec"]
        )
        let error = #expect(throws: DeviceListError.self) { try list([anna(), bob, cleo]) }
        #expect(
            error?.issues.map(\.description) == [
                "entry 2, node: anna is there twice",
                "entry 3, heard_as[1]: phone:anna is an id of anna already",
                "entry 3, heard_as[2]: irk:*** is an id of anna already",
            ]
        )
    }

    @Test func `no more devices count than the program may open files for`() throws {
        let devices = (1...4).map { (number: Int) in DeviceSettings(number: number, node: "n\(number)") }
        let error = #expect(throws: DeviceListError.self) {
            try DeviceList(file: devices, first: "wall", limit: 3)
        }
        let advice = "raise LimitNOFILE= of the service, or `ulimit -n`"
        #expect(
            error?.issues.map(\.description) == [
                "4 devices are listed, and this program may open files for 3: \(advice), or list fewer"
            ]
        )
        let message = "at most 3 devices are legal here, since too few files may be opened: \(advice)"
        let kept = try DeviceList(file: [], stored: devices, first: "wall", limit: 3)
        #expect(kept.devices.map(\.node) == ["n1", "n2", "n3"])
        #expect(kept.hidden.map(\.message) == ["n4: \(message)"])
        let added = DeviceSettings(node: "n5")
        #expect(throws: DeviceListError.self) {
            try kept.setting(added, stored: devices, file: [], first: "wall")
        }
        #expect(try DeviceList(file: devices, first: "wall", limit: 1000).devices.count == 4)
    }

    @Test func `at most 256 devices are legal`() throws {
        let many = (1...257).map { (number: Int) in
            DeviceSettings(number: number, node: "n\(number)", heardAs: ["phone:\(number)"])
        }
        #expect(try list(Array(many.dropLast())).devices.count == 256)
        let error = #expect(throws: DeviceListError.self) { try list(many) }
        #expect(error?.issues.map(\.description) == ["entry 257: at most 256 devices are legal"])
        let wrong = #expect(throws: DeviceListError.self) {
            try list(many.map { _ in DeviceSettings(node: "") })
        }
        #expect(wrong?.issues.count == 257 && wrong?.description.hasSuffix("; 249 more") == true)
    }

    @Test func `the file wins over the database, and says what it hides`() throws {
        let stored = [
            DeviceSettings(node: "anna", user: "ann", heardAs: ["phone:old"]),
            DeviceSettings(node: "bob", heardAs: ["phone:bob"]),
            DeviceSettings(node: "thief", user: "hal", heardAs: ["phone:anna"]),
        ]
        let list = try list([anna()], stored)
        #expect(list.hiddenUsers == ["ann", "hal"])
        // Anna's node is that of the device in the file.
        #expect(list.hiddenOwners == ["thief": "hal"])
        #expect(list.devices.map(\.node) == ["anna", "bob"] && list.devices.map(\.isFixed) == [true, false])
        #expect(
            list.hidden.map(\.description) == [
                "node: anna: anna is in the configuration file; change it there",
                "heard_as[1]: thief: phone:anna is an id of anna already",
            ]
        )
    }

    @Test func `a device of the database is added and changed, one of the file is not`() throws {
        let bob = DeviceSettings(node: "bob", heardAs: ["phone:bob"])
        let list = try list([anna()], [bob])
        var changed = bob
        changed.heardAs = ["phone:bob", "phone:bobs-watch"]
        func set(_ entry: DeviceSettings) throws(DeviceListError) -> DeviceList {
            try list.setting(entry, stored: [bob], file: [anna()], first: "tablet")
        }
        #expect(try set(changed)[node: "bob"]?.heardAs.count == 2)
        #expect(try set(DeviceSettings(node: "cat")).devices.map(\.node) == ["anna", "bob", "cat"])
        let fixed = #expect(throws: DeviceListError.self) { try set(DeviceSettings(node: "anna")) }
        #expect(fixed?.description.contains("in the configuration file; change it there") == true)
        let taken = #expect(throws: DeviceListError.self) {
            try set(DeviceSettings(node: "cat", heardAs: ["phone:bob"]))
        }
        #expect(taken?.description == "heard_as[1]: cat: phone:bob is an id of bob already")
    }

    @Test func `an id that many devices share is a warning`() throws {
        let list = try list([DeviceSettings(number: 1, node: "a", heardAs: ["phone:a", "apple:1006:10-12"])])
        #expect(list.warnings.map(\.field) == ["heard_as[2]"])
    }

    @Test func `an entry is read from an object and stored as one`() throws {
        let value = try JSONValue(
            parsing:
                #"{"node":"anna","name":"Anna","kind":"watch","user":"anna","heard_as":["irk:m305CqYQEDQFrchXozQC7A=="],"location":"a/b"}"#
        )
        let entry = try DeviceSettings(value, number: 4)
        #expect(entry.kind == .watch && entry.number == 4 && entry.heardAs.count == 1)
        // Base64 has the other order: the digits are stored.
        #expect(entry.stored["heard_as"]?.array == [.string("irk:\(Self.key)")])
        #expect(try DeviceSettings(entry.stored).node == "anna")
        #expect(try DeviceSettings(["node": "a", "heard_as": "phone:a"]).heardAs == ["phone:a"])
    }

    @Test(arguments: [
        ("[]", "must be an object"), (#"{"nod":"a"}"#, #"unknown key "nod"; did you mean "node"?"#),
        (#"{"node":5}"#, "node: must be a text (is 5)"),
        (#"{"kind":"car"}"#, "kind: must be one of phone, watch"),
        (#"{"kind":"ec0234a357c8ad05341010a60a397d9"}"#, "other (has 31 hexadecimal digits)"),
        (#"{"heard_as":[1]}"#, "heard_as: must be a list of texts"),
        (#"{"heard_as":{}}"#, "heard_as: must be a list"),
    ])
    func `another form is refused`(_ text: String, _ why: String) throws {
        let value = try JSONValue(parsing: text)
        let error = #expect(throws: DeviceListError.self) { try DeviceSettings(value) }
        #expect(error?.description.contains(why) == true)
    }

    @Test func `arbitrary lists are sound or refused`() {
        var random = SplitMix64(seed: 3)
        let nodes = ["a", "b", "c", "", "A", "tablet"]
        let ids = [
            "phone:a", "phone:b", "mac:aabbccddeeff", "aabbccddeeff", "irk:\(Self.key)", "+", "irk:12",
            Self.beacon,
        ]
        var sound = 0
        for _ in 0..<5000 {
            let entries = (0..<random.number(below: 4)).map { number in
                DeviceSettings(
                    number: number + 1,
                    node: random.pick(nodes, else: "x"),
                    heardAs: (0..<random.number(below: 3)).map { _ in random.pick(ids, else: "x:y") }
                )
            }
            guard let list = try? list(entries) else { continue }
            sound += 1
            #expect(Set(list.devices.map(\.node)).count == entries.count)
            for device in list.devices {
                for id in device.heardAs { #expect(list.device(heardAs: id)?.node == device.node) }
            }
        }
        #expect(sound > 300)
    }
}
