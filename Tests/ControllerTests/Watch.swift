import Controller
import Flare
import JSON
import Testing

/// Checks invariants of a controller from outside.
struct Watch {
    private var tickets = 0
    private var open: Set<Int> = []
    private var sequence = 0
    private var lastAccepted: [String: Int] = [:]

    /// Returns the ticket of the next command.
    mutating func ticket() -> Int {
        tickets += 1
        open.insert(tickets)
        return tickets
    }

    mutating func look(_ effects: [ControllerEffect], _ before: ControllerState, _ rig: inout Rig) {
        for answer in effects.answers {
            #expect(open.remove(answer.ticket) != nil, "ticket \(answer.ticket) is answered twice")
            #expect(answer.tx == JSONValue(answer.ticket))
            guard answer.refusal == nil, answer.subject == .set, let target = answer.target,
                ["thing", "device"].contains(target.kind)
            else { continue }
            // Where a thing at the edge is moves without it.
            let part = target.slug + (answer.accepted["position"] == nil ? "" : " in the place")
            #expect(
                answer.ticket > lastAccepted[part] ?? 0,
                "commands for \(part) were answered out of order"
            )
            lastAccepted[part] = answer.ticket
        }
        for event in effects.allEvents {
            sequence += 1
            #expect(event.sequence == sequence)
        }
        #expect(rig.state.sequence == sequence)
        checkJobs(rig.asked)
        checkState(rig)
        checkChanges(before, rig.state, rig.controller.removeChanges())
        if !rig.state.isLinkUp { #expect(effects.requests.isEmpty, "a request was sent without a link") }
    }

    /// Checks that at most one change per object is pending.
    private func checkJobs(_ asked: [FlareRequest]) {
        var busy: Set<FlareID> = []
        for request in asked {
            let object: FlareID
            switch request {
            case .setData(let reference, let values, _, _):
                #expect(!values.isEmpty)
                object = reference.id
            case .performAction(let reference, _, _): object = reference.id
            case .setPosition(let reference, _, let sender) where sender != nil: object = reference.id
            case .renameDevice(let id, _, _): object = id
            default: continue
            }
            #expect(busy.insert(object).inserted, "two concurrent changes of \(object)")
        }
    }

