import Controller
import JSON
import Messages
import Testing
import TrilateralApp

struct DriveTargetTests {
    private static let targets: [(word: String, set: String?, state: String?)] = [
        ("nearby", "nearby/set", "nearby"), ("device", "device/set", "device"),
        ("environment", "environment/set", "environment"), ("zone", nil, "zone"), ("state", nil, "state"),
        ("sensors/beacons", "sensors/beacons/set", "sensors/beacons"),
        ("desk-lamp", "things/desk-lamp/set", nil),
        ("things/zone", "things/zone/set", nil), ("health", nil, "health"), ("info", nil, "info"),
        ("lifecycle", nil, "lifecycle"), ("lifecycle/level", "lifecycle/level/set", "lifecycle"),
        ("alerts", nil, nil), ("zones/kitchen", "zones/kitchen/set", nil), ("environments/flat", nil, nil),
    ]

    @Test(arguments: targets)
    func `a word names a target and its topics`(word: String, set: String?, state: String?) throws {
        let target = try #require(DriveTarget(word))
        #expect(target.setCommand?.tail == set)
        #expect(target.stateTopic == state)
    }

    @Test(arguments: [
        "", "a/b", "things/", "things/a/b", "a+", "#", "a\nb", "a\0", String(repeating: "a", count: 129),
    ])
    func `what cannot stand in a topic is no target`(word: String) {
        #expect(DriveTarget(word) == nil)
    }

    @Test func `values are JSON where they can be, else texts`() throws {
        let words = [
            "color=255,136,0", "brightness=40%", "level=0.5", "on=true", "x={\"a\":[1]}", "t=\"5\"", "e=",
        ]
        let members = try DriveTarget.word(.nearby).members(words).get()
        #expect(
            members == [
                "color": "255,136,0", "brightness": "40%", "level": 0.5, "on": true, "x": ["a": [1]],
                "t": "5", "e": "",
            ]
        )
    }

    @Test func `a bare value is the state, or the environment`() throws {
        #expect(try DriveTarget.word(.nearby).members(["TOGGLE"]).get() == ["state": "TOGGLE"])
        #expect(try DriveTarget.word(.environment).members(["next"]).get() == ["environment": "next"])
        #expect(try DriveTarget.named(.lifecycle, "level").members(["FULL"]).get() == ["level": "FULL"])
    }

    @Test(arguments: [["=1"], ["tx=1"], ["a=1", "a=2"], ["ON", "state=ON"]])
    func `words that make no sense are refused`(words: [String]) {
        #expect(throws: UsageError.self) { try DriveTarget.word(.nearby).members(words).get() }
    }
}

struct DriveExchangeTests {
    private let command = DriveExchange.Question.command(
        CommandDescriptor.nearbySet.topic(),
        members: ["color": "red"]
    )

    private func exchange(_ question: DriveExchange.Question) -> DriveExchange {
        DriveExchange(root: "trilateral/a", question: question, tx: "t1", timeout: "5 s")
    }

    private func message(_ topic: String, _ payload: String) -> DriveExchange.Event {
        .message(topic: "trilateral/a/" + topic, payload: Array(payload.utf8))
    }

    private let linked = DriveExchange.Event.linked(refusedFilters: [])

