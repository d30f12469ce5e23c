import Accounts
import GRDB

/// A row of the command log that its command writes itself, at its beginning and at each change.
extension StoredThingCommand: DatabaseRecord {
    func save(_ database: Database) throws { try write(database) }
}
