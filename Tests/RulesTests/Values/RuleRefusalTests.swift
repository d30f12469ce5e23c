import JSON
import Rules
import Testing
import Things

/// What is refused, by its path.
struct RuleRefusalTests {
    private static let longName = String(repeating: "n", count: 201)

    private func check(_ text: String, _ field: String?, _ code: RefusalCode) throws {
        let json = try JSONValue(parsing: Array(text.utf8), keepsHugeNumbers: true)
        let refusal = #expect(throws: Refusal.self) { try RuleReader().read(json) }
        #expect(refusal?.field == field, "\(refusal?.message ?? "nothing"): \(text)")
        #expect(refusal?.code == code, "\(refusal?.message ?? "")")
        if let field { #expect(refusal?.message.hasPrefix(field) == true, "\(refusal?.message ?? "")") }
    }

    @Test(arguments: [
        ("7", nil, RefusalCode.wrongType), ("{}", nil, .invalidValue),
        (#"{"when":[]}"#, "when", .invalidValue),
        (#"{"when":{},"then":[]}"#, "when", .wrongType),
        (#"{"when":[{"on":"near","thing":"a"}]}"#, "then", .invalidValue),
        (#"{"when":[7],"then":[]}"#, "when[0]", .wrongType),
        (#"{"when":[{"on":"near","thing":"a"}],"then":[]}"#, "then", .invalidValue),
        (#"{"title":" ","when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "title", .invalidValue),
        (
            #"{"title":"a\nb","when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "title",
            .invalidValue
        ),
        (#"{"title":7,"when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "title", .wrongType),
        (#"{"pause":-1,"when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "pause", .invalidValue),
        (
            #"{"pause":604801,"when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "pause",
            .invalidValue
        ),
        (#"{"pause":1.5,"when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "pause", .invalidValue),
        (
            #"{"pause":1e999,"when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "pause",
            .invalidValue
        ),
        (
            #"{"enabled":"yes","when":[{"on":"near","thing":"a"}],"then":[{"publish":1}]}"#, "enabled",
            .wrongType
        ),
    ])
    func `a rule as a whole`(text: String, field: String?, code: RefusalCode) throws {
        try check(text, field, code)
    }

    @Test(arguments: [
        (#"{}"#, "when[0].on", RefusalCode.invalidValue), (#"{"on":"sate"}"#, "when[0].on", .invalidValue),
        (#"{"on":"state","thing":"a"}"#, "when[0].clause", .invalidValue),
        (#"{"on":"state","thing":"a","field":"f","clause":{"type":"all"}}"#, "when[0].clause", .invalidValue),
        (#"{"on":"state","field":"f"}"#, "when[0].thing", .invalidValue),
        (#"{"on":"state","thing":"","field":"f"}"#, "when[0].thing", .invalidValue),
        (#"{"on":"state","thing":"a\u0000","field":"f"}"#, "when[0].thing", .invalidValue),
        (#"{"on":"state","thing":"\#(longName)","field":"f"}"#, "when[0].thing", .invalidValue),
        (#"{"on":"state","thing":"a","field":""}"#, "when[0].field", .invalidValue),
        (
            #"{"on":"state","thing":"a","field":"f","edge":"CONDITION_FALSE_TO_TRUE"}"#, "when[0].edge",
            .invalidValue
        ),
        (#"{"on":"state","thing":"a","field":"f","for":5}"#, "when[0].for", .invalidValue),
        (#"{"on":"state","thing":"a","field":"f","margin":1}"#, "when[0].margin", .invalidValue),
        (#"{"on":"state","thing":"a","clause":{"type":"all"}}"#, "when[0].clause", .invalidValue),
        (
            #"{"on":"state","thing":"a","clause":{"type":"eq","value":1}}"#, "when[0].clause.field",
            .invalidValue
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"eq","field":"f","value":1},"margin":1}"#,
            "when[0].margin", .invalidValue
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1},"margin":-1}"#,
            "when[0].margin", .invalidValue
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1},"margin":1e999}"#,
            "when[0].margin", .invalidValue
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1e999}}"#,
            "when[0].clause.lowerLimit", .wrongType
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1},"for":86401}"#,
            "when[0].for", .invalidValue
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lower":1}}"#,
            "when[0].clause.lower", .invalidValue
        ),
        (#"{"on":"schedule"}"#, "when[0].startTimeEachDay", .invalidValue),
        (#"{"on":"cron","cron":"* *"}"#, "when[0].cron", .invalidValue),
        (#"{"on":"cron"}"#, "when[0].cron", .invalidValue),
        (#"{"on":"cron","cron":"0 7 * * *","timeZone":"../etc/passwd"}"#, "when[0].timeZone", .invalidValue),
        (#"{"on":"cron","cron":"0 7 * * *","missed":"maybe"}"#, "when[0].missed", .invalidValue),
        (#"{"on":"once"}"#, "when[0].at", .invalidValue),
        (#"{"on":"once","at":"2030-01-01"}"#, "when[0].at", .invalidValue),
        (#"{"on":"once","at":-1}"#, "when[0].at", .invalidValue),
        (#"{"on":"once","at":1e300}"#, "when[0].at", .invalidValue),
        (#"{"on":"once","at":1e999}"#, "when[0].at", .invalidValue),
        (#"{"on":"once","at":true}"#, "when[0].at", .wrongType),
        (#"{"on":"enter"}"#, "when[0]", .invalidValue),
        (#"{"on":"enter","zone":"z","beacon":"id1: x"}"#, "when[0]", .invalidValue),
        (
            #"{"on":"enter","geofence":{"latitude":91,"longitude":0,"radius":50}}"#,
            "when[0].geofence.latitude", .invalidValue
        ),
        (
            #"{"on":"enter","geofence":{"latitude":0,"longitude":-181,"radius":50}}"#,
            "when[0].geofence.longitude", .invalidValue
        ),
        (
            #"{"on":"enter","geofence":{"latitude":0,"longitude":0,"radius":9}}"#, "when[0].geofence.radius",
            .invalidValue
        ),
        (
            #"{"on":"enter","geofence":{"latitude":0,"longitude":0,"radius":100001}}"#,
            "when[0].geofence.radius", .invalidValue
        ),
        (
            #"{"on":"enter","geofence":{"latitude":1e999,"longitude":0,"radius":50}}"#,
            "when[0].geofence.latitude", .invalidValue
        ),
        (
            #"{"on":"enter","geofence":{"longitude":0,"radius":50}}"#, "when[0].geofence.latitude",
            .invalidValue
        ),
        (#"{"on":"exit","geofence":7}"#, "when[0].geofence", .wrongType),
        (#"{"on":"exit","beacon":"id1: x"}"#, "when[0].beacon", .invalidValue),
        (#"{"on":"exit","beacon":{"uuid":"x"}}"#, "when[0].beacon.uuid", .invalidValue),
        (
            #"{"on":"exit","beacon":{"uuid":"f7826da64fa24e988024bc5b71e0893e","minor":1}}"#,
            "when[0].beacon.minor", .invalidValue
        ),
        (
            #"{"on":"exit","beacon":{"uuid":"f7826da64fa24e988024bc5b71e0893e","major":65536}}"#,
            "when[0].beacon.major", .invalidValue
        ),
        (
            #"{"on":"exit","beacon":{"namespace":"2f234454cf6d4a0fadf2","instance":"1"}}"#,
            "when[0].beacon.instance", .invalidValue
        ),
        (
            #"{"on":"exit","beacon":{"namespace":"2f234454cf6d4a0fadf2","instance":"f49100010002"}}"#,
            "when[0].beacon.instance", .invalidValue
        ),
        (
            #"{"on":"exit","beacon":{"namespace":"2f234454cf6d4a0fadf2","instance":"00000001000a"}}"#,
            "when[0].beacon.instance", .invalidValue
        ),
        (
            #"{"on":"exit","beacon":"id1: 0x2f234454cf6d4a0fadf2 id2: 0xf49100010002"}"#,
            "when[0].beacon", .invalidValue
        ),
        (
            #"{"on":"exit","beacon":{"namespace":"2f234454cf6d4a0fadf2"},"gone":9}"#, "when[0].gone",
            .invalidValue
        ),
        (
            #"{"on":"exit","beacon":{"namespace":"2f234454cf6d4a0fadf2"},"rssi":21}"#, "when[0].rssi",
            .invalidValue
        ),
        (#"{"on":"near"}"#, "when[0].thing", .invalidValue),
        (#"{"on":"lifecycle"}"#, "when[0].call", .invalidValue),
        (#"{"on":"lifecycle","call":"x"}"#, "when[0].call", .invalidValue),
        (#"{"on":"lifecycle","level":"x"}"#, "when[0].level", .invalidValue),
        (#"{"on":"lifecycle","level":7}"#, "when[0].level", .wrongType),
        (#"{"on":"device","thing":"a"}"#, "when[0].event", .invalidValue),
        (
            #"{"on":"device","thing":"a","event":"ip_change","threshold":299}"#, "when[0].threshold",
            .invalidValue
        ),
    ])
    func `a trigger`(text: String, field: String, code: RefusalCode) throws {
        try check(RuleExamples.when(text), field, code)
    }

    @Test(arguments: [
        ("{}", "if[0]", RefusalCode.invalidValue), (#"{"level":[],"zone":["z"]}"#, "if[0]", .invalidValue),
        (#"{"level":[]}"#, "if[0].level", .invalidValue),
        (#"{"level":["x"]}"#, "if[0].level[0]", .invalidValue),
        (#"{"zone":[7]}"#, "if[0].zone[0]", .wrongType), (#"{"near":[""]}"#, "if[0].near[0]", .invalidValue),
        (#"{"clause":{"type":"eq","field":"f","value":1}}"#, "if[0].thing", .invalidValue),
        (#"{"during":7}"#, "if[0].during", .wrongType),
        (#"{"during":{"startTimeEachDay":"08:00:00"}}"#, "if[0].during", .invalidValue),
    ])
    func `a condition`(text: String, field: String, code: RefusalCode) throws {
        try check(RuleExamples.if(text), field, code)
    }

    @Test(arguments: [
        ("{}", "then[0]", RefusalCode.invalidValue),
        (#"{"set":{"on":true},"action":"a","target":"nearby"}"#, "then[0]", .invalidValue),
        (#"{"set":{"on":true}}"#, "then[0].target", .invalidValue),
        (#"{"set":{},"target":"nearby"}"#, "then[0].set", .invalidValue),
        (#"{"set":7,"target":"nearby"}"#, "then[0].set", .wrongType),
        (#"{"set":{"on":true,"token":"t"},"target":"nearby"}"#, "then[0].set", .invalidValue),
        (#"{"set":{"on":true},"target":"lamp"}"#, "then[0].target", .invalidValue),
        (#"{"set":{"on":true},"target":"thing:"}"#, "then[0].target", .invalidValue),
        (#"{"action":"","target":"nearby"}"#, "then[0].action", .invalidValue),
        (#"{"action":"a\nb","target":"nearby"}"#, "then[0].action", .invalidValue),
        (#"{"action":7,"target":"nearby"}"#, "then[0].action", .wrongType),
        (#"{"command":{"actions":[{"a":1}]},"target":"zone:z"}"#, "then[0].target", .invalidValue),
        (#"{"command":{"actions":[]},"target":"thing:a"}"#, "then[0].command.actions", .invalidValue),
        (
            #"{"command":{"actions":[{"a":1,"b":2}]},"target":"thing:a"}"#, "then[0].command.actions[0]",
            .invalidValue
        ),
        (
            #"{"command":{"actions":[{"a":1}],"issuer":"me"},"target":"thing:a"}"#, "then[0].command.issuer",
            .invalidValue
        ),
        (
            #"{"command":{"actions":[{"a":1}],"schemaVersion":-1},"target":"thing:a"}"#,
            "then[0].command.schemaVersion", .invalidValue
        ),
        (#"{"command":7,"target":"thing:a"}"#, "then[0].command", .wrongType),
        (#"{"notify":[]}"#, "then[0].notify", .invalidValue),
        (#"{"notify":["alice"]}"#, "then[0].notify[0]", .invalidValue),
        (#"{"notify":[7]}"#, "then[0].notify[0]", .wrongType),
        (#"{"notify":[{}]}"#, "then[0].notify[0]", .invalidValue),
        (#"{"notify":["user:a\nb"]}"#, "then[0].notify[0]", .invalidValue),
        (#"{"notify":[{"email":"a@b.c","sms":"123"}]}"#, "then[0].notify[0]", .invalidValue),
        (#"{"notify":[{"email":"a@b.c\r\nBcc: d@e.f"}]}"#, "then[0].notify[0].email", .invalidValue),
        (#"{"notify":[{"email":"a@b.c\n"}]}"#, "then[0].notify[0].email", .invalidValue),
        (#"{"notify":[{"email":"a@b.c\u000d\u0301"}]}"#, "then[0].notify[0].email", .invalidValue),
        (#"{"notify":[{"email":"a@b.c,d@e.f"}]}"#, "then[0].notify[0].email", .invalidValue),
        (#"{"notify":[{"email":"-oQ/tmp@b.c"}]}"#, "then[0].notify[0].email", .invalidValue),
        (#"{"notify":[{"sms":"12\n3"}]}"#, "then[0].notify[0].sms", .invalidValue),
        (#"{"notify":["user:a"],"channels":["fax"]}"#, "then[0].channels[0]", .invalidValue),
        (#"{"notify":["user:a"],"subject":"a\r\nBcc: b"}"#, "then[0].subject", .invalidValue),
        (#"{"notify":["user:a"],"subject":"{x}"}"#, "then[0].subject", .invalidValue),
        (#"{"notify":["user:a"],"text":"{thing"}"#, "then[0].text", .invalidValue),
        (#"{"notify":["user:a"],"text":"{va{thing}lue}"}"#, "then[0].text", .invalidValue),
        (#"{"notify":["user:a"],"text":"a\u0000b"}"#, "then[0].text", .invalidValue),
        (#"{"notify":["user:a"],"text":""}"#, "then[0].text", .invalidValue),
        (#"{"ceiling":"DISCONNECTED"}"#, "then[0].ceiling", .invalidValue),
        (#"{"ceiling":7}"#, "then[0].ceiling", .wrongType),
        (#"{"publish":null}"#, "then[0]", .invalidValue),
        (#"{"publish":1,"at":"end"}"#, "then[0].at", .invalidValue),
        (#"{"publish":1,"at":"start"}"#, "then[0].at", .invalidValue),
        (#"{"publish":1,"at":"now"}"#, "then[0].at", .invalidValue),
    ])
    func `an action`(text: String, field: String, code: RefusalCode) throws {
        try check(RuleExamples.then(text), field, code)
    }

    @Test(arguments: ["end", "range"])
    func `an end that is none`(timing: String) throws {
        try check(
            RuleExamples.scheduled(#"{"publish":1,"at":"\#(timing)"}"#, end: nil),
            "then[0].at",
            .invalidValue
        )
    }

    @Test func `texts and lists that are too long`() throws {
        func rule(_ change: (inout JSONObject) -> Void) throws -> String {
            var rule = try JSONValue(parsing: RuleExamples.then(#"{"publish":1}"#)).object ?? [:]
            change(&rule)
            return rule.description
        }
        let text = String(repeating: "é", count: 1_001)
        try check(rule { $0["title"] = .string(String(repeating: "é", count: 51)) }, "title", .invalidValue)
        try check(
            rule { $0["description"] = .string(String(repeating: "é", count: 201)) },
            "description",
            .invalidValue
        )
        try check(
            RuleExamples.then(#"{"notify":["user:a"],"text":"\#(text)"}"#),
            "then[0].text",
            .invalidValue
        )
        try check(
            RuleExamples.then(#"{"notify":["user:a"],"subject":"\#(text)"}"#),
            "then[0].subject",
            .invalidValue
        )
        for (name, element) in [
            ("when", #"{"on":"near","thing":"a"}"#), ("then", #"{"publish":1}"#),
            ("if", #"{"level":["active"]}"#),
        ] {
            let elements = try Array(repeating: JSONValue(parsing: element), count: 51)
            try check(rule { $0[name] = .array(elements) }, name, .invalidValue)
            // 10,000 parts are too many bytes, whatever they are.
            let many = try Array(repeating: JSONValue(parsing: element), count: 10_000)
            try check(rule { $0[name] = .array(many) }, nil, .tooLarge)
            let empty = Array(repeating: JSONValue.number(1), count: 10_000)
            try check(rule { $0[name] = .array(empty) }, name, .invalidValue)
        }
        try check(
            RuleExamples.if(#"{"zone":\#(JSONValue.array(Array(repeating: "z", count: 51)))}"#),
            "if[0].zone",
            .invalidValue
        )
        let big = JSONValue.string(String(repeating: "x", count: 4_095))
        try check(RuleExamples.then(#"{"publish":\#(big)}"#), "then[0].publish", .tooLarge)
    }

    @Test func `clauses that are too deep or too many`() throws {
        func nested(_ depth: Int) -> JSONValue {
            var clause: JSONValue = ["type": "eq", "field": "f", "value": 1]
            for _ in 1..<depth { clause = ["type": "and", "clauses": [clause]] }
            return clause
        }
        func read(_ clause: JSONValue) throws {
            _ = try RuleReader().read(
                ["when": [["on": "state", "thing": "a", "clause": clause]], "then": [["publish": 1]]]
            )
        }
        #expect(throws: Never.self) { try read(nested(8)) }
        for depth in [9, 12, 40, 1_000] { #expect(throws: Refusal.self) { try read(nested(depth)) } }
        let element: JSONValue = ["type": "eq", "field": "f", "value": 1]
        #expect(throws: Never.self) {
            try read(["type": "or", "clauses": .array(Array(repeating: element, count: 49))])
        }
        for count in [50, 51, 10_000] {
            let list = Array(repeating: element, count: count)
            #expect(throws: Refusal.self) { try read(["type": "or", "clauses": .array(list)]) }
        }
    }

    @Test func `numbers that are none`() throws {
        for number in [Double.nan, .infinity, -.infinity] {
            let circle: JSONValue = ["latitude": .number(number), "longitude": 0, "radius": 50]
            let clause: JSONValue = ["type": "range", "field": "f", "lowerLimit": .number(number)]
            for trigger: JSONValue in [
                ["on": "enter", "geofence": circle], ["on": "state", "thing": "a", "clause": clause],
                ["on": "once", "at": .number(number)],
                ["on": "device", "thing": "a", "event": "ip_change", "threshold": .number(number)],
            ] {
                #expect(throws: Refusal.self) {
                    try RuleReader().read(["when": [trigger], "then": [["publish": 1]]])
                }
            }
        }
    }

    @Test func `another form is refused if one is asked for`() throws {
        let json = try JSONValue(parsing: RuleExamples.tooWarm)
        #expect(throws: Refusal.self) { try RuleReader().read(json, as: .trigger) }
        #expect(throws: Never.self) { try RuleReader().read(json, as: .rule) }
    }
}