    @Test(arguments: [true, false])
    func `a command is sent once, when the link stands and the daemon is online`(linkFirst: Bool) {
        var exchange = exchange(command)
        #expect(exchange.filters == ["trilateral/a/status", "trilateral/a/response/set"])
        let online = message("status", "online")
        let sent = DriveExchange.Step.publish(
            topic: "trilateral/a/nearby/set",
            payload: Array(#"{"color":"red","tx":"t1"}"#.utf8)
        )
        #expect(exchange.apply(linkFirst ? linked : online) == [])
        #expect(exchange.apply(message("status", "offline")) == [])
        if !linkFirst { #expect(exchange.apply(online) == []) }
        #expect(exchange.apply(linkFirst ? online : linked) == [sent])
        #expect(exchange.apply(online) == [])
    }

    @Test func `only the answer with our mark counts`() {
        var exchange = exchange(command)
        _ = exchange.apply(linked)
        _ = exchange.apply(message("status", "online"))
        #expect(exchange.apply(message("response/set", #"{"status":"ok","tx":"t2"}"#)) == [])
        #expect(exchange.apply(message("response/set", "{")) == [])
        let answer: JSONValue = ["status": "ok", "tx": "t1"]
        #expect(exchange.apply(message("response/set", answer.text)) == [.finish(.answer(answer))])
        #expect(exchange.apply(.deadline) == [])
    }

    @Test func `a thing that is asked for is told as a topic would tell it, a refusal as it is`() {
        let question = DriveExchange.Question.command(CommandDescriptor.thingGet.topic("lamp"), members: [:])
        func outcome(_ answer: JSONValue) -> [DriveExchange.Step] {
            var exchange = exchange(question)
            _ = exchange.apply(linked)
            _ = exchange.apply(message("status", "online"))
            return exchange.apply(message("response/get", answer.text))
        }
        let thing: JSONValue = ["id": "1", "state": "ON"]
        #expect(outcome(["status": "ok", "tx": "t1", "data": thing]) == [.finish(.state(thing))])
        let refused: JSONValue = ["status": "error", "tx": "t1", "error": ["code": "unknown_thing"]]
        #expect(outcome(refused) == [.finish(.answer(refused))])
    }

    @Test func `a state is told once the daemon is known to be online`() {
        var exchange = exchange(.state(topic: "zone"))
        #expect(exchange.filters == ["trilateral/a/status", "trilateral/a/zone"])
        #expect(exchange.apply(message("zone", #"{"id":null}"#)) == [])
        #expect(exchange.apply(linked) == [])
        #expect(exchange.apply(message("status", "online")) == [.finish(.state(["id": .null]))])
    }

    @Test func `a plain retained word is a state too`() {
        var exchange = exchange(.state(topic: "sensors/gps"))
        _ = exchange.apply(linked)
        _ = exchange.apply(message("status", "online"))
        #expect(exchange.apply(message("sensors/gps", "ON")) == [.finish(.state("ON"))])
    }

    @Test func `a silent end says who did not answer`() {
        func outcome(_ events: [DriveExchange.Event], _ question: DriveExchange.Question) -> [DriveExchange
            .Step]
        {
            var exchange = exchange(question)
            for event in events { _ = exchange.apply(event) }
            return exchange.apply(.deadline)
        }
        #expect(outcome([], command) == [.finish(.noBroker("the broker did not answer within 5 s"))])
        #expect(outcome([.unlinked(reason: "refused")], command) == [.finish(.noBroker("refused"))])
        #expect(outcome([linked, .unlinked(reason: "gone")], command) == [.finish(.noBroker("gone"))])
        #expect(
            outcome([linked], command)
                == [
                    .finish(.noDaemon("no daemon is online at trilateral/a: there is no trilateral/a/status"))
                ]
        )
        #expect(
            outcome([linked, message("status", "offline")], command)
                == [.finish(.noDaemon("no daemon is online at trilateral/a: its status is \"offline\""))]
        )
        #expect(
            outcome([linked, message("status", "online")], command)
                == [.finish(.noDaemon("trilateral/a is online, but did not answer within 5 s"))]
        )
        #expect(
            outcome([linked, message("status", "online")], .state(topic: "zone"))
                == [.finish(.noDaemon("trilateral/a is online, but has no zone"))]
        )
    }

    @Test func `what was retained on further topics is there with the answer`() {
        var exchange = DriveExchange(
            root: "trilateral/a",
            question: command,
            reading: ["zones/+"],
            tx: "t1",
            timeout: "5 s"
        )
        #expect(exchange.filters.last == "trilateral/a/zones/+")
        // A broker that does not let us read more does not keep us from asking.
        _ = exchange.apply(.linked(refusedFilters: ["trilateral/a/zones/+"]))
        for (topic, payload) in [
            ("zones/a", #"{"id":"1"}"#), ("zones/b", #"{"id":"2"}"#), ("zones/a", ""), ("status", "online"),
        ] {
            _ = exchange.apply(message(topic, payload))
        }
        let answer: JSONValue = ["status": "ok", "tx": "t1"]
        #expect(exchange.apply(message("response/set", answer.text)) == [.finish(.answer(answer))])
        #expect(exchange.read == ["zones/b": ["id": "2"]])
    }

    @Test func `a broker that does not let us read is told of at once`() {
        var exchange = exchange(command)
        #expect(
            exchange.apply(.linked(refusedFilters: ["trilateral/a/response/set"]))
                == [.finish(.notAllowed("the broker does not let this user read trilateral/a/response/set"))]
        )
    }
}

struct DriveReportTests {
    private func report(_ json: String, asJSON: Bool = false) throws -> DriveReport {
        DriveReport(.answer(try JSONValue(parsing: json)), asJSON: asJSON)
    }

    @Test func `what was accepted is told, and what was not`() throws {
        let json =
            #"{"status":"ok","target":{"kind":"thing","slug":"lamp"},"accepted":{"color":"red","brightness":5},"rejected":{"x":"unknown_attribute"}}"#
        let report = try report(json)
        #expect(report.output == ["lamp: brightness 5, color red"])
        #expect(report.complaints == ["x was not set: unknown_attribute"])
        #expect(report.exitStatus == 0)
        let asJSON = try self.report(json, asJSON: true)
        #expect(asJSON.output == [try JSONValue(parsing: json).text])
    }

