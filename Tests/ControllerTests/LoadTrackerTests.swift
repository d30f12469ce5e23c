import Controller
import Flare
import Testing

@Suite struct LoadTrackerTests {
    private let place = FlareRequest.loadPlace(environment: House.home)

    @Test func `a request in progress is repeated once after its reply`() {
        var loads = LoadTracker()
        #expect(loads.begin(place) == true)
        #expect(loads.begin(place) == false)
        #expect(loads.begin(place) == false)
        #expect(loads.isRunning(place))
        #expect(loads.end(place) == true, "it was requested again meanwhile")
        #expect(loads.begin(place) == true)
        #expect(loads.end(place) == false)
    }

    @Test func `a new link discards the requests in progress but keeps the failures`() {
        var loads = LoadTracker()
        _ = loads.begin(place)
        _ = loads.begin(place)
        loads.fail(.environments)
        loads.restart()
        #expect(loads.begin(place) == true)
        #expect(loads.hasFailed)
    }

    @Test func `removing the last failure is reported once`() {
        var loads = LoadTracker()
        loads.fail(.place(House.home))
        loads.fail(.environments)
        #expect(loads.forgetFailures { $0.environment == House.home } == false)
        #expect(loads.forgetFailures { $0.environment == House.home } == false)
        #expect(loads.forgetFailures { _ in true } == true)
        #expect(loads.forgetFailures { _ in true } == false)
    }
}
