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

    @Test func `nothing heard changes nothing`() {
        var rig = Rig.atHome()
        #expect(rig.happens(heard([])).besidesLifecycle.isEmpty)
        #expect(rig.controller.removeChanges().isEmpty)
    }
}
