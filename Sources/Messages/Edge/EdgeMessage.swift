package import Bindings
package import JSON
import Text
package import Things

/// Whether a thing at the edge says that it can be reached; `offline` is also its last will.
package enum EdgeStatus: String, Sendable, Hashable, CaseIterable {
    case online, offline
}

/// What a thing at the edge reports.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package enum EdgeMessage: Sendable, Hashable {
    case onboard(OnboardingRequest)
    /// A state that the broker had kept is used, and is no sample of the history.
    case state(StateUpload, isRetained: Bool)
    case result(CommandReport)
    case status(EdgeStatus)
    /// What a gateway sees.
    case nodes([EdgeNode])
    /// An empty message: the broker keeps nothing on this topic any more.
    case cleared
}

/// A message of a thing at the edge that was read, or why it is refused.
package struct DecodedEdgeMessage: Sendable, Hashable {
    package let topic: EdgeTopic
    /// What the thing recognises the answer to its `onboard` by, if it could be read.
    package let tx: JSONValue?
    package let result: Result<EdgeMessage, Refusal>
}

// MARK: - Reading

extension DecodedEdgeMessage {
    /// Bytes of an `onboard`, whose properties may have 64,512 as compact JSON.
    private static let longestOnboard = 131_072
    /// Bytes of a `status`.
    private static let longestStatus = 64

    /// - Parameters:
    ///   - isRetained: Whether the broker delivered the message with the retain flag.
    ///   - now: Milliseconds since 1970.
    package init(_ payload: [UInt8], on topic: EdgeTopic, isRetained: Bool = false, at now: Int64) {
        var tx: JSONValue?
        let result = Result { () throws(Refusal) in
            try Self.message(payload, on: topic, isRetained: isRetained, at: now, &tx)
        }
        self.init(topic: topic, tx: tx, result: result.mapError(\.masked))
    }

    /// A message that is too long to be passed on by the broker's client.
    package init(oversize bytes: Int, on topic: EdgeTopic) {
        let refusal = Refusal(.tooLarge, "a message of \(bytes) bytes is more than a thing may send")
        self.init(topic: topic, tx: nil, result: .failure(refusal))
    }

    private static func message(
        _ payload: [UInt8],
        on topic: EdgeTopic,
        isRetained: Bool,
        at now: Int64,
        _ tx: inout JSONValue?
    ) throws(Refusal) -> EdgeMessage {
        if payload.isEmpty { return .cleared }
        switch topic.part {
        case .onboard:
            try checkLive(isRetained)
            guard var members = try json(payload, longestOnboard).object else {
                throw Refusal(.wrongType, "onboard must be an object")
            }
            tx = try CommandDecoder.mark(members.removeValue(forKey: "tx")).map {
                SecretMask.tokens.masked($0)
            }
            return .onboard(try OnboardingRequest(edge: .object(members), from: topic.vendor))
        case .state:
            return .state(try StateUpload(message: payload, at: now), isRetained: isRetained)
        case .result:
            try checkLive(isRetained)
            return .result(try CommandReport(try json(payload, CommandReport.maximumMessage)))
        case .status: return .status(try status(payload))
        case .nodes:
            try checkLive(isRetained)
            return .nodes(try EdgeNode.list(try json(payload, EdgeNode.maximumMessage), of: topic.vendor))
        }
    }

    private static func status(_ payload: [UInt8]) throws(Refusal) -> EdgeStatus {
        let text = String(decoding: payload.prefix(longestStatus), as: UTF8.self)
        guard payload.count <= longestStatus, let status = EdgeStatus(rawValue: text) else {
            let names = QuotedValue.list(EdgeStatus.allCases.map(\.rawValue))
            throw Refusal(.invalidValue, "status must be one of \(names), is \(QuotedValue.of(text))")
        }
        return status
    }

    private static func checkLive(_ isRetained: Bool) throws(Refusal) {
        guard isRetained else { return }
        throw Refusal(
            .retainedCommand,
            "a message that the broker had kept is refused; publish it without the retain flag, and clear this one with "
                + "an empty retained message"
        )
    }

    private static func json(_ payload: [UInt8], _ longest: Int) throws(Refusal) -> JSONValue {
        guard payload.count <= longest else {
            throw Refusal(
                .tooLarge,
                "the message must have at most \(longest) bytes, has \(payload.count)"
            )
        }
        do throws(JSONError) {
            return try JSONValue(parsing: payload)
        } catch {
            throw Refusal(.badJSON, "the message is no JSON: \(error)")
        }
    }
}
