import Controller
import Flare
import Testing

@Suite struct PresenceTrackerTests {
    private func at(_ milliseconds: Int64) -> Instant { Rig.moment(milliseconds) }

    @Test func `an exit within half a second after an enter must be confirmed at the end of that time`() {
        var presence = PresenceTracker()
        presence.entered(at: at(1000))
        #expect(presence.exited(House.kitchen, at: at(1200)) == .confirm(afterMilliseconds: 300))
        #expect(presence.pendingExit == House.kitchen)
        #expect(presence.removePendingExit() == House.kitchen)
        #expect(presence.removePendingExit() == nil)
    }

    @Test func `an exit later than that or without an enter takes effect at once`() {
        var presence = PresenceTracker()
        #expect(presence.exited(House.kitchen, at: at(0)) == .leave)
        presence.entered(at: at(1000))
        #expect(presence.exited(House.kitchen, at: at(1500)) == .leave)
    }

    @Test func `a reset discards the last enter and the pending exit`() {
        var presence = PresenceTracker()
        presence.isKnown = true
        presence.entered(at: at(0))
        _ = presence.exited(House.kitchen, at: at(100))
        #expect(presence.forget() == true)
        #expect(!presence.isKnown)
        #expect(presence.exited(House.kitchen, at: at(200)) == .leave)
        #expect(presence.forget() == false)
    }

    @Test func `a restart reports whether it dropped a candidate`() {
        var presence = PresenceTracker()
        let seen = SteadyPresence.Surroundings(
            zone: House.kitchen,
            isAroundZone: false,
            nearest: nil,
            thingDistance: nil,
            limit: 1.5
        )
        presence.update(seen, isExact: false, settings: .init(), cause: .init("beacons"))
        #expect(presence.steady.zoneCandidate == .init(id: House.kitchen, updates: 1))
        #expect(presence.restart() == true)
        #expect(presence.restart() == false)
    }

    @Test func `a lost position is pending until it is ended`() {
        var presence = PresenceTracker()
        presence.positionLost()
        #expect(presence.isLossPending)
        #expect(presence.endLoss() == true)
        #expect(presence.endLoss() == false)
    }
}
