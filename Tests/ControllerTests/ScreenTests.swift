import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// What displays show, and the calls that change it.
@Suite struct ScreenTests {
    private static func rig() -> Rig {
        var configuration = ControllerConfiguration()
        configuration.screens = ScreenSettings(
            names: ["welcome", "home", "details", "plan"],
            home: "home",
            signIn: "welcome"
        )
        var rig = Rig.atHome(configuration)
        rig.happens(.displayChanged(id: "web/hall", .visible))
        rig.happens(.displayChanged(id: "mqtt/door", .hidden))
        return rig
    }

    private func screens(_ rig: Rig, _ display: String = "hall") -> [String] {
        rig.state.screens[display]?.entries.map { entry in
            entry.thing == nil
                ? entry.screen
                : "\(entry.screen) of \(rig.state.slugs[.thing, entry.thing ?? House.lamp] ?? "?")"
        } ?? []
    }

    @Test func `a display begins at home, and has its screens as long as it is there`() {
        var rig = Self.rig()
        #expect(screens(rig) == ["home"])
        _ = rig.controller.removeChanges()
        rig.command(.show(.pushScreen("plan", thing: nil), display: "hall"))
        #expect(rig.controller.removeChanges().contains(.screen("hall")))
        rig.happens(.displayChanged(id: "web/hall", .hidden))
        #expect(screens(rig) == ["home", "plan"])
        rig.happens(.displayChanged(id: "mqtt/hall", .visible))
        rig.happens(.displayChanged(id: "web/hall", .gone))
        #expect(screens(rig) == ["home", "plan"])
        rig.happens(.displayChanged(id: "mqtt/hall", .gone))
        #expect(rig.controller.removeChanges().contains(.screen("hall")))
        #expect(rig.state.screens.keys.sorted() == ["door"])
    }

    @Test func `screens are put on each other, and go back to home`() {
        var rig = Self.rig()
        let pushed = rig.command(.show(.pushScreen("details", thing: "lamp"), display: "hall"), tx: 4)
        #expect(screens(rig) == ["home", "details of lamp"])
        let answer = pushed.answers.first
        #expect(answer?.tx == 4 && answer?.refusal == nil)
        #expect(answer?.target == .init(kind: "display", slug: "hall"))
        #expect(answer?.accepted == ["call": "pushScreen", "screen": "details", "thing": "lamp"])
        rig.command(.show(.pushScreen("details", thing: "\(House.lamp)"), display: "hall"))
        #expect(screens(rig) == ["home", "details of lamp"])
        rig.command(.show(.pushScreen("plan", thing: nil), display: "hall"))
        rig.command(.show(.back, display: "hall"))
        #expect(screens(rig) == ["home", "details of lamp"])
        rig.command(.show(.back, display: "hall"))
        rig.command(.show(.back, display: "hall"))
        #expect(screens(rig) == ["home"])
        for call in [ScreenCall.navigateHome, .startApplication] {
            rig.command(.show(.pushScreen("plan", thing: nil), display: "hall"))
            rig.command(.show(call, display: "hall"))
            #expect(screens(rig) == ["home"])
        }
        #expect(screens(rig, "door") == ["home"])
    }

    @Test func `signInComplete and sessionClosed are events, one for each display`() {
        var rig = Self.rig()
        let closed = rig.command(.show(.sessionClosed, display: "all"), tx: "a")
        #expect(screens(rig) == ["welcome"] && screens(rig, "door") == ["welcome"])
        #expect(closed.eventNames == ["display sessionClosed", "display sessionClosed"])
        #expect(closed.events.map { $0.details["display"] } == ["door", "hall"])
        #expect(closed.events.first?.cause == ChangeEvent.Cause("command", tx: "a"))
        #expect(closed.answers.count == 1)
        let complete = rig.command(.show(.signInComplete, display: "hall"))
        #expect(complete.eventNames == ["display signInComplete"])
        #expect(complete.events.first?.details == ["display": "hall", "screen": "home"])
        #expect(screens(rig) == ["home"] && screens(rig, "door") == ["welcome"])
    }

    @Test func `of more than twenty screens the oldest above the first goes`() {
        var rig = Self.rig()
        for index in 0..<40 {
            rig.command(
                .show(.pushScreen(index.isMultiple(of: 2) ? "plan" : "details", thing: nil), display: "hall")
            )
        }
        let all = screens(rig)
        #expect(all.count == ScreenStack.depth && all.first == "home" && all.last == "details")
    }

    @Test(
        arguments: [
            (.pushScreen("detials", thing: nil), "hall", .unknownScreen, "did you mean \"details\"?"),
            (.pushScreen("", thing: nil), "hall", .unknownScreen, "welcome, home, details, plan"),
            (.pushScreen("plan", thing: "lampp"), "hall", .unknownThing, "lamp"),
            (.back, "halll", .unknownDisplay, "did you mean \"hall\"?"),
            (.back, "<b>", .unknownDisplay, "legal: all, door, hall"),
        ] as [(ScreenCall, String, RefusalCode, String)]
    )
    func `a call that leads nowhere is refused, and nothing moves`(
        call: ScreenCall,
        display: String,
        code: RefusalCode,
        words: String
    ) {
        var rig = Self.rig()
        _ = rig.controller.removeChanges()
        let answers = rig.command(.show(call, display: display)).answers
        #expect(answers.map(\.refusal?.code) == [code])
        #expect(answers.first?.refusal?.message.contains(words) == true, "\(answers)")
        #expect(screens(rig) == ["home"])
        #expect(rig.controller.removeChanges().isEmpty)
    }

    @Test func `with other screens every display begins at home, and without screens there are none`() {
        var rig = Self.rig()
        rig.command(.show(.pushScreen("plan", thing: nil), display: "hall"))
        var other = ControllerConfiguration()
        other.screens = ScreenSettings(names: ["start", "welcome"], home: "start", signIn: "welcome")
        rig.happens(.configurationApplied(other))
        #expect(screens(rig) == ["start"] && screens(rig, "door") == ["start"])
        rig.happens(.configurationApplied(ControllerConfiguration()))
        #expect(rig.state.screens.isEmpty)
        #expect(rig.controller.removeChanges().isSuperset(of: [.screen("hall"), .screen("door")]))
    }

    @Test func `without displays, and without screens, every call is refused`() {
        var rig = Self.rig()
        rig.happens(.displayChanged(id: "web/hall", .gone))
        rig.happens(.displayChanged(id: "mqtt/door", .gone))
        #expect(rig.command(.show(.back, display: "all")).codes == [.unknownDisplay])
        var plain = Rig.atHome()
        plain.happens(.displayChanged(id: "web/hall", .visible))
        #expect(plain.state.screens.isEmpty)
        #expect(plain.command(.show(.back, display: "hall")).codes == [.unknownScreen])
    }
}
