import Flare
import JSON

/// A step of a request, with a continuation to the next step.
///
/// ``RequestPipeline`` performs the steps. Errors end the request.
indirect enum Step: Sendable {
    /// Sends REST requests concurrently; continues with the JSON of each response, `nil` for an empty one.
    case fetch([RESTRequest], then: @Sendable ([JSONValue?]) -> Step)
    /// Sends messages over Socket.IO; continues with the answer.
    case readBack(ReadBack, then: @Sendable (ReadBack.Answer) -> Step)
    case pause(milliseconds: Int, then: @Sendable () -> Step)
    /// - Parameter corrections: Notices after the reply: values that other clients stored over ours.
    case finish(Result<FlareReply, FlareLinkError>, corrections: [FlareNotice] = [])

    static func reply(_ reply: FlareReply) -> Step { .finish(.success(reply)) }

    static func fail(_ error: FlareLinkError) -> Step { .finish(.failure(error)) }

    /// Sends a single REST request.
    static func fetch(_ request: RESTRequest, then: @escaping @Sendable (JSONValue?) -> Step) -> Step {
        .fetch([request]) { then($0.first.flatMap { $0 }) }
    }

    /// Gets an object; fails if it does not exist.
    static func fetch(_ object: ObjectReference, then: @escaping @Sendable (JSONValue) -> Step) -> Step {
        fetch(.get(object)) { json in
            switch object.found(in: json) {
            case .success(let json): then(json)
            case .failure(let error): .fail(error)
            }
        }
    }

    /// Sends a message about an object; continues when the server has handled it.
    static func send(
        _ message: FlareMessage,
        about object: ObjectReference,
        then: @escaping @Sendable () -> Step
    ) -> Step {
        .readBack(ReadBack(object: object, subject: .existence, message: message)) { answer in
            answer == .unknownObject ? .fail(.unknownObject(object)) : then()
        }
    }
}

extension ObjectReference {
    /// The object in a response, which must have an `_id`.
    ///
    /// `null` and an empty response mean that it is unknown; other values are errors of the server.
    /// - Source: contrib/contract/flare-protocol.md, "2.2 Routes"; "2.4 Errors".
    func found(in json: JSONValue?) -> Result<JSONValue, FlareLinkError> {
        guard let json, !json.isNull else { return .failure(.unknownObject(self)) }
        guard json.flareID("_id") != nil else { return .failure(.rejected(json.errorMessage)) }
        return .success(json)
    }
}

extension JSONValue {
    /// The message of an error response.
    var errorMessage: String {
        for key in ["message", "errmsg", "name"] {
            if let words = self[key]?.string, !words.isEmpty { return words.shortened }
        }
        return "the server answered \(text.shortened)"
    }
}
