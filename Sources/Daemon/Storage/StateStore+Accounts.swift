package import Accounts
import GRDB

/// Users, groups, grants, secrets and their log.
extension StateStore {
    /// The accounts in this database.
    package var accounts: AccountsStore { AccountsStore(database) }

    /// Does work with the accounts; errors of the database get its path and advice.
    package func withAccounts<Result>(
        _ work: (AccountsStore) throws -> Result
    ) throws(StateStoreError) -> Result {
        try Self.mappingErrors(path) {
            do {
                return try work(accounts)
            } catch AccountsError.database(let code, let message) {
                throw StateStoreError.database(path: path, code: code, message: message)
            }
        }
    }
}
