package import People
import Threading

/// Queries of the history that wait or are being answered: one thread answers them all, and stores samples between them.
///
/// May be used from any thread.
package final class OpenQueries: Sendable {
    /// Of one caller, and of all.
    package static let mostOfCaller = 4
    package static let most = 40

    private let counts = Locked<[BindingCaller: Int]>([:])

    package init() {}

    /// Begins a query; end it with ``end(by:)``.
    ///
    /// - Returns: `false` if too many wait; then it was not begun.
    package func begin(by caller: BindingCaller) -> Bool {
        counts.withLock { counts in
            let count = counts[caller.oneself, default: 0]
            guard count < Self.mostOfCaller, counts.values.reduce(0, +) < Self.most else { return false }
            counts[caller.oneself] = count + 1
            return true
        }
    }

    package func end(by caller: BindingCaller) {
        counts.withLock { counts in
            let count = counts[caller.oneself, default: 0] - 1
            counts[caller.oneself] = count > 0 ? count : nil
        }
    }
}

extension BindingCaller {
    /// Who it is, whatever the token allows.
    fileprivate var oneself: BindingCaller {
        guard case .user(.user(let id, _)) = self else { return self }
        return .user(.user(id))
    }
}