    @Test func `a refusal is its message and ends with 1`() throws {
        let report = try report(
            #"{"status":"error","error":{"code":"unknown_colour","message":"no colour\u001b[2J"}}"#
        )
        #expect(report.output == [])
        #expect(report.complaints == ["no colour\\u{1b}[2J"])
        #expect(report.exitStatus == 1)
        #expect(try self.report("{}").exitStatus == 1)
    }

    @Test(
        arguments: [
            (
                #"{"kind":"environment","slug":"hut"},"accepted":{"environment":"hut"}"#, "environment hut"
            ), (#"{"kind":"sensor","slug":"gps"},"accepted":{"state":"OFF"}"#, "gps: state OFF"),
            (#"{"kind":"device","slug":"0f"},"accepted":{"angle":90}"#, "device: angle 90"),
            (#"{"kind":"thing","slug":"lamp"}"#, "lamp: done"),
        ]
    )
    func `what became of it is told in one line`(target: String, line: String) throws {
        #expect(try report(#"{"status":"ok","target":\#(target)}"#).output == [line])
    }

    @Test(
        arguments: [
            ([:], "nobody is identified; give a token with --token-file"),
            (["token": "t"], "the token is wrong or has ended"),
            (["token": "t", "as": "alice"], "the token is not alice's, or it is wrong or has ended"),
        ] as [(JSONObject, String)]
    )
    func `who is nobody hears what is wrong with the token that was given`(
        sender: JSONObject,
        sentence: String
    ) throws {
        let json = #"{"status":"error","error":{"code":"unauthenticated","message":"sign in"}}"#
        let report = DriveReport(.answer(try JSONValue(parsing: json)), asJSON: false, sender: sender)
        #expect(report.complaints == [sentence] && report.exitStatus == 1)
    }

    @Test func `data is shown as aligned lines, or as one line of JSON`() throws {
        let data = try JSONValue(parsing: #"{"id":"1","color":{"r":1},"description":"","on":true}"#)
        #expect(
            DriveReport(.state(data), asJSON: false).output
                == ["color.r  1", "id       1", "on       true"]
        )
        #expect(DriveReport(.state(data), asJSON: true).output == [data.text])
        #expect(DriveReport(.state(["id": .null, "state": .null]), asJSON: false).output == ["none"])
        #expect(DriveReport(.state("ON"), asJSON: false).output == ["ON"])
    }

    @Test func `what is set on a thing that is offline is warned of`() throws {
        let answer = try JSONValue(
            parsing: #"{"status":"ok","target":{"kind":"thing","slug":"lamp"},"accepted":{"state":"ON"}}"#
        )
        func report(_ availability: JSONValue) -> DriveReport {
            DriveReport(.answer(answer), asJSON: false, read: ["things/lamp/availability": availability])
        }
        #expect(report("online").complaints == [])
        let offline = report("offline")
        #expect(offline.complaints.count == 1 && offline.complaints[0].hasPrefix("warning: lamp is offline"))
        #expect(offline.output == ["lamp: state ON"] && offline.exitStatus == 0)
    }

    @Test func `open alerts are a line each`() throws {
        let alerts: JSONValue = [
            [
                "id": "lamps", "severity": "warning", "message": "One\nis silent",
                "since": "2026-11-21T10:18:53.456Z",
            ]
        ]
        let report = DriveReport(.state(alerts), asJSON: false, time: LocalTime())
        #expect(
            report.output == [
                "SEVERITY  ALERT  SINCE                MESSAGE",
                "warning   lamps  2026-11-21 10:18:53  One\\nis silent",
            ]
        )
        #expect(DriveReport(.state([]), asJSON: false).output == ["none"])
    }

    @Test func `what is quoted from the broker cannot command the terminal`() {
        let outcomes: [DriveExchange.Outcome] = [
            .noDaemon("its status is \"\u{1b}[2J\""), .unknown("\u{1b}[2J"), .noBroker("\u{1b}[2J"),
            .answer(["status": "error", "error": ["message": "\u{1b}[2J"]]),
            .answer(["status": "ok", "rejected": ["\u{1b}": "\u{1b}[2J"]]),
        ]
        for outcome in outcomes {
            let complaints = DriveReport(outcome, asJSON: false).complaints
            #expect(complaints.count == 1)
            #expect(!complaints.joined().contains("\u{1b}"), "\(complaints)")
        }
    }

    @Test func `nobody there ends with 69, not allowed with 77`() {
        #expect(DriveReport(.noBroker("a"), asJSON: false).exitStatus == 69)
        #expect(DriveReport(.noDaemon("a"), asJSON: false).exitStatus == 69)
        #expect(DriveReport(.notAllowed("a"), asJSON: false).exitStatus == 77)
        #expect(DriveReport(.unknown("a"), asJSON: false).exitStatus == 1)
    }
}
