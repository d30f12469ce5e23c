import Bindings
import Controller
import JSON
import Messages
import People
import SeededRandom
import Testing
import Things

struct EdgeMessageTests {
    private static let now: Int64 = 1_760_000_000_000
    private let thing = EdgeAddress("v-1")

    private func read(_ text: String, _ part: EdgeTopic.Part, isRetained: Bool = false) -> DecodedEdgeMessage
    {
        DecodedEdgeMessage(Array(text.utf8), on: EdgeTopic(thing, part), isRetained: isRetained, at: Self.now)
    }

    private func code(_ decoded: DecodedEdgeMessage) -> RefusalCode? {
        if case .failure(let refusal) = decoded.result { refusal.code } else { nil }
    }

    @Test func `a thing asks to be onboarded by its own name`() throws {
        let decoded = read(#"{"password":"s3cret","type":"meter","interval":"1_HOUR","tx":7}"#, .onboard)
        #expect(decoded.tx == 7)
        guard case .onboard(let request) = try decoded.result.get() else {
            Issue.record("not an onboarding")
            return
        }
        #expect(request.thing == .vendor("v-1") && request.form == .vendorByThing)
        #expect(request.password == "s3cret" && request.type == "meter" && request.interval == .hour)
    }

    @Test func `the tx of an onboarding that is refused can be answered`() {
        let decoded = read(#"{"password":"","tx":"a"}"#, .onboard)
        #expect(code(decoded) == .invalidValue && decoded.tx == "a")
        #expect(code(read(#"{"password":"x","tx":{}}"#, .onboard)) == .wrongType)
        let long = String(repeating: "x", count: 2000)
        #expect(code(read(#"{"password":"x","tx":"\#(long)"}"#, .onboard)) == .invalidValue)
    }

    @Test func `what is refused does not repeat a token or the password`() throws {
        let token = "tlu_" + String(repeating: "a", count: 43)
        for text in [
            #"{"password":"s3cret","\#(token)":1}"#, #"{"password":["s3cret"]}"#, #"{"password":"s3cret""#,
        ] {
            guard case .failure(let refusal) = read(text, .onboard).result else {
                Issue.record("\(text) is no onboarding")
                continue
            }
            #expect(!"\(refusal) \(refusal.field ?? "")".contains("s3cret"))
            #expect(!"\(refusal) \(refusal.field ?? "")".contains(token))
        }
        let decoded = read(#"{"password":"s3cret","tx":"\#(token)"}"#, .onboard)
        #expect(decoded.tx == "***")
    }

    @Test func `states come alone or in a list, and kept ones are marked`() throws {
        guard case .state(let one, false) = try read(#"{"t":21.5}"#, .state).result.get(),
            case .state(let kept, true) = try read(#"{"t":21.5}"#, .state, isRetained: true).result.get(),
            case .state(let list, false) = try read(
                #"[{"at":1759999999000,"state":{"t":1}},{"at":1760000000000,"state":{"t":2}}]"#,
                .state
            ).result.get()
        else {
            Issue.record("not states")
            return
        }
        #expect(one == kept && one.samples.map(\.state) == [["t": 21.5]])
        #expect(list.samples.map(\.at) == [1_759_999_999_000, 1_760_000_000_000])
    }

    @Test(arguments: [EdgeTopic.Part.onboard, .result, .nodes])
    func `what the broker had kept is refused, apart from states and status`(part: EdgeTopic.Part) {
        #expect(code(read("[]", part, isRetained: true)) == .retainedCommand)
        #expect(code(read("not JSON", part, isRetained: true)) == .retainedCommand)
    }

    @Test(arguments: EdgeTopic.Part.allCases)
    func `an empty message says that nothing is kept any more`(part: EdgeTopic.Part) throws {
        #expect(try read("", part).result.get() == .cleared)
        #expect(try read("", part, isRetained: true).result.get() == .cleared)
    }

    @Test func `a status is one of two words`() throws {
        #expect(try read("online", .status, isRetained: true).result.get() == .status(.online))
        #expect(try read("offline", .status).result.get() == .status(.offline))
        for text in ["Online", "online\n", "\"online\"", "{}", String(repeating: "x", count: 1000)] {
            #expect(code(read(text, .status)) == .invalidValue)
        }
    }

    @Test func `messages have a size and a depth`() {
        let deep = String(repeating: "[", count: 17) + String(repeating: "]", count: 17)
        let cases: [(EdgeTopic.Part, String, RefusalCode)] = [
            (.onboard, #"{"password":"x"}"# + String(repeating: " ", count: 131_072), .tooLarge),
            (.onboard, #"{"password":"x","properties":{"a":\#(deep)}}"#, .invalidValue),
            (.state, String(repeating: " ", count: 10_239) + "{}", .tooLarge),
            (.state, #"{"a":\#(deep)}"#, .invalidValue),
            (
                .result, #"{"commandID":"c","actionResults":[]}"# + String(repeating: " ", count: 131_072),
                .tooLarge
            ),
            (
                .result, #"{"commandID":"c","actionResults":[{"on":{"succeeded":true,"data":\#(deep)}}]}"#,
                .invalidValue
            ),
            (.nodes, "[]" + String(repeating: " ", count: 61_439), .tooLarge),
            (.nodes, #"[{"vendorThingID":"w","thingProperties":{"a":\#(deep)}}]"#, .invalidValue),
        ]
        for (part, text, code) in cases { #expect(self.code(read(text, part)) == code, "\(part)") }
        #expect(code(DecodedEdgeMessage(oversize: 2_000_000, on: EdgeTopic(thing, .state))) == .tooLarge)
    }

    @Test func `random messages are read or refused, each with a sentence`() {
        var fuzz = Fuzz(
            seed: 11,
            corpus: [
                #"{"password":"s3cret","type":"meter","properties":{"a":[1,{"b":null}]},"interval":"1_HOUR","tx":"7"}"#,
                #"[{"at":1760000000000,"state":{"t":21.5}}]"#, #"{"t":21.5,"on":true}"#, "online",
                #"{"commandID":"c.1","actionResults":[{"on":{"succeeded":true}}]}"#,
                #"[{"vendorThingID":"w-1","thingProperties":{"name":"W"}}]"#,
            ]
        )
        var accepted = 0
        for number in 0..<Fuzz.count {
            let parts = EdgeTopic.Part.allCases
            let topic = EdgeTopic(thing, parts[number % parts.count])
            let decoded = DecodedEdgeMessage(fuzz.next(), on: topic, at: Self.now)
            switch decoded.result {
            case .success: accepted += 1
            case .failure(let refusal): #expect(!refusal.message.isEmpty)
            }
        }
        #expect(accepted > 100)
    }

    // MARK: What things are told

    private let moment = Instant(wallMilliseconds: now, steadyMilliseconds: 0)

    private func json(_ answer: EdgeAnswer) throws -> JSONValue {
        try JSONValue(parsing: answer.bytes(at: moment))
    }

    @Test func `an onboarded thing is told what it is called, its token and the time`() throws {
        let id = try #require(BindingID("th.0123456789abcdef0123456789abcdef"))
        let answer = OnboardingAnswer(
            id,
            isOwned: false,
            token: "tlt_x",
            endpoint: nil,
            ignored: ["interval"]
        )
        #expect(
            try json(.onboarded(answer, tx: 7)) == [
                "status": "ok", "thingID": "th.0123456789abcdef0123456789abcdef", "accessToken": "tlt_x",
                "owned": false, "ignored": ["interval"], "tx": 7, "ts": "2025-10-09T08:53:20.000Z",
            ]
        )
        let later = OnboardingAnswer(id, isOwned: true, token: nil, endpoint: nil, ignored: [])
        let told = try json(.onboarded(later, tx: nil))
        #expect(
            told["owned"] == true && told["accessToken"] == nil && told["ignored"] == nil && told["tx"] == nil
        )
    }

    @Test func `an error has its code, and where it was made`() throws {
        let error = BindingsError.notOnboarded("no owner yet")
        #expect(
            try json(.error(error, topic: "t/n/edge/v-1/state")) == [
                "topic": "t/n/edge/v-1/state", "code": "not_onboarded", "message": "no owner yet",
                "ts": "2025-10-09T08:53:20.000Z",
            ]
        )
        #expect(
            try json(.notOnboarded(error, tx: "a")) == [
                "status": "error", "code": "not_onboarded", "message": "no owner yet", "tx": "a",
                "ts": "2025-10-09T08:53:20.000Z",
            ]
        )
    }

    @Test func `a command has its actions in order, and the time until which it counts`() throws {
        let actions = [CommandAction("on", true), CommandAction("brightness", 0.4)]
        let plain = EdgeCommand("set.1", actions, deadline: Self.now + 8000)
        #expect(
            try JSONValue(parsing: plain.bytes(at: moment)) == [
                "commandID": "set.1", "actions": [["on": true], ["brightness": 0.4]], "issuer": "user:none",
                "deadline": 1_760_000_008_000, "ts": "2025-10-09T08:53:20.000Z",
            ]
        )
        let command = EdgeCommand(
            "c.1",
            actions,
            issuer: "user:a",
            schema: "lamp",
            schemaVersion: 2,
            deadline: 1
        )
        let told = try JSONValue(parsing: command.bytes(at: moment))
        #expect(told["schema"] == "lamp" && told["schemaVersion"] == 2 && told["issuer"] == "user:a")
    }
}
