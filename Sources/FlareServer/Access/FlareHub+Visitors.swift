import Flare
import JSON
import People

// The clients over the network, and what they may read.
extension FlareHub {
    /// How long rights are remembered for notices; a change of users or rights ends it.
    private static let rightsLifetime = Duration.seconds(1)

    /// Users, rights or tokens have changed: the sessions of whoever is nobody any more end.
    package func accessChanged() {
        remembered = [:]
        for (client, visitor) in visitors where access.isGone(visitor) {
            send(client.sink) { $0.end(client) }
        }
    }

    /// Whether a client may read objects of a class; in-process clients read everything.
    func mayRead(_ client: FlareClientID, _ kind: FlareClass) -> Bool {
        guard let visitor = visitors[client] else { return true }
        let now = ContinuousClock.now
        let rights: FlareRights
        if let known = remembered[client], known.until > now {
            rights = known.rights
        } else {
            rights = access.rights(visitor.claim)
            // A token that has reached its end is told by nobody.
            if rights == .none, access.isGone(visitor) { send(client.sink) { $0.end(client) } }
            remembered[client] = (rights, until: now + Self.rightsLifetime)
        }
        return rights.reads(kind)
    }

    /// An object without the environment, zone and nearest thing that somebody may not see.
    ///
    /// A device keeps its environment, which is where one finds it.
    func shown(_ record: FlareRecord, to visitor: FlareVisitor) -> FlareRecord {
        guard !access.rights(visitor.claim).readsPlace else { return record }
        var shown = record
        if let zone = record.zone, !maySee(ObjectReference(.zone, zone), visitor) {
            shown.members["zone"] = nil
        }
        if record.kind != .device, record.kind != .environment, let environment = record.environment,
            !maySee(ObjectReference(.environment, environment), visitor)
        {
            shown.members["environment"] = nil
        }
        if let thing = record.nearest, !maySee(ObjectReference(.thing, thing), visitor) {
            shown.members["nearest"] = nil
        }
        return shown
    }

    func shown(_ records: [FlareRecord], to visitor: FlareVisitor) -> [FlareRecord] {
        records.map { shown($0, to: visitor) }
    }

    /// What does not exist is not seen either.
    private func maySee(_ object: ObjectReference, _ visitor: FlareVisitor) -> Bool {
        record(object).map { maySee($0, visitor) } ?? false
    }

    /// Those of the clients who may know of a notice.
    func readers(_ clients: [FlareClientID], of notice: FlareNotice) -> [FlareClientID] {
        guard !visitors.isEmpty else { return clients }
        let (kind, place) = (notice.subject, notice.place)
        return clients.filter { client in
            guard mayRead(client, kind) else { return false }
            guard let place, !mayRead(client, place.kind), let visitor = visitors[client] else { return true }
            return maySee(place, visitor)
        }
    }
}

extension FlareNotice {
    /// The class of objects whose readers may know of it.
    fileprivate var subject: FlareClass {
        switch self {
        case .data(let object, _, _), .position(let object, _, _), .handleAction(let object, _, _),
            .modelChanged(let object, _):
            object.kind
        case .enter, .exit, .near, .far: .device
        case .thingChanged: .thing
        }
    }

    /// The zone or the thing that a device is at, which its readers do not always see.
    fileprivate var place: ObjectReference? {
        switch self {
        case .enter(let zone, _), .exit(let zone, _): ObjectReference(.zone, zone)
        case .near(let thing, _, _), .far(let thing, _): ObjectReference(.thing, thing)
        case .data, .position, .handleAction, .modelChanged, .thingChanged: nil
        }
    }
}
