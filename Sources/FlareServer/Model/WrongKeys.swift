import HTTPTypes
import Logging
import Threading

/// Counts requests without the right key, and limits them.
///
/// The right key is accepted at any time, so that nobody locks the owner out.
final class WrongKeys: Sendable {
    /// So many a minute are answered as wrong.
    private static let limit = 5
    private static let window = Duration.seconds(60)

    private struct Count {
        var begun: ContinuousClock.Instant
        var wrong = 0
    }

    private let count = Locked(Count(begun: .now))
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// The answer to a request with this key; `nil` if it is the right one.
    func refusal(of key: String?, _ right: String) -> RESTResponse? {
        if let key, LocalKey.areEqual(key, right) { return nil }
        let now = ContinuousClock.now
        let (wrong, left) = count.withLock { count in
            if now - count.begun >= Self.window { count = Count(begun: now) }
            count.wrong += 1
            return (count.wrong, Self.window - (now - count.begun))
        }
        guard wrong > Self.limit else {
            let what = key == nil ? "is missing" : "is not the key of this server's database"
            return .problem(.forbidden, "the header \(LocalRoutes.keyHeader) \(what)")
        }
        if wrong == Self.limit + 1 {
            logger.warning(
                "a program on this machine tries keys of the database; they are refused for a minute"
            )
        }
        var answer = RESTResponse.problem(.tooManyRequests, "too many wrong keys; try again in a minute")
        answer.headers[.retryAfter] = "\(max(1, left.components.seconds))"
        return answer
    }
}
