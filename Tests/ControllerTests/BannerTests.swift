import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// Banners on displays, and the context of the lifecycle meanwhile.
@Suite struct BannerTests {
    private static func banner(_ title: String = "Closing", on display: String? = nil) -> Banner {
        Banner(on: display, title, "In ten minutes", seconds: 10, rule: "closing")
    }

    private static func show(_ banner: Banner) -> ControllerEvent { Banners.event(.shown(banner)) }

    /// When the timer is due, in milliseconds from now.
    private func due(_ effects: [ControllerEffect]) -> Int64? {
        effects.compactMap { effect -> Int64? in
            guard case .startTimer(Banners.timer(.ended), let milliseconds) = effect else { return nil }
            return milliseconds
        }.last
    }

    private func end(_ rig: inout Rig, after milliseconds: Int64) -> [ControllerEffect] {
        rig.happens(.timerFired(Banners.timer(.ended)), after: milliseconds)
    }

    @Test func `a banner is an event, and the context is an alert until it is over`() {
        var rig = Rig.atHome()
        let shown = rig.happens(Self.show(Self.banner(on: "hall")))
        let event = shown.allEvents.first { $0.topic == .display }
        #expect(event?.type == "banner" && event?.cause == ChangeEvent.Cause("rule"))
        #expect(
            event?.details == [
                "display": "hall", "title": "Closing", "text": "In ten minutes", "seconds": 10,
                "rule": "closing",
            ]
        )
        #expect(shown.calls == ["applicationDidDisplayAlert"] && rig.state.lifecycle.context == .alert)
        #expect(due(shown) == 10_000)
        let ended = end(&rig, after: 10_000)
        #expect(ended.calls == ["applicationDidEnterMainContext"] && rig.state.lifecycle.context == .main)
        #expect(ended.allEvents.first { $0.topic == .lifecycle }?.cause == ChangeEvent.Cause("banner"))
        #expect(end(&rig, after: 1).isEmpty)
    }

    @Test func `a display shows one banner after the other, and two displays theirs at once`() {
        var rig = Rig.atHome()
        #expect(due(rig.happens(Self.show(Self.banner(on: "hall")))) == 10_000)
        let second = rig.happens(Self.show(Self.banner(on: "hall")), after: 4000)
        #expect(due(second) == 16_000 && second.calls.isEmpty)
        #expect(due(rig.happens(Self.show(Self.banner(on: "door")))) == 16_000)
        #expect(due(rig.happens(Self.show(Self.banner()))) == 26_000)
        #expect(due(rig.happens(Self.show(Self.banner(on: "door")))) == 36_000)
        // A timer that is early waits for the rest.
        #expect(due(end(&rig, after: 35_000)) == 1000)
        #expect(rig.state.lifecycle.context == .alert)
        #expect(end(&rig, after: 1000).calls == ["applicationDidEnterMainContext"])
    }

    @Test func `a context that is set meanwhile counts afterwards`() {
        var rig = Rig.atHome()
        rig.happens(Self.show(Self.banner()))
        rig.command(.setLifecycle(.context(.menu)))
        #expect(rig.state.lifecycle.context == .alert)
        #expect(end(&rig, after: 10_000).calls == ["applicationDidEnterMenu"])
    }

    @Test func `banners on thousands of displays that are not there end, too`() {
        var rig = Rig.atHome()
        for number in 0..<5000 { rig.happens(Self.show(Self.banner(on: "no-\(number)"))) }
        #expect(rig.state.lifecycle.context == .alert)
        #expect(end(&rig, after: 10_000).calls == ["applicationDidEnterMainContext"])
    }

    @Test func `a flood of banners ends, and needs little memory`() {
        var rig = Rig.atHome()
        for number in 0..<10_000 {
            let effects = rig.happens(Self.show(Self.banner("\(number)", on: "hall")))
            #expect(due(effects).map { $0 <= 200_000 } == true)
        }
        let last = rig.controller.removeChanges().compactMap { $0.part(of: Banners.changes) }
        #expect(last.count == 10_000)
        let kept = last.compactMap { Int($0) }.filter { rig.state.banner($0) != nil }
        #expect(kept.count <= 200 && kept.contains(10_000))
        #expect(end(&rig, after: 200_000).calls == ["applicationDidEnterMainContext"])
    }
}
