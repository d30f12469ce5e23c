package import Flare
import JSON
import People

// The clients of the hub and the gates for their changes.
extension FlareHub {
    /// Adds a gate for the changes of clients, after the existing ones.
    package func add(gate: @escaping ClientChangeGate) { gates.append(gate) }

    /// Adds a receiver of each change of clients, allowed or refused.
    package func add(recorder: @escaping ClientChangeRecord) { recorders.append(recorder) }

    /// Adds a receiver of each object that a client makes.
    package func add(insertionRecorder: @escaping ClientInsertionRecord) {
        insertionRecorders.append(insertionRecorder)
    }

    /// Adds a receiver of each import and each removal of orphans.
    package func add(recorder: @escaping ModelChangeRecord) { modelRecorders.append(recorder) }

    /// Passes a change to the recorders.
    func record(_ change: ModelChange) {
        for record in modelRecorders { record(change) }
    }

    /// Asks the gates about a change, and records it.
    ///
    /// Removing an environment or a zone also needs permission to remove every object in it.
    ///
    /// - Parameters:
    ///   - client: The client that requests the change; `nil` for REST. In-process clients are no visitors, and not gated.
    ///   - visitor: Who requests it over REST.
    /// - Throws: ``FlareHubError/notAllowed(_:)``, or ``FlareHubError/hidden``. Unknown objects pass: the change itself reports them.
    func check(
        _ kind: ClientChange.Kind,
        of reference: ObjectReference,
        from client: FlareClientID?,
        by visitor: FlareVisitor? = nil
    ) throws(FlareHubError) {
        guard let own = gated(kind, of: reference, from: client, by: visitor) else { return }
        var reason = refusal(of: own)
        if reason == nil, kind == .remove {
            for member in members(of: reference) where reason == nil {
                reason = refusal(of: change(kind, of: member, own.visitor))
            }
        }
        try settle(own, reason)
    }

    /// Asks the gates about an update over REST, before it is known to be valid.
    ///
    /// Who may not change an object must not learn from the answer to an invalid change that it exists.
    func checkUpdate(of reference: ObjectReference, by visitor: FlareVisitor) throws(FlareHubError) {
        guard let own = gated(.update([:]), of: reference, by: visitor),
            let reason = refusal(of: own)
        else { return }
        try settle(own, reason)
    }

    /// Asks the gates about the place that an update moves an object to, and records the update.
    func checkUpdate(to updated: FlareRecord, by visitor: FlareVisitor) throws(FlareHubError) {
        guard let found = gated(.update([:]), of: updated.reference, by: visitor) else { return }
        let changed = updated.members.filter { found.object.members[$0.key] != $0.value }
        let own = change(.update(changed), of: found.object, found.visitor)
        let isThere = (updated.zone, updated.environment) == (own.object.zone, own.object.environment)
        let reason = isThere ? nil : refusal(ofHomesOf: updated, leaving: own.object, own)
        for record in recorders { record(own, reason) }
        if let reason { throw .notAllowed(reason) }
    }

    /// Asks the gates about a new object of a client over REST.
    ///
    /// - Parameter isNamed: Whether the client chose its identifier. Only who may read all objects of the class may do
    ///   so, as others would learn from the answer whether there is an object of this identifier.
    func checkInsertion(
        of object: FlareRecord,
        isNamed: Bool,
        by visitor: FlareVisitor
    ) throws(FlareHubError) {
        let own = change(.insert, of: object, visitor)
        var reason: String?
        if isNamed, !access.rights(visitor.claim).reads(object.kind) {
            let what = object.kind == .device ? "devices" : "all"
            reason =
                "choosing an _id needs the right to read \(what); without one in the body the server makes one"
        }
        reason = reason ?? refusal(ofHomesOf: object, own) ?? refusal(of: own)
        for record in recorders { record(own, reason) }
        if let reason { throw .notAllowed(reason) }
    }

    /// The change that the gates are to be asked about; `nil` if it is not, or the object does not exist.
    private func gated(
        _ kind: ClientChange.Kind,
        of reference: ObjectReference,
        from client: FlareClientID? = nil,
        by visitor: FlareVisitor?
    ) -> ClientChange? {
        guard !gates.isEmpty, let visitor = visitor ?? client.flatMap({ visitors[$0] }),
            let object = record(reference)
        else { return nil }
        return change(kind, of: object, visitor)
    }

    private func settle(_ change: ClientChange, _ reason: String?) throws(FlareHubError) {
        for record in recorders { record(change, reason) }
        guard let reason else { return }
        throw maySee(change.object, change.visitor) ? .notAllowed(reason) : .hidden
    }

    /// Whether somebody may see an object.
    func maySee(_ object: FlareRecord, _ visitor: FlareVisitor) -> Bool {
        access.sees(visitor.claim, object.accessObject ?? .devices)
    }

