import CommandFixture
import Controller
import Flare
import JSON
import Messages
import Testing
import Things

struct ScreenMessageTests {
    private func decoded(_ payload: String) -> Result<Command.Operation, Refusal> {
        CommandDecoder().decode(CommandDescriptor.screenSet.topic("hall"), payload: Array(payload.utf8))
            .result
    }

    @Test(
        arguments: [
            ("back", .back), ("\"navigateHome\"", .navigateHome),
            (#"{"call":"sessionClosed","tx":1}"#, .sessionClosed),
            (#"{"call":"signInComplete"}"#, .signInComplete), (" startApplication ", .startApplication),
            ("plan", .pushScreen("plan", thing: nil)),
            (#"{"call":"plan","thing":"lamp"}"#, .pushScreen("plan", thing: "lamp")),
            (#"{"call":"pushScreen","screen":"back"}"#, .pushScreen("back", thing: nil)),
            (#"{"call":"pushScreen","screen":"plan","thing":null}"#, .pushScreen("plan", thing: nil)),
            (#"{"call":"pushScreen","screen":"plan","thing":"lamp"}"#, .pushScreen("plan", thing: "lamp")),
        ] as [(String, ScreenCall)]
    )
    func `a word or an object is a call`(payload: String, call: ScreenCall) {
        #expect(decoded(payload) == .success(.show(call, display: "hall")))
    }

    @Test(
        arguments: [
            ("", RefusalCode.invalidValue, "pushScreen, back"),
            ("pushScreen", .invalidValue, "needs a screen"),
            (#"{"call":"pushScreen"}"#, .invalidValue, "needs a screen"),
            (#"{"screen":"plan"}"#, .invalidValue, "call is missing"),
            (#"{"call":"back","screen":"plan"}"#, .unknownKey, "screen"),
            (#"{"call":"pushScreen","screen":"plan","thign":"a"}"#, .unknownKey, "thing"),
            (#"{"call":5}"#, .wrongType, "call must be a text"), ("[1]", .wrongType, "plain word"),
            (#"{"call":"pushScreen","screen":"plan","thing":{}}"#, .wrongType, "thing must be a text"),
            ("{", .badJSON, "JSON"), (String(repeating: "x", count: 300), .invalidValue, "200"),
        ]
    )
    func `anything else is refused with what is legal`(payload: String, code: RefusalCode, words: String) {
        guard case .failure(let refusal) = decoded(payload) else {
            Issue.record("\(payload) was accepted")
            return
        }
        #expect(refusal.code == code, "\(refusal)")
        #expect(refusal.message.contains(words), "\(refusal.message)")
    }

    @Test func `a display's screen is shown with its thing and those below it`() {
        var state = ControllerState(epoch: "e")
        let lamp = FlareID(high: 3, low: 0)
        state.slugs.restore("lamp", for: ObjectReference(.thing, lamp))
        #expect(state.screenJSON(of: "hall") == nil)
        var stack = ScreenStack("home")
        state.screens["hall"] = stack
        #expect(
            state.screenJSON(of: "hall") == ["screen": "home", "thing": .null, "stack": [["screen": "home"]]]
        )
        stack.push(ScreenStack.Entry("details", thing: lamp))
        state.screens["hall"] = stack
        #expect(
            state.screenJSON(of: "hall") == [
                "screen": "details", "thing": "lamp",
                "stack": [["screen": "home"], ["screen": "details", "thing": "lamp"]],
            ]
        )
    }

    // MARK: Access points

    @Test(
        arguments: [
            (#"["A","B"]"#, ["A", "B"]), (#""A""#, ["A"]), (#"{"ssid":"A","rssi":-50.5}"#, ["A -50.5"]),
            (#"[{"ssid":"A","rssi":null,"channel":6},"",{"ssid":""}]"#, ["A"]), ("[]", []),
        ] as [(String, [String])]
    )
    func `access points are names or objects, and hidden ones are left out`(
        payload: String,
        points: [String]
    ) throws {
        let found = try AccessPoint.list(Array(payload.utf8))
        #expect(found.map { point in point.rssi.map { "\(point.ssid) \($0)" } ?? point.ssid } == points)
    }

    @Test(
        arguments: [
            ("", RefusalCode.badJSON), ("[", .badJSON), ("5", .wrongType), ("[[]]", .wrongType),
            (#"[{"name":"A"}]"#, .wrongType), (#"[{"ssid":"A","rssi":"x"}]"#, .outOfRange),
            (#"[{"ssid":"A","rssi":1e9}]"#, .outOfRange),
            ("[\"" + String(repeating: "x", count: 101) + "\"]", .outOfRange),
            ("[" + String(repeating: "\"a\",", count: 10_000) + "\"a\"]", .tooLarge),
            (String(repeating: "[", count: 60_000), .badJSON),
        ]
    )
    func `what is no list of access points is refused as a whole`(payload: String, code: RefusalCode) {
        do throws(Refusal) {
            _ = try AccessPoint.list(Array(payload.utf8))
            Issue.record("\(payload.prefix(40)) was accepted")
        } catch {
            #expect(error.code == code)
        }
    }

    @Test func `a list of access points that is too long is not read`() {
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 70_000)
        #expect(throws: Refusal(.tooLarge, "70000 bytes of access points are more than 65536")) {
            try AccessPoint.list(blanks)
        }
    }
}
