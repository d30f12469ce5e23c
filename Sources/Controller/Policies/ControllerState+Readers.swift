package import Flare
package import People
import Text
package import Things

/// What somebody may see: what they may not is not there, in no answer and in no hint.
extension ControllerState {
    /// What a caller may see at a moment.
    ///
    /// - Parameters:
    ///   - caller: `nil` for who is not identified, and sees nothing.
    ///   - now: Milliseconds since 1970, UTC.
    package func reader(for caller: Caller?, at now: Int64) -> Reader {
        caller.map { Reader(people, for: $0, at: now) } ?? Reader()
    }

    /// The state without what a reader may not see.
    ///
    /// It is for reading: places in it may lack what contains them, and do not name it.
    package func seen(by reader: Reader) -> ControllerState {
        var state = self
        state.environments = environments.filter { reader.sees(environment: $0.key) }
        if let id = environmentID, !reader.sees(environment: id) { state.environmentID = nil }
        state.zones = zones.filter { reader.sees($0.value) }
        state.things = things.filter { reader.sees(accessObject($0.value)) }
        if !reader.seesEverything { state.forgetContainers() }
        let seesDevice = reader.sees(accessObject(ofDevice: nil))
        state.nodes = state.nodes(seenBy: reader)
        if !seesDevice {
            (state.device, state.fix, state.location) = (nil, nil, nil)
            state.locatedAt = nil
            (state.headingAt, state.measuredAngle) = (nil, nil)
            state.countedBeacons = [:]
        }
        // When a beacon was heard last may tell where any device is.
        if !reader.seesDevices { state.beacons = [:] }
        if !seesDevice || zoneID.map({ state.zones[$0] == nil }) ?? false {
            (state.zoneID, state.zoneSince) = (nil, nil)
        }
        if !seesDevice || nearbyID.map({ state.things[$0] == nil }) ?? false {
            (state.nearbyID, state.nearbySince) = (nil, nil)
        }
        if !reader.seesEverything {
            (state.alerts, state.unplacedReceivers) = ([:], [])
            // Even the shares of zones that are seen tell how likely the others are.
            state.fix?.zones = nil
        }
        state.slices = slices.seen(by: reader, in: state)
        return state
    }

    /// Removes what names zones and environments that are not here.
    private mutating func forgetContainers() {
        for (id, thing) in things where thing.zone.map({ zones[$0] == nil }) ?? false {
            things[id]?.zone = nil
        }
        // All at once, because the floors follow the zones.
        zones = zones.mapValues { zone in
            guard let environment = zone.environment, environments[environment] == nil else { return zone }
            var zone = zone
            zone.environment = nil
            return zone
        }
    }

    /// Whether a reader may see an object of another environment that is not read: by a right on the object itself, or on
    /// the environment.
    ///
    /// A right on the zone of a thing does not count: which zone that is would have to be read.
    package func isUnreadSeen(
        _ kind: FlareClass,
        _ name: String,
        in environment: FlareID,
        by reader: Reader
    ) -> Bool {
        guard !reader.sees(environment: environment) else { return true }
        return [FlareID(name), slugs.id(of: name, kind: kind)].contains { id in
            guard let object = id.map({ ObjectReference(kind, $0) }), slugs.home(of: object) == environment
            else { return false }
            return AccessObject(object, zone: nil, environment: environment).map(reader.sees) ?? false
        }
    }

    /// Whether a reader may know the zone of a thing, or the environment of a zone.
    package func isContainerSeen(of object: ObjectReference, by reader: Reader) -> Bool {
        guard !reader.seesEverything else { return true }
        switch object.kind {
        case .thing:
            guard let zone = things[object.id]?.zone else { return true }
            return zones[zone].map { reader.sees($0) } ?? false
        case .zone: return zones[object.id]?.environment.map { reader.sees(environment: $0) } ?? true
        case .environment, .device: return true
        }
    }

    /// An environment, zone or thing with where it is now; `nil` for what is not there, and for a device.
    package func accessObject(_ object: ObjectReference) -> AccessObject? {
        switch object.kind {
        case .environment: environments[object.id].map { .environment($0.id) }
        case .zone: zones[object.id].map { AccessObject($0) }
        case .thing: things[object.id].map { accessObject($0) }
        case .device: nil
        }
    }

