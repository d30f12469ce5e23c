import Flare
import JSON

// Requests over Socket.IO, each confirmed by a ``ReadBack``. None of them sends a message that crashes the original
// server.
// - Source: contrib/contract/flare-protocol.md, "4. Messages"; "8. What ends the original server";
//   "13. Rules for a server and a client".
extension Step {
    static func subscribe(_ environment: FlareID) -> Step {
        let object = ObjectReference(.environment, environment)
        return send(FlareMessage("subscribe", object, ["all": true]), about: object) { .reply(.done) }
    }

    static func unsubscribe(_ environment: FlareID) -> Step {
        let object = ObjectReference(.environment, environment)
        let message = FlareMessage("unsubscribe", object)
        return .readBack(ReadBack(object: object, subject: .existence, message: message)) { _ in .reply(.done)
        }
    }

    // MARK: Data

    /// Stores one key at a time: of several simultaneous keys for an object without data, the original server stores
    /// only one.
    static func setData(_ object: ObjectReference, _ values: JSONObject, sender: FlareID?) -> Step {
        if let problem = DataError.first(in: values) { return .fail(.rejected(problem)) }
        guard !values.isEmpty else {
            return .readBack(ReadBack(object: object, subject: .existence)) { answer in
                answer == .unknownObject ? .fail(.unknownObject(object)) : .reply(.done)
            }
        }
        let pairs = values.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }
        return store(pairs[...], in: object, sender: sender, corrections: [])
    }

    private static func store(
        _ pairs: ArraySlice<(key: String, value: JSONValue)>,
        in object: ObjectReference,
        sender: FlareID?,
        corrections: [FlareNotice]
    ) -> Step {
        guard let (key, value) = pairs.first else {
            return .finish(.success(.done), corrections: corrections)
        }
        return store(key, value, in: object, sender: sender) { stored in
            var corrections = corrections
            if let stored { corrections.append(.data(object, [key: stored], sender: nil)) }
            return store(pairs.dropFirst(), in: object, sender: sender, corrections: corrections)
        }
    }

    /// - Parameter then: Called with the value that another client stored over ours, if any.
    private static func store(
        _ key: String,
        _ value: JSONValue,
        in object: ObjectReference,
        sender: FlareID?,
        then: @escaping @Sendable (JSONValue?) -> Step
    ) -> Step {
        let message = FlareMessage("setData", object, ["key": .string(key), "value": value], sender: sender)
        let readBack = ReadBack(object: object, subject: .value(key: key, expected: value), message: message)
        return confirm(readBack) { answer in
            guard let answer else { return then(nil) }
            guard case .value(let stored?) = answer else {
                return .fail(.rejected("the server did not store \(key.shortened)"))
            }
            return then(stored)
        }
    }

    /// Reads back until the server returns the expected value, or another one twice.
    ///
    /// In the original server a get message can overtake the message before it, so the first answer may be outdated.
    /// A value that stays different was stored by another client after ours, or ours was not stored.
    /// - Parameter then: Called with `nil` for the expected value.
    private static func confirm(
        _ readBack: ReadBack,
        attempt: Int = 1,
        before: ReadBack.Answer? = nil,
        then: @escaping @Sendable (ReadBack.Answer?) -> Step
    ) -> Step {
        .readBack(readBack) { answer in
            if answer == .unknownObject { return .fail(.unknownObject(readBack.object)) }
            if readBack.isConfirmed(by: answer) { return then(nil) }
            if answer == before || attempt >= 4 { return then(answer) }
            var again = readBack
            again.message = nil
            return .pause(milliseconds: 25 << attempt) { [again] in
                confirm(again, attempt: attempt + 1, before: answer, then: then)
            }
        }
    }

    // MARK: Position

    /// - Parameter isSafe: Whether a movement of this device is known not to crash the original server.
    static func setPosition(
        _ object: ObjectReference,
        _ position: Point3D,
        sender: FlareID?,
        isSafe: Bool
    ) -> Step {
        guard position.isFinite else { return .fail(.rejected("the position is not finite")) }
        let message = FlareMessage("setPosition", object, ["position": position.json], sender: sender)
        switch object.kind {
        case .environment, .zone:
            // They have no position: it is only announced to others.
            return send(message, about: object) { .reply(.done) }
        case .thing, .device:
            let readBack = ReadBack(object: object, subject: .position(expected: position), message: message)
            let move = confirm(readBack) { answer in
                guard let answer else { return .reply(.done) }
                guard case .position(let stored?) = answer else {
                    return .fail(.rejected("the server did not store the position"))
                }
                return .finish(.success(.done), corrections: [.position(object, stored, sender: nil)])
            }
            guard object.kind == .device, !isSafe else { return move }
            return fetch(object) { device in makeSafe(device) { move } }
        }
    }

    /// The original server crashes when a device moves without an environment, or in one without data.
    private static func makeSafe(_ device: JSONValue, then: @escaping @Sendable () -> Step) -> Step {
        guard let id = device.flareID("environment") else {
            return .fail(.rejected("the device belongs to no environment"))
        }
        let environment = ObjectReference(.environment, id)
        return fetch(environment) { json in
            if json["data"]?.object?.isEmpty == false { return then() }
            // The default limit, so that nothing changes.
            return store("distance", .number(ProximityLimit.standard), in: environment, sender: nil) { _ in
                then()
            }
        }
    }

    // MARK: Actions

    static func performAction(_ object: ObjectReference, _ action: String, sender: FlareID?) -> Step {
        if let problem = ActionNameError.of(action) { return .fail(.rejected(problem)) }
        let message = FlareMessage("performAction", object, ["action": .string(action)], sender: sender)
        let act = send(message, about: object) { .reply(.done) }
        guard let movement = BuiltInAction(rawValue: action), movement.isMovement else { return act }
        // The original server crashes when an object without a position moves.
        return fetch(object) { json in
            guard let position = json["position"], Point3D(json: position) != nil else {
                return .fail(
                    .rejected("the \(object.kind.rawValue) has no position, so it cannot move \(action)")
                )
            }
            if movement == .up || movement == .down, position.flareNumber("z") == nil {
                return .fail(
                    .rejected("the \(object.kind.rawValue) has no height, so it cannot move \(action)")
                )
            }
            return object.kind == .device ? makeSafe(json) { act } : act
        }
    }
}

