import Daemon
import OperatingSystem
import Testing

struct ServicePhaseTests {
    @Test func `it is ready when the last listener is open`() {
        var phase = ServicePhase()
        #expect(phase.begun(opening: ["flare", "web"]).isEmpty)
        #expect(phase.opened("web").isEmpty && phase.opened("web").isEmpty)
        #expect(phase.opened("flare") == [.ready])
        #expect(phase.opened("flare").isEmpty)
    }

    @Test func `without listeners it is ready at once`() {
        var phase = ServicePhase()
        #expect(phase.begun(opening: []) == [.ready])
    }

    @Test func `a reload ends when the configuration is in use, or refused`() {
        var phase = ServicePhase()
        _ = phase.begun(opening: [])
        #expect(phase.reloadBegun(at: 5) == [.reloading(since: 5)])
        #expect(phase.reloadEnded() == [.ready])
        #expect(phase.reloadEnded().isEmpty)
    }

    @Test func `a reload that builds another daemon ends with that one's listeners`() {
        var phase = ServicePhase()
        _ = phase.begun(opening: [])
        _ = phase.reloadBegun(at: 5)
        #expect(phase.begun(opening: ["flare"]).isEmpty)
        #expect(phase.opened("flare") == [.ready])
    }

    @Test func `a reload before the start is over is none of its own`() {
        var phase = ServicePhase()
        _ = phase.begun(opening: ["flare"])
        #expect(phase.reloadBegun(at: 5).isEmpty && phase.reloadEnded().isEmpty)
        #expect(phase.opened("flare") == [.ready])
    }

    @Test func `after the stop has begun, nothing else is said`() {
        var phase = ServicePhase()
        _ = phase.begun(opening: ["flare"])
        #expect(phase.stopBegun() == [.stopping])
        #expect(phase.stopBegun().isEmpty && phase.opened("flare").isEmpty)
        #expect(phase.reloadBegun(at: 5).isEmpty && phase.begun(opening: []).isEmpty)
    }
}
