import Logging
import Threading

/// Counts messages that cannot be understood, and logs each cause once.
///
/// The causes are limited in number, because they may quote what was sent.
final class RefusalLog: Sendable {
    private static let maximumCauses = 20

    private let state = Locked((count: 0, causes: Set<String>()))
    private let message: Logger.Message
    private let logger: Logger

    init(_ message: Logger.Message, _ logger: Logger) { (self.message, self.logger) = (message, logger) }

    var count: Int { state.withLock { $0.count } }

    func record(_ why: String) {
        let isNew = state.withLock { state in
            state.count += 1
            return state.causes.count < Self.maximumCauses && state.causes.insert(why).inserted
        }
        if isNew { logger.warning(message, metadata: ["why": "\(why)"]) }
    }
}
