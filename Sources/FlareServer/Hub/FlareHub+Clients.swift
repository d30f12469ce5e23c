package import Flare

// Who hears of changes, and who may ask for them.
extension FlareHub {
    /// Puts a gate in front of every change that a client of the server asks for, after those that are there.
    package func add(gate: @escaping ClientChangeGate) { gates.append(gate) }

    /// Asks the gates about a change.
    ///
    /// Removing an environment or a zone also needs permission to remove every object in it.
    ///
    /// - Parameter client: The client that requests the change; `nil` for REST. In-process clients are not gated.
    /// - Throws: ``FlareHubError/notAllowed(_:)``. Unknown objects pass: the change itself reports them.
    func check(
        _ kind: ClientChange.Kind,
        of reference: ObjectReference,
        from client: FlareClientID?
    ) throws(FlareHubError) {
        guard !gates.isEmpty, client.map({ !inProcessOutlets.contains($0.outlet) }) ?? true,
            let object = record(reference)
        else { return }
        try check(kind, of: object)
        guard kind == .remove else { return }
        for member in members(of: object) { try check(kind, of: member) }
    }

    private func check(_ kind: ClientChange.Kind, of object: FlareRecord) throws(FlareHubError) {
        let zone = object.kind == .thing ? object.zone.flatMap { record(ObjectReference(.zone, $0)) } : nil
        let change = ClientChange(object: object, zone: zone, kind: kind)
        for gate in gates {
            if let reason = gate(change) { throw .notAllowed(reason) }
        }
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

    /// Takes in a way by which clients hear, and names it.
    func attach(_ outlet: any NoticeSink) -> Int {
        outletCount += 1
        outlets[outletCount] = outlet
        return outletCount
    }

    /// Lets go of such a way; its clients have left.
    func detach(_ outlet: Int) { outlets[outlet] = nil }

    /// Lets a client in that hears by an outlet.
    func enter(_ client: FlareClientID) {
        rooms.enter(client, isInProcess: false)
    }

    /// Lets a part of this program in, which hears of REST changes too.
    /// - Parameter deliver: Called in order, before the cause is answered; must not block.
    package func connect(
        isInProcess: Bool = false,
        deliver: @escaping @Sendable (FlareNotice) -> Void
    ) -> FlareClientID {
        let client = FlareClientID(outlet: attach(InProcessNoticeSink(deliver: deliver)), number: 0)
        if isInProcess { inProcessOutlets.insert(client.outlet) }
        rooms.enter(client, isInProcess: isInProcess)
        return client
    }

    /// Lets such a part go.
    package func disconnect(_ client: FlareClientID) {
        outlets[client.outlet] = nil
        inProcessOutlets.remove(client.outlet)
        rooms.leave(client)
    }

    /// Lets a client go; its outlet stays.
    func leave(_ client: FlareClientID) {
        rooms.leave(client)
    }

    /// Lets a client hear of an object, and of everything below it.
    /// - Returns: Whether there is such an object.
    @discardableResult
    package func subscribe(_ client: FlareClientID, to object: ObjectReference, all: Bool = false) -> Bool {
        guard world[object] != nil else { return false }
        rooms.subscribe(client, to: object, all: all)
        return true
    }

    package func unsubscribe(_ client: FlareClientID, from object: ObjectReference) {
        rooms.unsubscribe(client, from: object)
    }
}
