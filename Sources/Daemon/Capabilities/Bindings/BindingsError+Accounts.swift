package import Accounts
package import Bindings
import Things

extension BindingsError {
    /// Why the accounts refuse something of a binding.
    package init(_ error: AccountsError) {
        let code: RefusalCode =
            switch error {
            case .refused: .notAllowed
            case .badValue, .conflict: .invalidValue
            case .unknown: .unknownThing
            case .unauthenticated: .unauthenticated
            case .rateLimited, .limited: .rateLimited
            case .database: error.isTransient ? .serverUnreachable : .internalError
            }
        self = .refused(Refusal(code, "\(error)"))
    }

    static func refused(_ code: RefusalCode, _ message: String, field: String? = nil) -> BindingsError {
        .refused(Refusal(code, message, field: field))
    }

    static func tooManyGuesses(_ seconds: Int) -> BindingsError {
        .refused(.rateLimited, "too many wrong passwords; try again in \(seconds) s")
    }
}

/// Does work on accounts, whose errors are those of bindings.
func withBindingsErrors<Success>(_ work: () throws(AccountsError) -> Success) throws(BindingsError) -> Success
{
    do throws(AccountsError) { return try work() } catch { throw BindingsError(error) }
}
