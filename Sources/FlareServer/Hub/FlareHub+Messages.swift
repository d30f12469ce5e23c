package import Flare
package import JSON

// The messages of clients. The protocol defines which notices their sender does not receive.
extension FlareHub {
    /// Stores values in an object's data and announces them.
    /// - Parameter allOrNone: Whether to throw if a key or value cannot be stored. Otherwise such a key is announced
    ///   to the object's own subscribers only, and null is ignored.
    /// - Parameter isReport: Whether the thing itself has reported them, so that they may be stored later.
    /// - Returns: Whether the object exists.
    /// - Source: contrib/contract/flare-protocol.md, "4.5 setData".
    @discardableResult
    package func setData(
        _ object: ObjectReference,
        _ values: JSONObject,
        sender: JSONValue? = nil,
        from client: FlareClientID? = nil,
        allOrNone: Bool = false,
        isReport: Bool = false
    ) throws(FlareHubError) -> Bool {
        try limits.check(message: values, sender: sender, &buffer)
        try check(.setData(values), of: object, from: client)
        guard
            let (planned, refused) = graph.planSetData(object, values, sender: sender?.nonNull, now: now)
        else {
            return false
        }
        if allOrNone, let key = refused {
            throw .notStorable(
                key: key,
                reason: values[key]?.isNull == true
                    ? "null cannot be stored"
                    : "its parts must not be empty or start with $, and it must lead through objects and lists only"
            )
        }
        var transaction = planned
        if isReport { transaction.isPassing = true }
        try commit(transaction, from: client)
        return true
    }

    /// Moves an object and announces it; the zone and the nearest thing of a device follow.
    /// - Returns: Whether the object exists.
    /// - Source: contrib/contract/flare-protocol.md, "4.7 setPosition"; "5.3 Transitions".
    @discardableResult
    package func setPosition(
        _ object: ObjectReference,
        _ position: Point3D,
        sender: JSONValue? = nil,
        from client: FlareClientID? = nil
    ) throws(FlareHubError) -> Bool {
        try limits.check(sender: sender)
        guard position.isFinite else { throw .notFinite(object) }
        try check(.setPosition(position), of: object, from: client)
        guard let transaction = graph.planSetPosition(object, position, sender: sender?.nonNull, now: now)
        else {
            return false
        }
        try commit(transaction, from: client)
        return true
    }

    /// Announces an action, and performs it if it is built in.
    /// - Returns: Whether the object exists.
    /// - Source: contrib/contract/flare-protocol.md, "6. Actions".
    @discardableResult
    package func performAction(
        _ object: ObjectReference,
        _ action: String,
        sender: JSONValue? = nil,
        from client: FlareClientID? = nil
    ) throws(FlareHubError) -> Bool {
        try limits.check(action: action, sender: sender)
        try check(.performAction(action), of: object, from: client)
        guard let transaction = graph.planAction(object, action, sender: sender?.nonNull, now: now) else {
            return false
        }
        try commit(transaction, from: client)
        return true
    }

    /// Moves the device with this wireless address in its `data.mac`, as a Cisco CMX server requests.
    /// - Returns: The device as the response shows it; `nil` when there is none.
    /// - Source: contrib/contract/flare-protocol.md, "2.7 CMX notification".
    package func cmx(
        environment: FlareID,
        mac: String,
        x: Double,
        y: Double,
        by visitor: FlareVisitor? = nil
    ) throws(FlareHubError) -> FlareRecord? {
        guard
            let (transaction, answer) = graph.planCMX(
                environment: environment,
                mac: mac,
                x: x,
                y: y,
                now: now
            )
        else {
            return nil
        }
        guard x.isFinite, y.isFinite else { throw .notFinite(answer.reference) }
        try check(
            .setPosition(Point3D(x: x, y: y, z: answer.position?.z ?? 0)),
            of: answer.reference,
            from: nil,
            by: visitor
        )
        try commit(transaction, from: nil)
        return answer
    }

    /// The zone at a point and the thing that is near it.
    package func presence(
        at point: Point3D,
        in environment: FlareID
    ) -> (zone: FlareID?, nearest: FlareID?) {
        (graph.zone(at: point, in: environment), graph.nearestThing(to: point, in: environment)?.id)
    }
}

extension JSONValue {
    /// `nil` for a null sender.
    fileprivate var nonNull: JSONValue? { if isNull { Optional.none } else { self } }
}
