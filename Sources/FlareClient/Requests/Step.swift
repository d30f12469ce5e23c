import Flare

/// What is to be done next for a request, and how it goes on from there.
///
/// A request is a chain of these; ``RequestPipeline`` carries it out. Failures on the way end it by themselves.
indirect enum Step: Sendable {
    /// Asks by REST, side by side; goes on with the JSON of each answer, `nil` for an empty one.
    case fetch([RESTRequest], then: @Sendable ([JSONValue?]) -> Step)
    /// Says and asks something over Socket.IO; goes on with the answer.
    case ask(ReadBack, then: @Sendable (ReadBack.Answer) -> Step)
    case pause(milliseconds: Int, then: @Sendable () -> Step)
    /// - Parameter corrections: What the mirror must take over after the reply: values that others have stored
    ///   on top of ours.
    case finish(Result<FlareReply, FlareLinkError>, corrections: [FlareNotice] = [])

    static func reply(_ reply: FlareReply) -> Step { .finish(.success(reply)) }

    static func fail(_ error: FlareLinkError) -> Step { .finish(.failure(error)) }

    /// Asks for one thing by REST.
    static func fetch(_ request: RESTRequest, then: @escaping @Sendable (JSONValue?) -> Step) -> Step {
        .fetch([request]) { then($0.first.flatMap { $0 }) }
    }

    /// Asks for an object by REST and goes on with it, if there is one.
    static func fetch(_ object: ObjectReference, then: @escaping @Sendable (JSONValue) -> Step) -> Step {
        fetch(.get(object)) { json in
            switch object.found(in: json) {
            case .success(let json): then(json)
            case .failure(let error): .fail(error)
            }
        }
    }

    /// Says something about an object, and goes on when the server has handled it.
    static func say(
        _ message: FlareMessage,
        about object: ObjectReference,
        then: @escaping @Sendable () -> Step
    ) -> Step {
        .ask(ReadBack(object: object, subject: .existence, saying: message)) { answer in
            answer == .unknownObject ? .fail(.unknownObject(object)) : then()
        }
    }
}

extension ObjectReference {
    /// An object in an answer: one that has an `_id`.
    ///
    /// `null` and nothing are "unknown", anything else is an error's own words.
    /// - Source: flare-protocol 2.2 and 2.4.
    func found(in json: JSONValue?) -> Result<JSONValue, FlareLinkError> {
        guard let json, !json.isNull else { return .failure(.unknownObject(self)) }
        guard json.flareID("_id") != nil else { return .failure(.rejected(json.errorWords)) }
        return .success(json)
    }
}

extension JSONValue {
    /// What an answer says that is not what was asked for.
    var errorWords: String {
        for key in ["message", "errmsg", "name"] {
            if let words = self[key]?.string, !words.isEmpty { return words.shortened }
        }
        return "it answered \(text.shortened)"
    }
}
