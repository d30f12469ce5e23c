import CommandFixture
import Controller
import Flare
import JSON
import Messages
import Testing
import Things

struct CommandDecoderTests {
    private func decode(_ tail: String, _ payload: String, isRetained: Bool = false) throws -> DecodedCommand
    {
        let topic = try #require(CommandTable.tested.topic(tail[...]))
        return CommandDecoder().decode(topic, payload: Array(payload.utf8), isRetained: isRetained)
    }

    private static func set(
        _ target: Command.Target,
        _ attributes: JSONObject,
        transition: Double? = nil,
        isPartial: Bool = false
    ) -> Command.Operation {
        .set(target, ThingRequest(attributes: attributes, transition: transition, isPartial: isPartial))
    }

    private static let nearby = Command.Target.nearby(ifID: nil)

    @Test(
        arguments: [
            ("nearby/set", #"{"color":"red"}"#, set(nearby, ["color": "red"])),
            (
                "nearby/set", #" {"state":"TOGGLE","transition":2} "#,
                set(nearby, ["state": "TOGGLE"], transition: 2)
            ),
            (
                "nearby/set", #"{"color":"red","if_id":"lamp","partial":true}"#,
                set(.nearby(ifID: "lamp"), ["color": "red"], isPartial: true)
            ),
            ("nearby/set", #"{"color":"red","color":"blue"}"#, set(nearby, ["color": "blue"])),
            ("nearby/set", "{}", set(nearby, [:])),
            ("things/lamp/set", #"{"anything":[1]}"#, set(.thing("lamp"), ["anything": [1]])),
            // A plain value, or JSON
            ("nearby/set/color", "red", set(nearby, ["color": "red"])),
            ("nearby/set/color", #""red""#, set(nearby, ["color": "red"])),
            ("nearby/set/color", "#ff8800", set(nearby, ["color": "#ff8800"])),
            ("nearby/set/color", "255,136,0", set(nearby, ["color": "255,136,0"])),
            ("nearby/set/color", #"{"r":1,"g":2,"b":3}"#, set(nearby, ["color": ["r": 1, "g": 2, "b": 3]])),
            ("nearby/set/brightness", "40%", set(nearby, ["brightness": "40%"])),
            ("nearby/set/brightness", "200\n", set(nearby, ["brightness": 200])),
            ("things/lamp/set/state", "ON", set(.thing("lamp"), ["state": "ON"])),
            ("things/lamp/set/state", "true", set(.thing("lamp"), ["state": true])),
            ("things/lamp/set/note", "007", set(.thing("lamp"), ["note": "007"])),
            ("things/lamp/set/tx", "5", set(.thing("lamp"), ["tx": 5])),
            // Actions
            ("nearby/action", "nextColor", .action(nearby, name: "nextColor")),
            ("nearby/action", #"{"action":"on","if_id":"lamp"}"#, .action(.nearby(ifID: "lamp"), name: "on")),
            ("things/lamp/action", #""on""#, .action(.thing("lamp"), name: "on")),
            // Get
            ("things/lamp/get", "", .get(.thing("lamp"))),
            ("things/lamp/get", #"{"tx":1}"#, .get(.thing("lamp"))),
            // This device
            (
                "device/set", #"{"position":{"x":1,"y":2.5}}"#,
                .setDevice(.init(position: Point3D(x: 1, y: 2.5), keepsHeight: true))
            ),
            (
                "device/set", #"{"position":{"x":1,"y":2,"z":3},"angle":90,"name":" Panel "}"#,
                .setDevice(.init(position: Point3D(x: 1, y: 2, z: 3), angle: 90, name: "Panel"))
            ),
            ("device/set", #"{"angle":360}"#, .setDevice(.init(angle: 0))),
            // The environment
            ("environment/set", "next", .chooseEnvironment(.next)),
            ("environment/set", "PREVIOUS", .chooseEnvironment(.previous)),
            ("environment/set", "42", .chooseEnvironment(.named("42"))),
            (
                "environment/set", "5f0000000000000000000001",
                .chooseEnvironment(.named("5f0000000000000000000001"))
            ),
            (
                "environment/set", "100000000000000000000001",
                .chooseEnvironment(.named("100000000000000000000001"))
            ),
            ("environment/set", #"{"environment":"home","tx":"a"}"#, .chooseEnvironment(.named("home"))),
            // Sensors
            ("sensors/gps/set", "ON", .switchSensor(.gps, on: true)),
            ("sensors/cmx/set", "off", .switchSensor(.cmx, on: false)),
            ("sensors/beacons/set", #"{"state":"OFF"}"#, .switchSensor(.beacons, on: false)),
            ("sensors/compass/set", #"{"state":true}"#, .switchSensor(.compass, on: true)),
            // Requests
            ("request/snapshot", "", .snapshot), ("request/ping", "{}", .ping),
            ("request/refresh", #"{"tx":7}"#, .refresh),
            ("request/reload", "  ", .reload),
            ("request/restart", "", .restart),
            ("request/loglevel", #"{"level":"debug"}"#, .logLevel("debug")),
            ("request/loglevel", "Trace", .logLevel("trace")),
            ("request/explain", "zone", .explain(.zone)),
            ("request/explain", #"{"subject":"nearby"}"#, .explain(.nearby(thing: nil))),
            (
                "request/explain", #"{"subject":"nearby","thing":"lamp","tx":1}"#,
                .explain(.nearby(thing: "lamp"))
            ),
            ("request/explain", "command", .explain(.command(tx: nil))),
            (
                "request/explain", #"{"subject":"command","command":7}"#,
                .explain(.command(tx: 7))
            ),
        ] as [(String, String, Command.Operation)]
    )
    func `every form of the contract is read`(tail: String, payload: String, order: Command.Operation) throws
    {
        let decoded = try decode(tail, payload)
        #expect(decoded.result == .success(order))
        #expect(decoded.subject == CommandTable.tested.topic(tail[...])?.subject)
    }

    @Test(
        arguments: [
            ("nearby/set", "", .wrongType, nil), ("nearby/set", "red", .badJSON, nil),
            ("nearby/set", #"{"color":"#, .badJSON, nil),
            ("nearby/set", "[1]", .wrongType, nil), ("nearby/set", "5", .wrongType, nil),
            ("nearby/set", "null", .wrongType, nil),
            ("nearby/set", #""red""#, .wrongType, nil), ("nearby/set", #"{"a":1}x"#, .badJSON, nil),
            ("nearby/set", #"{"if_id":5}"#, .wrongType, "if_id"),
            ("nearby/set", #"{"partial":"yes"}"#, .wrongType, "partial"),
            ("nearby/set", #"{"transition":"2"}"#, .wrongType, "transition"),
            ("nearby/set", #"{"transition":3601}"#, .outOfRange, "transition"),
            ("nearby/set", #"{"tx":[1]}"#, .wrongType, "tx"),
            ("nearby/set", #"{"tx":null}"#, .wrongType, "tx"),
            ("nearby/set/color", "", .invalidValue, "color"), ("nearby/set/color", #"{"r":"#, .badJSON, nil),
            ("nearby/action", "", .invalidValue, "action"), ("nearby/action", "[]", .wrongType, "action"),
            ("nearby/action", #"{"action":5}"#, .wrongType, "action"),
            ("nearby/action", "{}", .invalidValue, "action"),
            ("nearby/action", #"{"action":"on","if":"x"}"#, .unknownKey, "if"),
            ("things/lamp/action", #"{"action":"on","if_id":"lamp"}"#, .unknownKey, "if_id"),
            ("things/lamp/get", "now", .badJSON, nil), ("things/lamp/get", "5", .wrongType, nil),
            ("things/lamp/get", #"{"txx":1}"#, .unknownKey, "txx"),
            ("device/set", "", .invalidValue, nil), ("device/set", "{}", .invalidValue, nil),
            ("device/set", "[]", .wrongType, nil),
            ("device/set", #"{"position":{"x":1}}"#, .invalidValue, "position"),
            ("device/set", #"{"position":[1,2]}"#, .wrongType, "position"),
            ("device/set", #"{"position":{"x":"1","y":2}}"#, .wrongType, "position.x"),
            ("device/set", #"{"position":{"x":100000001,"y":2}}"#, .outOfRange, "position.x"),
            ("device/set", #"{"position":{"x":1,"y":2,"w":3}}"#, .unknownKey, "position.w"),
            ("device/set", #"{"position":{"x":1,"y":2,"tx":3}}"#, .unknownKey, "position.tx"),
            ("device/set", #"{"angle":361}"#, .outOfRange, "angle"),
            ("device/set", #"{"angle":-1}"#, .outOfRange, "angle"),
            ("device/set", #"{"angle":"90"}"#, .wrongType, "angle"),
            ("device/set", #"{"name":""}"#, .outOfRange, "name"),
            ("device/set", #"{"name":5}"#, .wrongType, "name"),
            ("device/set", #"{"names":"x"}"#, .unknownKey, "names"),
            ("environment/set", "", .invalidValue, "environment"),
            ("environment/set", "[1]", .wrongType, "environment"),
            ("environment/set", #"{"environment":5}"#, .wrongType, "environment"),
            ("environment/set", #"{"enviroment":"x"}"#, .unknownKey, "enviroment"),
            ("sensors/gps/set", "maybe", .invalidValue, "state"),
            ("sensors/gps/set", "", .invalidValue, "state"),
            ("sensors/gps/set", #"{"state":1}"#, .wrongType, "state"),
            ("sensors/radar/set", "ON", .unknownKey, nil),
            ("request/dance", "", .unknownVerb, nil), ("request/", "", .unknownVerb, nil),
            ("request/reboot", "", .unknownVerb, nil),
            ("request/ping", "hello", .badJSON, nil),
            ("request/ping", #"{"level":"x"}"#, .unknownKey, "level"),
            ("request/loglevel", "", .invalidValue, "level"),
            ("request/loglevel", #"{"level":"loud"}"#, .invalidValue, "level"),
            ("request/loglevel", #"{"level":3}"#, .wrongType, "level"),
            ("request/explain", "", .invalidValue, "subject"),
            ("request/explain", "weather", .invalidValue, "subject"),
            ("request/explain", #"{"subject":"zone","thing":"lamp"}"#, .unknownKey, "thing"),
            ("request/explain", #"{"subject":"nearby","command":"7"}"#, .unknownKey, "command"),
            ("request/explain", #"{"subject":"nearby","thing":7}"#, .wrongType, "thing"),
            ("request/explain", #"{"subject":"command","command":[7]}"#, .wrongType, "command"),
            ("request/explain", #"{"subject":"command","of":"7"}"#, .unknownKey, "of"),
        ] as [(String, String, RefusalCode, String?)]
    )
    func `anything else is refused with a code and the field`(
        tail: String,
        payload: String,
        code: RefusalCode,
        field: String?
    ) throws {
        guard case .failure(let refusal) = try decode(tail, payload).result else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == code)
        #expect(refusal.field == field)
        #expect(!refusal.message.isEmpty)
    }

    @Test(arguments: [
        ("things/lamp/get", #"{"txx":1}"#, "did you mean \"tx\""),
        ("request/pnig", "", "did you mean \"ping\""),
        ("sensors/beacon/set", "ON", "did you mean \"beacons\""),
        ("device/set", #"{"anlge":1}"#, "did you mean \"angle\""),
        ("nearby/set", #"{"color":}"#, "at byte 9"),
        (
            "request/dance", "",
            "snapshot, ping, refresh, reload, restart, discovery, environment, explain, loglevel"
        ),
        ("device/set", #"{"angle":361}"#, "angle must be 0 to 360 degrees (is 361)"),
    ])
    func `the message says what is legal`(tail: String, payload: String, part: String) throws {
        guard case .failure(let refusal) = try decode(tail, payload).result else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.message.contains(part), "\(refusal.message)")
    }

    @Test(
        arguments: [
            (#""7""#, "7"), ("7", 7), ("-0.5", -0.5),
            ("99999999999999999999", .numeral("99999999999999999999")),
            (#""a\"b""#, "a\"b"),
        ] as [(String, JSONValue)]
    )
    func `the mark comes back as it was sent, of accepted and refused commands alike`(
        text: String,
        tx: JSONValue
    ) throws {
        for (tail, rest) in [
            ("nearby/set", #""color":"red""#), ("nearby/set", #""partial":3"#),
            ("nearby/action", #""action":5"#),
            ("things/lamp/get", #""what":1"#), ("device/set", #""angle":999"#),
            ("environment/set", #""environment":[]"#),
            ("sensors/gps/set", #""state":"?""#), ("sensors/radar/set", #""state":"ON""#),
            ("request/dance", #""a":1"#),
        ] {
            #expect(try decode(tail, "{\(rest),\"tx\":\(text)}").tx == tx)
            #expect(try decode(tail, "{\(rest),\"tx\":\(text)}", isRetained: true).tx == tx)
        }
    }

    @Test func `a mark of more than a kilobyte is refused and not returned`() throws {
        let decoded = try decode(
            "nearby/set",
            #"{"color":"red","tx":""# + String(repeating: "x", count: 1023) + "\"}"
        )
        #expect(decoded.tx == nil)
        guard case .failure(let refusal) = decoded.result else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == .invalidValue)
        #expect(refusal.field == "tx")
    }

    @Test(arguments: [
        "nearby/set", "nearby/set/color", "nearby/action", "request/ping", "request/dance", "sensors/gps/set",
    ])
    func `a retained command is refused whatever it says`(tail: String) throws {
        for payload in ["{}", "", "broken {", #"{"tx":[]}"#, String(repeating: "x", count: 70_000)] {
            guard case .failure(let refusal) = try decode(tail, payload, isRetained: true).result else {
                Issue.record("accepted")
                return
            }
            #expect(refusal.code == .retainedCommand)
        }
    }

    @Test func `a payload over 64 kB is too large`() throws {
        let accepted = try decode("nearby/set/note", String(repeating: "x", count: 65_536))
        #expect((try? accepted.result.get()) != nil)
        let decoded = try decode("nearby/set/note", String(repeating: "x", count: 65_537))
        guard case .failure(let refusal) = decoded.result else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == .tooLarge)
        #expect(refusal.message == "the payload has 65537 bytes; at most 65536 are read")
    }

    @Test func `bytes that are no UTF-8 are refused with their place`() {
        let decoded = CommandDecoder().decode(
            CommandDescriptor.nearbyAction.topic(),
            payload: [0x6F, 0x6E, 0xFF]
        )
        #expect(decoded.result == .failure(Refusal(.badJSON, "the payload is not UTF-8 at byte 2")))
    }

    @Test(arguments: [("nearby/set/state", "ON"), ("nearby/set", "{\"state\":\"ON\"}")])
    func `a payload with a byte order mark is read as without`(topic: String, text: String) throws {
        let marked = try decode(topic, "\u{FEFF}" + text)
        #expect(try marked.result.get() == decode(topic, text).result.get())
    }

    @Test func `nesting has a limit`() throws {
        let deep = String(repeating: "[", count: 10_000)
        guard case .failure(let refusal) = try decode("nearby/set/note", deep).result else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == .badJSON)
    }
}
