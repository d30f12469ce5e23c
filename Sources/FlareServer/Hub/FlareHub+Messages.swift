package import Flare

// The messages of clients; `client` is who sent one, and is left out where the protocol says so.
extension FlareHub {
    /// Stores values in an object's data and tells of them.
    /// - Parameter allOrNone: Whether to refuse the whole when one key or value cannot be stored; else such a key
    ///   is told to the object's own subscribers only, and null is passed over.
    /// - Returns: Whether there is such an object.
    /// - Source: flare-protocol 4.5.
    @discardableResult
    package func setData(
        _ object: ObjectReference,
        _ values: [String: JSONValue],
        sender: JSONValue? = nil,
        from client: FlareClientID? = nil,
        allOrNone: Bool = false
    ) throws(FlareHubError) -> Bool {
        try limits.check(message: values, sender: sender)
        try check(.setData(values), of: object, from: client)
        guard let (plan, refused) = world.planSetData(object, values, sender: sender?.nonNull, now: now)
        else {
            return false
        }
        if allOrNone, let key = refused.first {
            throw .notStorable(
                key: key,
                reason: values[key]?.isNull == true
                    ? "null is no value"
                    : "a key has no empty part and no leading $, and leads through objects and lists only"
            )
        }
        try carryOut(plan, from: client)
        return true
    }

    /// Moves an object and tells of it; after a device's move its zone and nearest thing follow.
    /// - Returns: Whether there is such an object.
    /// - Source: flare-protocol 4.7 and 5.3.
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
        guard let plan = world.planSetPosition(object, position, sender: sender?.nonNull, now: now) else {
            return false
        }
        try carryOut(plan, from: client)
        return true
    }

    /// Tells of an action, and carries it out when it is a built-in one.
    /// - Returns: Whether there is such an object.
    /// - Source: flare-protocol 6.
    @discardableResult
    package func performAction(
        _ object: ObjectReference,
        _ action: String,
        sender: JSONValue? = nil,
        from client: FlareClientID? = nil
    ) throws(FlareHubError) -> Bool {
        try limits.check(action: action, sender: sender)
        try check(.performAction(action), of: object, from: client)
        guard let plan = world.planAction(object, action, sender: sender?.nonNull, now: now) else {
            return false
        }
        try carryOut(plan, from: client)
        return true
    }

    /// Moves the device that has a wireless address in its `data.mac`, as a Cisco CMX server asks.
    /// - Returns: The device as the answer shows it; `nil` when there is none.
    /// - Source: flare-protocol 2.7.
    package func cmx(
        environment: FlareID,
        mac: String,
        x: Double,
        y: Double
    ) throws(FlareHubError) -> FlareRecord? {
        guard let (plan, answer) = world.planCMX(environment: environment, mac: mac, x: x, y: y, now: now)
        else {
            return nil
        }
        guard x.isFinite, y.isFinite else { throw .notFinite(answer.reference) }
        try check(
            .setPosition(Point3D(x: x, y: y, z: answer.position?.z ?? 0)),
            of: answer.reference,
            from: nil
        )
        try carryOut(plan, from: nil)
        return answer
    }

    /// The zone around a point and the thing that a device there is near to.
    package func presence(
        at point: Point3D,
        in environment: FlareID
    ) -> (zone: FlareID?, nearest: FlareID?) {
        (world.zone(at: point, in: environment), world.nearestThing(to: point, in: environment)?.id)
    }
}

extension JSONValue {
    /// A null sender is none.
    fileprivate var nonNull: JSONValue? { if isNull { Optional.none } else { self } }
}
