import Bindings
import JSON
import SeededRandom
import Testing
import Things

struct StateUploadTests {
    private static let now: Int64 = 1_760_000_000_000

    private static func state(_ text: String) throws -> StateUpload {
        try StateUpload(state: Array(text.utf8), at: now)
    }

    private static func message(_ text: String) throws -> StateUpload {
        try StateUpload(message: Array(text.utf8), at: now)
    }

    private static func list(_ times: [Int64]) -> String {
        "[" + times.map { #"{"at":\#($0),"state":{"t":1}}"# }.joined(separator: ",") + "]"
    }

    @Test func `a state has the time of its upload`() throws {
        for upload in [try Self.state(#"{"t":21.5}"#), try Self.message(#"{"t":21.5}"#)] {
            #expect(upload.samples.map(\.at) == [Self.now])
            #expect(upload.samples.map(\.state) == [["t": 21.5]])
        }
    }

    @Test func `a list has the times of its states`() throws {
        let times = [Self.now - 5000, Self.now - 5000, Self.now + 1000]
        #expect(try Self.message(Self.list(times)).samples.map(\.at) == times)
    }

    @Test(arguments: [
        ("7", RefusalCode.wrongType, "state must be an object, is 7"),
        ("{", .badJSON, "the state is no JSON"),
        (#"{"t":NaN}"#, .badJSON, "the state is no JSON"),
        (#"{"t":1e999}"#, .badJSON, "the state is no JSON"),
        ("[]", .invalidValue, "states must be a list of one state or more"),
        ("[7]", .wrongType, "states[0] must be an object"),
        (#"{"at":1760000000000,"state":{"t":1}}"#, .wrongType, "a state with its time stands in a list"),
        (#"[{"at":1760000000000}]"#, .invalidValue, "states[0].state is missing"),
        (#"[{"at":1760000000000,"state":[]}]"#, .wrongType, "states[0].state must be an object"),
        (#"[{"state":{}}]"#, .invalidValue, "states[0].at is missing"),
        (#"[{"at":"now","state":{}}]"#, .wrongType, "states[0].at must be a whole number"),
        (
            #"[{"at":1760000000000,"state":{}},{"at":1760000000001,"t":1}]"#, .invalidValue,
            "states[1].t is unknown"
        ),
    ])
    func `a refusal names what is wrong and where`(text: String, code: RefusalCode, sentence: String) {
        let refusal = #expect(throws: Refusal.self) { try Self.message(text) }
        #expect(refusal?.code == code)
        #expect(refusal?.message.hasPrefix(sentence) == true, "\(refusal?.message ?? "")")
    }

    @Test func `over HTTP a list is no state`() {
        #expect(throws: Refusal.self) { try Self.state(Self.list([Self.now])) }
    }

    @Test func `a list may be a day old and a minute ahead`() throws {
        for (offset, isLegal): (Int64, Bool) in [
            (-86_400_000, true), (-86_400_001, false), (60_000, true), (60_001, false),
        ] {
            #expect(((try? Self.message(Self.list([Self.now + offset]))) != nil) == isLegal, "\(offset)")
        }
        let refusal = #expect(throws: Refusal.self) {
            try Self.message(Self.list([Self.now, Self.now + 60_001]))
        }
        #expect(refusal?.message == "states[1].at must be at most a minute ahead, is 60001 ms ahead")
    }

    @Test func `the oldest state of a list comes first`() {
        let refusal = #expect(throws: Refusal.self) { try Self.message(Self.list([Self.now, Self.now - 1])) }
        #expect(refusal?.field == "states[1].at")
    }

    @Test func `10,240 bytes of a state are taken and 10,241 refused`() {
        func text(_ length: Int) -> String { #"{"a":"\#(String(repeating: "x", count: length - 8))"}"# }
        for read in [Self.state, Self.message] {
            #expect(throws: Never.self) { _ = try read(text(10_240)) }
            let refusal = #expect(throws: Refusal.self) { _ = try read(text(10_241)) }
            #expect(refusal?.code == .tooLarge)
        }
        #expect(throws: Never.self) {
            _ = try Self.message(#"[{"at":\#(Self.now),"state":\#(text(10_240))}]"#)
        }
        #expect(throws: Refusal.self) {
            _ = try Self.message(#"[{"at":\#(Self.now),"state":\#(text(10_241))}]"#)
        }
    }

    @Test func `61,440 bytes of a list are taken and 61,441 refused`() {
        let text = Self.list(Array(repeating: Self.now, count: 100))
        func padded(_ length: Int) -> String {
            text + String(repeating: " ", count: length - text.utf8.count)
        }
        #expect(throws: Never.self) { try Self.message(padded(61_440)) }
        #expect(throws: Refusal.self) { try Self.message(padded(61_441)) }
    }

    @Test func `16 levels of a state are taken and 17 refused`() {
        func text(_ levels: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
                + "}"
        }
        #expect(throws: Never.self) { try Self.state(text(16)) }
        #expect(throws: Refusal.self) { try Self.state(text(17)) }
    }

    @Test func `a late list changes what is current only if it is newer`() throws {
        let list = try Self.message(Self.list([Self.now - 9000, Self.now - 5000]))
        #expect(list.current(after: nil)?.at == Self.now - 5000)
        #expect(list.current(after: Self.now - 5001)?.at == Self.now - 5000)
        #expect(list.current(after: Self.now - 5000) == nil)
        // What comes without a time is current, also after states of a fast clock.
        #expect(try Self.state("{}").current(after: Self.now + 60_000)?.at == Self.now)
    }

    @Test(arguments: [(1, 1), (50, 1), (51, 2), (100, 2), (101, 3)])
    func `a list counts once for each fifty states`(count: Int, cost: Int) throws {
        #expect(try Self.message(Self.list(Array(repeating: Self.now, count: count))).cost == cost)
    }

    @Test func `only fields that changed are changes`() {
        #expect(StateUpload.changes(from: nil, to: ["a": 1]) == ["a": 1])
        #expect(
            StateUpload.changes(from: ["a": 1, "b": 2, "c": 3], to: ["a": 1, "b": 3, "d": .null]) == [
                "b": 3, "d": .null,
            ]
        )
    }

    @Test func `any bytes are read or refused`() {
        var fuzz = Fuzz(
            seed: 33,
            corpus: [Self.list([Self.now, Self.now + 5]), #"{"t":21.5,"x":[{"y":null}]}"#]
        )
        for _ in 0..<Fuzz.count {
            let bytes = fuzz.next()
            if let upload = try? StateUpload(message: bytes, at: Self.now) { #expect(upload.cost > 0) }
            _ = try? StateUpload(message: bytes, at: .min)
            _ = try? StateUpload(message: bytes, at: .max)
        }
    }

    @Test func `a state with two fields of one name is refused`() {
        let refusal = #expect(throws: Refusal.self) { try Self.state(#"{"t":1,"t":2}"#) }
        #expect(refusal?.code == .badJSON)
        #expect(throws: Refusal.self) { try Self.message(#"[{"at":\#(Self.now),"state":{"t":1,"t":2}}]"#) }
    }
}
