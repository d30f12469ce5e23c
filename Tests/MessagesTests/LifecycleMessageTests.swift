import CommandFixture
import Controller
import Flare
import JSON
import Messages
import Testing
import Things

struct LifecycleMessageTests {
    private func decoded(_ part: String, _ payload: String) -> Result<Command.Operation, Refusal> {
        CommandDecoder().decode(CommandDescriptor.lifecycleSet.topic(part), payload: Array(payload.utf8))
            .result
    }

    @Test(
        arguments: [
            ("level", "FULL", .level(.active)), ("level", "limited", .level(.limited)),
            ("level", "\"NONE\"", .level(.notRunning)), ("level", "auto", .level(nil)),
            ("level", #"{"level":"BACKGROUND","tx":1}"#, .level(.background)),
            ("audio", "audible", .audio(.audible)), ("audio", "NOTAUDIBLE", .audio(.notAudible)),
            ("context", #"{"context":"menu"}"#, .context(.menu)), ("context", " voice ", .context(.voice)),
            ("language", "de-DE", .language("de-DE")),
        ] as [(String, String, SetLifecycle)]
    )
    func `a word sets a part of the lifecycle`(
        part: String,
        payload: String,
        change: SetLifecycle
    ) {
        #expect(decoded(part, payload) == .success(.setLifecycle(change)))
    }

    @Test(
        arguments: [
            ("level", "DISCONNECTED", RefusalCode.invalidValue, "FULL, LIMITED, BACKGROUND, NONE, auto"),
            ("level", "", .invalidValue, "is \"\""), ("level", "5", .invalidValue, "level must be one of"),
            ("audio", "loud", .invalidValue, "audible, attenuated, notAudible"),
            ("context", "x", .invalidValue, "main, voice, menu, obscured, alert"),
            ("level", #"{"volume":"FULL"}"#, .unknownKey, "volume"),
            ("level", "[1]", .wrongType, "plain word"),
            ("level", "{", .badJSON, "JSON"), ("levle", "FULL", .unknownKey, "level"),
            ("language", String(repeating: "x", count: 36), .invalidValue, "35"),
        ]
    )
    func `another word is refused with what is legal`(
        part: String,
        payload: String,
        code: RefusalCode,
        words: String
    ) {
        guard case .failure(let refusal) = decoded(part, payload) else {
            Issue.record("\(payload) was accepted")
            return
        }
        #expect(refusal.code == code)
        #expect(refusal.message.contains(words), "\(refusal.message)")
    }

    @Test(
        arguments: [
            ("visible", .visible), ("hidden", .hidden), ("gone", .gone), ("", .gone),
            (" Visible\n", .visible),
            ("\"hidden\"", .hidden), ("\"", nil), ("here", nil), ("{}", nil), ("visible hidden", nil),
        ] as [(String, Lifecycle.DisplayPresence?)]
    )
    func `a display's presence is one of three words`(payload: String, presence: Lifecycle.DisplayPresence?) {
        #expect(Lifecycle.DisplayPresence(payload: Array(payload.utf8)) == presence)
    }

    @Test func `a presence that is no text or too long is none`() {
        #expect(Lifecycle.DisplayPresence(payload: [0xFF, 0xFE]) == nil)
        #expect(Lifecycle.DisplayPresence(payload: [UInt8](repeating: 0x20, count: 65)) == nil)
    }

    @Test func `the display of a presence topic is its third level`() {
        let topics = Topics(root: "t/n")
        #expect(topics.display(of: "t/n/display/hall/presence") == "hall")
        #expect(topics.display(of: "t/n/display//presence") == "")
        for topic in ["t/n/display/hall", "t/m/display/hall/presence", "t/n/display/a/b/presence", "t/nn"] {
            #expect(topics.display(of: topic) == nil, "\(topic)")
        }
    }

    @Test func `the lifecycle shows what has led to it`() {
        var settings = Lifecycle.Settings()
        settings.ceiling = .limited
        settings.languages = [.init(tag: "de", appName: "A", shortAppName: "B", spokenName: "C")]
        var state = ControllerState(epoch: "e1", slices: Slices([Lifecycle(settings)]))
        state.lifecycle.isLinked = true
        state.lifecycle.isPlaceLoaded = true
        state.lifecycle.forcedLevel = .active
        state.lifecycle.set(.attenuated)
        _ = state.lifecycle.setLanguage("de")
        _ = state.lifecycle.setDisplay("a", .visible)
        _ = state.lifecycle.setDisplay("b", .hidden)
        _ = state.lifecycle.update()
        state.lifecycle.since = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
        state.suspendedSensors = [.gps, .compass]
        state.sensors[.gps] = false
        #expect(
            state.lifecycleJSON == [
                "state": "limited", "level": "LIMITED", "audio": "attenuated", "gain": 0.3,
                "context": "main", "displays": 2, "visible": 1, "since": "1970-01-01T00:00:00.000Z",
                "forced": "FULL", "ceiling": "LIMITED", "language": "de", "app_name": "A",
                "short_app_name": "B", "spoken_name": "C", "suspended": ["compass"],
            ]
        )
        #expect(state.feedJSON()["audio"] == ["state": "attenuated", "gain": 0.3])
        #expect(state.feedJSON()["lifecycle"]?["language"] == "de")
    }
}