    /// A thing with where it is now.
    func accessObject(_ thing: FlareThing) -> AccessObject {
        .thing(thing.id, zone: thing.zone, environment: thing.environment ?? environmentID)
    }

    /// Whether the sender of a command may do something.
    func isAllowed(_ command: Command, _ access: Access, on object: AccessObject, at now: Instant) -> Bool {
        guard let caller = command.caller else { return false }
        return people.verdict(of: caller, access, on: object, at: now.wallMilliseconds).isGranted
    }

    /// The environment of a slug or identifier, or a refusal if there is none that the sender of a command may see.
    func environment(
        named name: String,
        for command: Command,
        at now: Instant
    ) throws(Refusal) -> FlareEnvironment {
        try environment(named: name, for: reader(for: command.caller, at: now.wallMilliseconds)).get()
    }

    /// The zone of a slug or identifier, or a refusal if there is none that the sender of a command may see.
    ///
    /// To see something in it is not enough: who guesses the name must not learn that it is there.
    func zone(
        named name: String,
        in place: PlaceContents?,
        for command: Command,
        at now: Instant
    ) throws(Refusal) -> FlareZone {
        let reader = reader(for: command.caller, at: now.wallMilliseconds)
        let zones = (place?.zones ?? [:]).filter { reader.sees($0.value) }
        for case let id? in [FlareID(name), slugs.id(of: name, kind: .zone)] {
            if let zone = zones[id] { return zone }
        }
        let known = zones.keys.compactMap { slugs[.zone, $0] }.sorted()
        let others = known.isEmpty ? "" : NearestName.choice(for: name, among: known)
        throw Refusal(.unknownThing, "no zone \(QuotedValue.of(name)) in this environment\(others)")
    }

    /// The thing of a slug or identifier, or a refusal if there is none that the sender of a command may see.
    package func thing(
        named name: String,
        in place: PlaceContents?,
        for command: Command,
        at now: Instant
    ) throws(Refusal) -> FlareThing {
        let things = place?.things ?? [:]
        // A slug can look like an identifier.
        for case let id? in [FlareID(name), slugs.id(of: name, kind: .thing)] {
            guard let thing = things[id] else { continue }
            if isAllowed(command, .read, on: accessObject(thing), at: now) { return thing }
        }
        let reader = reader(for: command.caller, at: now.wallMilliseconds)
        let known = things.values.lazy.filter { reader.sees(accessObject($0)) }
            .compactMap { slugs[.thing, $0.id] }.prefix(2000)
        let zone = try? self.zone(named: name, in: place, for: command, at: now)
        let hint = zone.flatMap { slugs[.zone, $0.id] }.map { "; it is a zone: zones/\($0)" }
        throw Refusal(
            .unknownThing,
            "no thing \"\(name.prefix(60))\" in this environment"
                + (hint ?? NearestName.hint(for: name, among: known))
        )
    }
}

extension DeviceController {
    /// Whether the sender of a command may see a thing.
    func maySee(_ thing: FlareThing, _ command: Command) -> Bool {
        isAllowed(command, .read, on: state.accessObject(thing))
    }

    /// Whether the sender of a command may see where this device is, and what it is near.
    func maySeeDevices(_ command: Command) -> Bool {
        isAllowed(command, .read, on: state.accessObject(ofDevice: nil))
    }

    /// Why the sender of an accepted command may not change its object any more; `nil` if they still may.
    func lostRight(of command: Command, on object: ObjectReference) -> Refusal? {
        guard object.kind == .thing else {
            return rightsRefusal(of: state.request(command, .move, on: object, at: now))
        }
        guard let thing = state.things[object.id] else { return nil }
        do throws(Refusal) {
            _ = try state.thing(named: "\(thing.id)", in: state.contents, for: command, at: now)
        } catch {
            return error
        }
        return rightsRefusal(of: state.request(command, .set([]), on: object, in: thing.zone, at: now))
    }

    /// Whether the sender of a command may do something.
    func isAllowed(_ command: Command, _ access: Access, on object: AccessObject) -> Bool {
        state.isAllowed(command, access, on: object, at: now)
    }
}
