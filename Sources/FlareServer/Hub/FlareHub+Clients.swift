package import Flare
import People

// The clients of the hub and the gates for their changes.
extension FlareHub {
    /// Adds a gate for the changes of clients, after the existing ones.
    package func add(gate: @escaping ClientChangeGate) { gates.append(gate) }

    /// Adds what is told of each change of clients, allowed or refused.
    package func add(recorder: @escaping ClientChangeRecord) { recorders.append(recorder) }

    /// Asks the gates about a change.
    ///
    /// Removing an environment or a zone also needs permission to remove every object in it, and moving a thing or a zone
    /// permission to change what it moves into.
    ///
    /// - Parameters:
    ///   - client: The client that requests the change; `nil` for REST. In-process clients are not gated.
    ///   - visitor: Who requests it over REST.
    ///   - updated: What an update would make of the object.
    /// - Throws: ``FlareHubError/notAllowed(_:)``, or ``FlareHubError/hidden``. Unknown objects pass: the change itself reports them.
    func check(
        _ kind: ClientChange.Kind,
        of reference: ObjectReference,
        from client: FlareClientID?,
        by visitor: FlareVisitor? = nil,
        updated: FlareRecord? = nil
    ) throws(FlareHubError) {
        guard !gates.isEmpty, client.map({ !inProcessSinks.contains($0.sink) }) ?? true,
            let object = record(reference)
        else { return }
        let visitor = visitor ?? client.flatMap { visitors[$0] }
        let own = change(kind, of: object, visitor)
        var reason = refusal(of: own)
        if reason == nil, kind == .remove {
            for member in members(of: object) where reason == nil {
                reason = refusal(of: change(kind, of: member, visitor))
            }
        }
        if reason == nil, let home = updated.flatMap({ newHome(of: $0, before: object) }) {
            reason = refusal(of: change(kind, of: home, visitor))
        }
        for record in recorders { record(own, reason) }
        guard let reason else { return }
        throw maySee(object, visitor) ? .notAllowed(reason) : .hidden
    }

    private func maySee(_ object: FlareRecord, _ visitor: FlareVisitor?) -> Bool {
        guard let access, let visitor else { return true }
        let place = AccessObject(object.reference, zone: object.zone, environment: object.environment)
        return access.sees(visitor.claim, place ?? .devices)
    }

    /// The zone or environment that a thing or a zone moves into, `nil` if it stays.
    ///
    /// Devices go where they are carried.
    private func newHome(of object: FlareRecord, before: FlareRecord) -> FlareRecord? {
        guard object.kind != .device else { return nil }
        guard (object.zone, object.home) != (before.zone, before.home) else { return nil }
        return object.zone.flatMap { record(ObjectReference(.zone, $0)) }
            ?? object.home.flatMap { record(ObjectReference(.environment, $0)) }
    }

    /// Asks the gates about a new object of a client over REST.
    func checkInsertion(of object: FlareRecord, by visitor: FlareVisitor?) throws(FlareHubError) {
        let own = change(.insert, of: object, visitor)
        let reason = refusal(of: own)
        for record in recorders { record(own, reason) }
        if let reason { throw .notAllowed(reason) }
    }

    private func change(
        _ kind: ClientChange.Kind,
        of object: FlareRecord,
        _ visitor: FlareVisitor?
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
    private func members(of object: FlareRecord) -> [FlareRecord] {
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

    /// Connects a part of this program; in-process clients also receive changes made by REST.
    /// - Parameter deliver: Called in order, before the reply to the request that caused the notice; must not block.
    package func connect(
        isInProcess: Bool = false,
        deliver: @escaping @Sendable (FlareNotice) -> Void
    ) -> FlareClientID {
        let client = FlareClientID(sink: attach(InProcessNoticeSink(deliver: deliver)), number: 0)
        if isInProcess { inProcessSinks.insert(client.sink) }
        rooms.enter(client, isInProcess: isInProcess)
        return client
    }

    /// Disconnects a part of this program.
    package func disconnect(_ client: FlareClientID) {
        sinks[client.sink] = nil
        inProcessSinks.remove(client.sink)
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
