package import Accounts
import GRDB

/// Users, groups, grants, secrets and their log.
extension StateStore {
    /// The accounts in this database.
    package var accounts: AccountsStore { AccountsStore(database) }
}
