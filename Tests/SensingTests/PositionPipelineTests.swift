import Controller
import Flare
import Foundation
import Logging
import Positioning
import Sensing
import TestSupport
import Testing

/// Positions, and what is learned of the receivers meanwhile.
struct PositionPipelineTests {
    private static let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))

    /// Four beacons in the corners of a square.
    private static var map: BeaconMap {
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        let things = (0..<4).map { index in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            thing.zone = zone.id
            thing.position = Point3D(x: Double(index % 2) * 8, y: Double(index / 2) * 8, z: 1)
            thing.data = ["minor": .number(Double(index))]
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: things)
    }

    /// Who wrote down what was kept, and what was told.
    // @unchecked: `state` is touched only while the lock is held.
    private final class Ledger: @unchecked Sendable {
        private let lock = NSLock()
        private var state = State()

        struct State {
            var kept: [String: Double] = [:]
            var name: String? = "AA:00:00:00:00:01"
            var events: [ControllerEvent] = []
        }

        func note(_ change: (inout State) -> Void) { lock.withLock { change(&state) } }
        var now: State { lock.withLock { state } }
    }

    private func desk(_ ledger: Ledger) -> PositionPipeline {
        var desk = PositionPipeline(
            estimator: { GridEstimator(map: $0) },
            receivers: ReceiverOffsets(
                name: { $0 == 0 ? ledger.now.name : nil },
                offset: { ledger.now.kept[$0] },
                keep: { name, offset in ledger.note { $0.kept[name] = offset } },
                isOfThisMachine: { $0 == 0 }
            ),
            send: { event in ledger.note { $0.events.append(event) } },
            logger: .silent
        )
        desk.enter(Self.map, in: Self.environment)
        return desk
    }

    /// Hears all beacons as in the middle, by a receiver that is so many dB deaf.
    private func listen(_ desk: inout PositionPipeline, seconds: Range<Int>, deaf: Int = 0, source: Int = 0) {
        for tick in seconds.lowerBound * 4..<seconds.upperBound * 4 {
            for minor in 0..<4 {
                let identity = BeaconIdentity(
                    uuid: BeaconUUID(high: 0, low: 0),
                    major: 1,
                    minor: UInt16(minor)
                )
                desk.hear(
                    BeaconSighting(
                        identity: identity,
                        rssi: -76 - deaf,
                        powerAtOneMetre: -59,
                        time: Double(tick) / 4
                    ),
                    from: source
                )
            }
        }
    }

    @Test func `what was learned of a receiver is kept, and known by the next run`() throws {
        let ledger = Ledger()
        var first = desk(ledger)
        listen(&first, seconds: 0..<90, deaf: 12)
        first.keep()
        let kept = try #require(ledger.now.kept["AA:00:00:00:00:01"])
        #expect(abs(kept + 12) < 4, "\(kept)")
        // Another place, and not a word yet: what is known stands.
        ledger.note { $0.kept["AA:00:00:00:00:01"] = -30 }
        var second = desk(ledger)
        listen(&second, seconds: 0..<2, deaf: 12)
        second.keep()
        let next = try #require(ledger.now.kept["AA:00:00:00:00:01"])
        #expect(next < -20, "it begins with what was kept: \(next)")
    }

    @Test func `another adapter has an error of its own`() throws {
        let ledger = Ledger()
        var desk = desk(ledger)
        listen(&desk, seconds: 0..<90, deaf: 12)
        desk.keep()
        ledger.note { $0.name = "AA:00:00:00:00:02" }
        desk.keep()
        #expect(ledger.now.kept["AA:00:00:00:00:02"] == nil, "what the other one learned is not its")
        listen(&desk, seconds: 90..<180)
        desk.keep()
        #expect(abs(try #require(ledger.now.kept["AA:00:00:00:00:02"])) < 5)
        #expect(abs(try #require(ledger.now.kept["AA:00:00:00:00:01"]) + 12) < 4)
    }

    @Test func `a recording knows nothing and leaves nothing`() {
        let ledger = Ledger()
        var desk = desk(ledger)
        listen(&desk, seconds: 0..<90, deaf: 12, source: 1)
        desk.forget()
        desk.leave()
        #expect(ledger.now.kept.isEmpty)
    }

    @Test func `a position says when what led to it was heard`() {
        let ledger = Ledger()
        var desk = desk(ledger)
        listen(&desk, seconds: 0..<5)
        let heard = ledger.now.events.compactMap { event -> Double? in
            if case .positionEstimated(let estimate) = event { estimate.heardAt } else { nil }
        }
        #expect(heard == [1, 2, 3, 4])
        ledger.note { $0.events = [] }
        desk.tick(at: 6.1, from: 0)
        desk.tick(at: 12.5, from: 0)
        let told = ledger.now.events.compactMap { event -> Double?? in
            if case .positionEstimated(let estimate) = event { .some(estimate.heardAt) } else { nil }
        }
        #expect(told.prefix(2) == [6.1, 6.1] && told.last == .some(nil), "by and by nothing is heard")
    }

    @Test func `receivers of the place are heard too, strangers are not`() {
        let ledger = Ledger()
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.perimeter = nil
        let things = ["hall", "attic"].enumerated().map { index, name in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            thing.zone = zone.id
            thing.position = Point3D(x: Double(index) * 5, y: 0, z: 1)
            thing.data = ["receiver": .string(name)]
            return thing
        }
        var desk = desk(ledger)
        desk.enter(
            BeaconMap(environment: Self.environment, zones: [zone], things: things),
            in: Self.environment
        )
        for tick in 0..<40 {
            let names = ["hall", "attic", "moon"]
            desk.hear(
                ReceiverSighting(
                    receiver: names[tick % 3],
                    rssi: tick % 3 == 0 ? -60 : -80,
                    powerAtOneMetre: -59,
                    time: Double(tick) / 8
                ),
                from: 0
            )
        }
        let positions = ledger.now.events.compactMap { event -> Point3D? in
            if case .positionEstimated(let estimate) = event { estimate.position } else { nil }
        }
        #expect(positions.count == 4 && positions.allSatisfy { $0.x < 2 })
    }
}