    /// Why an object may not be put where it says that it is; `nil` if it may.
    ///
    /// A zone and an environment are both asked about, unless the environment is the zone's. What does not exist and what
    /// may not be seen are refused in the same words.
    ///
    /// - Parameter before: The object before the change: who takes it out of a zone or an environment and puts it into no
    ///   other is asked about the old one, as it disappears there.
    private func refusal(
        ofHomesOf object: FlareRecord,
        leaving before: FlareRecord? = nil,
        _ own: ClientChange
    ) -> String? {
        for home in homes(of: object) + (before.map { left(by: object, since: $0) } ?? []) {
            let stored = record(home)
            let change = change(own.kind, of: stored ?? FlareRecord(home.kind, home.id), own.visitor)
            guard let reason = refusal(of: change) else { continue }
            if stored.map({ maySee($0, own.visitor) }) ?? false { return reason }
            // Without its identifier, which the caller need not know.
            return
                "this needs the right to own the \(home.kind.rawValue) that it leaves or comes to, if there is one"
        }
        return nil
    }

    /// The zone and the environment that a thing or a zone is in; none for a device, which goes where it is carried.
    private func homes(of object: FlareRecord) -> [ObjectReference] {
        guard object.kind == .thing || object.kind == .zone else { return [] }
        let zone = object.kind == .thing ? object.zone.map { ObjectReference(.zone, $0) } : nil
        let environment = object.environment.map { ObjectReference(.environment, $0) }
        let isOfZone = zone.flatMap { record($0)?.environment }.map { $0 == environment?.id } ?? false
        return [zone, isOfZone ? nil : environment].compactMap(\.self)
    }

    /// The zone and the environment that an object was in, where it is in none now.
    private func left(by object: FlareRecord, since before: FlareRecord) -> [ObjectReference] {
        guard object.kind == .thing || object.kind == .zone else { return [] }
        let zone = object.kind == .thing && object.zone == nil ? before.zone : nil
        let environment = object.environment == nil ? before.environment : nil
        return [
            zone.map { ObjectReference(.zone, $0) }, environment.map { ObjectReference(.environment, $0) },
        ].compactMap(\.self)
    }

    private func change(
        _ kind: ClientChange.Kind,
        of object: FlareRecord,
        _ visitor: FlareVisitor
    ) -> ClientChange {
        let zone = object.kind == .thing ? object.zone.flatMap { record(ObjectReference(.zone, $0)) } : nil
        return ClientChange(object: object, zone: zone, kind: kind, visitor: visitor)
    }

    private func refusal(of change: ClientChange) -> String? {
        for gate in gates {
            if let reason = gate(change) { return reason }
        }
        return nil
    }

    /// The objects in an environment or a zone.
    func members(of object: ObjectReference) -> [FlareRecord] {
        switch object.kind {
        case .environment:
            [FlareClass.zone, .thing, .device].flatMap { records($0, environment: object.id) }
        case .zone: records(.thing, zone: object.id)
        case .thing, .device: []
        }
    }

    /// Registers a sink.
    /// - Returns: Its number.
    func attach(_ sink: any NoticeSink) -> Int {
        sinkCount += 1
        sinks[sinkCount] = sink
        return sinkCount
    }

    /// Removes a sink whose clients have disconnected.
    func detach(_ sink: Int) { sinks[sink] = nil }

    /// Adds a client of a registered sink.
    func enter(_ client: FlareClientID, _ visitor: FlareVisitor? = nil) {
        visitors[client] = visitor
        rooms.enter(client, isInProcess: false)
    }

    /// Whether anybody is connected over the network, such as another daemon.
    package var hasVisitors: Bool { !visitors.isEmpty }

    /// Connects a part of this program; in-process clients also receive changes made by REST.
    /// - Parameter deliver: Called in order, before the reply to the request that caused the notice; must not block.
    package func connect(
        isInProcess: Bool = false,
        deliver: @escaping @Sendable (FlareNotice) -> Void
    ) -> FlareClientID {
        let client = FlareClientID(sink: attach(InProcessNoticeSink(deliver: deliver)), number: 0)
        rooms.enter(client, isInProcess: isInProcess)
        return client
    }

    /// Disconnects a part of this program.
    package func disconnect(_ client: FlareClientID) {
        sinks[client.sink] = nil
        rooms.leave(client)
    }

    /// Removes a client; its sink stays registered.
    func leave(_ client: FlareClientID) {
        (visitors[client], remembered[client]) = (nil, nil)
        rooms.leave(client)
    }

    /// Subscribes a client to an object, with `all` also to everything in it.
    /// - Returns: Whether the object exists.
    @discardableResult
    package func subscribe(_ client: FlareClientID, to object: ObjectReference, all: Bool = false) -> Bool {
        guard graph[object] != nil else { return false }
        rooms.subscribe(client, to: object, all: all)
        return true
    }

    package func unsubscribe(_ client: FlareClientID, from object: ObjectReference) {
        rooms.unsubscribe(client, from: object)
    }
}