extension BuiltInAction {
    fileprivate var isMovement: Bool {
        switch self {
        case .north, .south, .east, .west, .up, .down: true
        case .nextColor, .previousColor, .lighter, .darker, .clockwise, .counterclockwise, .on, .off: false
        }
    }
}

/// Validates values for an object's data.
private enum DataError {
    static let maximumKeyBytes = 256
    static let maximumBytes = 100_000

    static func first(in values: JSONObject) -> String? {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let name = "the key \(key.shortened)"
            guard key.utf8.count <= maximumKeyBytes else {
                return "\(name) has \(key.utf8.count) bytes; at most \(maximumKeyBytes) are allowed"
            }
            guard !key.unicodeScalars.contains("\0"), DataPath(key) != nil else {
                return "\(name) cannot be stored: its parts must not be empty or start with $"
            }
            if value.isNull { return "\(name): null cannot be stored" }
            if case .number(let number) = value, !number.isFinite {
                return "\(name): the number is not finite"
            }
        }
        let bytes = JSONValue.object(values).bytes.count
        return bytes <= maximumBytes
            ? nil : "the values have \(bytes) bytes; at most \(maximumBytes) are allowed"
    }
}

/// Validates the name of an action.
private enum ActionNameError {
    static let maximumBytes = 256
    /// The original server crashes on these names.
    /// - Source: contrib/contract/flare-protocol.md, "8. What ends the original server".
    static let builtInProperties: Set<String> = [
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
        "toString",
        "valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__",
        "__lookupSetter__",
    ]

    static func of(_ action: String) -> String? {
        if action.isEmpty { return "the name of the action is empty" }
        if action.utf8.count > maximumBytes {
            return "the action's name has \(action.utf8.count) bytes; at most \(maximumBytes) are allowed"
        }
        return builtInProperties.contains(action) ? "\(action) is not a valid name of an action" : nil
    }
}
