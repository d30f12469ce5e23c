import Controller
import Flare
import JSON
import Messages
import Testing
import Things

/// The reserved members `token` and `as` of commands.
struct CommandCredentialsTests {
    private static let token = "tlu_" + String(repeating: "Ab-_9", count: 8)

    private func decode(_ tail: String, _ payload: String, isRetained: Bool = false) throws -> DecodedCommand
    {
        let topic = try #require(CommandTable.tested.topic(tail[...]))
        return CommandDecoder().decode(topic, payload: Array(payload.utf8), isRetained: isRetained)
    }

    private static let objects = [
        ("nearby/set", #""color":"red""#), ("nearby/action", #""action":"on""#),
        ("things/lamp/set", #""state":"ON""#), ("things/lamp/action", #""action":"on""#),
        ("things/lamp/get", ""), ("zones/kitchen/set", #""state":"ON""#), ("device/set", #""angle":9"#),
        ("environment/set", #""environment":"home""#), ("sensors/gps/set", #""state":"ON""#),
        ("lifecycle/level/set", #""level":"FULL""#), ("request/ping", ""),
        ("request/loglevel", #""level":"debug""#), ("request/explain", #""subject":"zone""#),
    ]

    @Test(arguments: objects)
    func `every object may say who sends it, and means the same`(tail: String, rest: String) throws {
        let plain = try decode(tail, "{\(rest)}")
        let comma = rest.isEmpty ? "" : ","
        let signed = try decode(tail, #"{\#(rest)\#(comma)"token":"\#(Self.token)","as":"bob","tx":7}"#)
        #expect(try signed.result.get() == plain.result.get())
        #expect(signed.credentials.token == Self.token && signed.credentials.name == "bob")
        #expect(plain.credentials == CommandCredentials())
        #expect(signed.tx == 7)
    }

    @Test func `an attribute's value is only a value`() throws {
        for tail in ["nearby/set/note", "things/lamp/set/note", "things/lamp/set/token"] {
            let decoded = try decode(tail, #"{"token":"x"}"#)
            #expect(decoded.credentials == CommandCredentials())
            #expect((try? decoded.result.get()) != nil)
        }
    }

    @Test(
        arguments: [
            (#"{"token":5}"#, .wrongType, "token"), (#"{"token":null}"#, .wrongType, "token"),
            (#"{"token":["SECRET"]}"#, .wrongType, "token"), (#"{"as":true}"#, .wrongType, "as"),
            (#"{"as":"bob","token":{"a":"SECRET"}}"#, .wrongType, "token"),
            // The mark first, as before.
            (#"{"token":5,"tx":[]}"#, .wrongType, "tx"),
        ] as [(String, RefusalCode, String)]
    )
    func `a wrong form is refused before anything else`(payload: String, code: RefusalCode, field: String)
        throws
    {
        let text = payload.replacing("SECRET", with: Self.token)
        guard case .failure(let refusal) = try decode("things/lamp/get", text).result else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == code && refusal.field == field)
        #expect(!refusal.message.contains("tlu_"), "\(refusal.message)")
    }

    @Test(arguments: [
        ("things/lamp/get", #"{"txx":1,"token":"T","as":"bob"}"#),
        ("device/set", #"{"angle":361,"token":"T","as":"bob"}"#),
        ("request/dance", #"{"token":"T","as":"bob"}"#),
        ("nearby/set", #"{"tx":[1],"token":"T","as":"bob"}"#),
    ])
    func `what is refused for its form still says who sent it`(tail: String, payload: String) throws {
        for isRetained in [false, true] {
            let decoded = try decode(tail, payload, isRetained: isRetained)
            #expect(throws: Refusal.self) { try decoded.result.get() }
            #expect(decoded.credentials.token == "T" && decoded.credentials.name == "bob")
        }
    }

    @Test(arguments: [
        ("nearby/set", #"[{"token":"T"}]"#), ("nearby/set", #""T""#), ("nearby/set", "T"),
        ("environment/set", #"["T"]"#), ("things/lamp/get", #"{"T":1}"#), ("things/lamp/get", "T"),
        ("request/T", ""), ("sensors/T/set", "ON"), ("sensors/gps/set", "T"),
        ("device/set", #"{"position":{"T":1,"x":1,"y":2}}"#), ("request/loglevel", "T"),
        ("lifecycle/T/set", "x"), ("device/set", #"{"name":{"T":"T"}}"#),
    ])
    func `no refusal quotes a token, wherever it was put`(tail: String, payload: String) throws {
        let decoded = try decode(
            tail.replacing("T", with: Self.token),
            payload.replacing("T", with: Self.token)
        )
        guard case .failure(let refusal) = decoded.result else { return }
        #expect(!"\(refusal.message) \(refusal.field ?? "")".lowercased().contains("tlu_"), "\(refusal)")
    }

    @Test func `a sentence without a token stays as it is`() {
        let refusal = Refusal(.badJSON, "the payload is \"tl\"", field: "a")
        #expect(refusal.masked == refusal)
        #expect(Refusal(.badJSON, "is \"tlu_ab-C_1\"; tlu_").masked.message == "is \"***\"; ***")
    }
}
