import Flare
import Testing

/// When zone and nearby thing change with a device that moves.
/// - Source: contrib/contract/positioning.md, "7. Zones and the nearest thing".
@Suite struct SteadyPresenceTests {
    private static func id(_ number: UInt32) -> FlareID { FlareID(high: 0, low: number) }

    private let kitchen = id(1)
    private let hall = id(2)
    private let lamp = id(11)
    private let kettle = id(12)

    private func seen(
        zone: FlareID? = nil,
        around: Bool = false,
        nearest: (FlareID, Double)? = nil,
        distance: Double? = nil
    ) -> SteadyPresence.Surroundings {
        .init(
            zone: zone,
            isAroundZone: around,
            nearest: nearest.map { (id: $0.0, distance: $0.1) },
            thingDistance: distance,
            limit: 1.5
        )
    }

    @Test func `a zone is entered after two consecutive updates`() {
        var presence = SteadyPresence()
        presence.update(seen(zone: kitchen))
        #expect(presence.zone == nil)
        #expect(presence.hasCandidate)
        presence.update(seen(zone: hall))
        presence.update(seen(zone: kitchen))
        #expect(presence.zone == nil)
        presence.update(seen(zone: kitchen))
        #expect(presence.zone == kitchen)
        #expect(!presence.hasCandidate)
    }

    @Test func `a zone is kept within its margin`() {
        var presence = SteadyPresence(zone: kitchen)
        for _ in 0..<10 { presence.update(seen(zone: hall, around: true)) }
        #expect(presence.zone == kitchen)
        presence.update(seen(zone: hall))
        #expect(presence.zone == kitchen)
        presence.update(seen(zone: hall, around: true))
        presence.update(seen(zone: hall))
        #expect(presence.zone == kitchen)
        presence.update(seen(zone: hall))
        #expect(presence.zone == hall)
    }

    private func shares(_ kitchen: Double, _ hall: Double) -> SteadyPresence.Surroundings {
        // The mean lies in the kitchen all the time.
        .init(
            zone: self.kitchen,
            isAroundZone: true,
            shares: ZoneShares(
                zones: [self.kitchen: kitchen, self.hall: hall],
                outside: 1 - kitchen - hall
            ),
            nearest: nil,
            thingDistance: nil,
            limit: 1.5
        )
    }

    @Test func `a zone takes over when it is half again as likely in two updates`() {
        var presence = SteadyPresence(zone: kitchen)
        for _ in 0..<5 { presence.update(shares(0.4, 0.59)) }
        #expect(presence.zone == kitchen)
        presence.update(shares(0.39, 0.6))
        #expect(presence.zone == kitchen)
        #expect(presence.zoneCandidate == SteadyPresence.Candidate(id: hall, updates: 1))
        presence.update(shares(0.4, 0.55))
        presence.update(shares(0.39, 0.6))
        #expect(presence.zone == kitchen)
        presence.update(shares(0.39, 0.6))
        #expect(presence.zone == hall)
    }

    @Test func `a device that is likely in no zone leaves its zone`() {
        var presence = SteadyPresence(zone: kitchen)
        for _ in 0..<5 { presence.update(shares(0.45, 0.05)) }
        #expect(presence.zone == kitchen)
        for _ in 0..<2 { presence.update(shares(0.3, 0.2)) }
        #expect(presence.zone == nil)
        for _ in 0..<2 { presence.update(shares(0.1, 0.7)) }
        #expect(presence.zone == hall)
    }

    @Test func `an exact position counts, however likely other zones are`() {
        var presence = SteadyPresence(zone: hall)
        presence.update(shares(0.1, 0.9), isExact: true)
        #expect(presence.zone == kitchen)
    }

    @Test func `leaving all zones takes two consecutive updates too`() {
        var presence = SteadyPresence(zone: kitchen)
        presence.update(seen())
        #expect(presence.zone == kitchen)
        presence.update(seen())
        #expect(presence.zone == nil)
    }

    @Test func `a thing is near from the limit on, and far beyond limit and margin`() {
        var presence = SteadyPresence()
        for _ in 0..<2 { presence.update(seen(nearest: (lamp, 1.5))) }
        #expect(presence.thing == lamp)
        for distance in [1.6, 1.9, 2.0] {
            for _ in 0..<3 { presence.update(seen(distance: distance)) }
            #expect(presence.thing == lamp)
        }
        presence.update(seen(distance: 2.01))
        #expect(presence.thing == lamp)
        presence.update(seen(distance: 2.01))
        #expect(presence.thing == nil)
    }

    @Test func `another thing becomes near only when it is nearer by the margin`() {
        var presence = SteadyPresence(thing: lamp)
        for _ in 0..<5 { presence.update(seen(nearest: (kettle, 0.75), distance: 1.25)) }
        #expect(presence.thing == lamp)
        presence.update(seen(nearest: (kettle, 0.5), distance: 1.25))
        #expect(presence.thing == lamp)
        presence.update(seen(nearest: (kettle, 0.5), distance: 1.25))
        #expect(presence.thing == kettle)
    }

    @Test func `a removed thing or one without position is replaced by a near one`() {
        var presence = SteadyPresence(thing: lamp)
        for _ in 0..<2 { presence.update(seen(nearest: (kettle, 1.4), distance: nil)) }
        #expect(presence.thing == kettle)
    }

    @Test func `an exact position takes effect at once`() {
        var presence = SteadyPresence(zone: kitchen, thing: lamp)
        presence.update(seen(zone: hall, around: true, nearest: (kettle, 1.4), distance: 1.5), isExact: true)
        #expect(presence.zone == hall)
        #expect(presence.thing == kettle)
    }

    @Test(arguments: [-3, 0, 1, 4])
    func `the configured number of updates is needed and at least one`(updates: Int) {
        var settings = SteadyPresence.Settings()
        settings.updates = updates
        var presence = SteadyPresence()
        var count = 0
        while presence.zone == nil, count < 20 {
            presence.update(seen(zone: kitchen), settings: settings)
            count += 1
        }
        #expect(count == max(1, updates))
    }
}
