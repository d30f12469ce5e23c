import Flare

// What is said over Socket.IO. Each is confirmed by a question behind it; never anything that ends the original
// server's process.
// - Source: flare-protocol 4, 8 and 13.
extension Step {
    static func subscribe(_ environment: FlareID) -> Step {
        let object = ObjectReference(.environment, environment)
        return say(FlareMessage("subscribe", object, ["all": true]), about: object) { .reply(.done) }
    }

    static func unsubscribe(_ environment: FlareID) -> Step {
        let object = ObjectReference(.environment, environment)
        let message = FlareMessage("unsubscribe", object)
        return .ask(ReadBack(object: object, subject: .existence, saying: message)) { _ in .reply(.done) }
    }

    // MARK: Data

    /// Stores one key after the other: the original loses all but one of several that come at once for an object
    /// without data.
    static func setData(_ object: ObjectReference, _ values: [String: JSONValue], sender: FlareID?) -> Step {
        if let problem = DataError.first(in: values) { return .fail(.rejected(problem)) }
        guard !values.isEmpty else {
            return .ask(ReadBack(object: object, subject: .existence)) { answer in
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

    /// - Parameter then: With what somebody else stored on top.
    private static func store(
        _ key: String,
        _ value: JSONValue,
        in object: ObjectReference,
        sender: FlareID?,
        then: @escaping @Sendable (JSONValue?) -> Step
    ) -> Step {
        let message = FlareMessage("setData", object, ["key": .string(key), "value": value], sender: sender)
        let question = ReadBack(object: object, subject: .value(key: key, expected: value), saying: message)
        return confirm(question) { answer in
            guard let answer else { return then(nil) }
            guard case .value(let stored?) = answer else {
                return .fail(.rejected("it did not store \(key.shortened)"))
            }
            return then(stored)
        }
    }

    /// Asks until the server says what we expect, or says something else and stays with it.
    ///
    /// In the original a question can overtake what was said before it, so that the first answer may be older.
    /// A value that stays another one was stored by somebody else after ours, for the server handles in the end
    /// whatever it takes; or it was not stored at all.
    /// - Parameter then: With `nil` when it is as expected.
    private static func confirm(
        _ question: ReadBack,
        attempt: Int = 1,
        before: ReadBack.Answer? = nil,
        then: @escaping @Sendable (ReadBack.Answer?) -> Step
    ) -> Step {
        .ask(question) { answer in
            if answer == .unknownObject { return .fail(.unknownObject(question.object)) }
            if question.isConfirmed(by: answer) { return then(nil) }
            if answer == before || attempt >= 4 { return then(answer) }
            var again = question
            again.saying = nil
            return .pause(milliseconds: 25 << attempt) { [again] in
                confirm(again, attempt: attempt + 1, before: answer, then: then)
            }
        }
    }

    // MARK: Position

    /// - Parameter isSafe: Whether the original is known to survive a movement of this device.
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
            // They have none: it is only told to others.
            return say(message, about: object) { .reply(.done) }
        case .thing, .device:
            let question = ReadBack(object: object, subject: .position(expected: position), saying: message)
            let move = confirm(question) { answer in
                guard let answer else { return .reply(.done) }
                guard case .position(let stored?) = answer else {
                    return .fail(.rejected("it did not store the position"))
                }
                return .finish(.success(.done), corrections: [.position(object, stored, sender: nil)])
            }
            guard object.kind == .device, !isSafe else { return move }
            return fetch(object) { device in makeSafe(device) { move } }
        }
    }

    /// The original's process ends when a device moves in an environment that has no data, or none at all.
    private static func makeSafe(_ device: JSONValue, then: @escaping @Sendable () -> Step) -> Step {
        guard let id = device.flareID("environment") else {
            return .fail(.rejected("the device belongs to no environment"))
        }
        let environment = ObjectReference(.environment, id)
        return fetch(environment) { json in
            if json["data"]?.object?.isEmpty == false { return then() }
            // What holds anyway where nothing is stated.
            return store("distance", .number(ProximityLimit.standard), in: environment, sender: nil) { _ in
                then()
            }
        }
    }

    // MARK: Actions

    static func performAction(_ object: ObjectReference, _ action: String, sender: FlareID?) -> Step {
        if let problem = ActionNameError.of(action) { return .fail(.rejected(problem)) }
        let message = FlareMessage("performAction", object, ["action": .string(action)], sender: sender)
        let act = say(message, about: object) { .reply(.done) }
        guard let movement = BuiltInAction(rawValue: action), movement.isMovement else { return act }
        // The original's process ends when something without a position is to move.
        return fetch(object) { json in
            guard let position = json["position"], Point3D(json: position) != nil else {
                return .fail(
                    .rejected("the \(object.kind.rawValue) has no position, so it cannot go \(action)")
                )
            }
            if movement == .up || movement == .down, position.flareNumber("z") == nil {
                return .fail(
                    .rejected("the \(object.kind.rawValue) has no height, so it cannot go \(action)")
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

/// What is wrong with values for an object's data.
private enum DataError {
    static let maximumKeyBytes = 256
    static let maximumBytes = 100_000

    static func first(in values: [String: JSONValue]) -> String? {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let name = "the key \(key.shortened)"
            guard key.utf8.count <= maximumKeyBytes else {
                return "\(name) has \(key.utf8.count) bytes; at most \(maximumKeyBytes) are legal"
            }
            guard !key.unicodeScalars.contains("\0"), DataPath(key) != nil else {
                return "\(name) cannot be stored: a key has no empty part and no leading $"
            }
            if value.isNull { return "\(name): null is no value" }
            if case .number(let number) = value, !number.isFinite {
                return "\(name): the number is not finite"
            }
        }
        let bytes = JSONValue.object(values).bytes.count
        return bytes <= maximumBytes
            ? nil : "the values have \(bytes) bytes; at most \(maximumBytes) are legal"
    }
}

/// What is wrong with an action's name.
private enum ActionNameError {
    static let maximumBytes = 256
    /// The original takes these for handlers of its own and ends.
    /// - Source: flare-protocol 8.
    static let builtInProperties: Set<String> = [
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
        "toString",
        "valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__",
        "__lookupSetter__",
    ]

    static func of(_ action: String) -> String? {
        if action.isEmpty { return "an action has a name" }
        if action.utf8.count > maximumBytes {
            return "the action's name has \(action.utf8.count) bytes; at most \(maximumBytes) are legal"
        }
        return builtInProperties.contains(action) ? "no action can be named \(action)" : nil
    }
}
