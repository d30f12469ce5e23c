import JSON
import TestSupport
import Testing

/// The verbs of `device`: what they send to the daemon, what they print, and how they end.
@Suite(.timeLimit(.minutes(2))) struct DeviceVerbTests {
    private static let key = "ec0234a357c8ad05341010a60a397d9b"

    @Test func `a device is added with its ids and the key of a file, and its node is printed`() async throws
    {
        try await withVerbDesk { desk in
            let file = try desk.write("irk:\(Self.key)\n", to: "key")
            try await desk.withDaemon(["POST device-settings": .init(201, ["node": "anna"])]) {
                let end = try await desk.run([
                    "device", "add", "anna", "--name", "Anna's phone", "--kind", "phone", "--user", "anna",
                    "--heard-as", "phone:anna", "--heard-as", "name:x", "--irk-file", file,
                ])
                #expect(end.status == 0 && end.output == "anna\n", "\(end.output)")
            }
            #expect(
                desk.sent.first?.body == [
                    "node": "anna", "name": "Anna's phone", "kind": "phone", "user": "anna",
                    "heard_as": .array(["phone:anna", "name:x", .string("irk:\(Self.key)")]),
                ]
            )
        }
    }

    @Test func `a device that is added without a name is called like its node`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST device-settings": .init(201, ["node": "keys"])]) {
                let end = try await desk.run(["device", "add", "keys", "--heard-as", "name:keys"])
                #expect(end.status == 0 && end.output == "keys\n", "\(end.output)")
            }
            #expect(desk.sent.first?.body == ["node": "keys", "heard_as": ["name:keys"]])
        }
    }

    @Test(arguments: [
        "irk:\(key)", key, "IRK:ec:02:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d:9b",
        "irk:m31hpKoQEDQFrcijVzQC7A==", "ec0234a357c8ad05341010a60a397d9",
    ])
    func `a key on the command line is refused and not repeated`(id: String) async throws {
        try await withVerbDesk { desk in
            let end = try await desk.run(["device", "add", "x", "--name", "X", "--heard-as", id])
            #expect(end.status == 64 && end.output.contains("--irk-file"), "\(end.output)")
            #expect(!end.output.contains(id.dropFirst(4).prefix(8)))
        }
    }

    @Test(arguments: ["add", "edit"], ["--irk", "--key"])
    func `an option for a key leads to the one for a file, and the key is not repeated`(
        verb: String,
        option: String
    ) async throws {
        try await withVerbDesk { desk in
            for words in [
                [option, Self.key], ["\(option)=\(Self.key)"], ["--heard-as", "x", option, "short"],
                [option], [option, "--name", "A"], [option, Self.key, option, Self.key],
            ] {
                let end = try await desk.run(["device", verb, "anna"] + words)
                #expect(end.status == 64 && end.output.contains("use --irk-file FILE"), "\(end.output)")
                #expect(!end.output.contains(Self.key.prefix(8)) && !end.output.contains("short"))
            }
            let help = try await desk.run(["device", verb, "--help"])
            #expect(help.status == 0 && !help.output.contains("\(option) "), "\(help.output)")
        }
    }

    @Test(arguments: ["add", "edit"])
    func `an unknown option is named, and not what is missing without it`(verb: String) async throws {
        try await withVerbDesk { desk in
            let end = try await desk.run(["device", verb, "anna", "--zone", "b"])
            #expect(end.status == 64 && end.output.contains("Unknown option '--zone'"), "\(end.output)")
        }
    }

    @Test func `who would change the node of a device is told how to replace the device`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon([:]) {
                let end = try await desk.run(["device", "edit", "anna", "--node", "b", "--name", "B"])
                #expect(end.status == 64 && !end.output.contains("--name'"), "\(end.output)")
                for words in ["cannot be changed", "`trilateral device rm`", "`trilateral device add`"] {
                    #expect(end.output.contains(words), "\(end.output)")
                }
            }
            #expect(desk.sent.isEmpty)
            let help = try await desk.run(["device", "edit", "--help"])
            #expect(help.status == 0 && !help.output.contains("--node"), "\(help.output)")
        }
    }

    @Test(arguments: [("ec0234a357", "(has 10), or is base64"), ("anna", "is base64 of 16 bytes (has 3)")])
    func `a file without a key is named, and not its contents`(text: String, why: String) async throws {
        try await withVerbDesk { desk in
            let file = try desk.write(text + "\n", to: "key.txt")
            for verb in ["add", "edit"] {
                let end = try await desk.run(["device", verb, "x", "--irk-file", file])
                #expect(end.status == 65 && end.output.contains("key.txt: "), "\(end.output)")
                #expect(end.output.contains(why) && !end.output.contains("heard_as"), "\(end.output)")
                #expect(!end.output.contains(text), "\(end.output)")
            }
        }
    }

    @Test func `a device that is nowhere heard is not added`() async throws {
        try await withVerbDesk { desk in
            let end = try await desk.run(["device", "add", "x", "--name", "X"])
            #expect(end.status == 64 && end.output.contains("never anywhere"), "\(end.output)")
        }
    }

    @Test func `devices are printed as a table, and one that does not fit is marked`() async throws {
        let rows: JSONValue = [
            [
                "node": "cat", "name": "Tom", "kind": "pet", "source": "file", "heard_as": ["name:tom"],
            ],
            [
                "node": "anna", "name": "Anna", "kind": "phone", "source": "database", "user": "anna",
                "zone": "kitchen", "nearby": "lamp", "last_seen": .null,
                "heard_as": ["irk:***", "phone:anna"],
                "problem": "heard_as[2]: phone:anna is an id of cat already",
            ],
        ]
        try await withVerbDesk { desk in
            try await desk.withDaemon(["GET device-settings": .init(200, rows)]) {
                let end = try await desk.run(["device", "list"])
                #expect(
                    end.output == """
                        NODE  NAME  KIND   USER  ZONE     SEEN  SOURCE      HEARD AS
                        cat   Tom   pet    -     -        -     file        name:tom
                        anna  Anna  phone  anna  kitchen  -     database !  irk:***,phone:anna

                        """
                )
                let json = try await desk.run(["device", "list", "--json"])
                #expect(try JSONValue(parsing: Array(json.output.utf8)) == rows)
            }
        }
    }

    @Test func `a device is printed with its zone, what is near, and when it was heard last`() async throws {
        let row: JSONValue = [
            "node": "anna", "name": "Anna", "kind": "phone", "source": "database", "quality": "good",
            "zone": "kitchen", "nearby": "lamp", "last_seen": "2026-11-15T12:00:00.000Z",
        ]
        try await withVerbDesk { desk in
            let answers: [String: VerbDesk.Answer] = [
                "GET device-settings": .init(200, .array([row])), "GET device-settings/anna": .init(200, row),
            ]
            try await desk.withDaemon(answers) {
                let list = try await desk.run(["device", "list"])
                // The hour and perhaps the day are those of this machine.
                #expect(list.output.contains("2026-11-1"), "\(list.output)")
                let show = try await desk.run(["device", "show", "anna"])
                for text in ["kitchen", "lamp", "2026-11-15T12:00:00"] {
                    #expect(show.output.contains(text), "\(text): \(show.output)")
                }
            }
        }
    }

    @Test func `what is heard is printed with levels and their changes`() async throws {
        // A time to come: the daemon's clock may have been set.
        let rows: JSONValue = [
            [
                "id": "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7", "kind": "iBeacon",
                "since": "2026-11-28T08:00:00.000Z", "last": "2126-11-28T08:00:09.000Z", "can_be_added": true,
                "levels": [
                    ["receiver": "kitchen", "rssi": -48.4, "change": 31.2],
                    ["receiver": "hall", "rssi": -70],
                ],
            ],
            [
                "id": "4b8467a62927", "kind": "address", "since": "2026-11-28T08:00:00.000Z",
                "last": "2026-11-28T08:00:09.000Z", "can_be_added": true, "may_change": true,
                "levels": [["receiver": "hall", "rssi": -81]],
            ],
            [
                "id": "phone:tablet", "kind": "other", "since": "2026-11-28T08:00:00.000Z",
                "last": "2026-11-28T08:00:09.000Z", "can_be_added": false, "own": true,
                "levels": [["receiver": "hall", "rssi": -82]],
            ],
        ]
        try await withVerbDesk { desk in
            try await desk.withDaemon(["GET heard?seconds=0": .init(200, rows)]) {
                let end = try await desk.run(["device", "heard", "--seconds", "0"])
                #expect(
                    end.status == 0 && end.output.contains("  0 s  ")
                        && end.output.contains("kitchen -48 (+31), hall -70"),
                    "\(end.output)"
                )
                #expect(end.output.contains("address, may change  "), "\(end.output)")
                #expect(end.output.contains("other, this daemon's own device  "), "\(end.output)")
                #expect(end.output.contains(#/ [1-9][0-9]* s +hall -81/#), "\(end.output)")
            }
            let wrong = try await desk.run(["device", "heard", "--seconds", "61"])
            #expect(wrong.status == 64)
        }
    }

    @Test func `an edit sends what it names, and a key is added to the ids that are there`() async throws {
        try await withVerbDesk { desk in
            let file = try desk.write(Self.key, to: "key")
            let answers: [String: VerbDesk.Answer] = [
                "GET device-settings/anna": .init(200, ["node": "anna", "heard_as": ["irk:***", "name:x"]]),
                "PATCH device-settings/anna": .init(200, ["node": "anna"]),
            ]
            try await desk.withDaemon(answers) {
                let verb = ["device", "edit", "anna"]
                // The calls are outside of the expectations, or the closure would not be known to throw.
                let named = try await desk.run(verb + ["--name", "A", "--user", ""])
                let keyed = try await desk.run(verb + ["--irk-file", file])
                let empty = try await desk.run(verb)
                #expect([named.status, keyed.status, empty.status] == [0, 0, 64])
            }
            let bodies = desk.sent.filter { $0.line.hasPrefix("PATCH") }.map(\.body)
            #expect(
                bodies == [
                    ["name": "A", "user": .null],
                    ["heard_as": .array(["irk:***", "name:x", .string("irk:\(Self.key)")])],
                ]
            )
        }
    }

    @Test(
        arguments: [
            (["--heard-as", ""], ["heard_as": ["name:x"]], false),
            (["--location", ""], ["location": "a/b"], false),
            (["--heard-as", "", "--location", ""], ["heard_as": ["name:x"], "location": "a/b"], false),
            (["--heard-as", ""], ["heard_as": ["name:x"], "location": "a/b"], true),
            (["--location", ""], ["heard_as": ["name:x"], "location": "a/b"], true),
            (["--heard-as", "", "--location", "c/d"], ["heard_as": ["name:x"]], true),
            (["--heard-as", "name:y", "--location", ""], ["location": "a/b"], true),
        ] as [([String], JSONValue, Bool)]
    )
    func `an edit leaves a device something by which it is somewhere`(
        options: [String],
        row: JSONValue,
        isAllowed: Bool
    ) async throws {
        try await withVerbDesk { desk in
            let answers: [String: VerbDesk.Answer] = [
                "GET device-settings/anna": .init(200, row),
                "PATCH device-settings/anna": .init(200, ["node": "anna"]),
            ]
            try await desk.withDaemon(answers) {
                let end = try await desk.run(["device", "edit", "anna"] + options)
                #expect(end.status == (isAllowed ? 0 : 64), "\(end.output)")
                #expect(end.output.contains("trilateral device rm anna") != isAllowed, "\(end.output)")
            }
            #expect(desk.sent.contains { $0.line.hasPrefix("PATCH") } == isAllowed)
        }
    }

    @Test func `what the daemon warns of is printed`() async throws {
        let message = "an identity key of anna was removed; irk:*** among the ids keeps one that is there"
        let warned: JSONValue = [
            "node": "anna", "warnings": [["field": "heard_as", "message": .string(message)]],
        ]
        try await withVerbDesk { desk in
            let answers: [String: VerbDesk.Answer] = [
                "POST device-settings": .init(201, warned), "PATCH device-settings/anna": .init(200, warned),
            ]
            try await desk.withDaemon(answers) {
                for verb in ["add", "edit"] {
                    let end = try await desk.run(["device", verb, "anna", "--heard-as", "name:x"])
                    #expect(end.status == 0 && end.output.contains("warning: \(message)"), "\(end.output)")
                }
            }
        }
    }

    @Test func `a device of the file is not changed, with words`() async throws {
        let message = "cat is in the configuration file; change it there"
        try await withVerbDesk { desk in
            try await desk.withDaemon([
                "DELETE device-settings/cat?place=1": .refused(409, "conflict", message)
            ]) {
                let end = try await desk.run(["device", "rm", "cat", "--place"])
                #expect(end.status == 1 && end.output.contains(message), "\(end.output)")
            }
        }
    }

    @Test func `without a daemon the verb says what to start`() async throws {
        try await withVerbDesk { desk in
            let end = try await desk.run(["device", "list"])
            #expect(end.status == 69 && end.output.contains("no daemon runs"), "\(end.output)")
        }
    }
}
