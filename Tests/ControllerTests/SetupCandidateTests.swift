import Controller
import Testing

/// Things that wait to be set up.
@Suite struct SetupCandidateTests {
    private func heard(_ names: [String]) -> ControllerEvent {
        .setupCandidatesHeard(names.map { SetupCandidate.Sighting(ssid: $0, profile: "plug") })
    }

    private func names(_ rig: Rig) -> [String] { rig.state.setupCandidates.map(\.sighting.ssid) }

    @Test func `what was heard counts for 300 s, the newest first`() {
        var rig = Rig.atHome()
        rig.happens(heard(["a", "b"]))
        #expect(names(rig) == ["a", "b"])
        let later = rig.happens(heard(["b"]), after: 100_000)
        #expect(names(rig) == ["b", "a"])
        #expect(later.contains(.startTimer(.setupExpiry, milliseconds: 200_000)))
        _ = rig.controller.removeChanges()
        let expired = rig.happens(.timerFired(.setupExpiry), after: 200_000)
        #expect(names(rig) == ["b"])
        #expect(rig.controller.removeChanges() == [.setupCandidates])
        #expect(expired.contains(.startTimer(.setupExpiry, milliseconds: 100_000)))
        let last = rig.happens(.timerFired(.setupExpiry), after: 100_000)
        #expect(names(rig) == [])
        #expect(!last.contains { if case .startTimer(.setupExpiry, _) = $0 { true } else { false } })
    }

    @Test func `of very many the ones heard last stay`() {
        var rig = Rig.atHome()
        for round in 0..<5 {
            rig.happens(heard((0..<100).map { "\(round)-\($0)" }), after: 1000)
        }
        #expect(names(rig).count == SetupCandidate.maximumCount)
        #expect(names(rig).allSatisfy { $0.hasPrefix("4-") || $0.hasPrefix("3-") })
    }

    @Test func `a station's announcement has the moment at which it began to succeed or to fail`() {
        var rig = Rig.atHome()
        func report(_ address: String?, _ error: String?) -> ControllerEvent {
            .stationAnnounced(.init(serial: "s", resolver: "r:8128", address: address, error: error))
        }
        rig.happens(report("192.0.2.7", nil))
        let since = rig.state.station?.since
        _ = rig.controller.removeChanges()
        rig.happens(report("192.0.2.7", nil), after: 1000)
        #expect(rig.controller.removeChanges().isEmpty)
        rig.happens(report("192.0.2.8", nil), after: 1000)
        #expect(rig.state.station?.since == since && rig.controller.removeChanges() == [.station])
        rig.happens(report("192.0.2.8", "gone"), after: 1000)
        #expect(rig.state.station?.since == Rig.moment(3000))
    }

    @Test func `nothing heard changes nothing`() {
        var rig = Rig.atHome()
        #expect(rig.happens(heard([])).besidesLifecycle.isEmpty)
        #expect(rig.controller.removeChanges().isEmpty)
    }
}