    private func checkState(_ rig: Rig) {
        let state = rig.state
        // Unknown objects are being read, or their read will be retried.
        let isRead = state.environmentID.map { !rig.asked.contains(.loadPlace(environment: $0)) } ?? true
        let isSettled = state.isPlaceKnown && state.isLinkUp && isRead && state.alerts["flare-load"] == nil
        if isSettled, let zone = state.zoneID { #expect(state.zones[zone] != nil) }
        if isSettled, let nearby = state.nearbyID { #expect(state.things[nearby] != nil) }
        #expect((state.zoneID == nil) == (state.zoneSince == nil))
        #expect((state.nearbyID == nil) == (state.nearbySince == nil))
        #expect(state.goals.keys.allSatisfy { state.things[$0] != nil })
        #expect(state.things.keys.allSatisfy { state.slugs[.thing, $0] != nil })
        #expect(state.zones.keys.allSatisfy { state.slugs[.zone, $0] != nil })
        #expect(state.environments.keys.allSatisfy { state.slugs[.environment, $0] != nil })
        #expect(Set(state.things.keys.compactMap { state.slugs[.thing, $0] }).count == state.things.count)
        #expect(state.things.values.allSatisfy { $0.environment == state.environmentID })
        if let environment = state.environmentID {
            if let device = state.device { #expect(device.environment == environment) }
        } else {
            #expect(state.things.isEmpty && state.zones.isEmpty && state.device == nil)
            #expect(state.zoneID == nil && state.nearbyID == nil)
        }
    }

    /// Checks that every difference is reported, because readers rely on the reported changes.
    private func checkChanges(_ old: ControllerState, _ new: ControllerState, _ changes: Set<StateChange>) {
        func expect(_ facet: StateChange, if isDifferent: Bool) {
            #expect(!isDifferent || changes.contains(facet), "\(facet) is missing in the changes")
        }
        expect(.environment, if: old.environment != new.environment || old.environmentID != new.environmentID)
        expect(.zone, if: old.zone != new.zone || old.zoneID != new.zoneID || old.zoneSince != new.zoneSince)
        expect(.device, if: old.device != new.device || old.zoneID != new.zoneID)
        expect(.position, if: old.device?.position != new.device?.position || old.fix != new.fix)
        expect(.angle, if: old.angle != new.angle)
        let isOtherDistance =
            new.nearby != nil && (old.device?.position, old.angle) != (new.device?.position, new.angle)
        let goals = (old.nearbyID.flatMap { old.goals[$0] }, new.nearbyID.flatMap { new.goals[$0] })
        expect(
            .nearby,
            if: old.nearby != new.nearby || old.nearbyID != new.nearbyID || isOtherDistance
                || goals.0 != goals.1
        )
        expect(.location, if: old.location != new.location)
        expect(.link, if: old.isLinkUp != new.isLinkUp)
        for sensor in SensorKind.allCases {
            expect(.sensor(sensor), if: old.sensors[sensor] != new.sensors[sensor])
        }
        for id in Set(old.alerts.keys).union(new.alerts.keys) {
            expect(.alert(id), if: old.alerts[id] != new.alerts[id])
        }
        for id in Set(old.things.keys).union(new.things.keys) {
            expect(
                .object(ObjectReference(.thing, id)),
                if: old.things[id] != new.things[id] || old.goals[id] != new.goals[id]
            )
        }
        for id in Set(old.zones.keys).union(new.zones.keys) {
            expect(.object(ObjectReference(.zone, id)), if: old.zones[id] != new.zones[id])
        }
        for id in Set(old.environments.keys).union(new.environments.keys) {
            expect(
                .object(ObjectReference(.environment, id)),
                if: old.environments[id] != new.environments[id]
            )
        }
    }

    /// Checks the final state: all commands answered, nothing pending, and the same data as the server.
    func checkRest(_ rig: Rig) {
        let (state, server) = (rig.state, rig.server)
        #expect(open.isEmpty, "no answer for \(open.sorted())")
        #expect(state.goals.isEmpty)
        #expect(state.alerts["flare-load"] == nil)
        #expect(
            state.environments == Dictionary(server.environments.map { ($0.id, $0) }) { first, _ in first }
        )
        guard let environment = state.environmentID else { return }
        #expect(state.isPlaceKnown)
        let things = server.things.filter { $0.environment == environment }
        #expect(state.things == Dictionary(things.map { ($0.id, $0) }) { first, _ in first })
        let device = server.devices.first { $0.id == state.device?.id }
        #expect(device != nil)
        #expect(state.device?.name == device?.name)
        #expect(state.device?.data == device?.data)
        if rig.isSteady {
            checkSight(state)
        } else {
            #expect(state.zoneID == device?.zone)
            #expect(state.nearbyID == device?.nearest)
        }
    }

    /// Checks that zone and nearby thing match the device's position within the margins.
    private func checkSight(_ state: ControllerState) {
        // Without a fix, a position with an age is that of an earlier stay.
        guard let point = state.device?.position, state.fix?.quality != .lost,
            state.fix != nil || state.seenAt == nil
        else { return }
        if let zone = state.zone {
            #expect(zone.perimeter?.grown(by: 0.5).contains(point) == true)
        } else {
            #expect(!state.zones.values.contains { $0.perimeter?.contains(point) == true })
        }
        if let thing = state.nearby {
            #expect((thing.position?.distance(to: point)).map { $0 <= 2 } == true)
        } else {
            #expect(
                !state.things.values.contains { ($0.position?.distance(to: point)).map { $0 <= 1.5 } == true }
            )
        }
    }
}
