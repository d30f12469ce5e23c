import Controller
import Daemon
import JSON
import Testing

/// Things that wait to be set up, and the announcement of this station, as slices of the controller's state.
@Suite struct SetupCandidateTests {
    private let core = ControllerState(epoch: "e")

    private func moment(_ milliseconds: Int64) -> Instant {
        Instant(wallMilliseconds: milliseconds, steadyMilliseconds: milliseconds)
    }

    private func heard(_ names: [String]) -> SetupCandidates.Event {
        .heard(names.map { SetupCandidates.Sighting(ssid: $0, profile: "plug") })
    }

    private func names(_ candidates: SetupCandidates) -> [String] {
        candidates.json.array?.compactMap { $0["ssid"]?.string } ?? []
    }

    private func expiry(after milliseconds: Int64) -> SliceEffect {
        .perform(.startTimer(SetupCandidates.timer(.expired), milliseconds: milliseconds))
    }

    @Test func `what was heard counts for 300 s, the newest first`() {
        var candidates = SetupCandidates()
        _ = candidates.apply(heard(["a", "b"]), in: core, at: moment(0))
        #expect(names(candidates) == ["a", "b"])
        let later = candidates.apply(heard(["b"]), in: core, at: moment(100_000))
        #expect(names(candidates) == ["b", "a"])
        #expect(later == [.changed(.setupCandidates), expiry(after: 200_000)])
        let expired = candidates.apply(.expired, in: core, at: moment(300_000))
        #expect(names(candidates) == ["b"])
        #expect(expired == [.changed(.setupCandidates), expiry(after: 100_000)])
        #expect(candidates.apply(.expired, in: core, at: moment(400_000)) == [.changed(.setupCandidates)])
        #expect(names(candidates) == [])
    }

    @Test func `of very many the ones heard last stay`() {
        var candidates = SetupCandidates()
        for round in 0..<5 {
            let names = (0..<100).map { "\(round)-\($0)" }
            _ = candidates.apply(heard(names), in: core, at: moment(Int64(round) * 1000))
        }
        #expect(names(candidates).count == SetupCandidates.maximumCount)
        #expect(names(candidates).allSatisfy { $0.hasPrefix("4-") || $0.hasPrefix("3-") })
    }

    @Test func `nothing heard changes nothing`() {
        var candidates = SetupCandidates()
        #expect(candidates.apply(heard([]), in: core, at: moment(0)).isEmpty)
    }

    @Test func `a station's announcement has the moment at which it began to succeed or to fail`() {
        var station = StationSlice()
        func report(_ address: String?, _ error: String?, at time: Int64) -> [SliceEffect] {
            let report = StationSlice.Report(serial: "s", resolver: "r:8128", address: address, error: error)
            return station.apply(report, in: core, at: moment(time))
        }
        #expect(station.json == nil)
        #expect(report("192.0.2.7", nil, at: 0) == [.changed(.station)])
        let since = station.json?["since"]
        #expect(report("192.0.2.7", nil, at: 1000).isEmpty)
        #expect(report("192.0.2.8", nil, at: 2000) == [.changed(.station)])
        #expect(station.json?["since"] == since && since != nil)
        #expect(report("192.0.2.8", "gone", at: 3000) == [.changed(.station)])
        #expect(station.json?["since"] == "1970-01-01T00:00:03.000Z")
    }

    @Test func `a node has a slice from its first event on`() {
        var controller = DeviceController(
            epoch: "e",
            configuration: ControllerConfiguration(),
            memory: PersistedState()
        )
        #expect(controller.state.slices == Slices())
        _ = controller.removeChanges()
        let effects = controller.apply(SetupCandidates.event(heard(["a"])), at: moment(0))
        #expect(effects.contains(.startTimer(SetupCandidates.timer(.expired), milliseconds: 300_000)))
        #expect(controller.removeChanges() == [.setupCandidates])
        #expect(names(controller.state.slices[SetupCandidates.self]) == ["a"])
        _ = controller.apply(.timerFired(SetupCandidates.timer(.expired)), at: moment(300_000))
        #expect(names(controller.state.slices[SetupCandidates.self]) == [])
    }
}
